"""Columns: wide letters count twice, marks not at all, and lines keep within their width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.cli.render.text import clean, display_width, truncate, wrap
from support import golden


@golden("terminal.md")
def test_width_in_columns(text: str, columns: int) -> None:
    assert display_width(text) == columns


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("one two three", 8, ["one two", "three"]),
        ("one  two", 20, ["one two"]),
        ("first\nsecond", 20, ["first", "second"]),
        ("memory/2025-11-27.md#L12 here", 10, ["memory/2025-11-27.md#L12", "here"]),
        ("東京都の天気", 8, ["東京都の", "天気"]),
        ("天気、晴れ", 4, ["天", "気、", "晴れ"]),
        ("彼は「雨」と言う", 6, ["彼は", "「雨」", "と言う"]),
        ("  indented code\n    deeper", 40, ["  indented code", "    deeper"]),
        ("", 10, [""]),
    ],
)
def test_wrapping(text: str, width: int, lines: list[str]) -> None:
    assert wrap(text, width) == lines


def test_indent_stands_before_every_line_and_first_before_the_first() -> None:
    assert wrap("one two three", 8, "  ", first="- ") == ["- one", "  two", "  three"]


@pytest.mark.parametrize(
    ("text", "width", "cut"),
    [
        ("short", 10, "short"),
        ("one two three", 8, "one two…"),
        ("東京都庁", 7, "東京都…"),
        ("two\nlines", 20, "two lines"),
    ],
)
def test_truncating(text: str, width: int, cut: str) -> None:
    assert truncate(text, width) == cut


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines", "two\nlines"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("bell\x07 null\x00", "bell\\x07 null\\x00"),
        ("lone\rreturn", "lone\\rreturn"),
        ("crlf\r\n", "crlf\n"),
        ("\u202eevil", "\\u202eevil"),
        ("\x9b2J", "\\x9b2J"),
    ],
)
def test_control_characters_become_visible(text: str, shown: str) -> None:
    assert clean(text) == shown


_WORDS = st.lists(st.text("abc東京、「」é\u0301", min_size=1, max_size=6), max_size=20)


@given(_WORDS, st.integers(12, 40))
def test_no_letter_is_lost_and_no_line_too_wide(words: list[str], width: int) -> None:
    text = " ".join(words)
    lines = wrap(text, width)
    assert "".join("".join(lines).split()) == "".join(words)
    assert max(map(display_width, lines)) <= width


@given(st.text(), st.integers(1, 40))
def test_a_cut_text_fits(text: str, width: int) -> None:
    assert display_width(truncate(clean(text), width)) <= width
