"""Tokens of a text with their places: words, runs of digits, single CJK letters, punctuation."""

from __future__ import annotations

import re
from dataclasses import dataclass

from lorebank.language.folding import fold

__all__ = ["CJK", "Tokens", "tokenize"]

CJK = "\u3005-\u3007\u3040-\u30fa\u30fc-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff66-\uff9d"
"""The inside of a regular expression's class: kana and Han letters."""

_MARKS = "\u0300-\u036f"
_TOKEN = re.compile(rf"\d+|[{CJK}]|[^\W\d_{CJK}][^\W\d_{CJK}]*(?:[{_MARKS}]+[^\W\d_{CJK}]*)*|\S")


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


def tokenize(text: str) -> Tokens:
    """Cut a text; offsets count characters of the text as given."""
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _TOKEN.finditer(text):
        words.append(fold(match.group()) or match.group())
        starts.append(match.start())
        ends.append(match.end())
    return Tokens(text, words, starts, ends)
