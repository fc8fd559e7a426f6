"""Rules for calendar dates: days, weekdays, months, quarters, years, decades, seasons, holidays.

Before them come references, numbers that later rules use. Whatever comes back each year is built
without its year here; `rules_relative` puts the year to it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from lorebank.dates.holidays import holiday_days
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, speaking
from lorebank.dates.spans import (
    NOT_FAR,
    Cycle,
    Days,
    Moment,
    Span,
    iso_week_days,
    month_days,
    of_year,
    one_day,
    season_days,
    shift,
    unit_days,
    week_days,
    weekend_days,
)

_UNSPACED = speaking("unspaced")
_ORDINAL_DAYS = speaking("ordinal_days")
_GENITIVE_FIRST = speaking("genitive_first")
_SOME_YEAR = 2020
"""A leap year of 53 weeks: what it does not have, no year has."""
_LONGEST_LIST = 7
"""Days told one by one: no list of notes is longer, and a megabyte of numbers holds none."""
_LAST_OF_A_COURSE = 20
"""`week 3` may be one of a course; `wk 41` is one of the year."""
_YEARS_AHEAD = 20
"""Of two digits: `'44` is ahead in 2025, `'46` was."""


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


def same(_: Moment, value: Any) -> Any:
    return value


def _short_year(moment: Moment, two_digits: int) -> int:
    year = moment.now.year - moment.now.year % 100 + two_digits
    return year if year <= moment.now.year + _YEARS_AHEAD else year - 100


def _this_unit(moment: Moment, unit: str) -> Span | None:
    """`the month`: the one that holds the day."""
    named = unit in ("week", "month", "quarter", "year", "decade")
    return Span(unit, unit_days(moment.now, unit, 0)) if named else None


def _listed(_: Moment, *values: int | tuple[int, ...]) -> tuple[int, ...] | None:
    """Numbers in a row, those that end it first joined: `1, 2 and 3`."""
    numbers = [n for value in values for n in (value if isinstance(value, tuple) else (value,))]
    return tuple(numbers) if len(numbers) <= _LONGEST_LIST else None


_DAY_NAME = "WEEKDAY|WEEKDAY_SHORT"

REFERENCE_RULES = (
    Rule("YR year_sign", same, "YR"),
    Rule("YR year_sign", same, "YEAR_SAID"),
    Rule("ERA NUMBER|FIRST_YEAR year_sign", lambda _, before, n: before + n, "YR"),
    Rule("ERA NUMBER|FIRST_YEAR year_sign", lambda _, before, n: before + n, "YEAR_SAID"),
    Rule("apostrophe TWO", _short_year, "YR_SHORT"),
    Rule("RELATIVE u_year", lambda moment, offset: moment.now.year + offset, "YR"),
    Rule("u_year RELATIVE_AFTER", lambda moment, offset: moment.now.year + offset, "YR"),
    Rule("RELATIVE_UNIT", lambda m, w: m.now.year + w[1] if w[0] == "year" else None, "YR"),
    Rule("UNIT", _this_unit, "THIS_UNIT"),
    Rule("MONTH_NUMBER month_sign", same, "MONTH_SHORT"),
    Rule("ordinal_sign NUMBER", same, "ORDINAL"),
    Rule("hour? NUMBER hour_after", lambda _, hour: hour <= 24 or None, "CLOCK"),
    Rule("NUMBER dash NUMBER hour_after", lambda _, begins, ends: ends <= 24 or None, "CLOCK"),
    Rule("NUMBER UNIT", lambda _, n, unit: (n, unit), "DURATION"),
    Rule("the? DAY comma? and the? DAY", _listed, "NUMBERS"),
    Rule("the? DAY comma the? DAY|NUMBERS", _listed, "NUMBERS"),
    Rule(f"{_DAY_NAME} comma? and {_DAY_NAME}", _listed, "WEEKDAYS"),
    Rule(f"{_DAY_NAME} comma WEEKDAYS", _listed, "WEEKDAYS"),
)  # fmt: skip


# Days of a month.


def is_day_first(spans: Iterable[Span]) -> bool:
    """Whether of days in digits one can only be a day: of `23/12`, not of `1/2`."""
    days = [found for span in spans if span.cycle and (found := span.cycle.days(_SOME_YEAR))]
    return any(first.day > 12 for first, _ in days)


def _day_range(moment: Moment, first: int, last: int, month: int) -> Span | None:
    """`3-7 March`; a range that runs backwards is none."""
    if first >= last:
        return None

    def days(year: int) -> Days:
        return date(year, month, first), date(year, month, last)

    span = yearly("range", days, bare=False)(moment)
    return Span("range", cycle=span.cycle, modifier="between")


def _days_up_to(_: Moment, first: int, last: Span) -> Span | None:
    """`vom 19. bis 23.10.`: the month counts for both."""

    def days(found: Days) -> Days | None:
        return (found[0].replace(day=first), found[1]) if first < found[1].day else None

    found = last.refined("range", days)
    return replace(found, modifier="between") if found else None


_day = yearly("day", lambda year, day, month: one_day(date(year, month, day)), bare=False)


def _days(moment: Moment, days: tuple[int, ...], month: int) -> tuple[Span, ...]:
    """`23, 24 and 25 February`."""
    return tuple(_day(moment, day, month) for day in days)


def day_of_month(_: Moment, day: int) -> Span:
    """`the 15th` of any month."""
    date(_SOME_YEAR, 1, day)  # raises where no month has such a day
    return Span("day", cycle=Cycle(lambda k: one_day(date(k // 12, k % 12 + 1, day)), "month"))


def _days_of_month(moment: Moment, days: tuple[int, ...]) -> tuple[Span, ...]:
    """`los días 12 y 15`."""
    return tuple(day_of_month(moment, day) for day in days)


def _two_days(moment: Moment, first: int, second: int) -> tuple[Span, ...]:
    """`the 24th and 25th`."""
    return _days_of_month(moment, (first, second))


# Weekdays.


def _weekday(_: Moment, weekday: int, *, bare: bool = True) -> Span:
    cycle = Cycle(lambda week: one_day(date.fromordinal(7 * week + 1 + weekday)), "week")
    return Span("day", cycle=cycle, bare=bare)


def _weekdays(moment: Moment, weekdays: tuple[int, ...]) -> tuple[Span, ...] | None:
    """`Monday, Tuesday and Friday`; `so und so` is no Sunday twice."""
    spans = tuple(_weekday(moment, weekday) for weekday in weekdays)
    return spans if len(set(weekdays)) == len(weekdays) else None


def _weekday_at(moment: Moment, weekday: int, _clock: bool = True) -> Span:
    """`Thu 10:30`, `Wed evening`: what follows distinguishes it from another word."""
    return _weekday(moment, weekday, bare=False)


def _weekday_and_day(moment: Moment, weekday: int, day: int) -> Span | None:
    """`Saturday 17`: the 17th of a month where it is a Saturday, not far from now."""

    def days(index: int) -> Days | None:
        found = date(index // 12, index % 12 + 1, day)
        return one_day(found) if found.weekday() == weekday else None

    cycle = Cycle(days, "month")
    near = (moment.coming(cycle), moment.preceding(cycle, moment.now))
    if not any(found and abs((found[0] - moment.now).days) <= NOT_FAR for found in near):
        return None
    return Span("day", cycle=cycle)


def weeks_on(moment: Moment, weekday: int, weeks: int) -> Span:
    """`Monday week`, `lundi en huit`: counted from the coming one."""
    coming = (weekday - moment.now.weekday() - 1) % 7 + 1
    return Span("day", one_day(shift(moment.now, coming + 7 * weeks)))


def _weekday_of_week(moment: Moment, weekday: int, offset: int) -> Span:
    """`上周三`."""
    return Span("day", one_day(shift(week_days(moment.now)[0], 7 * offset + weekday)))


def weekend_cycle() -> Cycle:
    """The weekends, one a week."""
    return Cycle(lambda week: weekend_days(date.fromordinal(7 * week + 1)), "week")


# Longer than a day.


def _decade(_: Moment, year: int) -> Span | None:
    """`the 1980s`, `the 90s`; of two digits, what is up to 20 belongs to this century."""
    if year < 100:
        year += 2000 if year <= 20 else 1900
    return Span("decade", of_year("decade", year)) if year % 10 == 0 else None


def long_weekend(day: date) -> Days:
    """The day with the Saturday and Sunday beside it, and what lies between."""
    first, last = weekend_days(shift(day, -3))
    return min(first, day), max(last, day)


def _around_holiday(year: int, key: str, unit: str) -> Days | None:
    """`Labor Day weekend`, `Easter week`."""
    if (found := holiday_days(key, year)) is None:
        return None
    return week_days(found[0]) if unit == "week" else long_weekend(found[0])


_month = yearly("month", month_days)
_week = yearly("week", iso_week_days)

CALENDAR_RULES = (
    Rule("the? DAY of|dash? MONTH_SHORT", _day),
    Rule("the? DAY_WORD of? MONTH_SHORT", _day, languages=ALL & ~speaking("noun_before_noun")),
    Rule("the? DAY_WORD of MONTH_SHORT", _day),
    Rule("MONTH_SHORT the? DAY", _day, languages=ALL & ~_UNSPACED, order=(1, 0)),
    Rule("MONTH_SHORT of DAY", _day, languages=_GENITIVE_FIRST, order=(1, 0)),  # ocağın 5'i
    Rule("MONTH_SHORT DAY day_sign", _day, order=(1, 0)),
    Rule("the? DAY dash|to the? DAY of? MONTH_SHORT", _day_range),
    Rule("the? DAY_DOT dash|to DM", _days_up_to),
    Rule("MONTH_SHORT DAY day_sign? dash|to DAY day_sign?", _day_range, order=(1, 2, 0)),
    Rule("NUMBERS of? MONTH_SHORT", _days, "DAYS"),
    Rule("WEEKDAY|WEEKDAY_SHORT comma? the? DAY|DAY_ORD|DAY_DOT", _weekday_and_day),
    Rule("WEEKDAY|WEEKDAY_SHORT comma? the? DAY_ORD comma? hour? clock", _weekday_and_day),
    Rule("WEEKDAY|WEEKDAY_SHORT comma? in|hour? CLOCK", _weekday_at),
    Rule("weekday|weekday_short comma? DM|DM_WEAK|DM_BARE", same),
    Rule("WEEKDAY_SHORT", _weekday, "SHORT_WEEKDAY"),
    Rule("WEEKDAY|WEEKDAY_SHORT WEEK_ON", weeks_on),
    Rule("DAY_ORD comma? hour? clock", day_of_month, "DATE_ORDINAL"),
    Rule("on|from|to the? DAY_ORD", day_of_month, "DATE_ORDINAL"),
    Rule("on the DAY_WORD", day_of_month, "DATE_ORDINAL", languages=_ORDINAL_DAYS),
    Rule("day_article DAY|DAY_DOT|DAY_WORD", day_of_month, "DATE_NUMBER"),
    Rule("day_article DAY|DAY_WORD comma? hour? clock", day_of_month),
    Rule("day_article? DAY day_article_after", day_of_month),
    Rule("day_article DAY in_after", day_of_month),
    Rule("days_article|day_article NUMBERS", _days_of_month, "DAY_LIST"),
    Rule("the DAY_ORD and|comma the? DAY_ORD", _two_days, "DAY_LIST"),
    Rule("day_article? DAY in_after and DAY in_after", _two_days, "DAY_LIST", _GENITIVE_FIRST),
    Rule("day_article_bound DAY", day_of_month, "DATE_BOUND"),
    Rule("day_article_weak DAY", day_of_month, "DATE_NUMBER_WEAK"),
    Rule("day_before_number DAY|DAY_WORD", day_of_month),
    Rule("the? DAY|ORDINAL of the? u_month", day_of_month, "DATE_ORDINAL"),
    Rule("the DAY_ORD", day_of_month, "DAY_OF_MONTH"),
    Rule("DAY day_sign", lambda m, day: replace(day_of_month(m, day), bare=True)),
    Rule("WEEKDAY", _weekday),
    Rule("WEEKDAYS", _weekdays, "DAYS"),
    Rule("WEEKDAY_PLURAL", _weekday, "DATES"),
    Rule("RELATIVE WEEKDAY", _weekday_of_week, languages=speaking("weekday_of_week"), order=(1, 0)),
    Rule("U_WEEKEND", lambda _, unit: Span("range", cycle=weekend_cycle(), bare=True)),
    Rule("MONTH", _month),
    Rule("MONTH_SHORT", _month, "NEEDS_YEAR"),
    Rule("MONTH_NUMBER month_sign", yearly("month", month_days, bare=False)),
    Rule("QUARTER", yearly("quarter", partial(of_year, "quarter"))),
    Rule("ORDINAL u_quarter", yearly("quarter", partial(of_year, "quarter"))),
    Rule("HALF", yearly("half", partial(of_year, "half")), "NEEDS_YEAR"),
    Rule("HALF", yearly("half", partial(of_year, "half"), bare=False), languages=_UNSPACED),
    Rule("YEAR_SAID", lambda _, year: Span("year", of_year("year", year))),
    Rule("YEAR|YR_SHORT", lambda _, year: Span("year", of_year("year", year), bare=True)),
    Rule("YR decade_after u_year?", _decade),
    Rule("decade_before apostrophe? YR|TWO|DECADE", _decade),
    Rule("decade_article apostrophe? TWO decade_after u_year?", _decade),
    Rule("decade_article DECADE u_year?", _decade),
    Rule("NUMBER decade_after u_year?", _decade, languages=speaking("numbered_decades")),
    Rule("TWO decade_after", _decade, "SHORT_DECADE"),
    Rule("DECADE", _decade, "SHORT_DECADE"),
    Rule("SEASON", yearly("season", season_days)),
    Rule("SEASON of? YR slash|dash TWO|YR", lambda _, s, y, __: Span("season", season_days(y, s))),
    Rule("calendar_week NUMBER", yearly("week", iso_week_days, bare=False)),
    Rule("week_number NUMBER", lambda m, n: replace(_week(m, n), bare=n <= _LAST_OF_A_COURSE)),
    Rule("ORDINAL week_number|calendar_week", _week, languages=speaking("week_behind_ordinal")),
    Rule("ordinal_sign NUMBER u_week", _week),
    Rule("HOLIDAY", yearly("", lambda year, key: holiday_days(key, year))),
    Rule("HOLIDAY U_WEEKEND|U_WEEK", yearly("range", _around_holiday, bare=False)),
)  # fmt: skip
