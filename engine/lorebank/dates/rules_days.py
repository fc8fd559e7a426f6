"""Rules for single days and weekdays: `3 May`, `the 15th`, `Friday of last week`.

Before them come references: years, weeks and months counted from now, as numbers for later rules.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, language_bit
from lorebank.dates.rules_calendar import yearly
from lorebank.dates.spans import Cycle, Days, Moment, Span, one_day, shift, week_days, weekend_days

_NOT_FAR = 70
"""Days within which the 17th is a Saturday, where somebody writes so: it is in two of 14 months."""
_YEARS_AHEAD = 20
"""Of two digits: `'44` is ahead in 2025, `'46` was."""
_CJK = language_bit("zh") | language_bit("ja")
_CHINESE = language_bit("zh")


def _same(_: Moment, value: object) -> object:
    return value


# References: years, weeks and months counted from now, as numbers for later rules.


def _short_year(moment: Moment, two_digits: int) -> int:
    year = moment.now.year - moment.now.year % 100 + two_digits
    return year if year <= moment.now.year + _YEARS_AHEAD else year - 100


def _relative_year(moment: Moment, offset: int, _unit: str) -> int:
    return moment.now.year + offset


def _era_year(_: Moment, before: int, n: int) -> int:
    """The year of a Japanese era; an era is known by the year before its first."""
    return before + n


def _offset(_: Moment, offset: int, _unit: str) -> int:
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
    Rule("ERA NUM|FIRST_YEAR nian", _era_year, "YR"),
    Rule("ERA NUM|FIRST_YEAR nian", _era_year, "YEAR_SAID"),
    Rule("apostrophe TWO", _short_year, "YR_SHORT"),
    Rule("REL_PRE U_YEAR", _relative_year, "YR"),
    Rule("U_YEAR REL_POST", _relative_year, "YR", order=(1, 0)),
    Rule("UNITWORD", _unitword("year"), "YR"),
    Rule("REL_PRE U_WEEK", _offset, "WEEK_REF"),
    Rule("U_WEEK REL_POST", _offset, "WEEK_REF", order=(1, 0)),
    Rule("UNITWORD", _unitword("week"), "WEEK_REF"),
    Rule("REL_PRE U_MONTH", _offset, "MONTH_REF"),
    Rule("U_MONTH REL_POST", _offset, "MONTH_REF", order=(1, 0)),
    Rule("UNITWORD", _unitword("month"), "MONTH_REF"),
    Rule("MNUM yue", _same, "MON", _CJK),
    Rule("ord_pre DAY", _same, "DAY"),
    Rule("ord_pre DAY", _same, "DAY_ORD"),
    Rule("ord_pre NUM", _same, "ORD"),
    Rule("NUM UNIT", lambda _, n, unit: (n, unit), "DURATION"),
)  # fmt: skip


# Days of a month.


def _days_of_year(year: int, first: int, last: int, month: int) -> Days | None:
    days = date(year, month, first), date(year, month, last)
    return days if first < last else None


_day = yearly("day", lambda year, day, month: one_day(date(year, month, day)), bare=False)


def _day_range(moment: Moment, first: int, last: int, month: int) -> Span | None:
    """`3-7 March`; a range that runs backwards is none."""
    if first >= last:
        return None
    span = yearly("range", _days_of_year, bare=False)(moment, first, last, month)
    return Span("range", cycle=span.cycle, modifier="between")


def _days(moment: Moment, *numbers: int) -> tuple[Span, ...]:
    """`23, 24 and 25 February`."""
    *days, month = numbers
    return tuple(_day(moment, day, month) for day in days)


def day_of_month(_: Moment, day: int) -> Span:
    """`the 15th` of any month."""

    def days(index: int) -> Days:
        return one_day(date(index // 12, index % 12 + 1, day))

    return Span("day", cycle=Cycle(days, "month"))


def _day_of_month_bare(moment: Moment, day: int) -> Span:
    return Span("day", cycle=day_of_month(moment, day).cycle, bare=True)


def _day_of_month_ref(moment: Moment, day: int, offset: int) -> Span:
    """`the 15th of next month`."""
    index = moment.now.year * 12 + moment.now.month - 1 + offset
    return Span("day", one_day(date(index // 12, index % 12 + 1, day)))


# Weekdays.


def _weekday(_: Moment, weekday: int) -> Span:
    def days(week: int) -> Days:
        return one_day(date.fromordinal(7 * week + 1 + weekday))

    return Span("day", cycle=Cycle(days, "week"), bare=True)


def _weekday_named(moment: Moment, weekday: int, _clock: bool = True) -> Span:
    """`Thu 10:30`, `Wed evening`: what stands behind it tells it from another word."""
    return Span("day", cycle=_weekday(moment, weekday).cycle)


def _weekday_and_day(moment: Moment, weekday: int, day: int) -> Span | None:
    """`Saturday 17`: the 17th of a month where it is a Saturday, not far from now."""

    def days(index: int) -> Days | None:
        found = date(index // 12, index % 12 + 1, day)
        return one_day(found) if found.weekday() == weekday else None

    cycle = Cycle(days, "month")
    near = (moment.coming(cycle), moment.preceding(cycle, moment.now))
    if not any(found and abs((found[0] - moment.now).days) <= _NOT_FAR for found in near):
        return None
    return Span("day", cycle=cycle)


def _weeks_on(moment: Moment, weekday: int, weeks: int) -> Span:
    """`Monday week`, `lundi en huit`: counted from the coming one."""
    coming = (weekday - moment.now.weekday() - 1) % 7 + 1
    return Span("day", one_day(shift(moment.now, coming + 7 * weeks)))


def _in_weeks_on(moment: Moment, duration: tuple[int, str], weekday: int) -> Span | None:
    """`a week on Tuesday`, `zaterdag over een week`."""
    amount, unit = duration
    weeks = {"week": amount, "fortnight": 2 * amount}.get(unit)
    return _weeks_on(moment, weekday, weeks) if weeks else None


def _weekday_of_week(moment: Moment, weekday: int, offset: int) -> Span:
    return Span("day", one_day(shift(week_days(moment.now)[0], 7 * offset + weekday)))


def weekend_cycle() -> Cycle:
    """The weekends, one a week."""
    return Cycle(lambda week: weekend_days(date.fromordinal(7 * week + 1)), "week")


def _weekend(_: Moment, _unit: str) -> Span:
    return Span("range", cycle=weekend_cycle(), bare=True)


_TWO = "the? DAY and|comma the? DAY"
_THREE = "the? DAY comma the? DAY comma? and the? DAY"
_FOUR = "the? DAY comma the? DAY comma the? DAY comma? and the? DAY"

DAY_RULES = (
    Rule("the? DAY of? MON", _day),
    Rule("DAY dash MON", _day, "NEEDS_YEAR"),
    Rule("MON the? DAY", _day, languages=ALL & ~_CJK, order=(1, 0)),
    Rule("MON DAY ri", _day, languages=_CJK, order=(1, 0)),
    Rule("the? DAY dash|to the? DAY of? MON", _day_range),
    Rule("MON DAY dash|to DAY", _day_range, order=(1, 2, 0)),
    Rule("MON DAY ri? to|dash DAY ri", _day_range, languages=_CJK, order=(1, 2, 0)),
    *(Rule(f"{days} of? MON", _days, "DAYS") for days in (_TWO, _THREE, _FOUR)),
    Rule("MON DAY and|comma DAY", _days, "DAYS", order=(1, 2, 0)),
    Rule("WEEKDAY|WDAY comma? the? DAY|DAY_ORD|DAY_DOT", _weekday_and_day),
    Rule("WEEKDAY|WDAY comma? in? CLOCK", _weekday_named),
    Rule("weekday|wday comma? DM|DM_WEAK", _same),
    Rule("WDAY", _weekday, "SHORT_WEEKDAY"),
    Rule("WEEKDAY WEEK_ON", _weeks_on),
    Rule("DURATION on WEEKDAY", _in_weeks_on),
    Rule("WEEKDAY ahead_pre DURATION", _in_weeks_on, order=(1, 0)),
    Rule("on|from the? DAY_ORD", day_of_month, "DATE_ORDINAL"),
    Rule("day_article DAY|DAY_DOT", day_of_month, "DATE_NUMBER"),
    Rule("day_article? DAY day_article_post", day_of_month),
    Rule("day_article_bound DAY", day_of_month, "DATE_BOUND"),
    Rule("day_article_weak DAY", day_of_month, "DATE_NUMBER_WEAK"),
    Rule("day_pre DAY", day_of_month),
    Rule("the DAY_ORD", day_of_month, "DAY_OF_MONTH"),
    Rule("DAY ri", _day_of_month_bare, languages=_CJK),
    Rule("the? DAY of? the? MONTH_REF", _day_of_month_ref),
    Rule("MONTH_REF of? DAY ri", _day_of_month_ref, languages=_CJK, order=(1, 0)),
    Rule("WEEKDAY", _weekday),
    Rule("WEEKDAYS", _weekday, "DATES"),
    Rule("WEEKDAY in? daypart", _weekday),
    Rule("WDAY dot? in? daypart", _weekday_named),
    Rule("WEEKDAY comma? of? the? WEEK_REF", _weekday_of_week),
    Rule("WEEK_REF apostrophe? of? WEEKDAY", _weekday_of_week, order=(1, 0)),
    Rule("REL_PRE WEEKDAY", _weekday_of_week, languages=_CHINESE, order=(1, 0)),
    Rule("U_WEEKEND", _weekend),
)  # fmt: skip
