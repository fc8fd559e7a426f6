"""Chunk search and its snippets: they hold the match, each place once, never past their limit."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank import Bank
from lorebank.recall.snippets import SNIPPET_CHARACTERS, snippet
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


@pytest.fixture
def codes(tmp_path: Path) -> Iterator[Bank]:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2025-11-27.md").write_text(CODES, "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=date(2025, 12, 1)) as opened:
        yield opened


CODES = """# Errands

## Bookings
- The garage asks for a call on 06 55 12 34 56.
- The sails come with DHL 1A 204 77 310.
- The van is YD19 KLV, its policy VGO-3391-T.
- Order INC-55209 is for the pump.
- The ferry was booked, and a book bought for it.
- Sent him the book.
"""


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("0655123456", "06 55 12 34 56"),
        ("06-55-12-34-56", "06 55 12 34 56"),
        ("0655 12", "06 55 12 34 56"),
        ("123456", "06 55 12 34 56"),
        ("1a20477310", "1A 204 77 310"),
        ("1A204", "1A 204 77 310"),
        ("yd19klv", "YD19 KLV"),
        ("vgo3391t", "VGO-3391-T"),
        ("VGO 3391", "VGO-3391-T"),
        ("55209", "INC-55209"),
        ("booked", "was booked"),
    ],
)
def test_a_code_is_found_however_it_is_grouped(codes: Bank, typed: str, line: str) -> None:
    answer = codes.recall(typed)
    assert line in answer.hits[0].content
    assert answer.evidence == "strong"
    assert line in codes.search(typed)[0].snippet


def test_a_heading_with_the_very_word_leads_other_forms_of_it(codes: Bank) -> None:
    assert codes.search("bookings")[0].heading.endswith("Bookings")


FILLER = "Nothing of note was written on this line of the log.\n"


def test_a_short_text_is_shown_whole() -> None:
    assert snippet("\none\ntwo\n", ["two"]) == "one\ntwo"


@pytest.mark.parametrize("place", [0, 1, 20, 39, 40])
@pytest.mark.parametrize("needle", ["heron", "Straße", "東京", "Élan"])
def test_the_line_of_the_match_is_in_it(place: int, needle: str) -> None:
    lines = [FILLER.strip()] * 41
    lines[place] = f"A {needle} was seen."
    shown = snippet("\n".join(lines), [needle.lower()])
    assert needle in shown
    assert len(shown) <= SNIPPET_CHARACTERS
    assert shown.startswith("…") == (place > 20 or not shown.startswith(lines[0]))


@pytest.mark.parametrize("place", [0, 500, 2500, 4900])
def test_a_single_long_line_is_cut_around_the_match(place: int) -> None:
    text = "x " * (place // 2) + "heron " + "y " * 2500
    shown = snippet(text, ["heron"])
    assert "heron" in shown
    assert len(shown) <= SNIPPET_CHARACTERS


def test_folding_that_changes_lengths_does_not_lose_the_match() -> None:
    text = "ﷺß" * 900 + " heron " + "z" * 900
    assert "heron" in snippet(text, ["heron"])


@given(st.text(max_size=3000), st.lists(st.text(max_size=8), max_size=4))
def test_it_is_never_longer_than_the_limit(text: str, terms: list[str]) -> None:
    assert len(snippet(text, terms)) <= SNIPPET_CHARACTERS
    assert len(snippet(text, terms, limit=50)) <= 50


def test_another_form_of_the_word_is_a_match() -> None:
    lines = [FILLER.strip()] * 41
    lines[33] = "Two boats were painted."
    assert lines[33] in snippet("\n".join(lines), ["boated"])


@pytest.mark.parametrize("place", [900, 2400, 4700])
def test_a_long_line_is_cut_where_the_words_stand_together(place: int) -> None:
    """A single early "heron" is no reason to miss the later one beside the pond."""
    line = "A heron. " + "x " * (place // 2) + "the heron left the frozen pond" + " y" * 2500
    shown = snippet(line, ["heron", "pond", "frozen"])
    assert "the heron left the frozen pond" in shown
    assert len(shown) <= SNIPPET_CHARACTERS
