"""Calendar arithmetic: the first and last day of weeks, months, seasons and the like.

Every function returns both days, included. Weeks begin on Monday; seasons are whole months of the
northern hemisphere. Days outside the years 1 to 9999 raise `ValueError` or `OverflowError`.
"""

from __future__ import annotations

from calendar import monthrange
from datetime import date, timedelta

Days = tuple[date, date]
"""First and last day, both included."""

_DAYS_PER_UNIT = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS_PER_UNIT = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}
_SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}


def shift(day: date, days: int) -> date:
    """The day so many days later, or earlier where negative."""
    return day + timedelta(days=days)


def add_months(day: date, months: int) -> date:
    """The same day of the month so many months later, or that month's last day."""
    year, month0 = divmod(day.year * 12 + day.month - 1 + months, 12)
    return date(year, month0 + 1, min(day.day, monthrange(year, month0 + 1)[1]))


def moved(day: date, amount: int, unit: str) -> date:
    """The day so many units later, or earlier where negative."""
    if unit in _DAYS_PER_UNIT:
        return shift(day, amount * _DAYS_PER_UNIT[unit])
    return add_months(day, amount * _MONTHS_PER_UNIT[unit])


def one_day(day: date) -> Days:
    """A single day as first and last."""
    return day, day


def week_days(day: date) -> Days:
    """Monday to Sunday of the week that holds the day."""
    monday = shift(day, -day.weekday())
    return monday, shift(monday, 6)


def weekend_days(day: date) -> Days:
    """Saturday and Sunday of the week that holds the day."""
    monday = shift(day, -day.weekday())
    return shift(monday, 5), shift(monday, 6)


def month_days(year: int, month: int) -> Days:
    return date(year, month, 1), date(year, month, monthrange(year, month)[1])


def quarter_days(year: int, quarter: int) -> Days:
    return date(year, quarter * 3 - 2, 1), month_days(year, quarter * 3)[1]


def half_days(year: int, half: int) -> Days:
    return date(year, half * 6 - 5, 1), month_days(year, half * 6)[1]


def year_days(year: int) -> Days:
    return date(year, 1, 1), date(year, 12, 31)


def decade_days(year: int) -> Days:
    """The ten years that begin with the given one."""
    return date(year, 1, 1), date(year + 9, 12, 31)


def season_days(year: int, season: str) -> Days:
    """Three whole months; the winter of a year begins in its December."""
    first = date(year, _SEASON_MONTHS[season], 1)
    last_month = add_months(first, 2)
    return first, month_days(last_month.year, last_month.month)[1]


def iso_week_days(year: int, week: int) -> Days:
    monday = date.fromisocalendar(year, week, 1)
    return monday, shift(monday, 6)


def nth_weekday(days: Days, weekday: int, n: int) -> date | None:
    """The n-th such weekday within the days, from 1; -1 is the last. None where there is none."""
    first, last = days
    if n > 0:
        found = shift(first, (weekday - first.weekday()) % 7 + 7 * (n - 1))
    else:
        found = shift(last, -((last.weekday() - weekday) % 7) + 7 * (n + 1))
    return found if first <= found <= last else None


def unit_days(day: date, unit: str, offset: int) -> Days:
    """The calendar unit that holds the day, moved by so many units.

    >>> unit_days(date(2025, 11, 29), "quarter", -1)
    (datetime.date(2025, 7, 1), datetime.date(2025, 9, 30))
    """
    if unit == "day":
        return shift(day, offset), shift(day, offset)
    if unit == "week":
        return week_days(shift(day, 7 * offset))
    if unit == "weekend":
        return weekend_days(shift(day, 7 * offset))
    if unit == "fortnight":
        return week_days(shift(day, 14 * offset))
    if unit == "month":
        moved = add_months(day, offset)
        return month_days(moved.year, moved.month)
    if unit == "quarter":
        moved = add_months(day, 3 * offset)
        return quarter_days(moved.year, (moved.month + 2) // 3)
    if unit == "half":
        moved = add_months(day, 6 * offset)
        return half_days(moved.year, (moved.month + 5) // 6)
    if unit == "year":
        return year_days(day.year + offset)
    return decade_days(day.year - day.year % 10 + 10 * offset)
