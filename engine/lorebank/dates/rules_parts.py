"""Rules that narrow or move a date: `early 2024`, `end of May`, `the day after Christmas`."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from datetime import date
from typing import Any

from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import language_bit
from lorebank.dates.rules_calendar import same
from lorebank.dates.spans import (
    Cycle,
    Days,
    Moment,
    Span,
    add_months,
    half_days,
    month_days,
    nth_weekday,
    one_day,
    quarter_days,
    shift,
    unit_days,
    week_days,
    weekend_days,
)

_CJK = language_bit("zh") | language_bit("ja")
_GENITIVE_FIRST = _CJK | language_bit("tr")

_YEAR_MONTHS = {
    "early": (1, 4),
    "mid": (5, 8),
    "late": (9, 12),
    "start": (1, 1),
    "end": (12, 12),
    "opening": (1, 3),
    "closing": (10, 12),
    "first-half": (1, 6),
    "second-half": (7, 12),
}
"""Part of a year → its first and last month; `opening` is a word that may be early or start."""

_MONTH_DAYS = {
    "early": (1, 10),
    "mid": (11, 20),
    "late": (21, 0),
    "start": (1, 7),
    "end": (-6, 0),
    "opening": (1, 7),
    "closing": (-6, 0),
    "first-half": (1, 15),
    "second-half": (16, 0),
}
"""Part of a month → its first and last day; 0 and below count back from the month's last day."""

_DECADE_YEARS = {"early": (0, 3), "start": (0, 1), "opening": (0, 3), "mid": (4, 6), "end": (8, 9)}
"""Part of a decade → its first and last year; `late` and the like are the last three."""

_UNIT_MONTHS = {"early": (0, 0), "start": (0, 0), "opening": (0, 0), "mid": (1, 1)}
"""Part of a quarter or season → its first and last month; the rest are the last one."""

_THIRDS = {"early": 0, "start": 0, "opening": 0, "first-half": 0, "mid": 1}
"""Part of any other span → which third of its days; the rest are the last third."""


def _year_part(part: str, days: Days) -> Days:
    first, last = _YEAR_MONTHS[part]
    return month_days(days[0].year, first)[0], month_days(days[0].year, last)[1]


def _month_part(part: str, days: Days) -> Days:
    def place(day: int) -> date:
        return days[0].replace(day=day) if day > 0 else shift(days[1], day)

    first, last = _MONTH_DAYS[part]
    return place(first), place(last)


def _months_part(part: str, days: Days) -> Days:
    if part in ("first-half", "second-half"):
        return _third(part, days)
    first, last = (add_months(days[0], n) for n in _UNIT_MONTHS.get(part, (2, 2)))
    return first, month_days(last.year, last.month)[1]


def _decade_part(part: str, days: Days) -> Days:
    first, last = _DECADE_YEARS.get(part, (7, 9))
    year = days[0].year
    return date(year + first, 1, 1), date(year + last, 12, 31)


def _third(part: str, days: Days) -> Days:
    total = (days[1] - days[0]).days + 1
    index = _THIRDS.get(part, 2)
    first = shift(days[0], total * index // 3)
    return first, shift(days[0], total * (index + 1) // 3 - 1)


_PARTS: dict[str, Callable[[str, Days], Days]] = {
    "year": _year_part,
    "month": _month_part,
    "decade": _decade_part,
    "quarter": _months_part,
    "season": _months_part,
}


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
    take = _PARTS.get(span.granularity, _third)
    wholes = (*_PARTS, "week", "half")
    found = _narrowed(span, "range", lambda days: take(part, days), wholes)
    return replace(found, modifier="end") if found and part in ("end", "closing") else found


def _edge(moment: Moment, edge: tuple[str, str]) -> Span:
    """`Jahresende`, `月底` of no year or month that is said: the nearest one to a question."""
    part, unit = edge

    def days(index: int) -> Days:
        first = date(index, 1, 1) if unit == "year" else date(index // 12, index % 12 + 1, 1)
        return _PARTS[unit](part, unit_days(first, unit, 0))

    cycle = Cycle(days, "year" if unit == "year" else "month")
    modifier = "end" if part == "end" else "exact"
    return Span("range", moment.nearest(cycle), cycle, bare=True, modifier=modifier)


def _edge_of(moment: Moment, edge: tuple[str, str], span: Span) -> Span | None:
    part, unit = edge
    return _part_of(moment, part, span) if span.granularity == unit else None


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
        return _month_part("first-half" if n == 1 else "second-half", days)
    if granularity != "year" or unit not in _IN_YEAR:
        return None
    last, unit_of_year = _IN_YEAR[unit]
    return unit_of_year(days[0].year, last if n == -1 else n)


_IN_YEAR: dict[str, tuple[int, Callable[[int, int], Days]]] = {
    "half": (2, half_days),
    "quarter": (4, quarter_days),
    "month": (12, month_days),
}
"""Unit → how many a year has, and the days of one."""


def _nth_unit_of(_: Moment, n: int, unit: str, span: Span) -> Span | None:
    granularity = unit if unit in ("day", "week", "month", "quarter", "half") else "range"
    of = ("month", "year", "quarter", "season")
    return _narrowed(span, granularity, lambda d: _nth_unit(n, unit, span.granularity, d), of)


def _nth_weekday_of(_: Moment, n: int, weekday: int, span: Span) -> Span | None:
    def narrowed(days: Days) -> Days | None:
        day = nth_weekday(days, weekday, n)
        return one_day(day) if day else None

    return _narrowed(span, "day", narrowed, ("month", "year"))


def _first_units_of(_: Moment, n: int, duration: tuple[int, str], span: Span) -> Span | None:
    """`the first two weeks of October`, `the last 3 days of May`."""
    amount, unit = duration
    length = {"day": 1, "week": 7}.get(unit, 0) * amount
    if n not in (1, -1) or not length:
        return None

    def narrowed(days: Days) -> Days:
        if n == 1:
            return days[0], shift(days[0], length - 1)
        return shift(days[1], 1 - length), days[1]

    return _narrowed(span, "range", narrowed, ("month", "year", "quarter"))


def _day_in_month(_: Moment, day: int, span: Span) -> Span | None:
    """`the 15th of next month`."""
    if span.granularity != "month" or span.days is None:
        return None
    return Span("day", one_day(span.days[0].replace(day=day)))


def _weekday_and_date(moment: Moment, weekday: int, span: Span) -> Span | None:
    """`Saturday, 13 June`: of last, this and next year the one in which it is a Saturday."""
    if span.granularity != "day" or (span.cycle and span.cycle.period == "week"):
        return None
    if span.cycle is not None and span.cycle.period == "year":
        for days in span.cycle.existing(moment.now, 1):
            near = abs(days[0].year - moment.now.year) <= 1
            if near and days[0].weekday() == weekday:
                return Span("day", days)
    return replace(span, bare=False)


def _date_and_weekday(moment: Moment, span: Span, weekday: int) -> Span | None:
    """`22 August, Saturday`, where it is one."""
    found = _weekday_and_date(moment, weekday, span)
    return found if found and found.days and found.days[0].weekday() == weekday else None


def _weekday_in_week(_: Moment, weekday: int, span: Span) -> Span | None:
    """`Wednesday two weeks ago`."""
    if span.granularity != "week" or span.days is None:
        return None
    return Span("day", one_day(shift(span.days[0], weekday)))


# Days, weeks and weekends near a day.


def _near(granularity: str, move: Callable[..., Days]) -> Callable[..., Span | None]:
    """Builds from a day what `move` makes of it and of the other values of the rule."""

    def build(_: Moment, *values: Any) -> Span | None:
        *others, span = values
        return _narrowed(span, granularity, lambda days: move(days[0], *others), ("day",))

    return build


def _counted_from(direction: int) -> Callable[[Moment, tuple[int, str], Span], Span | None]:
    """`two days before Christmas`, `a week after Easter`: the day, week or month so far off."""

    def build(_: Moment, duration: tuple[int, str], span: Span) -> Span | None:
        amount, unit = duration
        if unit not in ("day", "week", "month"):
            return None
        return _narrowed(
            span, unit, lambda days: unit_days(days[0], unit, direction * amount), ("day",)
        )

    return build


def _weekday_before(day: date, weekday: int) -> Days:
    """`the Sunday before 25 October`."""
    return one_day(shift(day, -((day.weekday() - weekday - 1) % 7) - 1))


def _weekday_after(day: date, weekday: int) -> Days:
    return one_day(shift(day, (weekday - day.weekday() - 1) % 7 + 1))


def _weekend_before(day: date) -> Days:
    """`the weekend before Christmas`: the last one that is over by then."""
    return weekend_days(shift(day, -7))


def _weekend_after(day: date) -> Days:
    return weekend_days(shift(day, 7 if day.weekday() >= 5 else 0))


def _week_next_to(day: date, step: int) -> Days:
    """The week before a Sunday is the one that it ends."""
    return week_days(shift(day, step if day.weekday() == 6 else 7 * step))


PART_RULES = (
    Rule("the? PART of? the? DATE|THIS_UNIT", _part_of),
    Rule("the? PART dash? DATE|SHORT_DECADE", _part_of),
    Rule("DATE of? PART_POST", _part_of, order=(1, 0)),
    Rule("EDGE_WORD", _edge),
    Rule("EDGE_WORD of? the? DATE", _edge_of),
    Rule("the? ORD UNIT of? the? DATE", _nth_unit_of),
    Rule("the? ORD UNIT of the? THIS_UNIT", _nth_unit_of),
    Rule("the? ORD|REL_PRE DATE UNIT", _nth_unit_of, order=(0, 2, 1)),  # the last May weekend
    Rule("the? ORD|REL_PRE DATE WEEKDAY", _nth_weekday_of, order=(0, 2, 1)),
    Rule("DATE of? ord_pre? ORD|NUM UNIT", _nth_unit_of, "DATE", _GENITIVE_FIRST, (1, 2, 0)),
    Rule("the? ORD WEEKDAY of? the? DATE|THIS_UNIT", _nth_weekday_of),
    Rule("DATE of? ord_pre? ORD of? WEEKDAY", _nth_weekday_of, "DATE", _GENITIVE_FIRST, (1, 2, 0)),
    Rule("the? ORD DURATION of? the? DATE", _first_units_of),
    Rule("the? DAY of? the? DATE", _day_in_month),
    Rule("DATE of? DAY ri", _day_in_month, languages=_CJK, order=(1, 0)),
    Rule("WEEKDAY|WDAY comma? the? DATE", _weekday_and_date),
    Rule("DATE comma WEEKDAY comma?", _date_and_weekday),
    Rule("WEEKDAY comma? of? the? DATE", _weekday_in_week),
    Rule("DATE apostrophe? of? WEEKDAY", _weekday_in_week, order=(1, 0)),
    Rule("DATE in? daypart", lambda _, span: span if span.granularity == "day" else None),
    Rule("on DM|DM_WEAK", same),
    Rule("DM|DM_WEAK apostrophe in_post", same),
    Rule("DM|DM_WEAK comma? clock", same),
    Rule("week_of the? DATE|DAY_OF_MONTH", _near("week", week_days)),
    Rule("DATE week_of_post", _near("week", week_days)),
    Rule("the? u_weekend of the? DATE|DAY_OF_MONTH", _near("range", weekend_days)),
    Rule("the? u_weekend before the? DATE|DAY_OF_MONTH", _near("range", _weekend_before)),
    Rule("the? u_weekend after the? DATE|DAY_OF_MONTH", _near("range", _weekend_after)),
    Rule("the? WEEKDAY before the? DATE", _near("day", _weekday_before)),
    Rule("the? WEEKDAY after the? DATE", _near("day", _weekday_after)),
    Rule("the? DAY_NEXT_TO the? DATE", _near("day", lambda day, step: one_day(shift(day, step)))),
    Rule("the? WEEK_NEXT_TO the? DATE", _near("week", _week_next_to)),
    Rule("DURATION before the? DATE", _counted_from(-1)),
    Rule("DURATION after the? DATE", _counted_from(1)),
)  # fmt: skip
