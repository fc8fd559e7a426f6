"""The belief diff: what became of opinions between two days. Values in, values out."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lorebank.domain import BeliefChange, BeliefDiff, ChangeKind, Opinion, OpinionStatus

SEEN = 0.005
"""A smaller move does not show in two decimals."""
_ORDER = {kind: rank for rank, kind in enumerate(ChangeKind)}


def belief_diff(
    before: Sequence[Opinion], after: Sequence[Opinion], *, since: date, until: date
) -> BeliefDiff:
    """How `after`, believed on `until`, differs from `before`, believed on the eve of `since`.

    Opinions that their owner retracted are left out: that was no evidence, and has no date.
    """
    earlier = {opinion.id: opinion for opinion in before}
    later = {opinion.id: opinion for opinion in after}
    changes = []
    for opinion in after:
        old = earlier.get(opinion.id)
        kind = _kind(old, opinion)
        if kind is None:
            continue
        superseded = kind is ChangeKind.SUPERSEDED
        changes.append(
            BeliefChange(
                kind=kind,
                opinion=opinion,
                before=_believed(old) if old else None,
                after=_believed(opinion),
                moved=tuple(e for e in opinion.evidence if since <= e.date <= until),
                successor=later.get(opinion.superseded_by or "") if superseded else None,
            )
        )
    return BeliefDiff(since, until, tuple(sorted(changes, key=_rank)))


def _kind(before: Opinion | None, after: Opinion) -> ChangeKind | None:
    if after.status is OpinionStatus.RETRACTED:
        return None
    if after.status is OpinionStatus.SUPERSEDED and (
        before is None or before.status is not OpinionStatus.SUPERSEDED
    ):
        return ChangeKind.SUPERSEDED
    if before is None:
        return ChangeKind.NEW
    if _believed(before) >= 0.5 > _believed(after):
        return ChangeKind.FELL
    move = _believed(after) - _believed(before)
    if abs(move) < SEEN:
        return None
    return ChangeKind.STRONGER if move > 0 else ChangeKind.WEAKER


def _believed(opinion: Opinion) -> float:
    """What the evidence left, however far it has faded for a reader since."""
    return opinion.history[-1][1] if opinion.history else opinion.confidence


def _rank(change: BeliefChange) -> tuple[int, float, str]:
    move = change.after if change.before is None else change.after - change.before
    return _ORDER[change.kind], -round(abs(move), 6), change.opinion.id
