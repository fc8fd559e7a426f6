"""Bounds of flags, and questions that hold more than one phrase."""

from datetime import date

from lorebank.dates.query import parse_bound, query_interval
from lorebank.domain.facts import Interval
from support import golden

NOW = date(2025, 11, 26)


@golden("times.md")
def test_bound_of_a_flag(text: str, start: str, end: str) -> None:
    assert parse_bound(text, NOW, side="start") == date.fromisoformat(start)
    assert parse_bound(text, NOW, side="end") == date.fromisoformat(end)


@golden("times.md")
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
