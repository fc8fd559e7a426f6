"""Rules for calendar dates: months, quarters, years, decades, seasons, weeks, holidays.

Whatever comes back each year is built without its year here; `rules_relative` puts the year to it.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

from lorebank.dates.holidays import holiday_days, long_weekend
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import language_bit
from lorebank.dates.spans import (
    Cycle,
    Days,
    Moment,
    Span,
    decade_days,
    half_days,
    iso_week_days,
    month_days,
    quarter_days,
    season_days,
    shift,
    week_days,
    year_days,
)

_CJK = language_bit("zh") | language_bit("ja")
_DUTCH_OR_GERMAN = language_bit("nl") | language_bit("de")
_SOME_YEAR = 2020
"""A leap year of 53 weeks: what it does not have, no year has."""


def yearly(
    granularity: str, days: Callable[..., Days | None], *, bare: bool = True
) -> Callable[..., Span]:
    """Builds what comes back each year; `days` takes the year and the values of the rule.

    Without a granularity it is a day or a range, as the days are.
    """

    def build(_: Moment, *values: Any) -> Span:
        sample = days(_SOME_YEAR, *values)  # raises where no year has such days
        length = "day" if sample is None or sample[0] == sample[1] else "range"
        return Span(granularity or length, cycle=Cycle(lambda y: days(y, *values)), bare=bare)

    return build


def _around_holiday(around: Callable[[date], Days]) -> Callable[..., Days | None]:
    """`Labor Day weekend`, `Thanksgiving week`: the days around a holiday's first."""

    def days(year: int, key: str, _unit: str) -> Days | None:
        found = holiday_days(key, year)
        return around(found[0]) if found else None

    return days


def _half_days(year: int, half: int, _unit: str) -> Days:
    return half_days(year, half)


def _year(_: Moment, year: int) -> Span:
    return Span("year", year_days(year))


def _bare_year(_: Moment, year: int) -> Span:
    return Span("year", year_days(year), bare=True)


def _decade(_: Moment, year: int) -> Span | None:
    """`the 1980s`, `the 90s`; of two digits, what is up to 20 belongs to this century."""
    if year < 100:
        year += 2000 if year <= 20 else 1900
    return Span("decade", decade_days(year)) if year % 10 == 0 else None


def _season_of_two_years(_: Moment, season: str, year: int, last: int) -> Span | None:
    """`winter 2024/25`."""
    return Span("season", season_days(year, season)) if _follows(last, year) else None


def _school_year(_: Moment, month: int, year: int, last: int) -> Span | None:
    """`school year 2024/25`: from its first month up to that month of the next year."""
    days = date(year, month, 1), shift(date(year + 1, month, 1), -1)
    return Span("range", days) if _follows(last, year) else None


def _follows(last: int, year: int) -> bool:
    return last % 100 == (year + 1) % 100


def _this_time(moment: Moment) -> Span:
    """`this time last year`: that year's month of today."""
    return yearly("month", month_days)(moment, moment.now.month)


_month = yearly("month", month_days)
_quarter = yearly("quarter", quarter_days)
_ord_quarter = yearly("quarter", lambda year, n, _unit: quarter_days(year, n))
_half = yearly("half", half_days)
_season = yearly("season", season_days)
_week = yearly("week", iso_week_days)
_holiday = yearly("", lambda year, key: holiday_days(key, year))

CALENDAR_RULES = (
    Rule("MONTH", _month),
    Rule("MON", _month, "NEEDS_YEAR"),
    Rule("MNUM yue", yearly("month", month_days, bare=False), languages=_CJK),
    Rule("QUARTER", _quarter),
    Rule("QUARTER", _quarter, "NEEDS_YEAR"),
    Rule("ORD U_QUARTER", _ord_quarter),
    Rule("HALF", _half, "NEEDS_YEAR"),
    Rule("HALF", yearly("half", half_days, bare=False), languages=_CJK),
    Rule("ORD U_HALF", yearly("half", _half_days)),
    Rule("same_time", _this_time, "NEEDS_YEAR"),
    Rule("YEAR_SAID", _year),
    Rule("YEAR|YR_SHORT", _bare_year),
    Rule("YR decade_post u_year?", _decade),
    Rule("decade_pre apostrophe? YR|TWO|DECADE", _decade),
    Rule("decade_the apostrophe? TWO decade_post u_year?", _decade),
    Rule("apostrophe TWO decade_post", _decade),
    Rule("decade_the DECADE u_year?", _decade),
    Rule("NUM decade_post u_year?", _decade, languages=_CJK | language_bit("de")),
    Rule("TWO decade_post", _decade, "SHORT_DECADE"),
    Rule("DECADE", _decade, "SHORT_DECADE"),
    Rule("SEASON", _season),
    Rule("SEASONS", _season, "DATES"),
    Rule("SEASON of? YR slash|dash TWO|YR", _season_of_two_years),
    Rule("SCHOOL_YEAR of? YR slash|dash TWO|YR", _school_year),
    Rule("week_no NUM", _week),
    Rule("ORD week_no", _week, languages=_DUTCH_OR_GERMAN),
    Rule("ord_pre NUM u_week", _week),
    Rule("HOLIDAY", _holiday),
    Rule("HOLIDAY U_WEEKEND", yearly("range", _around_holiday(long_weekend), bare=False)),
    Rule("HOLIDAY U_WEEK", yearly("week", _around_holiday(week_days), bare=False)),
)  # fmt: skip
