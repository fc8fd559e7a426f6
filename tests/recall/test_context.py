"""Context: what the lines around an item, and its file, say of a question."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from support import WORDS_ONLY

NOW = date(2026, 3, 1)


def ask(root: Path, question: str) -> list[str]:
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as bank:
        return [hit.content for hit in bank.recall(question).hits]


def test_the_answer_to_a_question_outranks_the_question(write_log: Callable[..., Path]) -> None:
    root = write_log(
        "2026-01-02",
        "- W @Ada: Where did you moor the sailing boat in the end?",
        "- W @Bo: Behind the old lighthouse, it was cheaper.",
        "- W @Ada: Sounds windy.",
        "- W @Bo: My sister baked bread.",
    )
    found = ask(root, "Where does Bo moor the sailing boat?")
    assert found[0] == "Behind the old lighthouse, it was cheaper."


def test_the_entries_of_a_list_do_not_lend_each_other_their_words(
    write_log: Callable[..., Path],
) -> None:
    root = write_log(
        "2026-01-02",
        "- W @Ada: Repaired the greenhouse.",
        "- W @Ada: Sold a violin.",
    )
    write_log("2026-01-09", "- W @Ada: Painted the greenhouse door.")
    found = ask(root, "greenhouse")
    assert set(found[:2]) == {"Repaired the greenhouse.", "Painted the greenhouse door."}


def test_of_two_equal_lines_the_one_among_others_on_the_subject_leads(
    write_log: Callable[..., Path],
) -> None:
    root = write_log("2026-01-02", "- W @Ada: Bought nails.", "- W @Bo: Saw a heron.")
    write_log(
        "2026-01-09",
        "- W @Ada: Bought more nails.",
        "- W @Bo: Saw a stork.",
        "- W @Ada: Read all day.",
        "- W @Bo: The nails are for the roof.",
    )
    assert ask(root, "nails")[0] != "Bought nails."


@pytest.mark.parametrize(
    ("question", "terms"),
    [
        ("What happened to the door of my son's car?", ("door", "son", "car")),
        ("¿Qué le pasó a la casa de mi hermano?", ("casa", "hermano")),
        ("door combination", ("door", "combination")),
    ],
)
def test_only_the_stop_words_of_the_questions_language_are_dropped(
    write_log: Callable[..., Path], question: str, terms: tuple[str, ...]
) -> None:
    root = write_log("2026-01-02", "- W @Ada: Bought nails.")
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as bank:
        assert bank.recall(question).query.terms == terms
