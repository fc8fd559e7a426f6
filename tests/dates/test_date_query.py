"""Bounds of flags, and questions that hold more than one phrase."""

from datetime import date

import pytest

from lorebank.dates.query import parse_bound, query_interval
from lorebank.domain.facts import Interval

NOW = date(2025, 11, 26)


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("30d", "2025-10-27", "2025-10-27"),
        ("2w", "2025-11-12", "2025-11-12"),
        ("6m", "2025-05-26", "2025-05-26"),
        ("1y", "2024-11-26", "2024-11-26"),
        ("30 days", "2025-10-27", "2025-10-27"),
        ("2025-11-20", "2025-11-20", "2025-11-20"),
        ("2025-05", "2025-05-01", "2025-05-31"),
        ("2024", "2024-01-01", "2024-12-31"),
        ("last week", "2025-11-17", "2025-11-23"),
        ("semana pasada", "2025-11-17", "2025-11-23"),
        ("May", "2025-05-01", "2025-05-31"),
        ("Friday", "2025-11-21", "2025-11-21"),
        ("3 days ago", "2025-11-23", "2025-11-23"),
        ("去年", "2024-01-01", "2024-12-31"),
    ],
)
def test_bound_of_a_flag(text: str, start: str, end: str) -> None:
    assert parse_bound(text, NOW, side="start") == date.fromisoformat(start)
    assert parse_bound(text, NOW, side="end") == date.fromisoformat(end)


@pytest.mark.parametrize(
    "text", ["", "someday", "soon", "99999y", "0000", "last week maybe", "Peter", "2025-13-01", "5"]
)
def test_bound_that_is_not_understood(text: str) -> None:
    assert parse_bound(text, NOW, side="start") is None


def test_bounds_of_one_question_meet() -> None:
    found = query_interval("decided after May 1 and before May 5", NOW)
    assert found is not None
    assert found.interval == Interval(date(2025, 5, 2), date(2025, 5, 4))
    assert found.text == "after May 1 and before May 5"


def test_joined_phrases_are_spanned() -> None:
    found = query_interval("compare last week and this week", NOW)
    assert found is not None
    assert found.interval == Interval(date(2025, 11, 17), date(2025, 11, 30))


def test_of_unrelated_phrases_the_first_counts() -> None:
    found = query_interval("What did I say yesterday about the trip in May?", NOW)
    assert found is not None
    assert found.interval == Interval(date(2025, 11, 25), date(2025, 11, 25))
