"""Holidays: fixed, computed and looked up."""

from datetime import date

import pytest

from lorebank.dates.holidays import holiday_days, holidays
from support import golden


@golden("times.md")
def test_days_of_a_holiday(key: str, year: int, first: str, last: str) -> None:
    assert holiday_days(key, year) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize("key", sorted(holidays()))
def test_holiday_begins_in_its_year_and_ends_no_earlier(key: str) -> None:
    known = [(year, days) for year in range(1995, 2055) if (days := holiday_days(key, year))]
    assert all(first.year == year and first <= last for year, (first, last) in known)
    assert len(known) > 30


def test_moon_is_not_guessed_outside_the_table() -> None:
    assert holiday_days("ramadan", 1970) is None
