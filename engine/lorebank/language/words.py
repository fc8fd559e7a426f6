"""Tokenization for search, the same in index and query.

Scripts without spaces (Chinese, Japanese, Korean, Thai, …) are split into overlapping pairs of
letters, so that any two letters of a word find it; everything else at characters that are neither
letters nor digits. `searchable` gives the same tokens as text for FTS5.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Set
from functools import cache, lru_cache

from lorebank.language.folding import fold
from lorebank.languages import Sections, compiled

UNSPACED = (
    r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
    r"\u1100-\u11ff\u3040-\u30ff\u3130-\u318f\u31f0-\u31ff"  # Jamo, kana
    r"\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"  # Han, Hangul
    r"\U00020000-\U0003ffff々〆ー"
)
_ASCII_TOKEN = re.compile(r"[a-z0-9]+")
_MAY_BE_IDENTIFIER = re.compile(r"[\d_/\\>-]|[.:]\S|[a-z][A-Z]")
# Compiled when first needed: each takes longer than reading a plain question.
UNSPACED_RUN = cache(lambda: re.compile(f"[{UNSPACED}]+"))
_TOKEN = cache(lambda: re.compile(f"[{UNSPACED}]+|[^\\W_{UNSPACED}]+"))
_IDENTIFIER = cache(
    lambda: re.compile(
        # Possessive quantifiers: 4,000 dots in a row took 21 s without them.
        r"(?<!\w)(?:\$|--?)?[A-Za-z_]\w*+(?:(?:\.|::|/|-|:|->|\\)\w++)++(?:\(\))?"  # a.b, a-b, a::b
        r"|(?<![\w./~-])[./~]*+(?:[\w-][\w.-]*+/)++[\w.-]+"  # paths
        r"|\b[A-Za-z]+_[\w]+\b|\b_+\w+\b"  # snake_case, ENV_VAR
        r"|\b[0-9A-Fa-f]{8}-(?:[0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}\b"  # UUIDs: a part may be digits
        r"|\b[a-z]+(?:[A-Z][a-z0-9]+)+\b"  # camelCase
        r"|\b(?=\w*\d)(?=\w*[A-Za-z])[\w-]{3,}\b"  # a828e60, 7c1fe02-4d
    )
)
COMMON_START = 4  # two words may be forms of one if their first four letters are equal
_DEFAULT_LANGUAGE = "en"
_MIN_VOTES = 2
"""Stop words that decide for another language: a single one is often a word of the default."""
_FOREIGN_SHARE = 5
"""A text with more than a fifth of non-ASCII letters is not English: accented names have fewer, a
French sentence about that many, Russian or Chinese only such."""


def words(text: str) -> list[str]:
    """The folded tokens of a text, in order, repeated ones included.

    >>> words("Café in 東京都")
    ['cafe', 'in', '東京', '京都']
    """
    if text.isascii():
        return _ASCII_TOKEN.findall(text.lower())
    unspaced = UNSPACED_RUN()
    out: list[str] = []
    for token in _TOKEN().findall(fold(text)):
        if unspaced.match(token):
            out.extend(_pairs(token))
        else:
            out.append(token)
    return out


@lru_cache(maxsize=256)
def words_of(text: str) -> tuple[str, ...]:
    """As `words`, cached: several parsers look at each line in turn."""
    return tuple(words(text))


def same_word(one: str, other: str) -> bool:
    """Whether two folded words are forms of one: equal up to their ends; never for codes or
    numbers.

    >>> same_word("tuesday", "tuesdays"), same_word("bow", "bowl"), same_word("room-1", "room-2")
    (True, False, False)
    """
    if one == other:
        return True
    if one[: COMMON_START - 1] != other[: COMMON_START - 1]:
        return False
    if any(letter.isdigit() for letter in one + other):
        return False
    short, long = sorted((one, other), key=len)
    if len(short) < COMMON_START:
        return len(short) == COMMON_START - 1 and long in (short + "s", short + "n", short + "e")
    start = 0
    for a, b in zip(short, long, strict=False):
        if a != b:
            break
        start += 1
    return start >= max(COMMON_START, 0.65 * len(short)) and len(long) - start <= 5


def overlap(one: Set[str], other: Set[str]) -> float:
    """The share of the smaller set that both have in common."""
    return len(one & other) / max(min(len(one), len(other)), 1)


def content_words(text: str) -> list[str]:
    """`words` without the stop words of the text's language, each once; may be empty.

    >>> content_words("the door of my son's car")
    ['door', 'son', 'car']
    """
    tokens = dict.fromkeys(words(text))
    stops = _stop_words_for(tokens)
    return [token for token in tokens if token not in stops]


def searchable(text: str) -> str:
    """The text for FTS5: folded, unspaced scripts split into pairs."""
    if text.isascii():
        return text
    return UNSPACED_RUN().sub(lambda run: f" {' '.join(_pairs(run.group()))} ", fold(text))


def identifiers(text: str) -> list[str]:
    """Code-like tokens as written: `a828e60`, `src/foo.py`, `snake_case`, `connection.update`."""
    found: dict[str, None] = {}
    for part in text.split():
        # Identifiers have no blanks; skipping plain words is 30 times cheaper than the pattern.
        if (part.islower() and part.isalpha()) or part.isdigit():
            continue
        if _MAY_BE_IDENTIFIER.search(part):
            found.update((m.group().rstrip(".-:"), None) for m in _IDENTIFIER().finditer(part))
    return list(found)


def estimate_tokens(text: str) -> int:
    """Estimated tokens of a language model: 4 letters each, 1 in unspaced scripts."""
    if text.isascii():
        return (len(text) + 3) // 4
    unspaced = sum(len(run) for run in UNSPACED_RUN().findall(text))
    return unspaced + (len(text) - unspaced + 3) // 4


@lru_cache(maxsize=1)
def stop_words() -> frozenset[str]:
    """Stop words of all languages, folded."""
    own, everywhere = _stop_words_by_language()
    return everywhere.union(*own.values())


def stop_words_of(language: str) -> frozenset[str]:
    """Stop words of a language, folded."""
    return _stop_words_by_language()[0].get(language, frozenset())


def stop_words_among(languages: Collection[str]) -> frozenset[str]:
    """Words that say nothing in a text of one of these languages; of English where it may be that:
    "car", "van" and "son" say nothing in French and Dutch, and much in English. Those of all where
    none of these has any."""
    spoken = sorted(known_languages().intersection(languages))
    if not spoken:
        return stop_words()
    return _stop_words_of((_DEFAULT_LANGUAGE,) if _DEFAULT_LANGUAGE in spoken else tuple(spoken))


def known_languages() -> frozenset[str]:
    """Languages with stop words; only they can be likely."""
    return frozenset(_stop_words_by_language()[0])


def likely_languages(tokens: Iterable[str]) -> tuple[str, ...]:
    """The languages with most stop words among these folded tokens; all if none has any.

    >>> likely_languages(["la", "casa", "de", "mi", "abuela"])
    ('es',)
    """
    votes = _votes(tokens)
    most = max(votes.values())
    return tuple(code for code, count in votes.items() if count == most)


def _votes(tokens: Iterable[str]) -> dict[str, int]:
    """Language → number of its stop words among these folded tokens."""
    spoken_in = _languages_by_stop_word()
    votes = dict.fromkeys(_stop_words_by_language()[0], 0)
    for token in tokens:
        for code in spoken_in.get(token, ()):  # most words are not stop words
            votes[code] += 1
    return votes


def _stop_words_for(tokens: Iterable[str]) -> frozenset[str]:
    """The stop words of the most likely language of these tokens.

    "Car", "son" and "door" are stop words in French and Dutch, but not in English. A single word
    only decides for the default language.
    """
    spoken_in = _languages_by_stop_word()
    return _stop_words_by_votes(tuple([token for token in tokens if token in spoken_in]))


@lru_cache(maxsize=4096)
def _stop_words_by_votes(tokens: tuple[str, ...]) -> frozenset[str]:
    """The same for the stop words only, for caching: many texts have the same few."""
    votes = _votes(tokens)
    most = max(votes.values())
    likely = tuple(code for code, count in votes.items() if count == most)
    if _DEFAULT_LANGUAGE in likely:
        return _stop_words_of((_DEFAULT_LANGUAGE,))
    return _stop_words_of(likely if most >= _MIN_VOTES else ())


def reads_as_english(text: str) -> bool:
    """Whether a text is English, judged by its letters and stop words.

    >>> reads_as_english("the lost key"), reads_as_english("la clé perdue est là")
    (True, False)
    """
    letters = sum(map(str.isalpha, text))
    foreign = 0 if text.isascii() else sum(c.isalpha() and not c.isascii() for c in text)
    if foreign * _FOREIGN_SHARE > letters:
        return False
    votes = _votes(set(words(text)))
    return votes[_DEFAULT_LANGUAGE] == max(votes.values())


@cache
def _stop_words_of(spoken: tuple[str, ...]) -> frozenset[str]:
    """Those of some languages, and those for any text."""
    own, everywhere = _stop_words_by_language()
    return everywhere.union(*(own[code] for code in spoken))


@lru_cache(maxsize=1)
def _stop_words_by_language() -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    """Language → stop words, and those for any language; folded."""
    return compiled("stop_words", _folded_stop_words)


@lru_cache(maxsize=1)
def _languages_by_stop_word() -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for code, stops in _stop_words_by_language()[0].items():
        found |= {word: (*found.get(word, ()), code) for word in stops}
    return found


def _folded_stop_words(languages: Sections) -> tuple[dict[str, frozenset[str]], frozenset[str]]:
    own = {
        code: frozenset(fold(section["words"]).split())
        for code, section in languages.items()
        if "words" in section
    }
    anywhere = (section.get("everywhere", "") for section in languages.values())
    return own, frozenset(fold(" ".join(anywhere)).split())


def _pairs(run: str) -> list[str]:
    if len(run) < 2:
        return [run]
    return [run[i : i + 2] for i in range(len(run) - 1)]
