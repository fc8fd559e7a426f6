"""Calibration: how often an opinion of about .8 was borne out by what came next.

A trial is a day with evidence that bears on an opinion opened on an earlier day. The forecast is
the confidence at the end of the day before, the outcome whether more of the day's lines spoke for
the opinion than against it. A restatement is a line of a day of its own and might have been
otherwise: it speaks for the opinion, unless it names a confidence below .5. A day counts once,
however many lines it has, and not at all where both sides have as many. Opinions nobody spoke of
again were never tried, and say nothing about the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby

from lorebank.domain import Calibration, CalibrationBin, Evidence, Opinion, OpinionStatus, Stance
from lorebank.records import dataclass

ENOUGH = 30
"""With fewer trials the interval of every bin is wider than the bins lie apart."""
_BINS = 10
_Z95 = 1.959964


@dataclass(frozen=True, slots=True)
class Trial:
    """One forecast and what came of it."""

    opinion_id: str
    date: date
    forecast: float
    held: bool


def calibrate(
    opinions: Sequence[Opinion], stated: Mapping[str, float], *, day: date
) -> Calibration:
    """The reliability of the confidences held up to a day; retracted opinions are left out.

    `stated` maps fact ids to the confidence they name.
    """
    judged = [o for o in opinions if o.status is not OpinionStatus.RETRACTED]
    by_opinion = [[t for t in trials_of(o, stated) if t.date <= day] for o in judged]
    trials = [trial for own in by_opinion for trial in own]
    held = sum(trial.held for trial in trials)
    share = held / len(trials) if trials else 0.0
    return Calibration(
        day=day,
        bins=_bins(trials),
        opinions=sum(bool(own) for own in by_opinion),
        untried=sum(not own for own in by_opinion),
        trials=len(trials),
        held=held,
        brier=_mean([(t.forecast - t.held) ** 2 for t in trials]),
        base_brier=share * (1 - share) if trials else None,
        enough=len(trials) >= ENOUGH,
    )


def trials_of(opinion: Opinion, stated: Mapping[str, float]) -> Iterator[Trial]:
    """The trials an opinion was put to, oldest first."""
    history = sorted(opinion.history)
    for day, lines in groupby(opinion.evidence, key=lambda line: line.date):
        earlier = [confidence for told, confidence in history if told < day]
        balance = sum(_sign(line, stated) for line in lines)
        if earlier and balance:
            yield Trial(opinion.id, day, earlier[-1], balance > 0)


def _sign(line: Evidence, stated: Mapping[str, float]) -> int:
    """1 for a line that speaks for the opinion, -1 for one against it."""
    if line.reason in ("stated", "restated"):
        return 1 if stated.get(line.fact_id, 1.0) >= 0.5 else -1
    return {Stance.FOR: 1, Stance.AGAINST: -1}.get(line.stance, 0)


def _bins(trials: Sequence[Trial]) -> tuple[CalibrationBin, ...]:
    found: dict[int, list[Trial]] = {}
    for trial in trials:
        found.setdefault(math.floor(trial.forecast * _BINS + 0.5), []).append(trial)
    return tuple(_bin(number / _BINS, found[number]) for number in sorted(found))


def _bin(about: float, trials: Sequence[Trial]) -> CalibrationBin:
    held = sum(trial.held for trial in trials)
    low, high = _wilson(held, len(trials))
    stated = sum(trial.forecast for trial in trials) / len(trials)
    return CalibrationBin(about, stated, len(trials), held, low, high)


def _wilson(held: int, trials: int) -> tuple[float, float]:
    """The interval that holds the true share with 95 %; honest for few trials and near 0 and 1."""
    share = held / trials
    spread = _Z95**2 / trials
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
