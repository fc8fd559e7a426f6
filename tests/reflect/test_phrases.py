"""Cue phrases: forms, alternatives, fillers, gaps."""

from __future__ import annotations

import pytest

from lorebank.reflect.phrases import Forms, PhraseBook

FORMS = Forms("go goes went gone\nlose loses lost", ("ing", "ed", "es", "s", "e"), "ge", "was, on")


def book(*phrases: str) -> PhraseBook:
    made = PhraseBook(FORMS, "all, his, really")
    for phrase in phrases:
        made.add(phrase, "cue")
    return made


@pytest.mark.parametrize(
    ("phrase", "text", "length"),
    [
        ("love~", "loving", 1),
        ("love~", "glove", 0),
        ("go~ off", "went off", 2),
        ("go~ off", "went really off", 3),
        ("go~ off", "went slowly off", 0),
        ("lose~ interest|faith in", "lost all his faith in", 5),
        ("lose~ interest|faith in", "lost all his keys in", 0),
        ("like*", "likelihood", 1),
        ("told ? that", "told him that", 3),
        ("sent .. back", "sent the cold soup back", 1),
        ("sent .. back", "sent the cold and rather salty soup back", 0),
        ("kauf~", "gekaufed", 1),
        ("wase~", "was", 0),
    ],
)
def test_where_a_phrase_stands(phrase: str, text: str, length: int) -> None:
    found, cues = book(phrase).cues_at(text.split(), 0)
    assert (found if cues else 0) == length


def test_the_longest_phrase_wins_and_a_closed_one_over_a_plain_one() -> None:
    both = PhraseBook(FORMS, "")
    both.add("pick~", "adopt")
    both.add("pick~ .. out", "drop")
    both.add("pick~ up", "neutral")
    assert both.cues_at(["picked", "tea"], 0) == (1, frozenset({"adopt"}))
    assert both.cues_at(["picked", "peas", "out"], 0) == (1, frozenset({"drop"}))
    assert both.cues_at(["picked", "up", "peas", "out"], 0) == (2, frozenset({"neutral"}))
