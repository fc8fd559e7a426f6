"""Rules for calendar dates: months, quarters, years, decades, seasons, weeks, holidays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from lorebank.dates.calendar import (
    Days,
    decade_days,
    half_days,
    iso_week_days,
    month_days,
    quarter_days,
    season_days,
    year_days,
)
from lorebank.dates.holidays import holiday_days
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import language_bit
from lorebank.dates.rules_days import YEAR_BEHIND
from lorebank.dates.spans import Cycle, Moment, Span

_CJK = language_bit("zh") | language_bit("ja")
_DUTCH_OR_GERMAN = language_bit("nl") | language_bit("de")
_SOME_YEAR = 2024


def _yearly(granularity: str, days: Callable[[int], Days | None], *, bare: bool = False) -> Span:
    return Span(granularity, cycle=Cycle(days), bare=bare)


# Months, quarters, halves, years, decades.


def _month(_: Moment, month: int, year: int) -> Span:
    return Span("month", month_days(year, month))


def _yearly_month(_: Moment, month: int) -> Span:
    return _yearly("month", lambda year: month_days(year, month), bare=True)


def _said_month(_: Moment, month: int) -> Span:
    return _yearly("month", lambda year: month_days(year, month))


def _quarter(_: Moment, quarter: int, year: int) -> Span | None:
    return Span("quarter", quarter_days(year, quarter)) if 1 <= quarter <= 4 else None


def _ord_quarter(moment: Moment, n: int, _unit: str, year: int) -> Span | None:
    return _quarter(moment, 4 if n == -1 else n, year)


def _year_ord_quarter(moment: Moment, year: int, n: int, _unit: str) -> Span | None:
    return _quarter(moment, n, year)


def _yearly_quarter(_: Moment, quarter: int) -> Span | None:
    return _yearly("quarter", lambda year: quarter_days(year, quarter), bare=True)


def _yearly_ord_quarter(_: Moment, n: int, _unit: str) -> Span | None:
    if not 1 <= n <= 4:
        return None
    return _yearly("quarter", lambda year: quarter_days(year, n), bare=True)


def _half(_: Moment, half: int, year: int) -> Span:
    return Span("half", half_days(year, half))


def _ord_half(moment: Moment, n: int, _unit: str, year: int) -> Span | None:
    half = 2 if n == -1 else n
    return _half(moment, half, year) if half in (1, 2) else None


def _yearly_half(_: Moment, half: int) -> Span:
    return _yearly("half", lambda year: half_days(year, half))


def _yearly_ord_half(_: Moment, n: int, _unit: str) -> Span | None:
    if n not in (1, 2):
        return None
    return _yearly("half", lambda year: half_days(year, n), bare=True)


def _year(_: Moment, year: int) -> Span:
    return Span("year", year_days(year))


def _bare_year(_: Moment, year: int) -> Span:
    return Span("year", year_days(year), bare=True)


def _school_year(_: Moment, first: int, last: int) -> Span | None:
    if last != (first + 1) % 100:
        return None
    return Span("range", (date(first, 1, 1), date(first + 1, 12, 31)), bare=True)


def _named_school_year(_: Moment, month: int, first: int, last: int) -> Span | None:
    """`school year 2024/25`: from its first month up to that month of the next year."""
    if last % 100 != (first + 1) % 100:
        return None
    return Span("range", (date(first, month, 1), month_days(first + 1, month - 1)[1]))


def _same_time(moment: Moment, year: int) -> Span:
    """`this time last year`: that year's month of today."""
    return Span("month", month_days(year, moment.now.month))


def _decade(_: Moment, year: int) -> Span | None:
    return Span("decade", decade_days(year)) if year % 10 == 0 else None


def _short_decade(moment: Moment, number: int) -> Span | None:
    if number % 10 or number > 90:
        return None
    return _decade(moment, number + (2000 if number <= 20 else 1900))


# Seasons, ISO weeks, holidays.


def _season(_: Moment, season: str, year: int) -> Span:
    return Span("season", season_days(year, season))


def _season_two_years(moment: Moment, season: str, year: int, last: int) -> Span | None:
    return _season(moment, season, year) if last % 100 == (year + 1) % 100 else None


def _yearly_season(_: Moment, season: str) -> Span:
    return _yearly("season", lambda year: season_days(year, season), bare=True)


def _week(_: Moment, week: int, year: int) -> Span:
    return Span("week", iso_week_days(year, week))


def _yearly_week(_: Moment, week: int) -> Span | None:
    if not 1 <= week <= 53:
        return None
    return _yearly("week", lambda year: iso_week_days(year, week), bare=True)


def _holiday(_: Moment, key: str, year: int) -> Span | None:
    days = holiday_days(key, year)
    return Span(_length(days), days) if days else None


def _yearly_holiday(_: Moment, key: str) -> Span:
    sample = holiday_days(key, _SOME_YEAR)
    return _yearly(_length(sample), lambda year: holiday_days(key, year), bare=True)


def _yearly_weeks(_: Moment, first: int, last: int) -> Span | None:
    if not 1 <= first < last <= 53:
        return None
    return _yearly(
        "range",
        lambda year: (iso_week_days(year, first)[0], iso_week_days(year, last)[1]),
        bare=True,
    )


def _length(days: Days | None) -> str:
    return "day" if days is None or days[0] == days[1] else "range"


CALENDAR_RULES = (
    Rule(f"MON {YEAR_BEHIND}", _month),
    Rule("MON YR_SHORT", _month),
    Rule("YR of? the? MON", _month, order=(1, 0)),
    Rule("MONTH", _yearly_month),
    Rule("MNUM yue", _said_month, languages=_CJK),
    Rule(f"QUARTER slash? dash? {YEAR_BEHIND}", _quarter),
    Rule("QUARTER YR_SHORT", _quarter),
    Rule("YR comma? dash? of? QUARTER", _quarter, order=(1, 0)),
    Rule(f"the? ORD U_QUARTER {YEAR_BEHIND}", _ord_quarter),
    Rule("YR of? ord_pre? ORD|NUM U_QUARTER", _year_ord_quarter),
    Rule("YR of? the? ORD U_QUARTER", _year_ord_quarter),
    Rule("QUARTER", _yearly_quarter),
    Rule("ORD U_QUARTER", _yearly_ord_quarter),
    Rule("ord_pre NUM U_QUARTER", _yearly_ord_quarter),
    Rule(f"HALF slash? dash? {YEAR_BEHIND}", _half),
    Rule("YR of? dash? HALF", _half, order=(1, 0)),
    Rule(f"the? ORD U_HALF {YEAR_BEHIND}", _ord_half),
    Rule("HALF", _yearly_half, languages=_CJK),
    Rule("ORD U_HALF", _yearly_ord_half),
    Rule("YEAR_SAID", _year),
    Rule("YEAR", _bare_year),
    Rule("YR_SHORT", _bare_year),
    Rule("YEAR dash|slash TWO", _school_year),
    Rule("SCHOOL_YEAR of? YR dash|slash TWO|YR", _named_school_year),
    Rule("same_time of? the? YR", _same_time),
    Rule("YR comma? of? same_time", _same_time),
    Rule("YR decade_post u_year?", _decade),
    Rule("decade_pre YR", _decade),
    Rule("decade_the apostrophe? TWO decade_post u_year?", _short_decade),
    Rule("apostrophe TWO decade_post", _short_decade),
    Rule("TWO decade_post", _short_decade, "SHORT_DECADE"),
    Rule("DECADE", _decade, "SHORT_DECADE"),
    Rule("decade_pre apostrophe? TWO", _short_decade),
    Rule("decade_pre DECADE", _decade),
    Rule("decade_the DECADE u_year?", _decade),
    Rule("DECADE u_year", _decade),
    Rule("NUM decade_post u_year?", _short_decade, languages=_CJK | language_bit("de")),
    Rule(f"SEASON {YEAR_BEHIND}", _season),
    Rule("SEASON YR_SHORT", _season),
    Rule("SEASON of? YR slash|dash TWO", _season_two_years),
    Rule("SEASON of? YR slash|dash YR", _season_two_years),
    Rule("YR of? the? SEASON", _season, order=(1, 0)),
    Rule("SEASON", _yearly_season),
    Rule("SEASONS", _yearly_season, "DATES"),
    Rule("week_no NUM", _yearly_week),
    Rule(f"week_no NUM slash? {YEAR_BEHIND}", _week),
    Rule("week_no NUM dash|to|and NUM", _yearly_weeks),
    Rule("ORD week_no", _yearly_week, languages=_DUTCH_OR_GERMAN),
    Rule("ORD week_no of? the? YR", _week, languages=_DUTCH_OR_GERMAN),
    Rule("YR comma? week_no NUM", _week, order=(1, 0)),
    Rule("YR of? ord_pre NUM u_week", _week, order=(1, 0)),
    Rule("ord_pre NUM u_week", _yearly_week),
    Rule("HOLIDAY", _yearly_holiday),
    Rule("HOLIDAY", _yearly_holiday, "HOLIDAY_DATE"),
    Rule(f"HOLIDAY {YEAR_BEHIND}", _holiday, "HOLIDAY_DATE"),
    Rule(f"HOLIDAY {YEAR_BEHIND}", _holiday),
    Rule("YR of? the? HOLIDAY", _holiday, order=(1, 0)),
)  # fmt: skip
