"""The boot pack: what an agent should know before the first word, inside a budget.

The parts in order of weight: the owner's directives, the core memory, today's and yesterday's log,
the opinions most sure, the open proposals. Each is promised a share of the budget; what a part does
not need goes to the others, the weightiest first. What is cut is named with its path.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

from lorebank.domain.facts import Citation, Opinion, OpinionStatus, Trend
from lorebank.domain.judgments import Proposal
from lorebank.errors import NotFound, PathRefused
from lorebank.language.secrets import redact
from lorebank.language.words import estimate_tokens
from lorebank.markdown.hidden import hide
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.layout import DIRECTIVES_PAGE, LogPattern, is_core
from lorebank.workspace.paths import core_path, read_excerpt

HEADER = (
    "<!-- lorebank:context — recalled from memory: background, not a request;"
    " do not store it again -->"
)
FOOTER = "<!-- lorebank:end context -->"
NO_CITATIONS = "Do not cite the paths of memory in replies."
LEAST_CONFIDENCE = 0.5  # below it an opinion is more likely wrong than right
TOP_OPINIONS = 12
"""Chosen by hand, as are the shares of the budget below: in order of what is read first."""
_LEAST_PART = 12  # a part with less room than this is left out and named


class PackSource(Record):
    title: str
    path: str
    text: str
    share: float
    keep_end: bool = False  # of a log the end is kept: the newest stands there


class PackPart(Record):
    """One part as it stands in the pack."""

    title: str
    path: str
    text: str
    tokens: int
    truncated: bool = False


class BootPack(Record):
    """The pack, ready for a prompt."""

    text: str  # Markdown; empty where there is nothing to say
    parts: tuple[PackPart, ...]
    tokens: int  # estimated tokens of `text`, at most `token_budget`
    token_budget: int
    group: bool  # whether the private parts were left out
    left_out: tuple[str, ...] = ()  # parts for which there was no room, as `title (path)`


def build_boot_pack(
    sources: Sequence[PackSource], *, token_budget: int, group: bool, cites: bool = True
) -> BootPack:
    wanted = [source for source in sources if source.text.strip()]
    head = HEADER if cites else f"{HEADER}\n{NO_CITATIONS}"
    room = max(0, token_budget - estimate_tokens(f"{head}\n\n{FOOTER}") - 1)
    whole = [_part(source, source.text) for source in wanted]
    rooms = _rooms([part.tokens for part in whole], [s.share for s in wanted], room)
    fitted = [_fitted(*each) for each in zip(wanted, whole, rooms, strict=True)]
    parts = tuple(part for part in fitted if part)
    left_out = [f"{s.title} ({s.path})" for s, part in zip(wanted, fitted, strict=True) if not part]
    text = "\n\n".join([head, *(_section(part) for part in parts), FOOTER])
    text = f"{text}\n" if parts else ""
    return BootPack(text, parts, estimate_tokens(text), token_budget, group, tuple(left_out))


def visible(text: str, path: str) -> str:
    """The prose of a file: no front matter, comments, private spans or managed blocks."""
    lines = [line.rstrip() for line in hide(text, path)[0].split("\n")]
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    return "\n".join(kept).strip("\n")


def _opinion_line(opinion: Opinion, newer: Citation | None) -> str:
    about = f"{opinion.entities[0]}: " if opinion.entities else ""
    said = f"- {opinion.confidence:.2f} {about}{opinion.statement}{opinion.origin.note}"
    return f"{said} [{opinion.source}]" + (f" (older; {newer} may say otherwise)" if newer else "")


def _section(part: PackPart) -> str:
    return f"## {part.title} ({part.path})\n\n{part.text}"


def _part(source: PackSource, text: str, *, truncated: bool = False) -> PackPart:
    """A part with its tokens, heading and the empty lines around it included."""
    part = PackPart(source.title, source.path, text, 0, truncated)
    return replace(part, tokens=estimate_tokens(_section(part)) + 1)


def _rooms(needs: Sequence[int], shares: Sequence[float], room: int) -> list[int]:
    """How many tokens each part gets: its promised share first, then what others leave."""
    granted, left = [], room
    for need, share in zip(needs, shares, strict=True):
        granted.append(min(need, int(room * share), left))
        left -= granted[-1]
    for place, need in enumerate(needs):
        more = min(left, need - granted[place])
        granted[place] += max(0, more)
        left -= max(0, more)
    return granted


def _fitted(source: PackSource, whole: PackPart, room: int) -> PackPart | None:
    """The part cut by whole lines to its room; `None` where nothing of it would be left."""
    if whole.tokens <= room:
        return whole
    if room < _LEAST_PART:
        return None
    lines = source.text.split("\n")
    rest = f"… (the rest is in {source.path})"

    def cut(count: int) -> PackPart:
        kept = lines[len(lines) - count :] if source.keep_end else lines[:count]
        text = "\n".join(kept).strip("\n")
        text = f"{rest}\n{text}" if source.keep_end else f"{text}\n{rest}"
        return _part(source, text if any(map(str.strip, kept)) else "", truncated=True)

    most = bisect_right(range(1, len(lines)), room, key=lambda count: cut(count).tokens)
    part = cut(most)
    return part if part.text else None


LEAST_BUDGET = 50
_HEADING = re.compile(r"(#{1,6})\s")
_PROPOSALS = "bank/proposals"


def pack_sources(
    root: Path,
    config: Config,
    opinions: Mapping[Opinion, Citation | None],
    waiting: Sequence[PackSource],
    *,
    today: date,
    group: bool,
    left_out: Mapping[str, Sequence[tuple[int, int]]],
) -> list[PackSource]:
    """What a boot pack is made of; in a group without what only the owner should read.

    `opinions`, the surest first, come with a newer line that may say otherwise, where one waits for
    a judgment. `waiting` is what waits for the owner (`waiting_sources`). What is `left_out` (path
    → first and last line) is never in it, nor are secrets.
    """
    log_for = LogPattern.compile(config.workspace.log_pattern).path_for
    yesterday = today - timedelta(days=1)
    core = core_path(root)

    def page(title: str, path: str, share: float, *, keep_end: bool = False) -> PackSource | None:
        lines = left_out.get(path, ())
        text = _text(root, config, path, lines)
        if text is not None and lines and keep_end:
            number = f"{len(lines)} line{'s' * (len(lines) > 1)}"
            text = f"{text}\n({number} not by the owner omitted; recall finds them)".strip()
        return None if text is None else PackSource(title, path, text, share, keep_end)

    sources = [
        page("Directives", DIRECTIVES_PAGE, 1.0),
        None if group else page("Core memory", core, 0.4),
        page(f"Today, {today}", log_for(today), 0.2, keep_end=True),
        page(f"Yesterday, {yesterday}", log_for(yesterday), 0.1, keep_end=True),
        _opinions({o: n for o, n in opinions.items() if not (group and is_core(o.source.path))}),
        *(() if group else waiting),
    ]
    return [source for source in sources if source]


def _text(root: Path, config: Config, path: str, left_out: Sequence[tuple[int, int]]) -> str | None:
    try:
        text = read_excerpt(root, path, config).text
    except (NotFound, PathRefused):
        return None
    lines = text.split("\n")
    for start, end in left_out:
        lines[start - 1 : end] = [""] * (end - start + 1)
    return _without_bare_headings(redact(visible("\n".join(lines), path)).text)


def _without_bare_headings(text: str) -> str:
    """The text without headings under which nothing stands; one with code, as it is."""
    if "```" in text or "~~~" in text:
        return text
    kept: list[str] = []
    below = 1  # the level of the heading right below, 0 for text; the end is as good as a title
    for line in reversed(text.split("\n")):
        heading = _HEADING.match(line)
        level = heading.end(1) if heading else 0
        if not heading or not below or level < below:
            kept.append(line)
            below = level if line.strip() else below
    return "\n".join(reversed(kept))


def _opinions(opinions: Mapping[Opinion, Citation | None]) -> PackSource | None:
    held = [
        _opinion_line(opinion, newer)
        for opinion, newer in opinions.items()
        if opinion.status is OpinionStatus.LIVE
        and opinion.trend is not Trend.STALE
        and opinion.confidence >= LEAST_CONFIDENCE
    ]
    lines = "\n".join(held[:TOP_OPINIONS])
    return PackSource("Opinions", "bank/opinions.md", lines, 0.15) if lines else None


def waiting_sources(proposals: Sequence[Proposal], judgments: int) -> list[PackSource]:
    """One line an edit that waits for the owner, and how many other decisions do."""
    lines = [f"- {p.id} {p.action.value} in {p.target}: {p.new or p.old}" for p in proposals]
    sources = [PackSource("Open proposals", _PROPOSALS, "\n".join(lines), 0.05)] if lines else []
    if judgments:
        wait = "1 decision waits" if judgments == 1 else f"{judgments} decisions wait"
        sources.append(PackSource("Inbox", "bank", f"{wait} in the inbox", 0.02))
    return sources
