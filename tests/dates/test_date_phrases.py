"""Phrases: places, granularities; never an error, whatever the text."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from lorebank.dates.lexicon import lexicon
from lorebank.dates.phrases import DatePhrase, find_phrases, find_vague
from lorebank.dates.query import parse_bound, query_interval
from lorebank.dates.times import times_of
from lorebank.domain.facts import Interval
from lorebank.languages import sections
from support import golden

NOW = date(2025, 11, 26)

GLUE = """
since until before after around between and from to of the in on last next this 3 12 2024 31 29
2025-11-27 99999 - – / . , ' st th s ago desde hasta hace vor bis seit 第 年 月 日 前 上
"""
WORDS = [*sorted(lexicon().rows), *GLUE.split()]
DATE_SOUP = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
DAYS = st.dates()


def test_a_phrase_carries_its_text_and_place() -> None:
    text = "Who called since last week, and why?"
    assert find_phrases(text, NOW) == (
        DatePhrase("since last week", 11, 26, Interval(date(2025, 11, 17), None), "week"),
    )


def test_phrases_come_in_the_order_of_the_text() -> None:
    text = "Yesterday we spoke of the trip in May 2024 and of 3 Nov."
    assert [p.text for p in find_phrases(text, NOW)] == ["Yesterday", "in May 2024", "of 3 Nov"]


@golden("times.md")
def test_granularity(text: str, granularity: str) -> None:
    (found,) = find_phrases(text, NOW)
    assert found.granularity == granularity


@golden("times.md")
def test_turns_of_the_calendar(text: str, now: date, first: str, last: str | None) -> None:
    found = query_interval(text, now)
    assert found is not None
    assert found.interval.to_dict() == {"start": first, "end": last}


def test_vague_phrases_are_reported_as_written() -> None:
    assert find_vague("The other day, or neulich?") == ("The other day", "neulich")


def test_languages_name_all_months_and_weekdays_or_none() -> None:
    for code, section in sections("dates").items():
        assert len(section.get("month", ())) in (0, 12), code
        assert len(section.get("weekday", ())) in (0, 7), code


@given(text=st.text(max_size=80) | DATE_SOUP, now=DAYS)
def test_any_text_gives_sound_phrases(text: str, now: date) -> None:
    end = 0
    for phrase in find_phrases(text, now):
        assert text[phrase.start : phrase.end] == phrase.text
        assert phrase.start >= end
        end = phrase.end
        first, last = phrase.interval.start, phrase.interval.end
        assert first is not None or last is not None
        assert first is None or last is None or first <= last


@given(text=st.text(max_size=60) | DATE_SOUP, now=DAYS)
def test_no_text_raises(text: str, now: date) -> None:
    query_interval(text, now)
    find_vague(text)
    parse_bound(text, now, side="start")
    times_of(text, now)
    times_of(text, None)
