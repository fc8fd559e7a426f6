"""Rules for dates counted from the reference day: `last week`, `3 days ago`, `next Friday`."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from typing import Literal

from lorebank.dates.calendar import Days, add_months, shift, unit_days
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, language_bit
from lorebank.dates.rules_days import weekend_cycle
from lorebank.dates.spans import Cycle, Moment, Span

_GRANULARITIES = {"weekend": "range", "fortnight": "week"}
_NOT_CJK = ALL & ~(language_bit("zh") | language_bit("ja"))
_NOT_CHINESE = ALL & ~language_bit("zh")
_DAYS_PER_UNIT = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS_PER_UNIT = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}

_Duration = tuple[int, str]


def _moved(day: date, amount: int, unit: str) -> date:
    if unit in _DAYS_PER_UNIT:
        return shift(day, amount * _DAYS_PER_UNIT[unit])
    return add_months(day, amount * _MONTHS_PER_UNIT[unit])


def _unit(moment: Moment, offset: int, unit: str) -> Span | None:
    if unit in ("day", "half"):
        return None
    if unit == "weekend":
        asked = offset
        if offset == 1 and moment.now.weekday() < 5:
            offset = 0
        cycle = weekend_cycle() if asked in (0, 1) else None
        return Span("range", unit_days(moment.now, unit, offset), cycle, then=asked == 1)
    return Span(_GRANULARITIES.get(unit, unit), unit_days(moment.now, unit, offset))


def _unitword(moment: Moment, value: tuple[str, int]) -> Span | None:
    return _unit(moment, value[1], value[0])


def _window(moment: Moment, direction: int, duration: _Duration) -> Span | None:
    amount, unit = duration
    other = _moved(moment.now, direction * amount, unit)
    days = (other, moment.now) if direction < 0 else (moment.now, other)
    return Span("range", days)


def _window_split(moment: Moment, amount: int, direction: int, unit: str) -> Span | None:
    return _window(moment, direction, (amount, unit))


def _trailing(moment: Moment, direction: int, unit: str) -> Span | None:
    if unit == "weekend":
        return _unit(moment, direction, unit)
    return _window(moment, direction, (1, unit))


def _counted(moment: Moment, duration: _Duration, direction: int) -> Span | None:
    amount, unit = duration
    if unit == "year" and amount >= 1900:
        return None
    if unit in ("day", "fortnight"):
        day = _moved(moment.now, direction * amount, unit)
        return Span("day", (day, day))
    return Span(_GRANULARITIES.get(unit, unit), unit_days(moment.now, unit, direction * amount))


def _ago(moment: Moment, duration: _Duration) -> Span | None:
    return _counted(moment, duration, -1)


def _ahead(moment: Moment, duration: _Duration) -> Span | None:
    return _counted(moment, duration, 1)


def _ahead_if_future(moment: Moment, duration: _Duration) -> Span | None:
    found = _counted(moment, duration, 1)
    return replace(found, ahead=True) if found else None


def _is_quantity(_: Moment, _duration: _Duration) -> bool:
    """`il y a trois semaines de congés`."""
    return True


def _counted_cycle(moment: Moment, n: int, span: Span) -> Span | None:
    """`two Fridays ago`, `three summers ago`."""
    return _repetition(moment, -n, span)


def _ahead_to_the_day(moment: Moment, offset: int, duration: _Duration) -> Span:
    """`heute in einer Woche`, `vandaag over een jaar`."""
    day = _moved(shift(moment.now, offset), duration[0], duration[1])
    return Span("day", (day, day))


def _then(moment: Moment, unit: str) -> Span | None:
    """`the following week`: the one after the time named before."""
    if unit not in _THEN:
        return None
    granularity, period = _THEN[unit]

    def days(index: int) -> Days:
        if period == "week":
            return unit_days(date.fromordinal(7 * index + 1), unit, 0)
        if period == "month":
            return unit_days(date(index // 12, index % 12 + 1, 1), unit, 0)
        return unit_days(date(index, 1, 1), unit, 0)

    return Span(granularity, cycle=Cycle(days, period), then=True)


def _then_again(_: Moment, span: Span) -> Span | None:
    """`the following Friday`."""
    return replace(span, then=True, bare=False) if span.cycle is not None else None


def _ago_to_the_day(moment: Moment, duration: _Duration) -> Span:
    """`a year ago today`."""
    day = _moved(moment.now, -duration[0], duration[1])
    return Span("day", (day, day))


def _ago_from(moment: Moment, offset: int, duration: _Duration) -> Span | None:
    return _ago_to_the_day(moment, duration) if offset == 0 else None


def _ago_to(moment: Moment, duration: _Duration, offset: int) -> Span | None:
    return _ago_to_the_day(moment, duration) if offset == 0 else None


def _to_date(moment: Moment, unit: str) -> Span:
    """`year to date`."""
    return Span("range", (unit_days(moment.now, unit, 0)[0], moment.now))


def _dayword(moment: Moment, offset: int) -> Span:
    day = shift(moment.now, offset)
    return Span("day", (day, day))


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
    return replace(span, days=_again(days, further, weekly), cycle=None, bare=False)


def _again(days: Days, further: int, weekly: bool) -> Days:
    first, last = days
    if weekly:
        return shift(first, 7 * further), shift(last, 7 * further)
    return add_months(first, 12 * further), add_months(last, 12 * further)


_THEN: dict[str, tuple[str, Literal["year", "month", "week"]]] = {
    "week": ("week", "week"),
    "weekend": ("range", "week"),
    "month": ("month", "month"),
    "year": ("year", "year"),
}
"""Unit → granularity, and the period it comes back in."""

RELATIVE_RULES = (
    Rule("then UNIT", _then),
    Rule("UNIT then_post", _then),
    Rule("the? then DATE", _then_again),
    Rule("the? DATE then_post", _then_again),
    Rule("DAYWORD ahead_pre DURATION", _ahead_to_the_day),
    Rule("DURATION from|ahead DAYWORD", _ahead_to_the_day, order=(1, 0)),
    Rule("REL_PRE UNIT", _unit),
    Rule("UNIT REL_POST", _unit, order=(1, 0)),
    Rule("UNITWORD", _unitword),
    Rule("TRAIL_PRE UNIT", _trailing),
    Rule("UNIT TRAIL_POST", _trailing, order=(1, 0)),
    Rule("SPAN_PRE DURATION", _window),
    Rule("NUM SPAN_PRE UNIT", _window_split),
    Rule("DURATION SPAN_POST", _window, order=(1, 0)),
    Rule("DURATION ago", _ago),
    Rule("ago_pre DURATION ago?", _ago),
    Rule("ago_pre DURATION quantity_of", _is_quantity, "NOT"),
    Rule("DAYWORD ago_pre DURATION", _ago_from),
    Rule("DURATION ago DAYWORD", _ago_to),
    Rule("NUM DATES ago", _counted_cycle),
    Rule("ago_pre NUM DATES", _counted_cycle),
    Rule("DURATION ahead", _ahead),
    Rule("ahead_pre DURATION ago?", _ahead_if_future),
    Rule("TO_DATE", _to_date),
    Rule("DAYWORD", _dayword),
    Rule("DAYWORD in? daypart", _dayword),
    Rule("the? REL_PRE the? DATE", _repetition, languages=_NOT_CHINESE),
    Rule("the? DATE REL_POST", _repetition, order=(1, 0)),
    Rule("REL_PRE SHORT_WEEKDAY", _repetition, languages=_NOT_CJK),
)  # fmt: skip
