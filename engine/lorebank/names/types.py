"""What an entity is: a person, a place, an organisation, a project, a thing or an event.

By rules that each give their reason; a name that no rule speaks of has no type.
What a person wrote in the page's front matter always wins; that is decided where types are stored.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType

from lorebank.language.folding import fold
from lorebank.languages import spellings
from lorebank.names.lexicon import given_names, table_sections, words_of
from lorebank.names.readings import Reading, read_name, split_full_name

_PERSONAL = frozenset({"residence", "employer", "occupation", "spouse", "birthplace"})
"""Properties that only people have."""


_KINDS_OF_VALUES = {
    "residence": "place",
    "birthplace": "place",
    "employer": "organisation",
    "manager": "person",
    "spouse": "person",
}


def guess_type(
    names: Iterable[str], relations: Collection[str] = (), values_of: Collection[str] = ()
) -> tuple[str, str] | None:
    """`(type, reason)` from an entity's names and what its facts fix, or `None`.

    `relations` are the properties that facts state of it, `values_of` those of others whose value
    it is. The first rule that speaks counts: legal form and title, then a telling word in a name,
    then properties, then given names.
    """
    readings = [read_name(name) for name in names]
    for rule in (_by_form, _by_word):
        for reading in readings:
            found = rule(reading)
            if found is not None:
                return found
    personal = sorted(_PERSONAL.intersection(relations))
    if personal:
        return "person", f"has a {personal[0]}"
    for relation, kind in _KINDS_OF_VALUES.items():
        if relation in values_of:
            return kind, f"somebody's {relation}"
    for reading in readings:
        found = _by_given_name(reading)
        if found is not None:
            return found
    return None


def _by_form(reading: Reading) -> tuple[str, str] | None:
    if reading.legal is not None and len(reading.legal.name) > 1:
        return "organisation", f"legal form {reading.legal.written}"
    if reading.genders and reading.tokens:
        return "person", "form of address"
    return None


def _by_word(reading: Reading) -> tuple[str, str] | None:
    """A word that gives the type; in most languages the last one does, in some the first."""
    if _is_person(reading):
        return None
    tokens = [token for token in reading.tokens if not token[0].isdigit()]
    ordered = [*reversed(tokens[1:]), *tokens[:1]]
    words, endings, any_ending = _words()
    for token in ordered:
        if token in words:
            return words[token], f"“{token}” in its name"
    for token in ordered:
        if not token.endswith(any_ending):
            continue
        for ending, kind in endings.items():
            if token.endswith(ending) and len(token) > len(ending) + 1:
                return kind, f"“{ending}” in its name"
    return None


def _is_person(reading: Reading) -> bool:
    """Whether all of it is a person's name: `Bill House` is one, `Peter's House` is none."""
    tokens = reading.tokens
    return len(tokens) == 2 and tokens[0] in given_names() and tokens[0] not in _words()[0]


def _by_given_name(reading: Reading) -> tuple[str, str] | None:
    tokens = reading.tokens
    if not tokens or len(tokens) > 4 or any(token[0].isdigit() for token in tokens):
        return None
    capital = reading.name[:1].isupper() or not reading.name.isascii()
    if tokens[0] in given_names() and capital and not reading.name.isupper():
        if any(token in words_of("generic") for token in tokens[1:]) and not _is_person(reading):
            return None
        return "person", f"“{tokens[0]}” is a given name"
    if len(tokens) == 1 and split_full_name(tokens[0]) is not None:
        return "person", "surname and given name"
    return None


@lru_cache(maxsize=1)
def _words() -> tuple[Mapping[str, str], Mapping[str, str], tuple[str, ...]]:
    """Word → type, ending → type, and all endings; the first section that holds a word counts."""
    words: dict[str, str] = {}
    endings: dict[str, str] = {}
    for kind, listed in table_sections("types.txt").items():
        for word in (*listed, *spellings("names", kind)):
            if word.startswith("-"):
                endings.setdefault(fold(word[1:]), kind)
            elif word.isascii() or not any("\u3040" <= char <= "\ud7ff" for char in word):
                words.setdefault(fold(word), kind)
            else:
                words.setdefault(word, kind)
                endings.setdefault(word, kind)
    return MappingProxyType(words), MappingProxyType(endings), tuple(endings)
