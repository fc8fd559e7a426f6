"""The story of a confidence: each day that moved it, with the rule's inputs in words.

Nothing is folded again: what a day did is read from its lines' deltas and the history, so that the
story is that of the numbers shown, pins and all.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from statistics import NormalDist

from lorebank.domain import BeliefStep, Evidence, Opinion, Stance
from lorebank.reflect.beliefs import PRIOR, STEP

_NORMAL = NormalDist()
_STATING = ("stated", "restated")
_NOTHING = 5e-4


def belief_steps(
    opinion: Opinion, stated: Mapping[str, float], *, prior: float = PRIOR
) -> tuple[BeliefStep, ...]:
    """Each day of the opinion, oldest first; `stated` maps fact ids to the confidence they name."""
    told = dict(opinion.history)
    lines = {day: tuple(each) for day, each in groupby(opinion.evidence, key=lambda e: e.date)}
    steps: list[BeliefStep] = []
    before: float | None = None
    named = False
    for day in sorted({*told, *lines}):
        after = told.get(day, before if before is not None else opinion.confidence)
        own = lines.get(day, ())
        naming = [line for line in own if line.reason in _STATING and line.fact_id in stated]
        values = [stated[line.fact_id] for line in naming]
        weighed = [line for line in own if line not in naming]
        if not own:
            words = f"set by hand to {after:.2f}"
        else:
            pulled = sum(line.delta for line in naming)
            words = _words(before, after, weighed, values, pulled, named=named, prior=prior)
        steps.append(BeliefStep(day, before, after, words, own))
        before, named = after, named or bool(values)
    return tuple(steps)


def _words(
    before: float | None,
    after: float,
    lines: Sequence[Evidence],
    stated: Sequence[float],
    pulled: float,
    *,
    named: bool,
    prior: float,
) -> str:
    """The day in words: the confidences `stated` on it, what they `pulled`, and the other lines."""
    moved = pulled + sum(line.delta for line in lines)
    if before is None:
        start = after - moved
        clauses = [_opening(start, stated, prior)]
    elif abs(after - before - moved) > _NOTHING or (abs(moved) < _NOTHING and not stated):
        return _held(before, after)
    else:
        start = before
        clauses = [_stating(start, start + pulled, stated, named=named)] if stated else []
        start += pulled
    if abs(after - start) >= _NOTHING:
        clauses.append(_weighing(start, after, lines))
    return "; ".join(clauses)


def _opening(start: float, stated: Sequence[float], prior: float) -> str:
    if len(stated) > 1:
        return f"opens at {start:.2f}, the mean of the {len(stated)} confidences stated that day"
    if stated:
        return f"opens at {start:.2f}, the confidence stated"
    if abs(start - prior) < _NOTHING:
        return f"no confidence is stated: opens at the prior, {prior:.2f}"
    return f"opens at {start:.2f}, stated in an undated file"


def _stating(start: float, end: float, stated: Sequence[float], *, named: bool) -> str:
    mean = sum(stated) / len(stated)
    said = f"stated at {mean:.2f}" if len(stated) == 1 else f"stated at {mean:.2f} in the mean"
    if not named:
        return f"{said}, the first confidence named: taken over whole"
    return f"{said} again: pulls it {_z(end) - _z(start):+.2f} on z, half the way at most"


def _weighing(start: float, end: float, lines: Sequence[Evidence]) -> str:
    weighed = [line for line in lines if abs(line.delta) >= _NOTHING]
    sides = [
        f"{sum(line.stance is stance for line in weighed)} {stance.value}"
        for stance in (Stance.FOR, Stance.AGAINST)
        if any(line.stance is stance for line in weighed)
    ]
    change = _z(end) - _z(start)
    worth = f"{abs(change) / STEP:.2f} of a clear line's weight"
    return f"{', '.join(sides)}: {worth}, z {_z(start):+.2f} → {_z(end):+.2f}"


def _held(before: float, after: float) -> str:
    if abs(after - before) < _NOTHING:
        return f"noted, and moves nothing: it stays at {after:.2f}"
    return f"set by hand to {after:.2f}; the lines count again when that is taken away"


def _z(confidence: float) -> float:
    return _NORMAL.inv_cdf(min(max(confidence, 1e-6), 1 - 1e-6))
