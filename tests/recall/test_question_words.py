"""Question words: what only asks is no subject, in every language with a `[questions]` section."""

from datetime import date

import pytest

from lorebank.domain.facts import Interval
from lorebank.languages import sections
from lorebank.recall.filters import Filters
from lorebank.recall.understand import Understood, read_cues, understand
from support import golden

NOW = date(2025, 12, 10)


def read(text: str) -> Understood:
    names = {"runa": ("runa", "Runa")}
    return understand(
        text,
        now=NOW,
        filters=Filters(),
        lookup=lambda slugs: {slug: names[slug] for slug in slugs if slug in names},
    )


@golden("questions.md")
def test_words_that_only_ask_are_no_subject(text: str) -> None:
    assert read(text).subject_terms == ()


@golden("questions.md")
def test_operators(text: str, order: str | None) -> None:
    assert read(text).order == order


def test_a_question_of_question_words_keeps_them() -> None:
    assert read("changes").subject_terms == ("changes",)


def test_since_ends_today_unless_it_lies_ahead() -> None:
    assert read("what happened since Monday").query.interval == Interval(date(2025, 12, 8), NOW)
    ahead = read("what is planned from 3 January 2026 onwards").query.interval
    assert ahead is not None
    assert ahead.end is None


@pytest.mark.parametrize(
    "text", ["the rent, as known on 3 November", "the rent as of 3 November 2025"]
)
def test_as_known_on_a_day_is_an_as_of(text: str) -> None:
    understood = read(text)
    assert understood.query.as_of == date(2025, 11, 3)
    assert understood.query.interval is None
    assert understood.subject_terms == ("rent",)


def test_every_phrase_is_found_by_itself() -> None:
    for code, section in sections("questions").items():
        for kind in ("newest", "oldest", "count", "define", "past", "when", "opinion"):
            phrase = section[kind].split("|")[0].strip().replace("...", "the cat")
            assert kind in read_cues(phrase).kinds, f"{code}: {phrase}"


@pytest.mark.parametrize(
    ("text", "is_noted"), [("what did Runa say recently?", False), ("the boat some time ago", True)]
)
def test_a_vague_time_is_noted_unless_it_asks_for_the_newest(text: str, is_noted: bool) -> None:
    assert bool(read(text).notes) is is_noted
