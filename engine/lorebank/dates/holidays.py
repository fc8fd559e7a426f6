"""Holidays: the days of a year that each one falls on, fixed, computed or looked up.

`holidays.tsv`: a row is a holiday, its first day (`1225`, `easter -2`, `mon 3 of 1`, `sun 4 before
1224`, `moon`) and, where it has more than one, how many days or its last. `movable.tsv`: a holiday
that follows the moon or no plain rule, and its month and day in each year from 2000, `-` where it
is not known; Islamic dates are those of Umm al-Qura.
"""

from __future__ import annotations

from datetime import date
from functools import cache
from pathlib import Path

from lorebank.dates.spans import Days, month_days, nth_weekday, shift

_FOLDER = Path(__file__).parent
_FIRST_YEAR = 2000
"""Of `movable.tsv`."""
_WEEKDAYS = {"mon": 0, "tue": 1, "thu": 3, "sun": 6}


def holiday_days(key: str, year: int) -> Days | None:
    """First and last day of the holiday in that year; None where it is not known.

    >>> holiday_days("easter", 2026)
    (datetime.date(2026, 4, 5), datetime.date(2026, 4, 5))
    """
    rule, end = holidays()[key]
    first = _day(rule, key, year)
    if first is None:
        return None
    last = shift(first, int(end) - 1) if len(end) < 2 else _day(end, key, year)
    if last is not None and last < first:  # in a year of two Ramadans the feast is another's
        last = shift(first, 29)
    return None if last is None else (first, last)


@cache
def holidays() -> dict[str, tuple[str, str]]:
    """Holiday → its first day, and its length or last day."""
    rows = (line.split("\t") for line in _lines("holidays.tsv"))
    return {key: (first, end[0] if end else "1") for key, first, *end in rows}


def _day(rule: str, key: str, year: int) -> date | None:
    """The day of a year that a rule of `holidays.tsv` gives."""
    match rule.split():
        case ["next", day]:
            return _day(day, key, year + 1)
        case ["easter", days]:
            return shift(_easter(year), int(days))
        case ["moon", *other]:
            listed = _looked_up(other[0] if other else key, year)
            return listed and shift(listed, int(other[1]) if other else 0)
        case [weekday, n, "of", month, *plus]:
            found = nth_weekday(month_days(year, int(month)), _WEEKDAYS[weekday], int(n))
            assert found is not None, "every month has four of each weekday"
            return shift(found, int(plus[0]) if plus else 0)
        case [weekday, weeks, "before", _, *plus]:
            eve = date(year, 12, 24)  # which itself counts as the first
            back = (eve.weekday() - _WEEKDAYS[weekday]) % 7 + 7 * (int(weeks) - 1)
            return shift(eve, (int(plus[0]) if plus else 0) - back)
    return date(year, int(rule[:2]), int(rule[2:]))


def _easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar (the algorithm of Meeus, Jones and Butcher)."""
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    month, day0 = divmod(h + k - 7 * m + 114, 31)
    return date(year, month, day0 + 1)


def _looked_up(key: str, year: int) -> date | None:
    days = _movable()[key]
    index = year - _FIRST_YEAR
    if not 0 <= index < len(days) or days[index] == "-":
        return None
    return date(year, int(days[index][:2]), int(days[index][2:]))


@cache
def _movable() -> dict[str, list[str]]:
    return {key: days.split() for key, days in (row.split("\t") for row in _lines("movable.tsv"))}


def _lines(name: str) -> list[str]:
    return (_FOLDER / name).read_text(encoding="utf-8").splitlines()
