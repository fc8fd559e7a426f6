"""What went off: opinions and lines that are old, contradicted, or were never given as an answer.

Values in, values out. Nothing is said where answers have been noted for less than a month.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date

from lorebank.beliefs.outcome import RECENT_DAYS, STALE_DAYS
from lorebank.domain.facts import Evidence, Fact, FactKind, Opinion, OpinionStatus, Stance
from lorebank.domain.reports import RotFinding, RotKind
from lorebank.workspace.recalled import Recalled

HELD = 0.5
"""Below it an opinion is not held: that it is contradicted or thin is no news."""
_ORDER = {kind: rank for rank, kind in enumerate(RotKind)}


def rotten_opinions(
    opinions: Iterable[Opinion], replaced: Mapping[str, str], *, day: date
) -> Iterator[RotFinding]:
    """The findings about opinions as believed on a day.

    `replaced` maps the ids of superseded facts to those that replaced them. An opinion may be found
    for several reasons. One set by hand (`pin`) is its owner's word, and is left alone.
    """
    for opinion in opinions:
        if opinion.status is not OpinionStatus.LIVE or opinion.pinned is not None:
            continue
        supports = [line for line in opinion.evidence if line.stance is Stance.FOR]
        against = [line for line in opinion.evidence if line.stance is Stance.AGAINST]
        if opinion.confidence >= HELD:
            yield from _contradicted(opinion, supports, against)
            yield from _outdated(opinion, supports, replaced)
            yield from _single_source(opinion, supports, day)
        yield from _stale(opinion, day)


def rank_findings(findings: Iterable[RotFinding]) -> tuple[RotFinding, ...]:
    """By kind, then the surest opinions, then by place."""
    return tuple(sorted(findings, key=lambda f: (_ORDER[f.kind], -(f.confidence or 0.0), f.source)))


def _contradicted(
    opinion: Opinion, supports: Sequence[Evidence], against: Sequence[Evidence]
) -> Iterator[RotFinding]:
    if not against:
        return
    last_support = max((line.date for line in supports), default=date.min)
    unanswered = [line for line in against if line.date > last_support]
    days_for, days_against = ({line.date for line in side} for side in (supports, against))
    if unanswered:
        reason = f"{_lines(unanswered)} against it, and nothing for it since"
    elif len(days_against) >= len(days_for):
        reason = f"as many days speak against it ({len(days_against)}) as for it ({len(days_for)})"
        if len(days_against) > len(days_for):
            reason = f"{len(days_against)} days speak against it, {len(days_for)} for it"
    else:
        return
    yield _finding(RotKind.CONTRADICTED, opinion, against[-1], reason)


def _outdated(
    opinion: Opinion, supports: Sequence[Evidence], replaced: Mapping[str, str]
) -> Iterator[RotFinding]:
    gone = [line for line in supports if line.fact_id in replaced]
    if gone:
        last = gone[-1]
        reason = f"{_lines(gone)} for it superseded; {last.fact_id} by {replaced[last.fact_id]}"
        yield _finding(RotKind.OUTDATED, opinion, last, reason)


def _single_source(
    opinion: Opinion, supports: Sequence[Evidence], day: date
) -> Iterator[RotFinding]:
    files = {line.source.path for line in supports}
    if len(files) != 1 or (day - supports[0].date).days <= RECENT_DAYS:
        return
    what = "one line" if len(supports) == 1 else f"{len(supports)} lines of one file"
    reason = f"rests on {what}, {(day - supports[0].date).days} days old"
    yield _finding(RotKind.SINGLE_SOURCE, opinion, supports[0], reason)


def _stale(opinion: Opinion, day: date) -> Iterator[RotFinding]:
    if not opinion.evidence:
        reason = "stands in an undated file, and no dated line bears on it"
        yield RotFinding(
            RotKind.STALE,
            opinion.id,
            opinion.statement,
            opinion.source,
            reason,
            opinion.confidence,
        )
        return
    last = max(opinion.evidence, key=lambda line: line.date)
    age = (day - last.date).days
    if age > STALE_DAYS:
        yield _finding(RotKind.STALE, opinion, last, f"no evidence for {age} days")


def _lines(lines: Sequence[Evidence]) -> str:
    return "1 line" if len(lines) == 1 else f"{len(lines)} lines"


def _finding(kind: RotKind, opinion: Opinion, line: Evidence, reason: str) -> RotFinding:
    return RotFinding(kind, opinion.id, opinion.statement, line.source, reason, opinion.confidence)


NOTED_DAYS = 30
"""A record of fewer days says nothing of what is never recalled."""
UNRECALLED_SHOWN = 20
"""Of more lines than that the oldest are named, and all are counted."""


def unrecalled_lines(
    facts: Iterable[Fact],
    opinions: Iterable[Opinion],
    superseded: Mapping[str, str],
    recalled: Recalled,
    *,
    day: date,
) -> Iterator[RotFinding]:
    """Facts that hold and live opinions, written more than 90 days before `day` and never
    recalled; the oldest first.

    An opinion counts as recalled with any line that bears on it.
    """
    held = [o for o in opinions if o.status is OpinionStatus.LIVE and o.pinned is None]
    asked = {o.id for o in held if _is_recalled(o, recalled)}
    spoken = {line.fact_id for o in held for line in o.evidence}
    found = [
        _never_recalled(o.id, o.statement, o.evidence[0].date, o, recalled)
        for o in held
        if o.id not in asked and o.evidence and _is_old(o.evidence[0].date, day)
    ]
    for fact in facts:
        is_known = fact.id in recalled.last or fact.id in superseded or fact.id in spoken
        if fact.recorded is None or fact.kind is FactKind.OPINION or is_known:
            continue
        if _is_old(fact.recorded, day):
            found.append(_never_recalled(fact.id, fact.content, fact.recorded, fact, recalled))
    yield from (finding for _, finding in sorted(found, key=lambda each: each[0]))


def _is_recalled(opinion: Opinion, recalled: Recalled) -> bool:
    return opinion.id in recalled.last or any(
        line.fact_id in recalled.last for line in opinion.evidence
    )


def _is_old(written: date, day: date) -> bool:
    return (day - written).days > STALE_DAYS


def _never_recalled(
    id: str, text: str, written: date, said: Fact | Opinion, recalled: Recalled
) -> tuple[tuple[date, str], RotFinding]:
    source = said.citation if isinstance(said, Fact) else said.source
    reason = (
        f"written on {written.isoformat()}; never given as an answer"
        f" since answers are noted ({recalled.since.isoformat()})"
    )
    finding = RotFinding(RotKind.UNRECALLED, id, text, source, reason, said.confidence)
    return (written, str(source)), finding
