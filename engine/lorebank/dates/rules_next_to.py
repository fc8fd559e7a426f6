"""Rules for what lies around a date: `the week of 10 Nov`, `the day after Christmas`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from lorebank.dates.calendar import Days, shift, unit_days, week_days, weekend_days
from lorebank.dates.holidays import long_weekend
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import language_bit
from lorebank.dates.spans import Moment, Span

_CJK = language_bit("zh") | language_bit("ja")


def _week_of(_: Moment, span: Span) -> Span | None:
    if span.granularity != "day":
        return None
    found = span.refined("week", lambda days: week_days(days[0]))
    return replace(found, bare=False) if found else None


def _holiday_weekend(_: Moment, span: Span) -> Span | None:
    """`Labor Day weekend`: with the holiday, where it is next to Saturday or Sunday."""
    if span.granularity != "day" or (span.cycle and span.cycle.period != "year"):
        return None
    found = span.refined("range", lambda days: long_weekend(days[0]))
    return replace(found, bare=False) if found else None


def _holiday_week(_: Moment, span: Span) -> Span | None:
    """`Thanksgiving week`."""
    if span.granularity != "day" or (span.cycle and span.cycle.period != "year"):
        return None
    found = span.refined("week", lambda days: week_days(days[0]))
    return replace(found, bare=False) if found else None


def _weekend_of(_: Moment, span: Span) -> Span | None:
    if span.granularity != "day":
        return None
    found = span.refined("range", lambda days: weekend_days(days[0]))
    return replace(found, bare=False) if found else None


def _weekend_before(_: Moment, span: Span) -> Span | None:
    """`the weekend before Christmas`: the last one that is over by then."""
    return _weekend_by(span, lambda day: shift(day, -7))


def _weekend_after(_: Moment, span: Span) -> Span | None:
    return _weekend_by(span, lambda day: shift(day, 7 if day.weekday() >= 5 else 0))


def _weekend_by(span: Span, move: Callable[[date], date]) -> Span | None:
    if span.granularity != "day":
        return None
    found = span.refined("range", lambda days: weekend_days(move(days[0])))
    return replace(found, bare=False) if found else None


def _weekday_before(_: Moment, weekday: int, span: Span) -> Span | None:
    """`the Sunday before 25 October`."""
    return _next_to(span, lambda day: shift(day, -((day.weekday() - weekday - 1) % 7) - 1))


def _weekday_after(_: Moment, weekday: int, span: Span) -> Span | None:
    return _next_to(span, lambda day: shift(day, (weekday - day.weekday() - 1) % 7 + 1))


def _days_before(_: Moment, duration: tuple[int, str], span: Span) -> Span | None:
    """`two days before Christmas`."""
    return _moved_by(span, duration, -1)


def _days_after(_: Moment, duration: tuple[int, str], span: Span) -> Span | None:
    return _moved_by(span, duration, 1)


def _moved_by(span: Span, duration: tuple[int, str], direction: int) -> Span | None:
    """The day, week or month so far from a day."""
    amount, unit = duration
    if span.granularity != "day" or unit not in ("day", "week", "month"):
        return None
    found = span.refined(unit, lambda days: unit_days(days[0], unit, direction * amount))
    return replace(found, bare=False) if found else None


def _next_to(span: Span, move: Callable[[date], date]) -> Span | None:
    """The single day that a day is moved to."""
    if span.granularity != "day":
        return None

    def moved(days: Days) -> Days:
        day = move(days[0])
        return day, day

    found = span.refined("day", moved)
    return replace(found, bare=False) if found else None


def _weekday_in_week(_: Moment, weekday: int, span: Span) -> Span | None:
    """`Wednesday two weeks ago`."""
    if span.granularity != "week" or span.days is None or span.days[0] is None:
        return None
    day = shift(span.days[0], weekday)
    return Span("day", (day, day))


def _day_next_to(_: Moment, step: int, span: Span) -> Span | None:
    return _next_to(span, lambda day: shift(day, step))


def _week_next_to(_: Moment, step: int, span: Span) -> Span | None:
    if span.granularity != "day":
        return None

    def moved(days: Days) -> Days:
        # the week before a Sunday is the one that it ends
        return week_days(shift(days[0], step if days[0].weekday() == 6 else 7 * step))

    found = span.refined("week", moved)
    return replace(found, bare=False) if found else None


NEXT_TO_RULES = (
    Rule("week_of the? DATE|DAY_OF_MONTH", _week_of),
    Rule("the? u_weekend of the? DATE|DAY_OF_MONTH", _weekend_of),
    Rule("the? u_weekend before the? DATE|DAY_OF_MONTH", _weekend_before),
    Rule("the? u_weekend after the? DATE|DAY_OF_MONTH", _weekend_after),
    Rule("DATE week_of_post", _week_of),
    Rule("HOLIDAY_DATE u_weekend", _holiday_weekend),
    Rule("HOLIDAY_DATE u_week", _holiday_week),
    Rule("WEEKDAY comma? of? the? DATE", _weekday_in_week),
    Rule("DATE of WEEKDAY", _weekday_in_week, languages=_CJK, order=(1, 0)),
    Rule("the? DAY_NEXT_TO the? DATE", _day_next_to),
    Rule("the? WEEKDAY before the? DATE", _weekday_before),
    Rule("the? WEEKDAY after the? DATE", _weekday_after),
    Rule("DURATION before the? DATE", _days_before),
    Rule("DURATION after the? DATE", _days_after),
    Rule("the? WEEK_NEXT_TO the? DATE", _week_next_to),
)  # fmt: skip
