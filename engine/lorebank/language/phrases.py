"""Phrases as the language files write them, as regular expressions over folded text.

`*` stands for any letters and `+` for three or more, `...` for any words, `#` for a number or an
hour, `^` for the beginning of the text and `$` for its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from lorebank.language.folding import fold

_UNSPACED = "\u2e80"
"""From here on scripts write words without spaces: no word boundary can be asked for."""
_NUMBER = r"\d{1,2}(?:[:.h]\d{2})?"


def pattern_of(phrase: str, hours: Iterable[str] = ()) -> str:
    """A regular expression for a phrase, on folded text; its words are whole words.

    `hours` are the words that count as a number: `one`, `noon`.
    """
    phrase = fold(phrase)
    anchored, ends = phrase.startswith("^"), phrase.endswith("$")
    bare = phrase.strip("^$").strip()
    middle = re.escape(bare).replace(r"\.\.\.\ ", r"(?:\S+\s+)*?").replace(r"\*", r"\w*")
    middle = middle.replace(r"\+", r"\w{3,}").replace(r"\ ", r"\s+")
    number = "|".join([_NUMBER, *(re.escape(fold(hour)) for hour in hours)])
    middle = middle.replace(r"\#", f"(?:{number})")
    before = r"\A\W*" if anchored else "" if bare[:1] >= _UNSPACED else r"(?<!\w)"
    after = r"\W*\Z" if ends else "" if bare[-1:] >= _UNSPACED else r"(?!\w)"
    return f"{before}{middle}{after}"
