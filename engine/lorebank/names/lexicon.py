"""What names are compared by: tables of words, each read when first asked for, and writing systems.

What scripts sound or look like is for proposing that two names may be one; it is never enough to
merge them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

from lorebank.language.folding import fold
from lorebank.languages import spellings
from lorebank.records import Record

_GLUE = re.compile(r"[\s_\-\u2010-\u2015\u2212/\\.'’·・]+")


class LegalForm(Record):
    """A firm's legal form as one of its spellings gives it."""

    name: str  # the form that all its spellings share
    written: str  # this spelling without dots: `SpA`
    leading: bool  # true where it stands before the firm's name
    either: bool  # true where it stands before or behind it
    weak: bool  # true where a name with it is not safely the same as the name without it


def compact(text: str) -> str:
    """Folded, without separators, dots and apostrophes: how the tables key a name."""
    return _GLUE.sub("", fold(text))


@cache
def groups() -> Mapping[str, tuple[str, ...]]:
    """Compact name → the groups that hold it: `n…` for given names, `e…` for other equivalents."""
    found: dict[str, list[str]] = {}
    for number, line in enumerate(_lines("nicknames.txt")):
        for form in line.split():
            found.setdefault(compact(form), []).append(f"n{number}")
    for number, line in enumerate(_lines("equivalents.txt")):
        for form in line.split("|"):
            found.setdefault(compact(form), []).append(f"e{number}")
    return MappingProxyType({name: tuple(dict.fromkeys(ids)) for name, ids in found.items()})


@cache
def given_names() -> frozenset[str]:
    """Given names and their short forms, compact."""
    listed = {compact(name) for line in _lines("given_names.txt") for name in line.split()}
    grouped = {compact(name) for line in _lines("nicknames.txt") for name in line.split()}
    return frozenset(listed | grouped)


@cache
def titles() -> Mapping[str, str]:
    """Folded form of address → `m`, `f` or `-`; with its dot where it counts only so."""
    found: dict[str, str] = {}
    for line in _lines("titles.txt"):
        kind, *forms = line.split()
        found.update({fold(form): kind for form in forms})
    for entry, kind in (("titles", "-"), ("titles_m", "m"), ("titles_f", "f")):
        found.update(dict.fromkeys(map(fold, spellings("names", entry)), kind))
    return MappingProxyType(found)


@cache
def legal_forms() -> Mapping[tuple[str, ...], LegalForm]:
    """The folded tokens of each spelling → its form."""
    found: dict[tuple[str, ...], LegalForm] = {}
    for line in _lines("legal_forms.txt"):
        spellings = line.lstrip("^~?").split("|")
        for spelling in spellings:
            key = tuple(fold(spelling).strip("()").split())
            found.setdefault(key, LegalForm(spellings[0], spelling, *map(line.startswith, "^~?")))
    return MappingProxyType(found)


@cache
def han_families() -> Mapping[int, str]:
    """A table for `str.translate` that maps each character of a family to its first one."""
    families = (family for line in _lines("han_variants.txt") for family in line.split())
    return MappingProxyType({ord(char): family[0] for family in families for char in family[1:]})


@cache
def surnames() -> Mapping[str, tuple[str, ...]]:
    """Surname in Han or Hangul → its Latin readings, folded."""
    rows = (line.split() for line in _lines("surnames.txt"))
    return MappingProxyType({name: tuple(map(fold, readings)) for name, *readings in rows})


@cache
def words_of(*sections: str) -> frozenset[str]:
    """The folded words of some sections of the word table."""
    return frozenset(word for section in sections for word in word_list(section))


@cache
def word_pairs(section: str) -> Mapping[str, str]:
    """The pairs of one section: `dept=department` → `{"dept": "department"}`; in `numbers`,
    where the figure stands first, `{"one": "1"}`."""
    pairs = (word.split("=") for word in word_list(section))
    if section == "numbers":
        return MappingProxyType({word: figure for figure, word in pairs})
    return MappingProxyType(dict(pairs))


@cache
def word_list(section: str) -> tuple[str, ...]:
    """The folded words of one section of the word table, in their order."""
    listed = [*table_sections("words.txt").get(section, ())]
    listed += spellings("names", section.replace("-", "_"))
    return tuple(map(fold, [*listed, *(spellings("names", "and") if section == "joiners" else ())]))


@cache
def letter_pairs(section: str) -> Mapping[int, str]:
    """One section of the letter table, for `str.translate`; `-` is read as no letter."""
    pairs = (entry.replace("-", "").split("=") for entry in table_sections("letters.txt")[section])
    return MappingProxyType({ord(letter): latin for letter, latin in pairs})


@cache
def table_sections(table: str) -> Mapping[str, tuple[str, ...]]:
    """Section → its entries as written, in the order of the table."""
    found: dict[str, list[str]] = {}
    section = ""
    for line in _lines(table):
        if line.startswith("["):
            section = line.strip("[]")
        else:
            found.setdefault(section, []).extend(line.split())
    return MappingProxyType({name: tuple(entries) for name, entries in found.items()})


def _lines(table: str) -> list[str]:
    text = Path(__file__).with_name("tables").joinpath(table).read_text("utf-8")
    return [line for line in text.split("\n") if line and not line.startswith("#")]


_KANA = re.compile(r"[\u3041-\u3096\u30a1-\u30fa\u30fc]+")
_HAN_OR_HANGUL = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff々\uac00-\ud7a3]+"
)


@cache
def _spellings() -> tuple[tuple[re.Pattern[str], str], ...]:
    rows = (line.partition(" ") for line in _lines("sounds.txt"))
    return tuple((re.compile(pattern), written) for pattern, _, written in rows)


def is_han_or_hangul(text: str) -> bool:
    """Whether all letters are Chinese characters or Korean syllables."""
    return not text.isascii() and _HAN_OR_HANGUL.fullmatch(text) is not None


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
    for pattern, replacement in _spellings():
        key = pattern.sub(replacement, key)
    return key


def look(text: str) -> str:
    """Folded text with Cyrillic and Greek letters turned into the Latin ones they look like."""
    return text.translate(letter_pairs("look-alikes"))


def _kana_to_latin(run: str) -> str:
    hiragana = "".join(chr(ord(c) - 0x60) if "ァ" <= c <= "ヶ" else c for c in run)
    latin = hiragana.replace("っ", "~").translate(letter_pairs("kana"))
    latin = re.sub(r"(sh|ch|j)i\^y", r"\1", latin)
    latin = re.sub(r"[aiueo]\^", "", latin).replace("^", "")
    latin = re.sub(r"~(.)", r"\1\1", latin).replace("~", "")
    return latin.replace("ー", "")
