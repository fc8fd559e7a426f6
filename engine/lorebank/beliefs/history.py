"""Looking back: the history of confidences step by step, between two days, and how often they were
borne out; and what went off: opinions and lines that are old, contradicted, or never recalled.

Nothing is folded again: what a day did is read from its lines' deltas and the history, so that the
story is that of the numbers shown, pins and all.

A trial is a day with evidence that bears on an opinion opened on an earlier day. The forecast is
the confidence at the end of the day before, the outcome whether more of the day's lines spoke for
the opinion than against it. A restatement is a line of a day of its own and might have been
otherwise: it speaks for the opinion, unless it names a confidence below .5. A day counts once,
however many lines it has, and not at all where both sides have as many. Opinions nobody spoke of
again were never tried, and say nothing about the rest.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import groupby
from statistics import NormalDist

from lorebank.beliefs.fold import PRIOR, STEP
from lorebank.beliefs.outcome import RECENT_DAYS, STALE_DAYS
from lorebank.domain.answers import BeliefStep
from lorebank.domain.facts import (
    Citation,
    Evidence,
    Fact,
    FactKind,
    Opinion,
    OpinionStatus,
    Stance,
)
from lorebank.domain.reports import (
    BeliefChange,
    BeliefDiff,
    Calibration,
    CalibrationBin,
    ChangeKind,
    RotFinding,
    RotKind,
)
from lorebank.records import Record
from lorebank.workspace.recalled import Recalled

_NORMAL = NormalDist()
_STATING = ("stated", "restated")
_MIN_DELTA = 5e-4


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
    elif abs(after - before - moved) > _MIN_DELTA or (abs(moved) < _MIN_DELTA and not stated):
        if abs(after - before) < _MIN_DELTA:
            return f"noted, and moves nothing: it stays at {after:.2f}"
        return f"set by hand to {after:.2f}; the lines count again when that is taken away"
    else:
        start = before
        clauses = [_stating(start, start + pulled, stated, named=named)] if stated else []
        start += pulled
    if abs(after - start) >= _MIN_DELTA:
        clauses.append(_weighing(start, after, lines))
    return "; ".join(clauses)


def _opening(start: float, stated: Sequence[float], prior: float) -> str:
    if len(stated) > 1:
        return f"opens at {start:.2f}, the mean of the {len(stated)} confidences stated that day"
    if stated:
        return f"opens at {start:.2f}, the confidence stated"
    if abs(start - prior) < _MIN_DELTA:
        return f"no confidence is stated: opens at the prior, {prior:.2f}"
    return f"opens at {start:.2f}, stated in an undated file"


def _stating(start: float, end: float, stated: Sequence[float], *, named: bool) -> str:
    mean = sum(stated) / len(stated)
    said = f"stated at {mean:.2f}" if len(stated) == 1 else f"stated at {mean:.2f} in the mean"
    if not named:
        return f"{said}, the first confidence named: taken over whole"
    return f"{said} again: pulls it {_z(end) - _z(start):+.2f} on z, half the way at most"


def _weighing(start: float, end: float, lines: Sequence[Evidence]) -> str:
    weighed = [line for line in lines if abs(line.delta) >= _MIN_DELTA]
    sides = [
        f"{sum(line.stance is stance for line in weighed)} {stance.value}"
        for stance in (Stance.FOR, Stance.AGAINST)
        if any(line.stance is stance for line in weighed)
    ]
    change = _z(end) - _z(start)
    worth = f"{abs(change) / STEP:.2f} of a clear line's weight"
    return f"{', '.join(sides)}: {worth}, z {_z(start):+.2f} → {_z(end):+.2f}"


def _z(confidence: float) -> float:
    return _NORMAL.inv_cdf(min(max(confidence, 1e-6), 1 - 1e-6))


SEEN = 0.005  # a smaller move does not show in two decimals


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
    return list(ChangeKind).index(change.kind), -round(abs(move), 6), change.opinion.id


ENOUGH = 30  # with fewer trials the interval of every bin is wider than the bins lie apart
_BINS = 10
_Z95 = 1.959964


class Trial(Record):
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
    bins = []
    for number, alike in sorted(found.items()):
        held = sum(trial.held for trial in alike)
        stated = sum(trial.forecast for trial in alike) / len(alike)
        size = len(alike)
        bins.append(CalibrationBin(number / _BINS, stated, size, held, *_wilson(held, size)))
    return tuple(bins)


def _wilson(held: int, trials: int) -> tuple[float, float]:
    """The interval that holds the true share with 95 %; honest for few trials and near 0 and 1."""
    share = held / trials
    spread = _Z95**2 / trials
    centre = (share + spread / 2) / (1 + spread)
    half = math.sqrt(spread * (share * (1 - share) + spread / 4)) / (1 + spread)
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


HELD = 0.5  # below it an opinion is not held: that it is contradicted or thin is no news


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
            if gone := [line for line in supports if line.fact_id in replaced]:
                by = f"{gone[-1].fact_id} by {replaced[gone[-1].fact_id]}"
                reason = f"{_lines(gone)} for it superseded; {by}"
                yield _finding(RotKind.OUTDATED, opinion, gone[-1].source, reason)
            yield from _single_source(opinion, supports, day)
        last = max((line.date for line in opinion.evidence), default=None)
        if last is None:
            reason = "stands in an undated file, and no dated line bears on it"
            yield _finding(RotKind.STALE, opinion, opinion.source, reason)
        elif (age := (day - last).days) > STALE_DAYS:
            line = next(line for line in opinion.evidence if line.date == last)
            yield _finding(RotKind.STALE, opinion, line.source, f"no evidence for {age} days")


def rank_findings(findings: Iterable[RotFinding]) -> tuple[RotFinding, ...]:
    """By kind, then the surest opinions, then by place."""
    order = list(RotKind)
    return tuple(
        sorted(findings, key=lambda f: (order.index(f.kind), -(f.confidence or 0.0), f.source))
    )


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
    yield _finding(RotKind.CONTRADICTED, opinion, against[-1].source, reason)


def _single_source(
    opinion: Opinion, supports: Sequence[Evidence], day: date
) -> Iterator[RotFinding]:
    files = {line.source.path for line in supports}
    if len(files) != 1 or (day - supports[0].date).days <= RECENT_DAYS:
        return
    what = "one line" if len(supports) == 1 else f"{len(supports)} lines of one file"
    reason = f"rests on {what}, {(day - supports[0].date).days} days old"
    yield _finding(RotKind.SINGLE_SOURCE, opinion, supports[0].source, reason)


def _lines(lines: Sequence[Evidence]) -> str:
    return "1 line" if len(lines) == 1 else f"{len(lines)} lines"


def _finding(kind: RotKind, opinion: Opinion, source: Citation, reason: str) -> RotFinding:
    return RotFinding(kind, opinion.id, opinion.statement, source, reason, opinion.confidence)


NOTED_DAYS = 30  # a record of fewer days says nothing of what is never recalled
UNRECALLED_SHOWN = 20  # of more lines than that the oldest are named, and all are counted


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
    spoken = {line.fact_id for o in held for line in o.evidence}
    written: list[tuple[date, str, Citation, str, float | None]] = []
    for o in held:
        if o.evidence and recalled.last.keys().isdisjoint({o.id, *(e.fact_id for e in o.evidence)}):
            written.append((o.evidence[0].date, o.id, o.source, o.statement, o.confidence))
    for f in facts:
        is_known = f.id in recalled.last or f.id in superseded or f.id in spoken
        if f.recorded is not None and f.kind is not FactKind.OPINION and not is_known:
            written.append((f.recorded, f.id, f.citation, f.content, f.confidence))
    for when, id_, source, text, sure in sorted(written, key=lambda row: (row[0], str(row[2]))):
        if (day - when).days > STALE_DAYS:
            reason = (
                f"written on {when.isoformat()}; never given as an answer"
                f" since answers are noted ({recalled.since.isoformat()})"
            )
            yield RotFinding(RotKind.UNRECALLED, id_, text, source, reason, sure)
