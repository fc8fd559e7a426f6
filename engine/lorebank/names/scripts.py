"""Writing systems: the Latin sound of other scripts, letters that look alike, a spelling's sound.

Everything here is for proposing that two names may be one; none of it is safe enough to merge.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from lorebank.names.lexicon import letter_list, letter_pairs

_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u30fc]+")
_HAN_OR_HANGUL = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々\uac00-\ud7a3]+"
)
_SPELLINGS: tuple[tuple[re.Pattern[str], str], ...] = tuple(
    (re.compile(pattern), replacement)
    for pattern, replacement in (
        (r"shch|schtsch|chtch", "Š"),
        (r"tsch|tch|tsj|ch(?=[aeiouy])|č|ç", "Č"),
        (r"dsch|dzh|dj", "j"),
        (r"sch|sh|sj|š", "Š"),
        (r"zh", "Ž"),
        (r"kh|ch", "h"),
        (r"ph", "f"),
        (r"th", "t"),
        (r"gh", "g"),
        (r"ck|q(?:u(?=[aeio]))?", "k"),
        (r"x", "ks"),
        (r"c(?=[eiy])", "s"),
        (r"c", "k"),
        (r"w", "v"),
        (r"tz|ts", "z"),
        (r"\A[jy](?=e)", ""),
        (r"(?<=[aou])[jyi](?=e)", ""),
        (r"(?:[jyi]?e|o)(?:v|ff?)\Z", "ov"),
        (r"[ijy]+", "i"),
        (r"ue", "u"),
        (r"oe|oh(?![aeiou])", "o"),
        (r"ae", "a"),
        (r"ou|oo", "u"),
        (r"ie|ee", "i"),
        (r"(?<=[aeiou])h(?![aeiou])", ""),
        (r"(?<=[^aeiou])h(?=[^aeiou]|\Z)", ""),
        (r"(.)\1+", r"\1"),
    )
)


def scripts_of(text: str) -> frozenset[str]:
    """The scripts of a text that need keys of their own: `cyrillic`, `semitic`, `han`, `hangul`;
    Greek counts as Cyrillic, for both are compared with Latin in the same ways."""
    if text.isascii():
        return frozenset()
    found = set()
    for char in text:
        code = ord(char)
        if 0x370 <= code <= 0x52F:
            found.add("cyrillic")
        elif 0x590 <= code <= 0x6FF:
            found.add("semitic")
        elif 0xAC00 <= code <= 0xD7A3:
            found.add("hangul")
        elif 0x3400 <= code <= 0x9FFF or 0xF900 <= code <= 0xFAFF or code >= 0x20000:
            found.add("han")
    return frozenset(found)


def is_kana(text: str) -> bool:
    """Whether all letters are hiragana or katakana."""
    return _KANA.fullmatch(text) is not None


def is_han_or_hangul(text: str) -> bool:
    """Whether all letters are Chinese characters or Korean syllables."""
    return _HAN_OR_HANGUL.fullmatch(text) is not None


def latinise(token: str) -> str:
    """A folded token in Latin letters as its script is usually romanised; letters of scripts that
    need a dictionary (Han, Arabic, Hebrew) stay."""
    if token.isascii():
        return token
    latin = token.translate(letter_pairs("letters"))
    return latin if latin.isascii() else _KANA.sub(lambda run: _kana_to_latin(run.group()), latin)


@lru_cache(maxsize=8192)
def sound(token: str) -> str:
    """A key that spellings of the same sound share: `tchaikovsky`, `чайковский`; empty where the
    token has letters without a Latin sound."""
    key = latinise(token)
    if not key.isascii():
        return ""
    for pattern, replacement in _SPELLINGS:
        key = pattern.sub(replacement, key)
    return key


def look(text: str) -> str:
    """Folded text with Cyrillic and Greek letters turned into the Latin ones they look like."""
    return text.translate(letter_pairs("look-alikes"))


def voiceless(text: str) -> str:
    """Kana without their voicing marks: `が` → `か`; for telling a voicing apart from a slip."""
    return re.sub("[\u3099\u309a]", "", unicodedata.normalize("NFD", text))


def consonants(token: str) -> str:
    """The consonants that Arabic, Hebrew and Latin spellings of one name share."""
    if not token.isascii():
        key = token.translate(letter_pairs("semitic"))
    else:
        key = re.sub("kh", "k", re.sub("sh", "s", re.sub("th", "t", token)))
        key = re.sub("dh", "d", re.sub("gh|g", "j", re.sub("ch", "h", key)))
        key = re.sub("[aeiouyw]|h\\Z", "", key).translate(str.maketrans("pfvqc", "bbbkk"))
    return re.sub(r"(.)\1+", r"\1", key)


def korean_sound(text: str) -> str:
    """A key that romanisations of one Korean name share; Hangul is romanised first."""
    latin = "".join(map(_hangul_to_latin, text))
    for pattern, replacement in (
        ("ee", "i"),
        ("oo", "u"),
        ("eo|ou", "o"),
        ("eu", "u"),
        ("ae", "e"),
        ("u", "o"),
        ("ch|j", "c"),
        ("g", "k"),
        ("d", "t"),
        ("b", "p"),
        ("r", "l"),
        (r"(.)\1+", r"\1"),
    ):
        latin = re.sub(pattern, replacement, latin)
    return latin


def _hangul_to_latin(char: str) -> str:
    index = ord(char) - 0xAC00
    if not 0 <= index < 11172:
        return char
    lead, vowel, tail = index // 588, index % 588 // 28, index % 28
    return (
        letter_list("hangul-lead")[lead]
        + letter_list("hangul-vowel")[vowel]
        + letter_list("hangul-tail")[tail]
    )


def _kana_to_latin(run: str) -> str:
    hiragana = "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in run)
    latin = hiragana.replace("っ", "~").translate(letter_pairs("kana"))
    latin = re.sub(r"(sh|ch|j)i\^y", r"\1", latin)
    latin = re.sub(r"[aiueo]\^", "", latin).replace("^", "")
    latin = re.sub(r"~(.)", r"\1\1", latin).replace("~", "")
    return latin.replace("ー", "")
