"""Rules that narrow or move a date: `early 2024`, `end of May`, `the week of 10 Nov`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from lorebank.dates.calendar import (
    Days,
    add_months,
    half_days,
    month_days,
    nth_weekday,
    quarter_days,
    shift,
    unit_days,
)
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import language_bit
from lorebank.dates.spans import Cycle, Moment, Span

_GENITIVE_FIRST = language_bit("zh") | language_bit("ja") | language_bit("tr")

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
    "opening": (1, 10),
    "closing": (21, 0),
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


def _part_of(_: Moment, part: str, span: Span) -> Span | None:
    if span.granularity in ("day", "range"):
        return None
    take = _PARTS.get(span.granularity, _third)
    found = span.refined("range", lambda days: take(part, days))
    return replace(found, bare=False) if found else None


def _part_of_unit(moment: Moment, part: str, unit: str) -> Span | None:
    if unit not in ("week", "month", "quarter", "year", "decade"):
        return None
    return _part_of(moment, part, Span(unit, unit_days(moment.now, unit, 0)))


def _edge(moment: Moment, edge: tuple[str, str]) -> Span:
    """`Jahresende`, `月底` of no year or month that is said: the nearest one to a question."""
    part, unit = edge

    def days(index: int) -> Days:
        return _PARTS[unit](part, unit_days(_day_in(unit, index), unit, 0))

    cycle = Cycle(days, "year" if unit == "year" else "month")
    return Span("range", moment.nearest(cycle), cycle, bare=True)


def _day_in(unit: str, index: int) -> date:
    return date(index, 1, 1) if unit == "year" else date(index // 12, index % 12 + 1, 1)


def _edge_of(moment: Moment, edge: tuple[str, str], span: Span) -> Span | None:
    part, unit = edge
    return _part_of(moment, part, span) if span.granularity == unit else None


def _nth_unit(n: int, unit: str, granularity: str, days: Days) -> Days | None:
    """The n-th day, week, weekend, month, quarter or half of a month or year."""
    if unit == "day":
        day = shift(days[0], n - 1) if n > 0 else days[1]
        return day, day
    if unit == "week":
        first = shift(days[0], 7 * (n - 1)) if n > 0 else shift(days[1], -6)
        return (first, min(shift(first, 6), days[1])) if first <= days[1] else None
    if unit == "weekend":
        saturday = nth_weekday(days, 5, n)
        return (saturday, shift(saturday, 1)) if saturday else None
    if unit in ("half", "fortnight") and granularity == "month":
        return _month_part("first-half" if n == 1 else "second-half", days)
    if granularity != "year":
        return None
    year = days[0].year
    if unit == "half":
        return half_days(year, 2 if n == -1 else n)
    if unit == "quarter":
        return quarter_days(year, 4 if n == -1 else n)
    if unit == "month":
        return month_days(year, 12 if n == -1 else n)
    return None


def _nth_unit_of(_: Moment, n: int, unit: str, span: Span) -> Span | None:
    if span.granularity not in ("month", "year", "quarter", "season"):
        return None
    granularity = unit if unit in ("day", "week", "month", "quarter", "half") else "range"
    found = span.refined(granularity, lambda days: _nth_unit(n, unit, span.granularity, days))
    return replace(found, bare=False) if found else None


def _nth_unit_of_unit(moment: Moment, n: int, unit: str, whole: str) -> Span | None:
    if whole not in ("month", "year", "quarter"):
        return None
    return _nth_unit_of(moment, n, unit, Span(whole, unit_days(moment.now, whole, 0)))


def _nth_weekday_of(_: Moment, n: int, weekday: int, span: Span) -> Span | None:
    if span.granularity not in ("month", "year"):
        return None

    def narrowed(days: Days) -> Days | None:
        day = nth_weekday(days, weekday, n)
        return (day, day) if day else None

    found = span.refined("day", narrowed)
    return replace(found, bare=False) if found else None


def _weekday_and_date(_: Moment, _weekday: int, span: Span) -> Span | None:
    if span.granularity != "day" or (span.cycle and span.cycle.period == "week"):
        return None
    return replace(span, bare=False)


def _first_units_of(_: Moment, n: int, duration: tuple[int, str], span: Span) -> Span | None:
    """`the first two weeks of October`, `the last 3 days of May`."""
    amount, unit = duration
    length = {"day": 1, "week": 7}.get(unit, 0) * amount
    if n not in (1, -1) or not length or span.granularity not in ("month", "year", "quarter"):
        return None

    def narrowed(days: Days) -> Days:
        if n == 1:
            return days[0], shift(days[0], length - 1)
        return shift(days[1], 1 - length), days[1]

    found = span.refined("range", narrowed)
    return replace(found, bare=False) if found else None


def _anniversary(_: Moment, span: Span, year: int) -> Span | None:
    """`summer last year`, `27 November last year`: a yearly date in a year counted from now."""
    if span.cycle is None or span.cycle.period != "year":
        return None
    days = span.cycle.days(year)
    return Span(span.granularity, days) if days else None


def _on_that_day(_: Moment, span: Span) -> Span | None:
    """`last Friday night`, `上周三下午`."""
    return span if span.granularity == "day" else None


def _same(_: Moment, span: Span) -> Span:
    return span


PART_RULES = (
    Rule("the? PART of? the? DATE", _part_of),
    Rule("the? PART dash DATE|SHORT_DECADE", _part_of),
    Rule("the? PART SHORT_DECADE", _part_of),
    Rule("DATE of? PART_POST", _part_of, order=(1, 0)),
    Rule("the? PART of? the? UNIT", _part_of_unit),
    Rule("EDGE_WORD", _edge),
    Rule("EDGE_WORD of? the? DATE", _edge_of),
    Rule("DATE of? EDGE_WORD", _edge_of, order=(1, 0)),
    Rule("the? ORD UNIT of? the? DATE", _nth_unit_of),
    Rule("the? ORD UNIT of the? UNIT", _nth_unit_of_unit),
    Rule("DATE of? ord_pre? ORD|NUM UNIT", _nth_unit_of, "DATE", _GENITIVE_FIRST, (1, 2, 0)),
    Rule("the? ORD WEEKDAY of? the? DATE", _nth_weekday_of),
    Rule("DATE of? ord_pre? ORD of? WEEKDAY", _nth_weekday_of, "DATE", _GENITIVE_FIRST, (1, 2, 0)),
    Rule("the? ORD DURATION of? the? DATE", _first_units_of),
    Rule("WEEKDAY|WDAY comma? the? DATE", _weekday_and_date),
    Rule("DATE comma? of? the? YR", _anniversary),
    Rule("YR of? the? DATE", _anniversary, order=(1, 0)),
    Rule("DATE in? daypart", _on_that_day),
    Rule("on DM|DM_WEAK", _same),
    Rule("DM|DM_WEAK in_post", _same),
)  # fmt: skip
