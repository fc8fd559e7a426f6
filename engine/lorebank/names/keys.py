"""The keys of a name: two names can only be one, or be proposed as one, if they share a key.

The same keys serve to compare two names and to find, among thousands, the few pairs worth
comparing. A key is `reason|text`. An `own` key must be shared as it is; a `short` key (an acronym,
initials, a first name) must be a `long` key of the other name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from lorebank.language.folding import fold
from lorebank.names.lexicon import (
    compact,
    given_names,
    groups,
    han_families,
    is_han_or_hangul,
    latinise,
    look,
    sound,
    surnames,
    word_pairs,
    words_of,
)
from lorebank.names.readings import Reading, split_full_name
from lorebank.records import Record

_ROMAN = re.compile(r"(?=.)m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})")
_ROMAN_FIGURES = {"m": 1000, "d": 500, "c": 100, "l": 50, "x": 10, "v": 5, "i": 1}


class Keys(Record):
    """All keys of one name."""

    own: frozenset[str]
    short: frozenset[str]
    long: frozenset[str]

    def shared(self, other: Keys) -> set[str]:
        """The keys that make the two names a possible pair."""
        return {*(self.own & other.own), *(self.short & other.long), *(self.long & other.short)}


def keys_of(reading: Reading) -> Keys:
    """The keys of a name."""
    if not reading.tokens:
        return Keys(frozenset(), frozenset(), frozenset())
    own = {*_spelling_keys(reading), *_group_keys(reading)}
    short, long = set(_acronyms_of(reading)), set(_acronyms_for(reading))
    for is_short, key in (*_person_keys(reading), *_cross_keys(reading)):
        (short if is_short else long).add(key)
    return Keys(frozenset(own), frozenset(short), frozenset(long))


def roman_value(token: str) -> int | None:
    """The value of a Roman numeral, folded; `None` where the token is none."""
    if token[0] not in _ROMAN_FIGURES or _ROMAN.fullmatch(token) is None:
        return None
    values = [_ROMAN_FIGURES[char] for char in token]
    following = [*values[1:], 0]
    return sum(-v if v < after else v for v, after in zip(values, following, strict=True))


def _spelling_keys(reading: Reading) -> Iterator[str]:
    tokens = reading.tokens
    yield f"same|{reading.joined}"
    yield f"look|{look(reading.joined)}"
    if not reading.joined.isascii():
        yield f"han|{reading.joined.translate(han_families())}"
    yield f"loose|{''.join(_loose_tokens(reading))}"
    if len(tokens) > 1:
        yield f"order|{' '.join(sorted(tokens))}"
    sounds = [token if token[0].isdigit() else sound(token) for token in tokens]
    if all(sounds) and sum(map(len, sounds)) > 2:
        yield f"sound|{''.join(sounds)}"
        if "ou" in reading.joined:
            yield f"sound|{''.join(sound(token.replace('ou', 'o')) for token in tokens)}"


def _loose_tokens(reading: Reading) -> list[str]:
    """Without article and joining words, abbreviations spelled out, figures in one form."""
    tokens = list(reading.tokens)
    if (
        len(tokens) > 1
        and tokens[0] in words_of("articles")
        and tokens[0] not in reading.abbreviated
    ):
        del tokens[0]
    spelled, figures, stops = word_pairs("abbreviations"), word_pairs("numbers"), words_of("stop")
    loose: list[str] = []
    for place, token in enumerate(tokens):
        following = tokens[place + 1] if place + 1 < len(tokens) else ""
        if place and token in stops and following:
            continue
        token = figures.get(token, token) if place or following else token
        token = _figure(token, reading, last=place > 0)
        loose.append(spelled.get(token, token).replace(".", "" if token[:1].isalpha() else "."))
    return loose


def _figure(token: str, reading: Reading, *, last: bool) -> str:
    if token.isdecimal():
        return str(int(token))
    if last and (token in reading.capitals or token[:2] in ("ii", "iv", "vi", "ix", "xi", "xx")):
        value = roman_value(token)
        return token if value is None else str(value)
    return token


def _group_keys(reading: Reading) -> Iterator[str]:
    known, tokens = groups(), reading.tokens
    for group in known.get(compact(reading.joined), ()):
        yield f"group|{group}"
    if len(tokens) == 1:
        return
    for place, token in enumerate(tokens):
        for group in known.get(token, ()):
            if group[0] == "e" or place == 0:
                yield f"group|{' '.join((*tokens[:place], group, *tokens[place + 1 :]))}"


def _acronyms_of(reading: Reading) -> Iterator[str]:
    """The keys by which this name may be the acronym of another."""
    tokens = reading.tokens
    plain = reading.joined
    if re.fullmatch(r"[^\W\d_]\d{1,2}[^\W\d_]", plain):
        yield f"acronym|{plain}"
    capitals = "".join(char for char in reading.name if char.isupper())
    if 1 < len(capitals) < len(reading.name) <= 7 and reading.name.isalpha():
        yield f"acronym|{plain}"
        if len(capitals) > 2:
            yield f"acronym|{fold(capitals)}"
    if len(tokens) == 1:
        token = tokens[0]
        handle = len(token) > 2 and reading.name.islower()
        if 2 <= len(token) <= 7 and (token in reading.capitals or handle):
            yield f"acronym|{token}"
        if len(token) == 2 and is_han_or_hangul(token):
            yield f"contraction|{token[0]}"
    elif len(tokens) < 5 and any(2 <= len(t) <= 4 for t in reading.capitals):
        yield f"acronym|{' '.join(tokens)}"


def _acronyms_for(reading: Reading) -> Iterator[str]:
    """The acronyms that may stand for this name, whole or for a part of it."""
    tokens = [token for token in reading.tokens if token != "&"]
    if len(tokens) == 1:
        token = tokens[0]
        if len(token) > 3 and token.isalpha():
            yield f"acronym|{token[0]}{len(token) - 2}{token[-1]}"
            if len(token) > 3 and is_han_or_hangul(token):
                yield f"contraction|{token[0]}"
        return
    if not 1 < len(tokens) < 9:
        return
    stops = words_of("stop")
    for words in (tokens, [token for token in tokens if token not in stops]):
        letters = [token[0] for token in words]
        yield f"acronym|{''.join(letters)}"
        for length in range(2, len(words)):
            for start in range(len(words) - length + 1):
                short = "".join(letters[start : start + length])
                yield f"acronym|{' '.join((*words[:start], short, *words[start + length :]))}"


def _person_keys(reading: Reading) -> Iterator[tuple[bool, str]]:
    """First names, surnames, initials: `(is_short, key)`."""
    tokens = reading.tokens
    if any(token[0].isdigit() for token in tokens) or len(tokens) > 5:
        return
    if len(tokens) == 1:
        yield from _single_name_keys(reading)
        return
    yield from _initial_keys(reading)
    generic = words_of("generic", "joiners")
    if reading.legal is not None or any(token in generic for token in tokens[1:]):
        return
    if tokens[0] in words_of("minor-titles"):
        yield True, f"title|{''.join(tokens[1:])}"
    if tokens[0] not in given_names():
        return
    yield False, f"title|{reading.joined}"
    yield False, f"first|{tokens[0]}"
    for group in groups().get(tokens[0], ()):
        yield False, f"first|{group}"
    particles = words_of("particles")
    for token in tokens[1:]:
        if token not in particles:
            yield False, f"last|{token}"
            if len(tokens) > 2:
                yield False, f"part|{tokens[0]} {token}"
    yield False, f"handle|{tokens[0][0]}{tokens[-1]}"
    if len(tokens) == 2:
        yield True, f"part|{tokens[0]} {tokens[1]}"
        yield len(tokens[1]) == 1, f"last-initial|{tokens[0]} {tokens[1][0]}"
    elif len(tokens) == 3:
        middle = tokens[1]
        is_initial = len(middle) == 1
        yield is_initial, f"middle|{tokens[0]} {middle[0]} {tokens[2]}"


def _single_name_keys(reading: Reading) -> Iterator[tuple[bool, str]]:
    token = reading.tokens[0]
    if token in words_of("generic") or reading.legal is not None:
        return
    yield True, f"first|{token}"
    yield True, f"last|{token}"
    yield False, f"title|{token}"
    for group in groups().get(token, ()):
        if group[0] == "n":
            yield True, f"first|{group}"
    if len(token) > 3 and reading.name.islower():
        yield True, f"handle|{token}"
    if len(token) == 2 and token[0] in "老小阿" and token[1] in surnames():
        yield True, f"last|{token[1]}"
    parts = split_full_name(token)
    if parts is not None:
        yield False, f"last|{parts[0]}"
        if len(parts[1]) > 1:
            yield False, f"first|{parts[1]}"
    if token in reading.abbreviated and len(token) > 2:
        yield True, f"initials|{token[0]} "
    elif len(token) > 3:
        yield False, f"initials|{token[0]} "


def _initial_keys(reading: Reading) -> Iterator[tuple[bool, str]]:
    first, rest = reading.tokens[0], reading.tokens[1:]
    tail = " ".join(rest)
    if len(first) == 1 or (first in reading.abbreviated and first.isalpha()):
        initials = first if len(first) == 1 or first in reading.capitals else first[0]
        yield True, f"initials|{initials} {tail}"
        if len(initials) > 1:
            yield True, f"initials|{initials[0]} {tail}"
        return
    yield False, f"initials|{first[0]} {tail}"


def _cross_keys(reading: Reading) -> Iterator[tuple[bool, str]]:
    """The text shown for a link, and surnames in another script."""
    yield False, f"shown|{reading.slug}"
    if reading.shown:
        yield True, f"shown|{reading.shown}"
    joined = reading.joined
    if joined.isascii():
        if len(reading.tokens) < 3:
            for token in reading.tokens:
                yield False, f"reading|{token}"
        return
    if is_han_or_hangul(joined):
        parts = split_full_name(joined)
        for latin in surnames().get(parts[0] if parts else joined, ()):
            yield True, f"reading|{latin}"
    else:
        yield False, f"reading|{latinise(joined)}"
