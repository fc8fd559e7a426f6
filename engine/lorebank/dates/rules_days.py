"""Rules for single days and weekdays: `3 May 2025`, `the 15th`, `Friday of last week`.

Before them come references: years, weeks and months counted from now, as numbers for later rules.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from lorebank.dates.calendar import Days, shift, week_days, weekend_days
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, language_bit
from lorebank.dates.spans import Cycle, Moment, Span

YEAR_BEHIND = "comma? of? the? YR"
"""Where a year may stand behind a day or month."""

_NOT_FAR = 70
"""Days within which the 17th is a Saturday, where somebody writes so: it is in two of 14 months."""
_CJK = language_bit("zh") | language_bit("ja")
_CHINESE = language_bit("zh")


def _same(_: Moment, value: object) -> object:
    return value


def _short_year(moment: Moment, two_digits: int) -> int:
    year = moment.now.year - moment.now.year % 100 + two_digits
    return year if year <= moment.now.year + 20 else year - 100


# References: years, weeks and months counted from now, as numbers for later rules.


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
    Rule("MNUM yue", _same, "MONTH", _CJK),
    Rule("MNUM yue", _same, "MON", _CJK),
    Rule("ord_pre DAY", _same, "DAY"),
    Rule("ord_pre DAY", _same, "DAY_ORD"),
    Rule("ord_pre NUM", _same, "ORD"),
    Rule("NUM UNIT", lambda _, n, unit: (n, unit), "DURATION"),
)  # fmt: skip


# Days.


def _day(_: Moment, day: int, month: int, year: int) -> Span:
    found = date(year, month, day)
    return Span("day", (found, found))


def _yearly_day(_: Moment, day: int, month: int) -> Span | None:
    date(2024, month, day)  # raises where no year has that day

    def days(year: int) -> Days:
        found = date(year, month, day)
        return found, found

    return Span("day", cycle=Cycle(days))


def _day_range(_: Moment, first: int, last: int, month: int, year: int) -> Span | None:
    if first >= last:
        return None
    days = date(year, month, first), date(year, month, last)
    return Span("range", days, modifier="between")


def _yearly_day_range(_: Moment, first: int, last: int, month: int) -> Span | None:
    if first >= last:
        return None
    date(2024, month, last)

    def days(year: int) -> Days:
        return date(year, month, first), date(year, month, last)

    return Span("range", cycle=Cycle(days), modifier="between")


def day_of_month(_: Moment, day: int) -> Span:
    def days(index: int) -> Days:
        found = date(index // 12, index % 12 + 1, day)
        return found, found

    return Span("day", cycle=Cycle(days, "month"))


def _day_of_month_bare(moment: Moment, day: int) -> Span:
    return Span("day", cycle=day_of_month(moment, day).cycle, bare=True)


def _day_of_month_ref(moment: Moment, day: int, offset: int) -> Span:
    index = moment.now.year * 12 + moment.now.month - 1 + offset
    found = date(index // 12, index % 12 + 1, day)
    return Span("day", (found, found))


# Weekdays.


def _weekday(_: Moment, weekday: int) -> Span:
    def days(week: int) -> Days:
        found = date.fromordinal(7 * week + 1 + weekday)
        return found, found

    return Span("day", cycle=Cycle(days, "week"), bare=True)


def _second(_moment: Moment, _weekday: int, span: Span) -> Span:
    """`Sa, 14.3.`: the date says which."""
    return span


def _weekday_at(moment: Moment, weekday: int, _clock: bool) -> Span:
    """`Thu 10:30`."""
    return Span("day", cycle=_weekday(moment, weekday).cycle)


def _weekday_said(moment: Moment, weekday: int) -> Span:
    """`Tuesday night`."""
    return Span("day", cycle=_weekday(moment, weekday).cycle, bare=True)


def _weekday_and_day(moment: Moment, weekday: int, day: int) -> Span | None:
    """`Saturday 17`: the 17th of a month where it is a Saturday, not far from now."""

    def days(index: int) -> Days | None:
        found = date(index // 12, index % 12 + 1, day)
        return (found, found) if found.weekday() == weekday else None

    cycle = Cycle(days, "month")
    near = (moment.coming(cycle), moment.preceding(cycle, moment.now))
    if not any(found and abs((found[0] - moment.now).days) <= _NOT_FAR for found in near):
        return None
    return Span("day", cycle=cycle)


def _days(_: Moment, *numbers: int) -> tuple[Span, ...]:
    """`23, 24 and 25 February`."""
    *days, month = numbers
    return tuple(_checked(_yearly_day(_, day, month)) for day in days)


def _month_days(_: Moment, month: int, *days: int) -> tuple[Span, ...]:
    return _days(_, *days, month)


def _dated_days(_: Moment, *numbers: int) -> tuple[Span, ...]:
    *days, month, year = numbers
    return tuple(_day(_, day, month, year) for day in days)


def _checked(span: Span | None) -> Span:
    if span is None:
        raise ValueError("no such day")
    return span


def _in_weeks_on(moment: Moment, duration: tuple[int, str], weekday: int) -> Span | None:
    """`a week on Tuesday`, `zaterdag over een week`: counted from the coming one."""
    amount, unit = duration
    if unit not in ("week", "fortnight"):
        return None
    weeks = amount * (2 if unit == "fortnight" else 1)
    coming = (weekday - moment.now.weekday() - 1) % 7 + 1
    found = shift(moment.now, coming + 7 * weeks)
    return Span("day", (found, found))


def _weekday_week(moment: Moment, weekday: int, weeks: int) -> Span:
    """`Monday week`, `lundi en huit`: the Monday after the coming one."""
    found = shift(moment.now, (weekday - moment.now.weekday() - 1) % 7 + 1 + 7 * weeks)
    return Span("day", (found, found))


def _day_week(moment: Moment, offset: int, weeks: int) -> Span:
    """`today week`, `aujourd'hui en huit`."""
    found = shift(moment.now, offset + 7 * weeks)
    return Span("day", (found, found))


def _weekday_of_week(moment: Moment, weekday: int, offset: int) -> Span:
    monday = week_days(moment.now)[0].toordinal() + 7 * offset
    found = date.fromordinal(monday + weekday)
    return Span("day", (found, found))


def weekend_cycle() -> Cycle:
    def days(week: int) -> Days:
        return weekend_days(date.fromordinal(7 * week + 1))

    return Cycle(days, "week")


def _weekend(_: Moment, _unit: str) -> Span:
    return Span("range", cycle=weekend_cycle(), bare=True)


DAY_RULES = (
    Rule(f"the? DAY of? MON {YEAR_BEHIND}", _day),
    Rule("DAY dash MON dash YR", _day),
    Rule("DAY of? MON YR_SHORT", _day),
    Rule("MON the? DAY comma? of? YR", _day, order=(1, 0, 2)),
    Rule("MON the? DAY comma? YR_SHORT", _day, order=(1, 0, 2)),
    Rule("YR comma? of? MON DAY", _day, order=(2, 1, 0)),
    Rule("YR of? MON DAY ri", _day, languages=_CJK, order=(2, 1, 0)),
    Rule("the? DAY of? MON", _yearly_day),
    Rule("the ORD of MON", _yearly_day),
    Rule(f"the? ORD of MON {YEAR_BEHIND}", _day),
    Rule("MON the? DAY", _yearly_day, languages=ALL & ~_CJK, order=(1, 0)),
    Rule("MON the ORD", _yearly_day, order=(1, 0)),
    Rule("MON DAY ri", _yearly_day, languages=_CJK, order=(1, 0)),
    Rule(f"the? DAY dash|to the? DAY of? MON {YEAR_BEHIND}", _day_range),
    Rule("the? DAY dash|to the? DAY of? MON", _yearly_day_range),
    Rule("MON DAY dash|to DAY comma? YR", _day_range, order=(1, 2, 0, 3)),
    Rule("MON DAY dash|to DAY", _yearly_day_range, order=(1, 2, 0)),
    Rule("MON DAY ri? to|dash DAY ri", _yearly_day_range, languages=_CJK, order=(1, 2, 0)),
    Rule("the? DAY and|comma the? DAY of? MON", _days, "DAYS"),
    Rule("the? DAY comma the? DAY comma? and the? DAY of? MON", _days, "DAYS"),
    Rule("the? DAY comma the? DAY comma the? DAY comma? and the? DAY of? MON", _days, "DAYS"),
    Rule(f"the? DAY and|comma the? DAY of? MON {YEAR_BEHIND}", _dated_days, "DAYS"),
    Rule(f"the? DAY comma the? DAY comma? and the? DAY of? MON {YEAR_BEHIND}", _dated_days, "DAYS"),
    Rule("MON DAY and|comma DAY", _month_days, "DAYS"),
    Rule("MON DAY comma DAY comma? and DAY", _month_days, "DAYS"),
    Rule("WEEKDAY|WDAY comma? the? DAY|DAY_ORD|DAY_DOT", _weekday_and_day),
    Rule("WEEKDAY|WDAY comma? in? CLOCK", _weekday_at),
    Rule("WEEKDAY|WDAY comma? DM|DM_WEAK", _second),
    Rule("WDAY", _weekday, "SHORT_WEEKDAY"),
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
    Rule("WEEKDAY in? daypart", _weekday_said),
    Rule("WEEKDAY WEEK_ON", _weekday_week),
    Rule("DAYWORD WEEK_ON", _day_week),
    Rule("WEEKDAY comma? of? the? WEEK_REF", _weekday_of_week),
    Rule("WEEK_REF apostrophe? of? WEEKDAY", _weekday_of_week, order=(1, 0)),
    Rule("REL_PRE WEEKDAY", _weekday_of_week, languages=_CHINESE, order=(1, 0)),
    Rule("U_WEEKEND", _weekend),
)  # fmt: skip
