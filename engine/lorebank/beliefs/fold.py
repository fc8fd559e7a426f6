"""The belief rule: an opinion's confidence as a pure fold over dated evidence.

A confidence `c` lives in [.01, .99] and is moved on the scale `z = Φ⁻¹(c)` (the quantile of the
normal distribution), where equal steps mean ever less near certainty. Days are taken in order:

1. **Opening.** The first day opens the belief: at the mean of the confidences stated on it
   (`O(c=…)`, clamped to [.01, .99]), else at `prior`. The first confidence stated on a *later*
   day is taken over whole as well: until then nobody had named one.
2. **Restatement.** Later stated confidences pull towards their day's mean `s` and never past it:
   `z += clamp(PULL · (z(s) − z), ±STEP)`. Where the holder says the contrary at `O(c=s)`, his word
   is taken over whole: the opinion stands at `1 − s`; where he returns to it, at `s`.
3. **Evidence.** Each line has a strength in 0..1. The lines of one source, strongest first, weigh
   `1, .3, .09, …`; the sources of one day, strongest first, `1, .6, .36, …`; each side's sum is
   cut at `DAY_LIMIT`. With `n = for − against`: `z += STEP · n`, clamped.
4. **Surprise.** Evidence that pulls a belief back towards .5 moves `c` by at least
   `FLOOR · min(|n|, 1)`, so that even a belief at .99 answers visibly to a contradiction. Where a
   line of that side, of strength `t`, says outright that the holder has turned round (`no longer
   likes Rust`), `FLOOR + (TURN − FLOOR) · t` stands for `FLOOR`; no such move goes beyond where one
   from .5 ends, so that the higher of two beliefs stays the higher.

What follows, each a test: adding support never lowers and adding contradiction never raises the
result; one clear line (strength 1) moves by at least .02 wherever there is that much room below
.97 and by less than .12 everywhere; four clear contradictions on four days (three outright turns)
take .8 below .5, and no number of lines of a single day does; the order within a day has no effect;
the same line twice counts once; leaving a line out gives exactly the state without it, because
nothing is stored.

A day's move is shared out among its lines in proportion to what each put on the scale, so the
deltas of a day sum to its move. The lines of an opening statement move nothing: delta 0.

Pins are human overrides: from its day on, a pin is the confidence, whatever the evidence says; the
evidence goes on being folded beneath it and counts again when the pin is taken away.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date
from functools import cache
from itertools import groupby
from typing import TYPE_CHECKING

from lorebank.domain.facts import Stance
from lorebank.records import Record

if TYPE_CHECKING:
    from statistics import NormalDist

PRIOR = 0.6  # the confidence of an opinion stated without one
LOWEST, HIGHEST = 0.01, 0.99
STEP = 0.25  # how far one clear line moves `z`: .5 → .599, .8 → .723 or .862, .95 → .919 or .971
PULL = 0.5
SAME_SOURCE, OTHER_SOURCE = 0.3, 0.6
DAY_LIMIT = 1.5
FLOOR = 0.025
TURN = 0.11
"""Chosen by hand inside the limits that the tests state: a line moves by .02 to .12 (`FLOOR`,
`TURN`, `STEP`), no single day takes .8 below .5 (`DAY_LIMIT` and the weights of its sources)."""


_Moves = dict[tuple[str, Stance], float]


class DatedEvidence(Record):
    """One line that bears on an opinion, on its day."""

    date: date
    stance: Stance
    fact_id: str
    strength: float = 1.0
    """0..1; 0 for a statement that only opens or repeats the opinion."""
    stated: float | None = None
    """The confidence the line itself names for the opinion; such a line only pulls."""
    source: str = ""
    """What makes lines of one day dependent: the file they stand in."""
    turns: bool = False
    """Whether it says that the holder now thinks otherwise than before."""
    whole: bool = False
    """Whether the holder's word on the opinion is taken over whole: where he says the contrary, or
    returns to it. Without `stated` the contrary counts as the mirror of `prior`."""


class Pin(Record):
    """A confidence set by hand; `date` is the first day it holds, `None` for always."""

    confidence: float
    date: date | None = None


class Step(Record):
    """What one line did to the confidence on its day."""

    date: date
    fact_id: str
    stance: Stance
    delta: float


class BeliefState(Record):
    """Where the evidence leaves an opinion."""

    confidence: float
    history: tuple[tuple[date, float], ...] = ()
    """The confidence at the end of each day that opened or moved it, oldest first."""
    steps: tuple[Step, ...] = ()
    """One a line, by date and fact id; the deltas of a day sum to the day's move."""


def fold_evidence(
    evidence: Sequence[DatedEvidence],
    *,
    prior: float = PRIOR,
    as_of: date | None = None,
    pins: Sequence[Pin] = (),
) -> BeliefState:
    """The state the evidence up to and including `as_of` leads to; `prior` where there is none.

    Input order has no effect. Lines that are unrelated are passed over.
    """
    current = _clamp(prior)
    named = False
    history: list[tuple[date, float]] = []
    steps: list[Step] = []
    shown = current
    for day, lines in _days(evidence, as_of):
        opening = not history
        stated = _stated(lines, prior)
        before = current
        moves: _Moves = {}
        if opening:
            current = before = _mean(stated) if stated else current
        elif stated and (not named or any(line.whole for line in lines)):
            current = _share(moves, stated, current, _mean(stated))
        elif stated:
            current = _share(moves, stated, current, _pull(current, _mean(stated)))
        named = named or bool(stated)
        current = _weigh(moves, lines, current)
        pin = _pin_on(day, pins)
        held = pin is not None and not opening
        steps += [
            Step(day, line.fact_id, line.stance, 0.0 if held else moves.get(_key(line), 0.0))
            for line in lines
        ]
        visible = current if pin is None else _clamp(pin.confidence)
        if opening or visible != shown or (current != before and pin is None):
            history.append((day, visible))
        shown = visible
    return _with_pins(BeliefState(shown, tuple(history), tuple(steps)), pins, as_of)


def fade(confidence: float, *, days: int, half_life_days: float, prior: float = PRIOR) -> float:
    """The confidence as read `days` after its last evidence: halfway to the prior a half-life.

    A way of reading, never stored: the belief itself does not move without evidence.
    """
    if days <= 0:
        return confidence
    return prior + (confidence - prior) * float(0.5 ** (days / half_life_days))


def _days(
    evidence: Iterable[DatedEvidence], as_of: date | None
) -> Iterator[tuple[date, list[DatedEvidence]]]:
    kept = {
        (line.date, line.fact_id, line.stance): line
        for line in sorted(evidence, key=repr)  # of two with one key the same counts in any order
        if line.stance is not Stance.UNRELATED and (as_of is None or line.date <= as_of)
    }
    for day, keys in groupby(sorted(kept), key=lambda key: key[0]):
        yield day, [kept[key] for key in keys]


def _key(line: DatedEvidence) -> tuple[str, Stance]:
    return line.fact_id, line.stance


def _stated(lines: Sequence[DatedEvidence], prior: float) -> _Moves:
    """The confidences that the lines name; where the holder speaks his whole mind, only his."""
    whole = [line for line in lines if line.whole]
    named = {_key(line): line.stated for line in whole or lines if line.stated is not None}
    for line in whole:
        if line.stated is None:
            named[_key(line)] = prior if line.stance is Stance.FOR else 1 - prior
    return {key: _clamp(stated) for key, stated in named.items()}


def _mean(stated: _Moves) -> float:
    values = sorted(stated.values())
    return values[0] if values[0] == values[-1] else sum(values) / len(values)


def _pull(current: float, stated: float) -> float:
    z = _normal().inv_cdf(current)
    wanted = PULL * (_normal().inv_cdf(stated) - z)
    return _clamp(_normal().cdf(z + max(-STEP, min(STEP, wanted))))


def _share(moves: _Moves, stated: _Moves, current: float, target: float) -> float:
    for key in stated:
        moves[key] = (target - current) / len(stated)
    return target


def _weigh(moves: _Moves, lines: Sequence[DatedEvidence], current: float) -> float:
    """The confidence after the day's evidence; notes each line's part of the move in `moves`."""
    shares: _Moves = {}
    net = 0.0
    for stance, sign in ((Stance.FOR, 1.0), (Stance.AGAINST, -1.0)):
        side = [
            line
            for line in lines
            if line.stance is stance and line.stated is None and not line.whole
        ]
        parts = _side(side)
        net += sign * sum(parts.values())
        for fact_id, part in parts.items():
            shares[fact_id, stance] = sign * part
    won = Stance.FOR if net > 0 else Stance.AGAINST
    turns = [line for line in lines if line.turns and line.stance is won and line.stated is None]
    turned = max((min(max(line.strength, 0.0), 1.0) for line in turns), default=0.0)
    after = _moved(current, net, turned)
    slope = (after - current) / net if abs(net) > 1e-9 else 0.0
    for key, share in shares.items():
        moves[key] = share * slope
    return after


def _side(lines: Sequence[DatedEvidence]) -> dict[str, float]:
    """Each line's weight after its source's and its day's diminishing returns."""
    sources: dict[str, list[DatedEvidence]] = {}
    for line in sorted(lines, key=lambda line: (-line.strength, line.fact_id)):
        sources.setdefault(line.source, []).append(line)
    sums = []
    for source, own in sources.items():
        parts = {
            line.fact_id: min(max(line.strength, 0.0), 1.0) * SAME_SOURCE**rank
            for rank, line in enumerate(own)
        }
        sums.append((-sum(parts.values()), source, parts))
    weights = {
        fact_id: part * OTHER_SOURCE**rank
        for rank, (_, _, parts) in enumerate(sorted(sums, key=lambda entry: entry[:2]))
        for fact_id, part in parts.items()
    }
    total = sum(weights.values())
    scale = DAY_LIMIT / total if total > DAY_LIMIT else 1.0
    return {fact_id: weight * scale for fact_id, weight in weights.items()}


def _moved(current: float, net: float, turned: float) -> float:
    if net == 0:
        return current
    moved = _normal().cdf(_normal().inv_cdf(current) + STEP * net)
    floor = current + (FLOOR + (TURN - FLOOR) * turned) * max(-1.0, min(1.0, net))
    from_the_middle = _normal().cdf(STEP * net)
    if net < 0 and current > 0.5:
        moved = min(moved, max(floor, from_the_middle))
    elif net > 0 and current < 0.5:
        moved = max(moved, min(floor, from_the_middle))
    return _clamp(moved)


@cache
def _normal() -> NormalDist:
    from statistics import NormalDist  # which imports random, decimal and fractions

    return NormalDist()


def _clamp(confidence: float) -> float:
    return max(LOWEST, min(HIGHEST, confidence))


def _pin_on(day: date, pins: Sequence[Pin]) -> Pin | None:
    """The newest pin that holds on a day; of two of one day the higher, so order has no effect."""
    held = [pin for pin in pins if pin.date is None or pin.date <= day]
    return max(held, key=lambda pin: (pin.date or date.min, pin.confidence), default=None)


def _with_pins(state: BeliefState, pins: Sequence[Pin], as_of: date | None) -> BeliefState:
    """Pins set on days without evidence enter the history on their own day."""
    days = {pin.date for pin in pins if pin.date and (as_of is None or pin.date <= as_of)}
    active = _pin_on(as_of or date.max, pins)
    if active is None:
        return state
    history = dict(state.history)
    for day in days:
        pin = _pin_on(day, pins)
        assert pin is not None
        history[day] = _clamp(pin.confidence)
    changes: list[tuple[date, float]] = []
    for entry in sorted(history.items()):
        if not changes or entry[1] != changes[-1][1]:
            changes.append(entry)
    return BeliefState(_clamp(active.confidence), tuple(changes), state.steps)
