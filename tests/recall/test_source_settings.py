"""The settings of the design that lorebank follows act on what is found: multiplier and weights."""

from collections.abc import Callable
from pathlib import Path

from lorebank import Bank
from lorebank.settings.config import Change

QUESTION = "where do I keep the spare key of the boat house?"


def scores(root: Path, **settings: float) -> dict[str, float]:
    flags = [Change(f"recall.{key}", value, "test") for key, value in settings.items()]
    with Bank.open(root, flags=flags) as bank:
        bank.sync()
        return {str(hit.source): hit.score for hit in bank.recall(QUESTION, k=10).hits}


def test_f52_the_pool_is_a_multiple_of_what_is_wanted(copy_fixture: Callable[[str], Path]) -> None:
    root = copy_fixture("year")
    with Bank.open(root, flags=[Change("recall.candidate_multiplier", 1, "test")]) as bank:
        assert len(bank.recall(QUESTION, k=3).hits) <= 3


def test_f54_words_and_meaning_weigh_as_the_settings_say(
    copy_fixture: Callable[[str], Path],
) -> None:
    root = copy_fixture("year")
    words = scores(root, vector_weight=0.0, text_weight=1.0)
    meaning = scores(root, vector_weight=1.0, text_weight=0.0)
    assert words != meaning
