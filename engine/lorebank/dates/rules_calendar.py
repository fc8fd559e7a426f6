"""Rules for calendar dates: days, months, seasons, quarters, weeks, decades, holidays."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from lorebank.dates.calendar import (
    HOLIDAYS,
    Days,
    decade_days,
    half_days,
    iso_week_days,
    month_days,
    quarter_days,
    season_days,
    week_days,
    weekend_days,
    year_days,
)
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, language_bit
from lorebank.dates.spans import Cycle, Moment, Span

__all__ = ["CALENDAR_RULES", "REFERENCE_RULES"]

_CJK = language_bit("zh") | language_bit("ja")
_DUTCH_OR_GERMAN = language_bit("nl") | language_bit("de")
_CHINESE = language_bit("zh")


def _same(_: Moment, value: object) -> object:
    return value


def _yearly(granularity: str, days: Callable[[int], Days | None], *, bare: bool = False) -> Span:
    return Span(granularity, cycle=Cycle(days), bare=bare)


def _short_year(moment: Moment, two_digits: int) -> int:
    year = moment.now.year - moment.now.year % 100 + two_digits
    return year if year <= moment.now.year + 20 else year - 100


# References: years, weeks and months counted from now, as numbers for later rules.


def _relative_year(moment: Moment, offset: int, _unit: str) -> int:
    return moment.now.year + offset


def _relative_year_post(moment: Moment, _unit: str, offset: int) -> int:
    return moment.now.year + offset


def _offset(_: Moment, offset: int, _unit: str) -> int:
    return offset


def _offset_post(_: Moment, _unit: str, offset: int) -> int:
    return offset


def _unitword(unit: str) -> Callable[[Moment, tuple[str, int]], int | None]:
    def build(moment: Moment, value: tuple[str, int]) -> int | None:
        if value[0] != unit:
            return None
        return moment.now.year + value[1] if unit == "year" else value[1]

    return build


REFERENCE_RULES = (
    Rule("YR nian", _same, "YR"),
    Rule("YR nian", _same, "YEAR_SAID"),
    Rule("apostrophe TWO", _short_year, "YR_SHORT"),
    Rule("REL_PRE U_YEAR", _relative_year, "YR"),
    Rule("U_YEAR REL_POST", _relative_year_post, "YR"),
    Rule("UNITWORD", _unitword("year"), "YR"),
    Rule("REL_PRE U_WEEK", _offset, "WEEK_REF"),
    Rule("U_WEEK REL_POST", _offset_post, "WEEK_REF"),
    Rule("UNITWORD", _unitword("week"), "WEEK_REF"),
    Rule("REL_PRE U_MONTH", _offset, "MONTH_REF"),
    Rule("U_MONTH REL_POST", _offset_post, "MONTH_REF"),
    Rule("UNITWORD", _unitword("month"), "MONTH_REF"),
    Rule("MNUM yue", _same, "MONTH", _CJK),
    Rule("MNUM yue", _same, "MON", _CJK),
    Rule("NUM UNIT", lambda _, n, unit: (n, unit), "DURATION"),
)  # fmt: skip


# Days.


def _day(_: Moment, day: int, month: int, year: int) -> Span:
    found = date(year, month, day)
    return Span("day", (found, found))


def _month_day(moment: Moment, month: int, day: int, year: int) -> Span:
    return _day(moment, day, month, year)


def _year_month_day(moment: Moment, year: int, month: int, day: int) -> Span:
    return _day(moment, day, month, year)


def _yearly_day(_: Moment, day: int, month: int) -> Span | None:
    date(2024, month, day)  # raises where no year has that day

    def days(year: int) -> Days:
        found = date(year, month, day)
        return found, found

    return _yearly("day", days)


def _yearly_month_day(moment: Moment, month: int, day: int) -> Span | None:
    return _yearly_day(moment, day, month)


def _day_range(_: Moment, first: int, last: int, month: int, year: int) -> Span | None:
    if first >= last:
        return None
    days = date(year, month, first), date(year, month, last)
    return Span("range", days, modifier="between")


def _month_day_range(moment: Moment, month: int, first: int, last: int, year: int) -> Span | None:
    return _day_range(moment, first, last, month, year)


def _yearly_day_range(_: Moment, first: int, last: int, month: int) -> Span | None:
    if first >= last:
        return None
    date(2024, month, last)

    def days(year: int) -> Days:
        return date(year, month, first), date(year, month, last)

    return Span("range", cycle=Cycle(days), modifier="between")


def _yearly_month_day_range(moment: Moment, month: int, first: int, last: int) -> Span | None:
    return _yearly_day_range(moment, first, last, month)


def _day_of_month(_: Moment, day: int) -> Span:
    def days(index: int) -> Days:
        found = date(index // 12, index % 12 + 1, day)
        return found, found

    return Span("day", cycle=Cycle(days, "month"))


def _day_of_month_bare(moment: Moment, day: int) -> Span:
    return Span("day", cycle=_day_of_month(moment, day).cycle, bare=True)


def _day_of_month_ref(moment: Moment, day: int, offset: int) -> Span:
    index = moment.now.year * 12 + moment.now.month - 1 + offset
    found = date(index // 12, index % 12 + 1, day)
    return Span("day", (found, found))


def _month_ref_day(moment: Moment, offset: int, day: int) -> Span:
    return _day_of_month_ref(moment, day, offset)


# Weekdays.


def _weekday(_: Moment, weekday: int) -> Span:
    def days(week: int) -> Days:
        found = date.fromordinal(7 * week + 1 + weekday)
        return found, found

    return Span("day", cycle=Cycle(days, "week"), bare=True)


def _weekday_of_week(moment: Moment, weekday: int, offset: int) -> Span:
    monday = week_days(moment.now)[0].toordinal() + 7 * offset
    found = date.fromordinal(monday + weekday)
    return Span("day", (found, found))


def _week_weekday(moment: Moment, offset: int, weekday: int) -> Span:
    return _weekday_of_week(moment, weekday, offset)


def _weekend(_: Moment, _unit: str) -> Span:
    def days(week: int) -> Days:
        return weekend_days(date.fromordinal(7 * week + 1))

    return Span("range", cycle=Cycle(days, "week"), bare=True)


# Months, quarters, halves, years, decades.


def _month(_: Moment, month: int, year: int) -> Span:
    return Span("month", month_days(year, month))


def _year_month(moment: Moment, year: int, month: int) -> Span:
    return _month(moment, month, year)


def _yearly_month(_: Moment, month: int) -> Span:
    return _yearly("month", lambda year: month_days(year, month), bare=True)


def _said_month(_: Moment, month: int) -> Span:
    return _yearly("month", lambda year: month_days(year, month))


def _quarter(_: Moment, quarter: int, year: int) -> Span | None:
    return Span("quarter", quarter_days(year, quarter)) if 1 <= quarter <= 4 else None


def _year_quarter(moment: Moment, year: int, quarter: int) -> Span | None:
    return _quarter(moment, quarter, year)


def _ord_quarter(moment: Moment, n: int, _unit: str, year: int) -> Span | None:
    return _quarter(moment, 4 if n == -1 else n, year)


def _year_ord_quarter(moment: Moment, year: int, n: int, _unit: str) -> Span | None:
    return _quarter(moment, n, year)


def _yearly_quarter(_: Moment, quarter: int) -> Span | None:
    return _yearly("quarter", lambda year: quarter_days(year, quarter))


def _yearly_ord_quarter(_: Moment, n: int, _unit: str) -> Span | None:
    if not 1 <= n <= 4:
        return None
    return _yearly("quarter", lambda year: quarter_days(year, n), bare=True)


def _half(_: Moment, half: int, year: int) -> Span:
    return Span("half", half_days(year, half))


def _year_half(moment: Moment, year: int, half: int) -> Span:
    return _half(moment, half, year)


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


def _decade(_: Moment, year: int) -> Span | None:
    return Span("decade", decade_days(year)) if year % 10 == 0 else None


def _short_decade(moment: Moment, number: int) -> Span | None:
    if number % 10 or number > 90:
        return None
    return _decade(moment, number + (2000 if number <= 20 else 1900))


# Seasons, ISO weeks, holidays.


def _season(_: Moment, season: str, year: int) -> Span:
    return Span("season", season_days(year, season))


def _year_season(moment: Moment, year: int, season: str) -> Span:
    return _season(moment, season, year)


def _season_two_years(moment: Moment, season: str, year: int, last: int) -> Span | None:
    return _season(moment, season, year) if last % 100 == (year + 1) % 100 else None


def _yearly_season(_: Moment, season: str) -> Span:
    return _yearly("season", lambda year: season_days(year, season), bare=True)


def _week(_: Moment, week: int, year: int) -> Span:
    return Span("week", iso_week_days(year, week))


def _year_week(moment: Moment, year: int, week: int) -> Span:
    return _week(moment, week, year)


def _yearly_week(_: Moment, week: int) -> Span | None:
    if not 1 <= week <= 53:
        return None
    return _yearly("week", lambda year: iso_week_days(year, week), bare=True)


def _holiday(_: Moment, key: str, year: int) -> Span:
    day = HOLIDAYS[key](year)
    return Span("day", (day, day))


def _year_holiday(moment: Moment, year: int, key: str) -> Span:
    return _holiday(moment, key, year)


def _yearly_holiday(_: Moment, key: str) -> Span:
    def days(year: int) -> Days:
        day = HOLIDAYS[key](year)
        return day, day

    return _yearly("day", days, bare=True)


_YEAR = "comma? of? the? YR"

CALENDAR_RULES = (
    Rule(f"the? DAY of? MON {_YEAR}", _day),
    Rule("DAY dash MON dash YR", _day),
    Rule("DAY of? MON YR_SHORT", _day),
    Rule("MON the? DAY comma? of? YR", _month_day),
    Rule("MON the? DAY comma? YR_SHORT", _month_day),
    Rule("YR comma? of? MON DAY", _year_month_day),
    Rule("YR of? MON DAY ri", _year_month_day, languages=_CJK),
    Rule("the? DAY of? MON", _yearly_day),
    Rule("the ORD of MON", _yearly_day),
    Rule(f"the? ORD of MON {_YEAR}", _day),
    Rule("MON the? DAY", _yearly_month_day, languages=ALL & ~_CJK),
    Rule("MON the ORD", _yearly_month_day),
    Rule("MON DAY ri", _yearly_month_day, languages=_CJK),
    Rule(f"the? DAY dash|to|and the? DAY of? MON {_YEAR}", _day_range),
    Rule("the? DAY dash|to|and the? DAY of? MON", _yearly_day_range),
    Rule("MON DAY dash|to|and DAY comma? YR", _month_day_range),
    Rule("MON DAY dash|to|and DAY", _yearly_month_day_range),
    Rule("MON DAY ri? to|dash DAY ri", _yearly_month_day_range, languages=_CJK),
    Rule("on the? DAY_ORD", _day_of_month, "DATE_ORDINAL"),
    Rule("day_pre DAY", _day_of_month),
    Rule("the DAY_ORD", _day_of_month, "DAY_OF_MONTH"),
    Rule("DAY ri", _day_of_month_bare, languages=_CJK),
    Rule("the? DAY of? the? MONTH_REF", _day_of_month_ref),
    Rule("MONTH_REF of? DAY ri", _month_ref_day, languages=_CJK),
    Rule("WEEKDAY", _weekday),
    Rule("WEEKDAY comma? of? the? WEEK_REF", _weekday_of_week),
    Rule("WEEK_REF apostrophe? of? WEEKDAY", _week_weekday),
    Rule("REL_PRE WEEKDAY", _week_weekday, languages=_CHINESE),
    Rule("U_WEEKEND", _weekend),
    Rule(f"MON {_YEAR}", _month),
    Rule("MON YR_SHORT", _month),
    Rule("YR of? the? MON", _year_month),
    Rule("MONTH", _yearly_month),
    Rule("MNUM yue", _said_month, languages=_CJK),
    Rule(f"QUARTER slash? dash? {_YEAR}", _quarter),
    Rule("QUARTER YR_SHORT", _quarter),
    Rule("YR comma? dash? of? QUARTER", _year_quarter),
    Rule(f"the? ORD U_QUARTER {_YEAR}", _ord_quarter),
    Rule("YR of? ord_pre? ORD|NUM U_QUARTER", _year_ord_quarter),
    Rule("YR of? the? ORD U_QUARTER", _year_ord_quarter),
    Rule("QUARTER", _yearly_quarter),
    Rule("ORD U_QUARTER", _yearly_ord_quarter),
    Rule("ord_pre NUM U_QUARTER", _yearly_ord_quarter),
    Rule(f"HALF slash? dash? {_YEAR}", _half),
    Rule("YR of? dash? HALF", _year_half),
    Rule(f"the? ORD U_HALF {_YEAR}", _ord_half),
    Rule("HALF", _yearly_half, languages=_CJK),
    Rule("ORD U_HALF", _yearly_ord_half),
    Rule("YEAR_SAID", _year),
    Rule("YEAR", _bare_year),
    Rule("YEAR dash|slash TWO", _school_year),
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
    Rule(f"SEASON {_YEAR}", _season),
    Rule("SEASON YR_SHORT", _season),
    Rule("SEASON of? YR slash|dash TWO", _season_two_years),
    Rule("SEASON of? YR slash|dash YR", _season_two_years),
    Rule("YR of? the? SEASON", _year_season),
    Rule("SEASON", _yearly_season),
    Rule("week_no NUM", _yearly_week),
    Rule(f"week_no NUM slash? {_YEAR}", _week),
    Rule("ORD week_no", _yearly_week, languages=_DUTCH_OR_GERMAN),
    Rule("ORD week_no of? the? YR", _week, languages=_DUTCH_OR_GERMAN),
    Rule("YR comma? week_no NUM", _year_week),
    Rule("YR of? ord_pre NUM u_week", _year_week),
    Rule("ord_pre NUM u_week", _yearly_week),
    Rule("HOLIDAY", _yearly_holiday),
    Rule(f"HOLIDAY {_YEAR}", _holiday),
    Rule("YR of? the? HOLIDAY", _year_holiday),
)  # fmt: skip
