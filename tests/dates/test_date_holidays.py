"""Holidays: fixed, computed and looked up."""

from datetime import date

import pytest

from lorebank.dates.holidays import holiday_days, holidays, long_weekend


@pytest.mark.parametrize(
    ("key", "year", "first", "last"),
    [
        ("easter", 2024, "2024-03-31", "2024-03-31"),
        ("carnival", 2025, "2025-03-04", "2025-03-04"),
        ("ascension", 2025, "2025-05-29", "2025-05-29"),
        ("thanksgiving", 2025, "2025-11-27", "2025-11-27"),
        ("cyber-monday", 2025, "2025-12-01", "2025-12-01"),
        ("memorial-day", 2025, "2025-05-26", "2025-05-26"),
        ("labor-day", 2024, "2024-09-02", "2024-09-02"),
        ("mothers-day", 2025, "2025-05-11", "2025-05-11"),
        ("mothers-day-fr", 2025, "2025-05-25", "2025-05-25"),
        ("mothers-day-fr", 2023, "2023-06-04", "2023-06-04"),  # the last Sunday was Pentecost
        ("advent-1", 2025, "2025-11-30", "2025-11-30"),
        ("advent-4", 2023, "2023-12-24", "2023-12-24"),
        ("repentance-de", 2025, "2025-11-19", "2025-11-19"),
        ("chinese-new-year", 2025, "2025-01-29", "2025-01-29"),
        ("mid-autumn", 2024, "2024-09-17", "2024-09-17"),
        ("ramadan", 2025, "2025-03-01", "2025-03-29"),
        ("hanukkah", 2024, "2024-12-26", "2025-01-02"),
        ("diwali", 2023, "2023-11-12", "2023-11-12"),
        ("autumn-equinox-jp", 2024, "2024-09-22", "2024-09-22"),
        ("golden-week", 2025, "2025-04-29", "2025-05-05"),
        ("turn-of-year", 2025, "2025-12-31", "2026-01-01"),
    ],
)
def test_days_of_a_holiday(key: str, year: int, first: str, last: str) -> None:
    assert holiday_days(key, year) == (date.fromisoformat(first), date.fromisoformat(last))


@pytest.mark.parametrize("key", sorted(holidays()))
def test_holiday_begins_in_its_year_and_ends_no_earlier(key: str) -> None:
    known = [(year, days) for year in range(1995, 2055) if (days := holiday_days(key, year))]
    assert all(first.year == year and first <= last for year, (first, last) in known)
    assert len(known) > 30


def test_moon_is_not_guessed_outside_the_table() -> None:
    assert holiday_days("ramadan", 1970) is None


@pytest.mark.parametrize(
    ("day", "first", "last"),
    [
        ("2024-09-02", "2024-08-31", "2024-09-02"),  # a Monday
        ("2025-11-27", "2025-11-27", "2025-11-30"),  # a Thursday
        ("2025-04-20", "2025-04-19", "2025-04-20"),  # a Sunday
    ],
)
def test_long_weekend(day: str, first: str, last: str) -> None:
    expected = (date.fromisoformat(first), date.fromisoformat(last))
    assert long_weekend(date.fromisoformat(day)) == expected
