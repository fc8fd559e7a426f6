"""Opinions that moved, as lines of a standing answer: what was believed, and how far it went."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

from lorebank.domain import Opinion, OpinionStatus
from lorebank.pages.standing_answer import AnswerLine

MOVED = 0.15
"""An opinion has moved whose confidence went as far as that at one time."""
_SHOWN = 6
"""Points of a history that are told."""


def moved_opinion_lines(
    opinions: Iterable[Opinion], *, name: str = "", since: date | None = None
) -> list[AnswerLine]:
    """One line an opinion, the one moved last first, citing the line that moved it last.

    `name`: only opinions held by that entity or about it. `since`: only those that moved from that
    day on. An opinion withdrawn by hand is left out.
    """
    known = list(opinions)
    by_id = {opinion.id: opinion for opinion in known}
    found = [
        _line(opinion, by_id)
        for opinion in known
        if opinion.status is not OpinionStatus.RETRACTED
        and opinion.evidence
        and _has_moved(opinion)
        and (not name or name in opinion.entities)
    ]
    kept = [line for line in found if since is None or (line.recorded or date.min) >= since]
    return sorted(kept, key=AnswerLine.newest_first)


def _has_moved(opinion: Opinion) -> bool:
    if opinion.status is OpinionStatus.SUPERSEDED:
        return True
    levels = [level for _, level in opinion.history]
    return len(levels) > 1 and max(levels) - min(levels) >= MOVED


def _line(opinion: Opinion, by_id: Mapping[str, Opinion]) -> AnswerLine:
    last = max(opinion.evidence, key=lambda e: (abs(e.delta) > 0, e.date, e.source), default=None)
    assert last is not None
    new = by_id.get(opinion.superseded_by or "")
    text = opinion.statement if new is None else f"{opinion.statement} Now: {new.statement}"
    return AnswerLine(
        text=text,
        source=last.source,
        recorded=last.date,
        subject=opinion.entities[0] if opinion.entities else "",
        id=opinion.id,
        tail=" → ".join(f"{level:.2f}" for level in _turns([c for _, c in opinion.history])),
    )


def _turns(levels: Sequence[float]) -> list[float]:
    """The first and the last level, and those between at which the way turned."""
    kept = [
        level
        for at, level in enumerate(levels)
        if at in (0, len(levels) - 1) or (levels[at - 1] - level) * (level - levels[at + 1]) < 0
    ]
    return kept if len(kept) <= _SHOWN else [kept[0], *kept[1 - _SHOWN :]]
