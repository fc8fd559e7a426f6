"""Rules that narrow or move a date: `early 2024`, `end of May`, `the day after Christmas`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date
from typing import Any

from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import language_bit
from lorebank.dates.rules_calendar import is_day_first, long_weekend, same
from lorebank.dates.rules_relative import Duration
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

_CJK = language_bit("zh") | language_bit("ja")
_GENITIVE_FIRST = _CJK | language_bit("tr")

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
    of = ("month", "year", "quarter", "season")
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


def _day_in_month(_: Moment, day: int, span: Span) -> Span | None:
    """`the 15th of next month`."""
    if span.granularity != "month" or span.days is None:
        return None
    return Span("day", one_day(span.days[0].replace(day=day)))


def _day_of_named_month(_: Moment, month: Span, day: Span) -> Span | None:
    """`next month on the 12th`."""
    if month.granularity != "month" or month.days is None or day.cycle is None:
        return None
    return Span("day", day.cycle.days(day.cycle.index(month.days[0])))


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


def _weekday_in_week(_: Moment, weekday: int, span: Span) -> Span | None:
    """`Wednesday two weeks ago`."""
    if span.granularity != "week" or span.days is None:
        return None
    return Span("day", one_day(shift(span.days[0], weekday)))


def _weekdays_in_week(_: Moment, weekdays: tuple[Span, ...], span: Span) -> tuple[Span, ...] | None:
    """`Mon, Wed and Fri last week`, `next week Tue and Thu`."""
    if span.granularity != "week" or span.days is None:
        return None
    week = (day.cycle.days(day.cycle.index(span.days[0])) for day in weekdays if day.cycle)
    return tuple(Span("day", days) for days in week)


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
    Rule("the? DAY of? the? DATE", _day_in_month),
    Rule("DATE comma? on? the? DATE_NUMBER|DATE_ORDINAL", _day_of_named_month),
    Rule("DATE of? DAY day_sign", _day_in_month, languages=_CJK, order=(1, 0)),
    Rule("WEEKDAY|WEEKDAY_SHORT comma? the? DATE", _weekday_and_date),
    Rule("DATE|DM|DM_WEAK comma? WEEKDAY comma?", _date_and_weekday),
    Rule("WEEKDAY|WEEKDAY_SHORT comma? of? the? DATE", _weekday_in_week),
    Rule("DATE apostrophe? of? WEEKDAY|WEEKDAY_SHORT", _weekday_in_week, order=(1, 0)),
    Rule("DAYS comma? of? the? DATE", _weekdays_in_week, "DAYS"),
    Rule("DATE comma? on? DAYS", _weekdays_in_week, "DAYS", order=(1, 0)),
    Rule("DATE in? part_of_day", lambda _, span: span if span.granularity == "day" else None),
    Rule("on DM|DM_WEAK", same),
    Rule("day_article_weak DM", lambda _, day: day if is_day_first((day,)) else None),
    Rule("on DM comma on? DM comma? and on? DM", lambda _, *days: days, "DAYS"),
    Rule("day_article_weak? DM comma DM comma? and DM", _listed_digits, "DAYS"),
    Rule("DM|DM_WEAK apostrophe in_after", same),
    Rule("DM|DM_WEAK comma? hour? clock", same),
    Rule("week_of the? DATE|DAY_OF_MONTH", _near("week", week_days)),
    Rule("bridge the? DATE", _near("range", long_weekend)),  # el puente del Pilar
    Rule("DATE week_of_after", _near("week", week_days)),
    Rule("the? u_weekend of the? DATE|DAY_OF_MONTH", _near("range", weekend_days)),
    Rule("DATE u_weekend", _near("range", weekend_days), languages=language_bit("tr")),
    Rule("the? u_weekend DATE_NUMBER", _near("range", weekend_days)),
    Rule("the? WEEKDAY|U_WEEK|U_WEEKEND|DURATION before the? DATE", _next_to(-1)),
    Rule("the? WEEKDAY|U_WEEK|U_WEEKEND|DURATION after the? DATE", _next_to(1)),
    Rule("the? DAY_NEXT_TO the? DATE", _near("day", lambda day, step: one_day(shift(day, step)))),
)  # fmt: skip
