"""Looking back: what changed its mind, what went off, how often a confidence held up.

Puts the stored evidence before the pure folds of `changes`, `rot`, `dangling`, `calibration` and
`steps`. Nothing here is kept: each answer is worked out anew from the lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import cache
from pathlib import Path

from lorebank.beliefs.history import belief_steps, calibrate
from lorebank.beliefs.rot import (
    NOTED_DAYS,
    UNRECALLED_SHOWN,
    rank_findings,
    rotten_opinions,
    unrecalled_lines,
)
from lorebank.database.connection import Connection
from lorebank.domain import (
    BeliefStep,
    Calibration,
    Fact,
    Opinion,
    OpinionStatus,
    RotFinding,
    RotKind,
    RotReport,
)
from lorebank.index.items import all_facts, facts_by_id, marked_facts
from lorebank.index.succession import superseded_facts
from lorebank.markdown.ledger import EvidenceRuling, parse_evidence_lines
from lorebank.markdown.source import decode, split_lines
from lorebank.names.who import resolve_name
from lorebank.pages.dangling import dangling_links
from lorebank.workspace.files import SourceFile, read_bytes
from lorebank.workspace.layout import BANK_FOLDER, EVIDENCE_PAGE, is_core, is_generated
from lorebank.workspace.recalled import Recalled


def steps_of(connection: Connection, opinion: Opinion, prior: float) -> tuple[BeliefStep, ...]:
    """Each day of an opinion's confidence, with the confidences its lines name."""
    lines = {line.fact_id for line in opinion.evidence}
    facts = [fact for each in sorted(lines) for fact in facts_by_id(connection, each)]
    return belief_steps(opinion, _stated(facts), prior=prior)


def calibration(connection: Connection, opinions: Sequence[Opinion], *, day: date) -> Calibration:
    """How often the confidences of these opinions held up, by a day."""
    return calibrate(opinions, _stated(all_facts(connection)), day=day)


def _stated(facts: Iterable[Fact]) -> dict[str, float]:
    """Fact id → the confidence its line names."""
    return {fact.id: fact.confidence for fact in facts if fact.confidence is not None}


def rot_report(
    connection: Connection,
    root: Path,
    sources: Sequence[SourceFile],
    opinions: Sequence[Opinion],
    recalled: Recalled | None,
    *,
    day: date,
) -> RotReport:
    """What has gone off: opinions as believed on `day`, lines never `recalled` by then, and what on
    the bank's pages leads nowhere.

    Pages are those under `bank/` and the core memory; journals and proposals tell of their own
    day and are left out.
    """
    texts = {
        source.path: text
        for source in sources
        if _is_page(source.path) and (text := _text(root, source)) is not None
    }
    superseded = superseded_facts(connection, as_of=day)
    facts = all_facts(connection)
    unrecalled = None
    if recalled is not None and (day - recalled.since).days >= NOTED_DAYS:
        unrecalled = list(unrecalled_lines(facts, opinions, superseded, recalled, day=day))
    findings = [
        *rotten_opinions(opinions, superseded, day=day),
        *(unrecalled or [])[:UNRECALLED_SHOWN],
        *_dangling(connection, root, sources, texts),
        *_unknown_ids(connection, opinions, texts.get(EVIDENCE_PAGE, ""), day),
    ]
    live = sum(opinion.status is OpinionStatus.LIVE for opinion in opinions)
    found = None if unrecalled is None else len(unrecalled)
    return RotReport(day, live, len(texts), rank_findings(findings), found)


def _is_page(path: str) -> bool:
    inside = path.startswith(f"{BANK_FOLDER}/") and not is_generated(path)
    return inside or is_core(path)


def _text(root: Path, source: SourceFile) -> str | None:
    try:
        return decode(read_bytes(root, source), source.path)[0]
    except OSError:
        return None


def _dangling(
    connection: Connection,
    root: Path,
    sources: Sequence[SourceFile],
    texts: Mapping[str, str],
) -> Iterator[RotFinding]:
    by_path = {source.path: source for source in sources}
    stems = {path.rpartition("/")[2][: -len(".md")].casefold() for path in by_path}

    @cache
    def lines_of(path: str) -> int | None:
        source = by_path.get(path)
        if source is None:
            return _lines_outside_memory(root, path)
        text = texts.get(path) if path in texts else _text(root, source)
        return None if text is None else len(split_lines(text))

    @cache
    def is_known(name: str) -> bool:
        stem = name.removesuffix(".md").rpartition("/")[2].casefold()
        return stem in stems or resolve_name(connection, name).entity is not None

    return dangling_links(texts, lines_of=lines_of, is_known=is_known)


def _lines_outside_memory(root: Path, path: str) -> int | None:
    """Files that are no memory (a README, a journal) may be linked to; links are not followed."""
    file = root / path
    try:
        if not file.resolve().is_relative_to(root.resolve()) or not file.is_file():
            return None
        return len(split_lines(decode(file.read_bytes(), path)[0]))
    except OSError:
        return None


def _unknown_ids(
    connection: Connection, opinions: Sequence[Opinion], ledger: str, day: date
) -> Iterator[RotFinding]:
    """Rulings on facts or opinions, and marks on lines, whose other end is not there any more."""
    known = [opinion.id for opinion in opinions]
    for ruling in parse_evidence_lines(ledger, EVIDENCE_PAGE)[0]:
        yield from _unknown_in_ruling(connection, ruling, known)
    for fact in marked_facts(connection):
        if fact.recorded is None or fact.recorded <= day:
            yield from _unknown_in_marks(fact, known)


def _unknown_in_ruling(
    connection: Connection, ruling: EvidenceRuling, known: Iterable[str]
) -> Iterator[RotFinding]:
    if not facts_by_id(connection, ruling.fact_id):
        yield RotFinding(
            RotKind.DANGLING, "", ruling.fact_id, ruling.citation, "rules on a fact that is gone"
        )
    if ruling.opinion_id not in known:
        yield RotFinding(
            RotKind.DANGLING,
            "",
            ruling.opinion_id,
            ruling.citation,
            "rules on an opinion that is gone",
        )


def _unknown_in_marks(fact: Fact, known: Sequence[str]) -> Iterator[RotFinding]:
    for mark in fact.marks:
        if not any(opinion_id.startswith(mark.opinion_id) for opinion_id in known):
            yield RotFinding(
                RotKind.DANGLING,
                fact.id,
                mark.opinion_id,
                fact.citation,
                "the line is marked for an opinion that is not there",
            )
