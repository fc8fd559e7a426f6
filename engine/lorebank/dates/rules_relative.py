"""Rules that make dates of others: counted from a day, put in a year or week, narrowed, moved.

`last week`, `3 days ago`, `3 May 2024`, `Wednesday two weeks ago`; `early 2024`, `end of May`, `the
day after Christmas`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date
from typing import Any, NamedTuple

from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, speaking
from lorebank.dates.rules_calendar import (
    is_day_first,
    long_weekend,
    same,
    weekend_cycle,
    weeks_on,
)
from lorebank.dates.spans import (
    Cycle,
    Days,
    Moment,
    Span,
    add_months,
    moved,
    nth_weekday,
    of_year,
    one_day,
    shift,
    unit_days,
    week_days,
    weekend_days,
)

_GRANULARITIES = {"weekend": "range", "fortnight": "week"}
NOT_UNSPACED = ALL & ~speaking("unspaced")
_GENITIVE_FIRST = speaking("genitive_first")
_NOT_YEARS = 1900
"""`since 1900 years` is rather a year than a duration."""

Duration = tuple[int, str]


class _Shift(NamedTuple):
    """`3 days ago`, `in two weeks`: from a day that is said or from now."""

    amount: int
    """Negative: back."""
    unit: str
    is_vague: bool = False
    """`in 3 days` is a day in what is to come, else a duration."""


def _in_year(_: Moment, span: Span, year: int) -> Span | None:
    """`27 November 2025`, `summer last year`: what comes back each year, in one year."""
    if span.cycle is None or span.cycle.period != "year":
        return None
    days = span.cycle.days(year)
    return replace(span, days=days, cycle=None, bare=False) if days else None


def _unit(moment: Moment, offset: int, unit: str) -> Span | None:
    """`last week`, `this month`, `next weekend`."""
    if unit in ("day", "half"):
        return None
    if unit == "weekend":
        asked = offset
        offset -= offset > 0 and moment.now.weekday() < 5
        cycle = weekend_cycle() if asked in (0, 1) else None
        return Span("range", unit_days(moment.now, unit, offset), cycle, then=asked == 1)
    return Span(_GRANULARITIES.get(unit, unit), unit_days(moment.now, unit, offset))


def _window(moment: Moment, direction: int, duration: Duration) -> Span:
    """`the last 3 days`: up to today, or from it."""
    other = moved(moment.now, direction * duration[0], duration[1])
    return Span("range", (other, moment.now) if direction < 0 else (moment.now, other))


def _trailing(moment: Moment, direction: int, unit: str) -> Span | None:
    """`the past month`."""
    if unit == "day":  # ultimo giorno di scuola
        return None
    if unit == "weekend":
        return _unit(moment, direction, unit)
    return _window(moment, direction, (1, unit))


def _back(_: Moment, duration: Duration) -> _Shift:
    return _Shift(-duration[0], duration[1])


def _ahead(is_vague: bool) -> Callable[[Moment, Duration], _Shift]:
    return lambda _, duration: _Shift(*duration, is_vague)


def _from_now(moment: Moment, gap: _Shift) -> Span | None:
    """That day, or that week or month as a whole."""
    amount, unit, is_vague = gap
    if is_year((abs(amount), unit)):
        return None
    if unit in ("day", "fortnight"):
        return Span("day", one_day(moved(moment.now, amount, unit)), ahead=is_vague)
    days = unit_days(moment.now, unit, amount)
    return Span(_GRANULARITIES.get(unit, unit), days, ahead=is_vague)


def _from_day(moment: Moment, offset: int, gap: _Shift) -> Span:
    """`heute in einer Woche`, `a year ago today`: not the week or year, but the day."""
    return Span("day", one_day(moved(shift(moment.now, offset), gap.amount, gap.unit)))


def _weekday_on(moment: Moment, weekday: int, gap: _Shift) -> Span | None:
    """`zaterdag over een week`."""
    weeks = {"week": gap.amount, "fortnight": 2 * gap.amount}.get(gap.unit, 0)
    return weeks_on(moment, weekday, weeks) if weeks > 0 else None


def is_year(duration: Duration) -> bool:
    """Whether a number of years is rather one year by its number."""
    return duration[1] == "year" and duration[0] >= _NOT_YEARS


def _then(_: Moment, span: Span) -> Span | None:
    """`the following Friday`."""
    return replace(span, then=True, bare=False) if span.cycle is not None else None


def _before_named(moment: Moment, span: Span) -> Span | None:
    """`the Friday before`."""
    cycle = span.cycle
    if cycle is None:
        return None
    return replace(
        span,
        counted=lambda named: moment.preceding(cycle, shift(named[0], -1)) or named,
        bare=False,
    )


def _beside_named(granularity: str, count: Callable[[Days], Days]) -> Span:
    """What counts on from the time named before, and from nothing else."""
    return Span(granularity, counted=count)


def _unit_then(_: Moment, unit: str) -> Span | None:
    """`the following week`."""
    if unit == "week":
        return _beside_named(unit, lambda named: week_days(shift(named[1], 7)))
    if unit == "weekend":
        return _beside_named("range", lambda named: unit_days(shift(named[1], 2), unit, 0))
    return _beside_named(unit, lambda named: one_day(shift(named[1], 1))) if unit == "day" else None


def _unit_before(moment: Moment, unit: str) -> Span | None:
    """`the week before`: before the time named before, else before now."""
    if unit not in ("day", "week", "month"):
        return None
    days = unit_days(moment.now, unit, -1) if unit != "day" else None
    return Span(unit, days, counted=lambda named: unit_days(named[0], unit, -1))


def _relative_unit(moment: Moment, value: tuple[str, int]) -> Span | None:
    """`Vorwoche`, `le lendemain`."""
    unit, offset = value
    if unit == "day":
        return _beside_named(unit, lambda named: one_day(shift(named[offset > 0], offset)))
    return _unit(moment, offset, unit)


def _later(moment: Moment, duration: Duration) -> Span | None:
    """`iki gün sonra`: after the time named before, else from now."""
    span = _from_now(moment, _Shift(*duration))
    return span and replace(span, counted=_moved(1, duration))


def _moved_only(direction: int) -> Callable[[Moment, Duration], Span]:
    """`two days later`, `two days before`."""
    return lambda _, duration: _beside_named("day", _moved(direction, duration))


def _moved(direction: int, duration: Duration) -> Callable[[Days], Days]:
    return lambda named: one_day(moved(named[0], direction * duration[0], duration[1]))


def _day(moment: Moment, offset: int) -> Span:
    return Span("day", one_day(shift(moment.now, offset)))


def _repetition(moment: Moment, offset: int, span: Span) -> Span | None:
    """`last May`, `this Friday`, `next Christmas`."""
    if span.cycle is None or span.granularity == "week":
        return None
    weekly = span.cycle.period == "week"
    if offset == 0:
        days = moment.current(span.cycle)
    elif offset < 0:
        days = moment.latest(span.cycle) if weekly else moment.previous(span.cycle)
    else:
        days = moment.following(span.cycle)
    if days is None:
        return None
    further = offset + 1 if offset < -1 else max(offset - 1, 0)
    first, last = (
        shift(day, 7 * further) if weekly else add_months(day, 12 * further) for day in days
    )
    return replace(span, days=(first, last), cycle=None, bare=False)


_MONTHS = {"year": 1, "quarter": 1, "season": 1, "decade": 12}
"""Granularity → months of what its parts are counted in; in days where it is not listed."""
_PLACES = {
    "year": (4, 8, 12, 1, 3),
    "quarter": (1, 2, 3, 1, 1),
    "season": (1, 2, 3, 1, 1),
    "decade": (4, 7, 10, 3, 3),
    "month": (10, 20, 30, 7, 7),
}
"""Where the thirds of a span end, and how long its start or end is: one said so, and one named by a
word that may mean early as well (`opening`). By convention a week of a month, a month of a year."""


def _part_days(part: str, granularity: str, days: Days) -> Days:
    """A part of a span: a third, a half, or one of its ends."""
    length = (days[1] - days[0]).days + 1
    thirds = length // 3, length * 2 // 3, length, length // 3, length // 3
    early, mid, count, edge, opening = _PLACES.get(granularity, thirds)

    def place(day: date, units: int) -> date:
        months = _MONTHS.get(granularity)
        return add_months(day, units * months) if months else shift(day, units)

    if part in ("end", "closing"):
        return place(shift(days[1], 1), -(edge if part == "end" else opening)), days[1]
    begins, ends = {
        "early": (0, early),
        "mid": (early, mid),
        "late": (mid, count),
        "first-half": (0, count // 2),
        "second-half": (count // 2, count),
        "start": (0, edge),
        "opening": (0, opening),
    }[part]
    return place(days[0], begins), days[1] if ends == count else shift(place(days[0], ends), -1)


def _narrowed(
    span: Span, granularity: str, part: Callable[[Days], Days | None], of: Collection[str]
) -> Span | None:
    """A part of what a span of these granularities names, or something next to it."""
    if span.granularity not in of:
        return None
    if span.cycle is not None and span.cycle.period == "week":  # first which Saturday, then what
        return replace(span, granularity=granularity, derive=part, bare=False)
    found = span.refined(granularity, part)
    return replace(found, bare=False) if found else None


# Parts.


def _part_of(_: Moment, part: str, span: Span) -> Span | None:
    if span.ahead:
        return None  # they start in three weeks
    wholes = (*_PLACES, "week", "half")
    found = _narrowed(span, "range", lambda d: _part_days(part, span.granularity, d), wholes)
    return replace(found, modifier="end") if found and part in ("end", "closing") else found


def _edge(moment: Moment, edge: tuple[str, str]) -> Span:
    """`Jahresende`, `月底` of no year or month that is said: the nearest one to a question."""
    part, unit = edge

    def days(index: int) -> Days:
        first = date(index, 1, 1) if unit == "year" else date(index // 12, index % 12 + 1, 1)
        return _part_days(part, unit, unit_days(first, unit, 0))

    cycle = Cycle(days, "year" if unit == "year" else "month")
    modifier = "end" if part == "end" else "exact"
    return Span("range", moment.nearest(cycle), cycle, bare=True, modifier=modifier)


def _nth_unit(n: int, unit: str, granularity: str, days: Days) -> Days | None:
    """The n-th day, week, weekend, month, quarter or half of a month or year."""
    if unit == "day":
        return one_day(shift(days[0], n - 1) if n > 0 else days[1])
    if unit == "week":
        first = shift(days[0], 7 * (n - 1)) if n > 0 else shift(days[1], -6)
        return (first, min(shift(first, 6), days[1])) if first <= days[1] else None
    if unit == "weekend":
        saturday = nth_weekday(days, 5, n)
        return (saturday, shift(saturday, 1)) if saturday else None
    if unit in ("half", "fortnight") and granularity == "month":
        return _part_days("first-half" if n == 1 else "second-half", "month", days)
    if granularity != "year" or unit not in _IN_YEAR:
        return None
    return of_year(unit, days[0].year, _IN_YEAR[unit] if n == -1 else n)


_IN_YEAR = {"half": 2, "quarter": 4, "month": 12}
"""Unit → how many a year has."""


def _nth_unit_of(_: Moment, n: int, unit: str, span: Span) -> Span | None:
    granularity = unit if unit in ("day", "week", "month", "quarter", "half") else "range"
    of = ("month", "year", "quarter", "season", *(("day",) if unit == "day" else ()))
    return _narrowed(span, granularity, lambda d: _nth_unit(n, unit, span.granularity, d), of)


def _nth_weekday_of(_: Moment, n: int, weekday: int, span: Span) -> Span | None:
    def narrowed(days: Days) -> Days | None:
        day = nth_weekday(days, weekday, n)
        return one_day(day) if day else None

    return _narrowed(span, "day", narrowed, ("month", "year"))


def _first_units_of(_: Moment, n: int, duration: Duration, span: Span) -> Span | None:
    """`the first two weeks of October`, `the last 3 days of May`, `the first 3 months of 2025`."""
    amount, unit = duration
    if n not in (1, -1) or unit not in ("day", "week", "month"):
        return None

    def narrowed(days: Days) -> Days:
        if n == 1:
            return days[0], shift(moved(days[0], amount, unit), -1)
        return moved(shift(days[1], 1), -amount, unit), days[1]

    return _narrowed(span, "range", narrowed, ("month", "quarter", "season", "year"))


_NAMED_AFTER_TODAY = 2
"""Days for which languages have words: a weekday beside `tomorrow` is another day; beside a date it
is a slip, and the date counts."""


def _weekday_and_date(moment: Moment, weekday: int, span: Span) -> Span | None:
    """`Saturday, 13 June`: of last, this and next year the one in which it is a Saturday."""
    is_weekly = span.cycle and span.cycle.period == "week"
    if span.granularity != "day" or is_weekly or span.counted:
        return None
    if span.cycle is not None and span.cycle.period == "year":
        for days in span.cycle.existing(moment.now, 1):
            near = abs(days[0].year - moment.now.year) <= 1
            if near and days[0].weekday() == weekday:
                return Span("day", days)
    if span.days and span.cycle is None and span.days[0].weekday() != weekday:
        is_relative = abs((span.days[0] - moment.now).days) <= _NAMED_AFTER_TODAY
        return None if is_relative else replace(span, bare=False)  # no `Sunday, tomorrow`
    return replace(span, bare=False)


def _date_and_weekday(moment: Moment, span: Span, weekday: int) -> Span | None:
    """`13 June, Saturday`; another weekday behind a date is a day of its own."""
    found = _weekday_and_date(moment, weekday, span)
    fits = found and found.days and found.days[0].weekday() == weekday
    return found if fits else None


def _inside(_: Moment, inner: Span | tuple[Span, ...], outer: Span) -> Any:
    """`the 15th of next month`, `Wednesday two weeks ago`, `Mon and Fri last week`."""
    days = []
    for span in inner if isinstance(inner, tuple) else (inner,):
        if outer.days is None or span.cycle is None or span.cycle.period != outer.granularity:
            return None
        days.append(Span("day", span.cycle.days(span.cycle.index(outer.days[0]))))
    return tuple(days) if isinstance(inner, tuple) else days[0]


def _listed_digits(_: Moment, *spans: Span) -> tuple[Span, ...] | None:
    """`25/11, 2/12 e 9/12`."""
    return spans if is_day_first(spans) else None


# Days, weeks and weekends near a day.


def _near(granularity: str, move: Callable[..., Days]) -> Callable[..., Span | None]:
    """Builds from a day what `move` makes of it and of the other values of the rule."""

    def build(_: Moment, *values: Any) -> Span | None:
        *others, span = values
        return _narrowed(span, granularity, lambda days: move(days[0], *others), ("day",))

    return build


def _next_to(direction: int) -> Callable[[Moment, int | str | Duration, Span], Span | None]:
    """`the Sunday before 25 October`, `the week after Easter`, `two days before Christmas`."""

    def build(_: Moment, what: int | str | Duration, span: Span) -> Span | None:
        def move(days: Days) -> Days:
            beside = shift(days[0], -1) if direction < 0 else shift(days[1], 1)
            if isinstance(what, int):
                gap = (what - beside.weekday()) * direction % 7
                return one_day(shift(beside, gap * direction))
            if isinstance(what, tuple):
                return unit_days(days[0], what[1], direction * what[0])
            outside = unit_days(beside, what, 0)
            whole = outside[1] <= beside if direction < 0 else outside[0] >= beside
            return outside if whole else unit_days(beside, what, direction)

        unit = what[1] if isinstance(what, tuple) else what
        known = {"day": "day", "week": "week", "weekend": "range", "month": "month"}
        granularity = known.get(unit) if isinstance(unit, str) else "day"
        return _narrowed(span, granularity, move, ("day",)) if granularity else None

    return build


SHIFT_RULES = (
    Rule("DURATION ago", _back, "SHIFT"),
    Rule("ago_before DURATION ago?", _back, "SHIFT"),
    Rule("DURATION ahead", _ahead(False), "SHIFT"),
    Rule("ahead_clear DURATION", _ahead(False), "SHIFT"),
    Rule("ahead_before DURATION ago?", _ahead(True), "SHIFT"),
)
RELATIVE_RULES = (
    Rule("DATE|NEEDS_YEAR comma|slash|dash? of? the? YR|YR_SHORT", _in_year),
    Rule("YR comma|dash? of? the? DATE|NEEDS_YEAR", _in_year, order=(1, 0)),
    Rule("the? then DATE", _then),
    Rule("the? DATE then_after", _then),
    Rule("the|article DATE then_before", _before_named),
    Rule("DATE then_before", _before_named, languages=speaking("verb_second")),
    Rule("the? then UNIT", _unit_then),
    Rule("the|article|in|on UNIT then_after", _unit_then),
    Rule("the|article|in|on UNIT then_before", _unit_before),
    Rule("DURATION later", _later),
    Rule("SHIFT", _from_now),
    Rule("RELATIVE_DAY SHIFT", _from_day),
    Rule("SHIFT RELATIVE_DAY", _from_day, order=(1, 0)),
    Rule("DURATION from RELATIVE_DAY", lambda m, gap, day: _from_day(m, day, _Shift(*gap))),
    Rule("RELATIVE_DAY DURATION later", lambda m, day, gap: _from_day(m, day, _Shift(*gap))),
    Rule("WEEKDAY SHIFT", _weekday_on),
    Rule("DURATION on|from WEEKDAY", lambda m, gap, day: _weekday_on(m, day, _Shift(*gap)),
         languages=speaking("noun_before_noun")),
    Rule("DURATION then_after", _moved_only(1)),
    Rule("DURATION then_before", _moved_only(-1)),
    Rule("RELATIVE UNIT", _unit),
    Rule("UNIT RELATIVE_AFTER", _unit, order=(1, 0)),
    Rule("RELATIVE_UNIT", _relative_unit),
    Rule("TRAILING UNIT", _trailing),
    Rule("WINDOW DURATION", _window),
    Rule("NUMBER WINDOW UNIT",
         lambda m, n, way, u: _window(m, way, (n, u)) if n < _NOT_YEARS else None),
    Rule("NUMBER DATES ago", lambda moment, n, span: _repetition(moment, -n, span)),
    Rule("NUMBER DATES ahead", lambda moment, n, span: _repetition(moment, n, span)),
    Rule("ago_before NUMBER DATES", lambda moment, n, span: _repetition(moment, -n, span)),
    Rule("RELATIVE_DAY", _day),
    Rule("RELATIVE_DAY WEEK_ON", lambda moment, days, weeks: _day(moment, days + 7 * weeks)),
    Rule("WEEK_ON RELATIVE_DAY", lambda m, n, day: _day(m, day + 7 * n) if day >= 0 else None),
    Rule("the? RELATIVE the? DATE", _repetition, languages=ALL & ~speaking("weekday_of_week")),
    Rule("the? DATE RELATIVE_AFTER", _repetition, order=(1, 0)),
    Rule("RELATIVE SHORT_WEEKDAY", _repetition, languages=NOT_UNSPACED),
)  # fmt: skip
_PERIODIC = "SHORT_WEEKDAY|DAY_OF_MONTH|DATE_NUMBER|DATE_ORDINAL"

PART_RULES = (
    Rule("the? PART of? the? DATE|THIS_UNIT", _part_of),
    Rule("the? PART dash? DATE|SHORT_DECADE", _part_of),
    Rule("DATE of? PART_AFTER", _part_of, order=(1, 0)),
    Rule("EDGE", _edge),
    Rule("EDGE of? the? DATE",
         lambda m, e, s: _part_of(m, e[0], s) if s.granularity == e[1] else None),
    Rule("the? ORDINAL UNIT of? the? DATE|THIS_UNIT", _nth_unit_of),
    Rule("the? ORDINAL|RELATIVE DATE UNIT", _nth_unit_of, order=(0, 2, 1)),  # the last May weekend
    Rule("the? ORDINAL|RELATIVE DATE WEEKDAY", _nth_weekday_of, order=(0, 2, 1)),
    Rule("DATE|THIS_UNIT of? ordinal_sign? ORDINAL|NUMBER UNIT", _nth_unit_of,
         languages=_GENITIVE_FIRST, order=(1, 2, 0)),
    Rule("DATE|THIS_UNIT of? ORDINAL WEEKDAY", _nth_weekday_of,
         languages=_GENITIVE_FIRST, order=(1, 2, 0)),
    Rule("the? ORDINAL WEEKDAY of? the? DATE|THIS_UNIT", _nth_weekday_of),
    Rule("the? ORDINAL DURATION of? the? DATE", _first_units_of),
    Rule("WEEKDAY|WEEKDAY_SHORT comma? the? DATE", _weekday_and_date),
    Rule("DATE|DM|DM_WEAK comma? WEEKDAY comma?", _date_and_weekday),
    Rule(f"DATE|{_PERIODIC} comma? of? the? DATE", _inside),
    Rule(f"DATE apostrophe? of? on? the? DATE|{_PERIODIC}", _inside, order=(1, 0)),
    Rule("DAYS comma? of? the? DATE", _inside, "DAYS"),
    Rule("DATE comma? on? DAYS", _inside, "DAYS", order=(1, 0)),
    Rule("DATE in? part_of_day", lambda _, span: span if span.granularity == "day" else None),
    Rule("on DM|DM_WEAK", same),
    Rule("day_article_weak? DM comma DM comma? and DM", _listed_digits, "DAYS"),
    Rule("DM|DM_WEAK apostrophe in_after", same),
    Rule("week_of the? DATE|DAY_OF_MONTH", _near("week", week_days)),
    Rule("bridge the? DATE", _near("range", long_weekend)),  # el puente del Pilar
    Rule("DATE week_of_after", _near("week", week_days)),
    Rule("the? u_weekend of the? DATE|DAY_OF_MONTH", _near("range", weekend_days)),
    Rule("DATE u_weekend", _near("range", weekend_days)),
    Rule("the? u_weekend DATE_NUMBER", _near("range", weekend_days)),
    Rule("the? WEEKDAY|U_WEEK|U_WEEKEND|DURATION before the? DATE", _next_to(-1)),
    Rule("the? WEEKDAY|U_WEEK|U_WEEKEND|DURATION after the? DATE", _next_to(1)),
    Rule("the? DAY_NEXT_TO the? DATE", _near("day", lambda day, step: one_day(shift(day, step)))),
)  # fmt: skip
