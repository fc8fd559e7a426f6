"""Fold spelling variants of letters into one form, and make slugs.

Case, width and ligatures fold through NFKC and `casefold`; diacritics fold on Latin and Greek
letters only, because on other scripts a mark is part of the letter: `が` is not `か`, `й` is not
`и`. The one Cyrillic exception is `ё`, which Russian itself writes as `е`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache

_ASCII = frozenset(map(chr, range(128)))

_EXTRA = str.maketrans(
    {
        "ё": "е",
        "ø": "o",
        "đ": "d",
        "ł": "l",
        "ı": "i",
        "ħ": "h",
        "æ": "ae",
        "œ": "oe",
        "’": "'",
        "‘": "'",
        "ʼ": "'",
        "＇": "'",
    }
)
_MARKED_BASES = re.compile(r"([a-zα-ω])[\u0300-\u036f]+")
_UNWRITTEN = re.compile(
    r"[\u0591-\u05bd\u05bf\u05c1\u05c2\u064b-\u0652\u0670\u0640"  # vowel points, tatweel
    r"\u00ad\u200b-\u200f\ufeff]"  # soft hyphen, zero-width characters
)
_SEPARATORS = re.compile(r"[\s_\-\u2010-\u2015\u2212/\\]+")
_NOT_SLUG = re.compile(r"[^\w.+#&'-]", re.UNICODE)
_ALONE = cache(  # compiled for the first letter beyond ASCII: it takes 3 ms
    lambda: re.compile(
        r"[\u00a0-\u052f\u1e00-\u1fff"  # Latin, Greek, Cyrillic
        r"\u2000-\u206f\u20a0-\u20bf\u2100-\u2bff"  # punctuation, currencies, symbols
        r"\u3000-\u30ff\u3400-\u9fff\uac00-\ud7a3\uff01-\uff9d]"  # Chinese, Japanese, Korean
    )
)
"""Blocks whose letters, except marks, never combine with their neighbours."""
_POSSESSIVE = re.compile(r"(?<=\w)(?:'s|'S|’s|’S|(?<=[sSxXzZ])['’])\Z")


def fold(text: str) -> str:
    """Case, width, ligatures and Latin or Greek diacritics folded away; length may change.

    >>> fold("Ｃafé STRAẞE")
    'cafe strasse'
    """
    if text.isascii():
        return text.lower()
    by_letter = fold_letters(text)
    return _fold_whole(text) if by_letter is None else by_letter


def fold_letters(text: str) -> str | None:
    """`fold` for texts whose letters fold independently, in a fraction of the time; `None` if
    letters may combine with their neighbours."""
    folded = text.lower()
    for letter in set(folded) - _ASCII:
        alone = _fold_letter(letter)
        if alone is None:
            return None
        if alone != letter:
            folded = folded.replace(letter, alone)
    return folded


def _fold_whole(text: str) -> str:
    # Drop before composing: a dropped character may be between a letter and its mark.
    folded = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    composed = unicodedata.normalize("NFC", _UNWRITTEN.sub("", folded)).translate(_EXTRA)
    stripped = _MARKED_BASES.sub(r"\1", unicodedata.normalize("NFD", composed))
    return unicodedata.normalize("NFC", stripped)


@lru_cache(maxsize=65536)
def _fold_letter(letter: str) -> str | None:
    """The folded letter; `None` if its neighbours may matter."""
    if _ALONE().fullmatch(letter) is None:
        return None
    parts = (*letter, *unicodedata.normalize("NFKC", letter))
    if any(unicodedata.category(part)[0] in "MC" for part in parts):
        return None
    folded = _fold_whole(letter)
    return folded if _fold_whole(folded) == folded else None


@lru_cache(maxsize=65536)
def slugify(name: str) -> str:
    """The key under which a name is kept: `The Castle`, `the_castle` → `the-castle`.

    Letters of any script with their vowel signs, digits and `. + # & '` stay, so `C`, `C++` and
    `C#` are three, and so are `राहुल`, `राहूल` and `रहल`. Empty if the name holds none of these.
    """
    joined = _SEPARATORS.sub("-", fold(name).strip())
    return _NOT_SLUG.sub(_keep_vowel_sign, joined).strip("-.'")


def strip_possessive(name: str) -> str:
    """`Peter's` → `Peter`, `James'` → `James`."""
    return _POSSESSIVE.sub("", name)


def _keep_vowel_sign(found: re.Match[str]) -> str:
    """The marks that make another word in Indic scripts and Thai; `\\w` does not know them.
    Accents that compose with no letter and the variation selectors of emoji go."""
    char = found.group()
    if "\u0300" <= char <= "\u036f" or "\ufe00" <= char <= "\ufe0f":
        return ""
    return char if unicodedata.category(char) in ("Mn", "Mc") else ""
