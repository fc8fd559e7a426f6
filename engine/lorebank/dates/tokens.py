"""Tokens of a text with their places: words, runs of digits, single CJK letters, punctuation."""

from __future__ import annotations

import re
from functools import cache

from lorebank.language.folding import fold
from lorebank.records import dataclass

_CJK = "\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9d"
"""The inside of a regular expression's class: kana and Han letters."""

_ASCII_TOKEN = re.compile(r"\d+|[a-z]+|\S")
_MARKS = "\u0300-\u036f"


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens of one text, as parallel lists."""

    text: str
    words: list[str]
    """Folded; digits of any width as ASCII digits."""
    starts: list[int]
    ends: list[int]

    def adjacent(self, index: int) -> bool:
        """Whether the token stands right behind the one before it."""
        return 0 < index < len(self.words) and self.ends[index - 1] == self.starts[index]


def is_cjk(letter: str) -> bool:
    """Whether it is kana or a Han letter."""
    if letter.isascii():
        return False
    ranges = zip(_CJK[::3], _CJK[2::3], strict=True)
    return any(first <= letter <= last for first, last in ranges)


def tokenize(text: str) -> Tokens:
    """Cut a text; offsets count characters of the text as given."""
    ascii_only = text.isascii()
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    found = _ASCII_TOKEN.finditer(text.lower()) if ascii_only else _any_token().finditer(text)
    for match in found:
        word = match.group()
        words.append(word if ascii_only else fold(word) or word)
        starts.append(match.start())
        ends.append(match.end())
    return Tokens(text, words, starts, ends)


@cache
def _any_token() -> re.Pattern[str]:
    """Tokens of any script; made when first needed, because its classes are large."""
    letter = rf"[^\W\d_{_CJK}]"
    return re.compile(rf"\d+|[{_CJK}]|{letter}+(?:[{_MARKS}]+{letter}*)*|\S")
