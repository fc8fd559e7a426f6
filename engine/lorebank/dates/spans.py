"""Spans: what a phrase names before and after its year, week or month is settled.

`27 November` is a `Cycle` until a policy says which year; `27 November 2025` is settled at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import date
from typing import Literal

from lorebank.dates.calendar import Days, shift
from lorebank.records import dataclass

Tense = Literal["asked", "past", "near", "future"]
"""Which repetition is meant where the text does not say: `asked` in a question, else the tense."""

_NEAR_ENOUGH = 30
"""Days: `opened on 3 December`, written on 26 November, is the coming one told in another tense,
and not one of a year ago. Chosen as the length of a month."""

_HALF_A_YEAR, _A_THIRD = 184, 122
"""Days: without a tense, what comes within half a year is meant rather than what is long over."""
_LONGEST_MONTH = 31
_REACH = 9
"""Repetitions looked at each way: 29 February may be eight years off."""


@dataclass(frozen=True, slots=True)
class Cycle:
    """Days that come back every year, month or week.

    `days(k)` gives the repetition of year `k`; for months and weeks `k` counts months since year 0
    and weeks since day 1. It may return None (29 February in most years).
    """

    days: Callable[[int], Days | None]
    period: Literal["year", "month", "week"] = "year"

    def index(self, day: date) -> int:
        """The repetition that belongs to the period holding the day."""
        if self.period == "year":
            return day.year
        if self.period == "month":
            return day.year * 12 + day.month - 1
        return (day.toordinal() - 1) // 7

    def backwards(self, day: date) -> Iterator[Days]:
        """Existing repetitions from the one after the day's period to earlier ones."""
        index = self.index(day)
        return self._existing(range(index + 1, index - _REACH, -1))

    def forwards(self, day: date) -> Iterator[Days]:
        """Existing repetitions from the one before the day's period to later ones."""
        index = self.index(day)
        return self._existing(range(index - 1, index + _REACH))

    def _existing(self, indexes: Iterable[int]) -> Iterator[Days]:
        for index in indexes:
            try:
                found = self.days(index)
            except (ValueError, OverflowError):
                continue
            if found is not None:
                yield found

    def refined(self, part: Callable[[Days], Days | None]) -> Cycle:
        """The same repetitions, each narrowed to a part of itself."""

        def days(index: int) -> Days | None:
            whole = self.days(index)
            return part(whole) if whole is not None else None

        return Cycle(days, self.period)


@dataclass(frozen=True, slots=True)
class Span:
    """Days that a phrase names: settled (`days`) or repeating (`cycle`)."""

    granularity: str
    days: tuple[date | None, date | None] | None = None
    cycle: Cycle | None = None
    """Where there are `days` as well, they are what a question means: `this weekend`."""
    bare: bool = False
    """Counts only behind a preposition or a modifier: `May` alone may be a name or a verb."""
    ahead: bool = False
    """`in 3 days`: a day in what is to come, else a duration."""
    then: bool = False
    """`the weekend after`: the first repetition after the time named before."""
    modifier: str = "exact"

    def refined(self, granularity: str, part: Callable[[Days], Days | None]) -> Span | None:
        """The span narrowed to a part of itself; None where there is no such part."""
        if self.cycle is not None:
            return replace(self, granularity=granularity, cycle=self.cycle.refined(part))
        assert self.days is not None
        first, last = self.days
        narrowed = part((first, last)) if first is not None and last is not None else None
        return None if narrowed is None else Span(granularity, narrowed)


@dataclass(frozen=True, slots=True)
class Moment:
    """The reference day and which way open questions are settled."""

    now: date
    tense: Tense = "asked"
    named: date | None = None
    """The day that the text named before: `on 19 December …, and on the 29th …`."""

    def settle(self, span: Span) -> tuple[date | None, date | None] | None:
        """First and last day of the span; None where no repetition fits."""
        cycle = span.cycle
        if cycle is None or (self.tense == "asked" and span.days is not None):
            return span.days
        if span.then:
            return self.following(cycle, max(self.named or self.now, self.now))
        if self.tense == "asked":
            return self.latest(cycle)
        after_named = self._after_named(cycle)
        if after_named is not None:
            return after_named
        begun, coming = self.preceding(cycle, self.now), self.coming(cycle)
        if begun is None or coming is None:
            return begun or coming
        if cycle.period == "year":
            return self._yearly(begun, coming)
        return begun if self.tense == "past" else coming

    def begun(self, span: Span) -> tuple[date | None, date | None] | None:
        """As `settle`, of what has begun by now."""
        if span.cycle is None or self.tense == "asked":
            return self.settle(span)
        return self.preceding(span.cycle, self.now)

    def _after_named(self, cycle: Cycle) -> Days | None:
        """The first repetition from the day named before, for a day of the month or week."""
        if self.named is None or cycle.period == "year":
            return None
        if cycle.period == "week" and (self.named < self.now or self.tense == "past"):
            return None
        found = self.following(cycle, shift(self.named, -1))
        if found is None or (self.tense == "past" and found[0] > self.now):
            return None
        return found if (found[0] - self.named).days <= _LONGEST_MONTH else None

    def _yearly(self, begun: Days, coming: Days) -> Days:
        ago, ahead = (self.now - begun[1]).days, (coming[0] - self.now).days
        if self.tense == "past":
            return coming if ahead <= _NEAR_ENOUGH < ago and begun != coming else begun
        if self.tense == "future":
            return begun if ago <= _NEAR_ENOUGH < ahead and begun != coming else coming
        if ahead <= _HALF_A_YEAR and ago > _A_THIRD:
            return coming
        return begun if ago <= ahead else coming

    def latest(self, cycle: Cycle) -> Days | None:
        """The last repetition that has begun; a weekday is the one before today."""
        return self.preceding(cycle, shift(self.now, -1) if cycle.period == "week" else self.now)

    def previous(self, cycle: Cycle) -> Days | None:
        """The last repetition that is over."""
        return next((d for d in cycle.backwards(self.now) if d[1] < self.now), None)

    def current(self, cycle: Cycle) -> Days | None:
        """The repetition of this year, month or week; a winter that has begun before it too."""
        begun = self.preceding(cycle, self.now)
        if begun is not None and self.now <= begun[1]:
            return begun
        if begun is not None and begun[0].year < begun[1].year:
            return self.nearest(cycle)  # a winter belongs to both of its years
        index = cycle.index(self.now)
        return next((d for d in cycle.forwards(self.now) if cycle.index(d[0]) >= index), None)

    def coming(self, cycle: Cycle) -> Days | None:
        """The repetition that is under way or comes next."""
        return next((d for d in cycle.forwards(self.now) if d[1] >= self.now), None)

    def following(self, cycle: Cycle, after: date | None = None) -> Days | None:
        """The first repetition that begins after the day, by default after today."""
        limit = after if after is not None else self.now
        return next((d for d in cycle.forwards(limit) if d[0] > limit), None)

    def preceding(self, cycle: Cycle, before: date) -> Days | None:
        """The last repetition that begins on or before the day."""
        return next((d for d in cycle.backwards(before) if d[0] <= before), None)

    def nearest(self, cycle: Cycle) -> Days | None:
        """The repetition that is fewest days off, the one begun where two are."""
        begun, to_come = self.preceding(cycle, self.now), self.following(cycle)
        if begun is None or to_come is None:
            return begun or to_come
        past_gap = (self.now - begun[1]).days
        return begun if past_gap <= (to_come[0] - self.now).days else to_come
