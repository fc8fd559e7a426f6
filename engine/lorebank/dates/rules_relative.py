"""Rules for dates counted from the reference day: `last week`, `3 days ago`, `next Friday`.

Here a year is put to what comes back each year, too: `3 May 2024`, `summer last year`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, language_bit
from lorebank.dates.rules_calendar import weekend_cycle
from lorebank.dates.spans import (
    Days,
    Moment,
    Span,
    add_months,
    moved,
    one_day,
    shift,
    unit_days,
    week_days,
)

_GRANULARITIES = {"weekend": "range", "fortnight": "week"}
NOT_CJK = ALL & ~(language_bit("zh") | language_bit("ja"))
_TURKISH = language_bit("tr")
_NOT_CHINESE = ALL & ~language_bit("zh")
_NOT_YEARS = 1900
"""`since 1900 years` is rather a year than a duration."""

Duration = tuple[int, str]


def _in_year(_: Moment, span: Span, year: int) -> Span | None:
    """`27 November 2025`, `summer last year`: what comes back each year, in one year."""
    if span.cycle is None or span.cycle.period != "year":
        return None
    days = span.cycle.days(year)
    return replace(span, days=days, cycle=None, bare=False) if days else None


def _days_in_year(moment: Moment, spans: tuple[Span, ...], year: int) -> tuple[Span, ...]:
    found = (_in_year(moment, span, year) for span in spans)
    return tuple(span for span in found if span is not None)


def _unit(moment: Moment, offset: int, unit: str) -> Span | None:
    """`last week`, `this month`, `next weekend`."""
    if unit in ("day", "half"):
        return None
    if unit == "weekend":
        asked = offset
        offset -= offset > 0 and moment.now.weekday() < 5
        cycle = weekend_cycle() if asked in (0, 1) else None
        return Span("range", unit_days(moment.now, unit, offset), cycle, then=asked == 1)
    return Span(_GRANULARITIES.get(unit, unit), unit_days(moment.now, unit, offset))


def _window(moment: Moment, direction: int, duration: Duration) -> Span:
    """`the last 3 days`: up to today, or from it."""
    other = moved(moment.now, direction * duration[0], duration[1])
    return Span("range", (other, moment.now) if direction < 0 else (moment.now, other))


def _trailing(moment: Moment, direction: int, unit: str) -> Span | None:
    """`the past month`."""
    if unit == "day":  # ultimo giorno di scuola
        return None
    if unit == "weekend":
        return _unit(moment, direction, unit)
    return _window(moment, direction, (1, unit))


def _counted(direction: int, *, ahead: bool = False) -> Callable[[Moment, Duration], Span | None]:
    """`3 days ago`, `in two weeks`: that day, or that week or month as a whole."""

    def build(moment: Moment, duration: Duration) -> Span | None:
        amount, unit = duration
        if is_year(duration):
            return None
        if unit in ("day", "fortnight"):
            return Span("day", one_day(moved(moment.now, direction * amount, unit)), ahead=ahead)
        days = unit_days(moment.now, unit, direction * amount)
        return Span(_GRANULARITIES.get(unit, unit), days, ahead=ahead)

    return build


def is_year(duration: Duration) -> bool:
    """Whether a number of years is rather one year by its number."""
    return duration[1] == "year" and duration[0] >= _NOT_YEARS


def _to_the_day(direction: int) -> Callable[[Moment, int, Duration], Span]:
    """`heute in einer Woche`, `a year ago today`: not the week or year, but the day."""

    def build(moment: Moment, offset: int, duration: Duration) -> Span:
        return Span(
            "day", one_day(moved(shift(moment.now, offset), direction * duration[0], duration[1]))
        )

    return build


def _then(_: Moment, span: Span) -> Span | None:
    """`the following Friday`."""
    return replace(span, then=True, bare=False) if span.cycle is not None else None


def _before_named(moment: Moment, span: Span) -> Span | None:
    """`the Friday before`."""
    cycle = span.cycle
    if cycle is None:
        return None
    return replace(
        span,
        counted=lambda named: moment.preceding(cycle, shift(named[0], -1)) or named,
        bare=False,
    )


def _beside_named(granularity: str, count: Callable[[Days], Days]) -> Span:
    """What counts on from the time named before, and from nothing else."""
    return Span(granularity, counted=count)


def _unit_then(_: Moment, unit: str) -> Span | None:
    """`the following week`."""
    if unit == "week":
        return _beside_named(unit, lambda named: week_days(shift(named[1], 7)))
    if unit == "weekend":
        return _beside_named("range", lambda named: unit_days(shift(named[1], 2), unit, 0))
    return _beside_named(unit, lambda named: one_day(shift(named[1], 1))) if unit == "day" else None


def _relative_unit(moment: Moment, value: tuple[str, int]) -> Span | None:
    """`Vorwoche`, `le lendemain`."""
    unit, offset = value
    if unit == "day":
        return _beside_named(unit, lambda named: one_day(shift(named[offset > 0], offset)))
    return _unit(moment, offset, unit)


def _later(moment: Moment, duration: Duration) -> Span | None:
    """`iki gün sonra`: after the time named before, else from now."""
    span = _counted(1)(moment, duration)
    return span and replace(span, counted=_moved(1, duration))


def _moved_only(direction: int) -> Callable[[Moment, Duration], Span]:
    """`two days later`, `two days before`."""
    return lambda _, duration: _beside_named("day", _moved(direction, duration))


def _moved(direction: int, duration: Duration) -> Callable[[Days], Days]:
    return lambda named: one_day(moved(named[0], direction * duration[0], duration[1]))


def _day(moment: Moment, offset: int) -> Span:
    return Span("day", one_day(shift(moment.now, offset)))


def _repetition(moment: Moment, offset: int, span: Span) -> Span | None:
    """`last May`, `this Friday`, `next Christmas`."""
    if span.cycle is None or span.granularity == "week":
        return None
    weekly = span.cycle.period == "week"
    if offset == 0:
        days = moment.current(span.cycle)
    elif offset < 0:
        days = moment.latest(span.cycle) if weekly else moment.previous(span.cycle)
    else:
        days = moment.following(span.cycle)
    if days is None:
        return None
    further = offset + 1 if offset < -1 else max(offset - 1, 0)
    first, last = (
        shift(day, 7 * further) if weekly else add_months(day, 12 * further) for day in days
    )
    return replace(span, days=(first, last), cycle=None, bare=False)


RELATIVE_RULES = (
    Rule("DATE|NEEDS_YEAR comma|slash|dash? of? the? YR|YR_SHORT", _in_year),
    Rule("YR comma|dash? of? the? DATE|NEEDS_YEAR", _in_year, order=(1, 0)),
    Rule("DAYS comma? of? the? YR", _days_in_year, "DAYS"),
    Rule("the? then DATE", _then),
    Rule("the? DATE then_after", _then),
    Rule("the|article DATE then_before", _before_named),
    Rule("DATE then_before", _before_named, languages=language_bit("de") | language_bit("nl")),
    Rule("the? then UNIT", _unit_then),
    Rule("the|article|in|on UNIT then_after", _unit_then),
    Rule("DURATION then_after", _moved_only(1)),
    Rule("DURATION then_before", _moved_only(-1)),
    Rule("DURATION ahead", _later, languages=_TURKISH),
    Rule("RELATIVE_DAY ahead_before DURATION", _to_the_day(1)),
    Rule("RELATIVE_DAY ago_before DURATION", _to_the_day(-1)),
    Rule("ago_before DURATION RELATIVE_DAY", _to_the_day(-1), order=(1, 0)),
    Rule("RELATIVE_DAY DURATION ago", _to_the_day(-1)),
    Rule("DURATION from RELATIVE_DAY", _to_the_day(1), order=(1, 0)),
    Rule("RELATIVE_DAY DURATION ahead", _to_the_day(1)),
    Rule("DURATION ago RELATIVE_DAY", _to_the_day(-1), order=(1, 0)),
    Rule("RELATIVE UNIT", _unit),
    Rule("UNIT RELATIVE_AFTER", _unit, order=(1, 0)),
    Rule("RELATIVE_UNIT", _relative_unit),
    Rule("TRAILING UNIT", _trailing),
    Rule("WINDOW DURATION", _window),
    Rule("NUMBER WINDOW UNIT",
         lambda m, n, way, u: _window(m, way, (n, u)) if n < _NOT_YEARS else None),
    Rule("DURATION ago", _counted(-1)),
    Rule("ago_before DURATION ago?", _counted(-1)),
    Rule("NUMBER DATES ago", lambda moment, n, span: _repetition(moment, -n, span)),
    Rule("ago_before NUMBER DATES", lambda moment, n, span: _repetition(moment, -n, span)),
    Rule("DURATION ahead", _counted(1), languages=ALL & ~_TURKISH),
    Rule("ahead_before DURATION ago?", _counted(1, ahead=True)),
    Rule("RELATIVE_DAY", _day),
    Rule("RELATIVE_DAY WEEK_ON", lambda moment, days, weeks: _day(moment, days + 7 * weeks)),
    Rule("WEEK_ON RELATIVE_DAY", lambda m, n, day: _day(m, day + 7 * n) if day >= 0 else None),
    Rule("the? RELATIVE the? DATE", _repetition, languages=_NOT_CHINESE),
    Rule("the? DATE RELATIVE_AFTER", _repetition, order=(1, 0)),
    Rule("RELATIVE SHORT_WEEKDAY", _repetition, languages=NOT_CJK),
)  # fmt: skip
