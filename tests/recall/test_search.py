"""Chunk search: snippets that hold the match, each place once."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from support import WORDS_ONLY


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    """One long note, cut into overlapping chunks, with a heron on each fortieth line."""
    lines = [
        f"Line {n} tells of the weather over the hills and of little else besides."
        if n % 40
        else f"Line {n} tells of a heron that stood beside the pond at noon."
        for n in range(1, 401)
    ]
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "long.md").write_text("# Birds\n\n" + "\n".join(lines) + "\n", "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2025, 12, 1)) as opened:
        yield opened


def test_each_matching_line_is_shown_once(bank: Bank) -> None:
    hits = bank.search("heron pond", k=20)
    told = [line for hit in hits for line in hit.snippet.split("\n") if "heron" in line]
    assert len(set(told)) == len(told) == 10


def test_a_snippet_is_short_and_holds_the_match(bank: Bank) -> None:
    for hit in bank.search("herons by a pond", k=20):
        assert len(hit.snippet) <= 700
        assert "heron" in hit.snippet


def test_the_number_asked_for_is_given_where_there_are_so_many(bank: Bank) -> None:
    assert len(bank.search("heron", k=4)) == 4


def test_a_match_in_one_long_line_is_shown_once(tmp_path: Path) -> None:
    words = " ".join(f"Sentence {n} speaks of nothing much at all." for n in range(600))
    text = f"{words[:9000]} The heron code is 4711. {words[9000:]}"
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "long.md").write_text(f"# Birds\n\n{text}\n", "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY) as opened:
        hits = opened.search("heron code", k=10)
    assert ["4711" in hit.snippet for hit in hits] == [True]
