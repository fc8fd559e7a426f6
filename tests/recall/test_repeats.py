"""Repeats: what says the same is one hit; what only looks alike is not."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from support import WORDS_ONLY

NOW = date(2025, 12, 10)


@pytest.mark.parametrize(
    ("first", "second", "hits"),
    [
        ("- W @Peter: Bought a kayak.", "- W @Peter: Bought a kayak.", 1),
        ("- W @Peter: Bought a kayak.", "- W @Peter: bought a KAYAK!", 1),
        ("- W @Peter: Bought a “kayak”.", '- B @Peter: Bought a "kayak"', 1),
        ("- W @Peter: Bought a kayak.", "- W @Ada: Bought a kayak.", 2),
        ("- W @Peter: Bought a kayak.", "- W @Peter: Bought a kayak again.", 2),
        ("- W @Peter: Paid 12 for a kayak.", "- W @Peter: Paid 13 for a kayak.", 2),
        ("- W @Peter: Lost a kayak yesterday.", "- W @Peter: Lost a kayak yesterday.", 2),
        ("- W @Peter: kayak: A-B.", "- W @Peter: kayak: B-A.", 2),
    ],
)
def test_the_same_is_the_same_words_about_the_same(
    write_log: Callable[..., Path], first: str, second: str, hits: int
) -> None:
    write_log("2025-11-10", first)
    root = write_log("2025-11-27", second)
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as bank:
        answer = bank.recall("kayak")
    assert len(answer.hits) == answer.total == hits
    assert sum(len(hit.repeats) for hit in answer.hits) == 2 - hits


@pytest.mark.parametrize(
    ("passage", "hits"),
    [
        ("Bought a kayak", 1),
        ("Peter: bought a kayak!", 1),
        ("Peter bought a kayak. It leaks.", 2),
    ],
)
def test_a_passage_that_only_repeats_a_fact_gives_way_to_it(
    write_log: Callable[..., Path], passage: str, hits: int
) -> None:
    root = write_log("2025-11-10", "- W @Peter: Bought a kayak.")
    (root / "memory" / "notes.md").write_text(f"# Notes\n\n{passage}\n", "utf-8")
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as bank:
        answer = bank.recall("who bought a kayak")
    facts = [hit for hit in answer.hits if hit.kind != "note"]
    assert (len(answer.hits), len(facts)) == (hits, 1)
    assert [str(place) for place in facts[0].repeats] == (
        ["memory/notes.md#L3"] if hits == 1 else []
    )
