"""Tokens of a text with their places: words, runs of digits, single CJK letters, punctuation."""

from __future__ import annotations

import re
from collections.abc import Mapping
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

    def split(self, inflected: Mapping[str, int]) -> None:
        """Cut words with a suffix in two: `mayısta` into `mayıs` and `ta`."""
        for index in range(len(self.words) - 1, -1, -1):
            word = self.words[index]
            stem = inflected.get(word)
            if stem is not None and self.ends[index] - self.starts[index] == len(word):
                cut = self.starts[index] + stem
                self.words[index : index + 1] = [word[:stem], word[stem:]]
                self.starts.insert(index + 1, cut)
                self.ends.insert(index, cut)


def is_cjk(letter: str) -> bool:
    """Whether it is kana or a Han letter."""
    if letter.isascii():
        return False
    ranges = zip(_CJK[::3], _CJK[2::3], strict=True)
    return any(first <= letter <= last for first, last in ranges)


def tokenize(text: str) -> Tokens:
    """Cut a text; offsets count characters of the text as given."""
    if text.isascii():
        found = list(_ASCII_TOKEN.finditer(text.lower()))
        words = [match[0] for match in found]
    else:
        found = list(_any_token().finditer(text))
        words = [fold(match[0]) or match[0] for match in found]
    return Tokens(text, words, [m.start() for m in found], [m.end() for m in found])


@cache
def _any_token() -> re.Pattern[str]:
    """Tokens of any script; made when first needed, because its classes are large."""
    letter = rf"[^\W\d_{_CJK}]"
    return re.compile(rf"\d+|[{_CJK}]|{letter}+(?:[{_MARKS}]+{letter}*)*|\S")
