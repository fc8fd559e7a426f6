"""Lines that are old and were never given as an answer, for as long as answers were noted.

Values in, values out. Nothing is said where answers have been noted for less than a month.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import date

from lorebank.domain import Fact, FactKind, Opinion, OpinionStatus, RotFinding, RotKind
from lorebank.reflect.trends import STALE_DAYS
from lorebank.workspace.recalled import Recalled

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
        _finding(o.id, o.statement, o.evidence[0].date, o, recalled)
        for o in held
        if o.id not in asked and o.evidence and _is_old(o.evidence[0].date, day)
    ]
    for fact in facts:
        is_known = fact.id in recalled.last or fact.id in superseded or fact.id in spoken
        if fact.recorded is None or fact.kind is FactKind.OPINION or is_known:
            continue
        if _is_old(fact.recorded, day):
            found.append(_finding(fact.id, fact.content, fact.recorded, fact, recalled))
    yield from (finding for _, finding in sorted(found, key=lambda each: each[0]))


def _is_recalled(opinion: Opinion, recalled: Recalled) -> bool:
    return opinion.id in recalled.last or any(
        line.fact_id in recalled.last for line in opinion.evidence
    )


def _is_old(written: date, day: date) -> bool:
    return (day - written).days > STALE_DAYS


def _finding(
    id: str, text: str, written: date, said: Fact | Opinion, recalled: Recalled
) -> tuple[tuple[date, str], RotFinding]:
    source = said.citation if isinstance(said, Fact) else said.source
    reason = (
        f"written on {written.isoformat()}; never given as an answer"
        f" since answers are noted ({recalled.since.isoformat()})"
    )
    finding = RotFinding(RotKind.UNRECALLED, id, text, source, reason, said.confidence)
    return (written, str(source)), finding
