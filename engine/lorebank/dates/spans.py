"""Spans: what a phrase names before and after its year, week or month is settled.

`27 November` is a `Cycle` until a policy says which year; `27 November 2025` is settled at once.

Functions called `…_days` return both days, included. Weeks begin on Monday; seasons are whole
months of the northern hemisphere. Days outside the years 1 to 9999 raise `ValueError` or
`OverflowError`.
"""

from __future__ import annotations

from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal

from lorebank.domain.facts import LONGEST_MONTH
from lorebank.records import Record

Tense = Literal["asked", "past", "near", "future"]
"""Which repetition is meant where the text does not say: `asked` in a question, else the tense."""
_NEAR_ENOUGH = 30
"""Days: `will pay on 3 May`, written on the 10th, is the one that has just been."""
_HALF_A_YEAR, _A_THIRD = 184, 122
"""Days: without a tense, what comes within half a year is meant rather than what is long over.
With a past verb, days that come within a third are meant rather than those of last year: `bought
seats for 3 May`, written in January."""
_SHORT = 27
"""Days between the ends of a range that is no month."""
_BY_THEN = 7
"""Days by which a deadline comes before the day named for what it is for: `arrives on the 24th,
stays until the 15th` is the 15th after."""
NOT_FAR = 70
"""Days within which the 17th is a Saturday, where somebody writes so: it is in two of 14 months."""
_REACH = 9
"""Repetitions looked at each way: 29 February may be eight years off."""


class Cycle(Record):
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

    def existing(self, day: date, step: Literal[1, -1]) -> Iterator[Days]:
        """Existing repetitions forwards, from the one before the day's period, or backwards from
        the one after it."""
        index = self.index(day)
        for k in range(index - step, index + step * _REACH, step):
            try:
                found = self.days(k)
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


class Span(Record):
    """Days that a phrase names: settled (`days`) or repeating (`cycle`)."""

    granularity: str
    days: Days | None = None
    cycle: Cycle | None = None
    """Where there are `days` as well, they are what a question means: `this weekend`."""
    bare: bool = False
    """Counts only behind a preposition or a modifier: `May` alone may be a name or a verb."""
    ahead: bool = False
    """`in 3 days`: a day in what is to come, else a duration."""
    then: bool = False
    """`the Monday after`: the first repetition after the time named before, if there is one."""
    counted: Callable[[Days], Days] | None = None
    """`two days later`: what it makes of the time named before; the `days` count without one."""
    modifier: str = "exact"
    """`between`: `3-7 March`; `end`: an end, which lies before what is said to come before it."""
    derive: Callable[[Days], Days | None] | None = None
    """What is meant of the days once they are settled: `the Thursday after Saturday`."""

    def refined(self, granularity: str, part: Callable[[Days], Days | None]) -> Span | None:
        """The span narrowed to a part of itself; None where there is no such part."""
        if self.cycle is not None:
            return replace(self, granularity=granularity, cycle=self.cycle.refined(part))
        narrowed = part(self.days) if self.days else None
        return None if narrowed is None else Span(granularity, narrowed)


class Moment(Record):
    """The reference day and which way open questions are settled."""

    now: date
    tense: Tense = "asked"
    named: Days | None = None
    """What the text named before: `on 19 December …, and on the 29th …`."""
    told: date | None = None
    """When the time told last began, if that is over."""
    is_deadline: bool = False
    """`until Friday`: of a day of the week the coming one, whatever day was named before."""

    def settle(self, span: Span) -> Days | None:
        """First and last day of the span; None where no repetition fits."""
        if span.counted is not None and self.named and self.tense != "asked":
            return span.counted(self.named)
        if span.derive is not None:
            days = self.settle(replace(span, derive=None))
            return span.derive(days) if days else None
        cycle = span.cycle
        if cycle is None or (self.tense == "asked" and span.days is not None):
            return span.days
        if span.then and self.named:
            last = self.named[1]
            return self.following(cycle, last if self.tense == "past" else max(last, self.now))
        if span.then and span.days:
            return span.days
        after_named = None if self.tense == "asked" else self._after_named(cycle)
        if after_named is not None:
            return after_named
        begun = self.latest(cycle) if self.tense == "asked" else self.preceding(cycle, self.now)
        coming = self.coming(cycle)
        if begun is None or coming is None:
            return begun or coming
        if cycle.period == "year" and self.tense != "asked":
            return self._yearly(begun, coming)
        meant, other = (begun, coming) if self.tense in ("asked", "past") else (coming, begun)
        off, nearer = (abs((days[0] - self.now).days) for days in (meant, other))
        return other if cycle.period == "month" and off > NOT_FAR >= nearer else meant

    def begun(self, span: Span) -> Days | None:
        """As `settle`, of what has begun by now."""
        if span.cycle is None or span.derive is not None or self.tense == "asked":
            return self.settle(span)
        return self.preceding(span.cycle, self.now)

    def _after_named(self, cycle: Cycle) -> Days | None:
        """The repetition from the day named before on, for a day of the month or week."""
        if self.named is None or cycle.period == "year":
            return None
        if self.is_deadline and cycle.period == "week":
            return None
        named, last = self.named
        this_week = 0 <= (named - self.now).days < 7  # on Saturday; the cake on Friday
        if cycle.period == "week" and (this_week or named < self.now or self.tense == "past"):
            return None
        found = self.following(cycle, shift(named, -1))
        if named == last and cycle.period == "month" and self.tense != "past":
            before = self.preceding(cycle, named)
            if (
                before is not None
                and self.now <= before[0]
                and (named - before[0]).days <= _BY_THEN
            ):
                return before  # due on the 10th, paid by the 8th
        told = found is not None and ("future" if found[0] > self.now else "past")
        if found is None or self.tense not in ("near", told):
            return None
        return found if (found[0] - named).days <= LONGEST_MONTH else None

    def _yearly(self, begun: Days, coming: Days) -> Days:
        ago, ahead = (self.now - begun[1]).days, (coming[0] - self.now).days
        is_short = (coming[1] - coming[0]).days < _SHORT  # not in May: married in summer
        if self.tense == "past":
            return coming if is_short and 0 < ahead <= _A_THIRD else begun
        if self.tense == "future":
            return begun if is_short and 0 < ago <= _NEAR_ENOUGH < ahead else coming
        if ahead <= _HALF_A_YEAR and ago > _A_THIRD:
            return coming
        if self.told and begun[0] < self.told and ago > NOT_FAR:
            return coming  # rose in January, again in October; moved out in July, June unpaid
        return begun if ago <= ahead else coming

    def latest(self, cycle: Cycle) -> Days | None:
        """The last repetition that has begun; a weekday is the one before today."""
        return self.preceding(cycle, shift(self.now, -1) if cycle.period == "week" else self.now)

    def previous(self, cycle: Cycle) -> Days | None:
        """The last repetition that is over."""
        return next((d for d in cycle.existing(self.now, -1) if d[1] < self.now), None)

    def current(self, cycle: Cycle) -> Days | None:
        """The repetition of this year, month or week; a winter that has begun before it too."""
        begun = self.preceding(cycle, self.now)
        if begun is not None and self.now <= begun[1]:
            return begun
        index = cycle.index(self.now)
        return next((d for d in cycle.existing(self.now, 1) if cycle.index(d[0]) >= index), None)

    def coming(self, cycle: Cycle) -> Days | None:
        """The repetition that is under way or comes next."""
        return next((d for d in cycle.existing(self.now, 1) if d[1] >= self.now), None)

    def following(self, cycle: Cycle, after: date | None = None) -> Days | None:
        """The first repetition that begins after the day, by default after today."""
        limit = after if after is not None else self.now
        return next((d for d in cycle.existing(limit, 1) if d[0] > limit), None)

    def preceding(self, cycle: Cycle, before: date) -> Days | None:
        """The last repetition that begins on or before the day."""
        return next((d for d in cycle.existing(before, -1) if d[0] <= before), None)

    def nearest(self, cycle: Cycle) -> Days | None:
        """The repetition that is fewest days off, the one begun where two are."""
        begun, to_come = self.preceding(cycle, self.now), self.following(cycle)
        if begun is None or to_come is None:
            return begun or to_come
        past_gap = (self.now - begun[1]).days
        return begun if past_gap <= (to_come[0] - self.now).days else to_come


Days = tuple[date, date]
"""First and last day, both included."""
_DAYS_PER_UNIT = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS_PER_UNIT = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
_SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def shift(day: date, days: int) -> date:
    """The day that many days later, or earlier where negative."""
    return day + timedelta(days=days)


def add_months(day: date, months: int) -> date:
    """The same day of the month that many months later, or that month's last day."""
    year, month0 = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month0 + 1, min(day.day, monthrange(year, month0 + 1)[1]))


def next_anniversary(day: date, today: date) -> date:
    """When a day comes back, `today` at the earliest; 29 February on the 28th of other years."""
    months = 12 * (today.year - day.year)
    this_year = add_months(day, months)
    return this_year if this_year >= today else add_months(day, months + 12)


def moved(day: date, amount: int, unit: str) -> date:
    """The day that many units later, or earlier where negative."""
    if unit in _DAYS_PER_UNIT:
        return shift(day, amount * _DAYS_PER_UNIT[unit])
    return add_months(day, amount * _MONTHS_PER_UNIT[unit])


def one_day(day: date) -> Days:
    """A single day as first and last."""
    return day, day


def week_days(day: date) -> Days:
    """Monday to Sunday of the week that holds the day."""
    monday = shift(day, -day.weekday())
    return monday, shift(monday, 6)


def weekend_days(day: date) -> Days:
    """Saturday and Sunday of the week that holds the day."""
    monday = shift(day, -day.weekday())
    return shift(monday, 5), shift(monday, 6)


def of_year(unit: str, year: int, n: int = 1) -> Days:
    """The n-th month, quarter or half of a year, or the whole; the decade that it begins."""
    return unit_days(date(year, (n - 1) * _MONTHS_PER_UNIT[unit] + 1, 1), unit, 0)


def month_days(year: int, month: int) -> Days:
    return of_year("month", year, month)


def season_days(year: int, season: str) -> Days:
    """Three whole months; the winter of a year begins in its December."""
    first = date(year, _SEASON_MONTHS[season], 1)
    return first, unit_days(add_months(first, 2), "month", 0)[1]


def iso_week_days(year: int, week: int) -> Days:
    monday = date.fromisocalendar(year, week, 1)
    return monday, shift(monday, 6)


def nth_weekday(days: Days, weekday: int, n: int) -> date | None:
    """The n-th such weekday within the days, from 1; -1 is the last. None where there is none."""
    first, last = days
    if n > 0:
        found = shift(first, (weekday - first.weekday()) % 7 + 7 * (n - 1))
    else:
        found = shift(last, -((last.weekday() - weekday) % 7) + 7 * (n + 1))
    return found if first <= found <= last else None


@lru_cache(1_024)
def unit_days(day: date, unit: str, offset: int) -> Days:
    """The calendar unit that holds the day, moved by that many units.

    >>> unit_days(date(2025, 11, 29), "quarter", -1)
    (datetime.date(2025, 7, 1), datetime.date(2025, 9, 30))
    """
    other = moved(day, offset, unit)
    if unit == "day":
        return one_day(other)
    if unit in _DAYS_PER_UNIT:
        return weekend_days(other) if unit == "weekend" else week_days(other)
    months = _MONTHS_PER_UNIT[unit]
    first = other.replace(day=1)
    first = add_months(first, -((first.year * 12 + first.month - 1) % months))
    last = add_months(first, months - 1)
    return first, last.replace(day=monthrange(last.year, last.month)[1])
