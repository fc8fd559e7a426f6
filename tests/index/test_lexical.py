"""Full-text search: any text may be asked for, and is found however it was written."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorebank import Bank
from support import WORDS_ONLY, golden

LINES = (
    "- B @warelay: Stopped the crash in connection.update (commit `a828e60`).",
    "- W @Ada: Moved the parser to src/foo.py and renamed parse_fact_line.",
    "- W @Zoë: Drinks her café au lait at the Straße corner.",
    "- W @田中: 東京都で新しい仕事を始めた。",
    "- W @Max: Keeps the invoice QX-1204 in a drawer.",
    "- W @Lea: Calls `computeTotal` from relay::socket.",
)


@pytest.fixture(scope="module")
def bank(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    root = tmp_path_factory.mktemp("lexical")
    (root / "memory").mkdir()
    text = "\n".join(["# Friday", "", "## Retain", *LINES, ""])
    (root / "memory" / "2026-01-02.md").write_text(text, "utf-8")
    with Bank.open(root, environ=WORDS_ONLY) as opened:
        yield opened


@golden("index.md")
def test_a_word_is_found_whole_by_part_and_however_spelled(
    bank: Bank, query: str, line: int
) -> None:
    hits = bank.recall(query).hits
    assert [str(hit.source) for hit in hits[:1]] == [f"memory/2026-01-02.md#L{line}"]


@golden("index.md")
def test_no_text_is_an_error(bank: Bank, query: str) -> None:
    assert bank.recall(query).evidence in ("strong", "weak", "none")
    assert isinstance(bank.search(query), tuple)


@pytest.mark.parametrize("query", ["a" * 100_000, "word " * 5_000, "." * 300, "a/" * 2_000])
def test_no_long_text_is_an_error(bank: Bank, query: str) -> None:
    assert bank.recall(query).evidence in ("strong", "weak", "none")
    assert isinstance(bank.search(query), tuple)


@golden("index.md")
def test_what_holds_no_word_finds_nothing(bank: Bank, query: str) -> None:
    answer = bank.recall(query)
    assert (answer.hits, answer.evidence, answer.total) == ((), "none", 0)
    assert bank.search(query) == ()


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_text_is_answered_alike_twice(bank: Bank, query: str) -> None:
    if ":" in query:
        query = query.replace(":", " ")
    first = bank.recall(query)
    assert bank.recall(query).hits == first.hits


@golden("index.md")
def test_operators_of_the_match_language_are_plain_text(bank: Bank, query: str) -> None:
    assert bank.recall(query).hits[0].source.start_line == 4


def test_a_quoted_phrase_stands_before_its_scattered_words(write_log: Callable[..., Path]) -> None:
    root = write_log(
        "2026-01-02",
        "- W @Ada: The red boat lies at the green house.",
        "- W @Ada: The green boat lies at the red house.",
    )
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.recall('"green boat"').hits[0].source.start_line == 5
        assert bank.recall('"red boat"').hits[0].source.start_line == 4


def test_equal_scores_are_ordered_by_place(write_log: Callable[..., Path]) -> None:
    root = write_log("2026-01-02", *[f"- W @Ada: Fed hen {n} grain." for n in "abcdef"])
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        orders = {tuple(h.source for h in bank.recall("grain hen").hits) for _ in range(3)}
        bank.sync(full=True)
        orders.add(tuple(h.source for h in bank.recall("grain hen").hits))
    assert len(orders) == 1
