"""Where the parts of the boot pack come from: the files, and the opinions believed today."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path
from types import MappingProxyType

from lorebank.agent.boot_pack import (
    LEAST_CONFIDENCE,
    TOP_OPINIONS,
    BootPack,
    PackSource,
    build_boot_pack,
    opinion_lines,
    visible,
)
from lorebank.domain import Opinion, OpinionStatus, Proposal, Trend
from lorebank.errors import NotFound, PathRefused, UsageError
from lorebank.language.secrets import redact
from lorebank.settings.tables import Config
from lorebank.workspace.layout import DIRECTIVES_PAGE, LogPattern, is_core
from lorebank.workspace.paths import read_excerpt
from lorebank.workspace.text_file import core_path

LEAST_BUDGET = 50
_PROPOSALS = "bank/proposals"


def boot_pack(
    root: Path,
    config: Config,
    opinions: Sequence[Opinion],
    proposals: Sequence[Proposal],
    *,
    today: date,
    token_budget: int,
    group: bool,
    quarantined: Mapping[str, Sequence[tuple[int, int]]] = MappingProxyType({}),
) -> BootPack:
    """The boot pack of a workspace; in a group without what only the owner should read.

    Lines in quarantine (path → first and last line) are never in it, nor are secrets."""
    if token_budget < LEAST_BUDGET:
        raise UsageError(f"a boot pack needs {LEAST_BUDGET} tokens at least, not {token_budget}")
    log_for = LogPattern.compile(config.workspace.log_pattern).path_for
    yesterday = today - timedelta(days=1)
    core = core_path(root)

    def page(title: str, path: str, share: float, *, keep_end: bool = False) -> PackSource | None:
        text = _text(root, config, path, quarantined.get(path, ()))
        return None if text is None else PackSource(title, path, text, share, keep_end)

    sources = [
        page("Directives", DIRECTIVES_PAGE, 1.0),
        None if group else page("Core memory", core, 0.4),
        page(f"Today, {today}", log_for(today), 0.2, keep_end=True),
        page(f"Yesterday, {yesterday}", log_for(yesterday), 0.1, keep_end=True),
        _opinions([o for o in opinions if not (group and is_core(o.source.path))]),
        None if group else _open_proposals(proposals),
    ]
    return build_boot_pack(
        [source for source in sources if source],
        token_budget=token_budget,
        group=group,
        cites=config.memory.citations == "on" or (config.memory.citations == "auto" and not group),
    )


def _text(
    root: Path, config: Config, path: str, quarantined: Sequence[tuple[int, int]]
) -> str | None:
    try:
        text = read_excerpt(root, path, config).text
    except (NotFound, PathRefused):
        return None
    lines = text.split("\n")
    for start, end in quarantined:
        lines[start - 1 : end] = [""] * (end - start + 1)
    return redact(visible("\n".join(lines), path)).text


def _opinions(opinions: Sequence[Opinion]) -> PackSource | None:
    held = [
        opinion
        for opinion in opinions
        if opinion.status is OpinionStatus.LIVE
        and opinion.trend is not Trend.STALE
        and opinion.confidence >= LEAST_CONFIDENCE
    ]
    lines = opinion_lines(held[:TOP_OPINIONS])
    return PackSource("Opinions", "bank/opinions.md", lines, 0.15) if lines else None


def _open_proposals(proposals: Sequence[Proposal]) -> PackSource | None:
    """One line an edit that waits for the owner."""
    lines = [f"- {p.id} {p.action.value} in {p.target}: {p.new or p.old}" for p in proposals]
    return PackSource("Open proposals", _PROPOSALS, "\n".join(lines), 0.05) if lines else None
