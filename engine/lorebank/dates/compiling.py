"""The text of `words.tsv`: the words of all languages, folded and cut into tokens.

A row is a first token and, as JSON, its readings: `[rest, tag, value, languages, collides]`; rows
that begin with `@` hold the other tables of the lexicon. A test holds the file to the modules under
`languages/`, and writes it where `LOREBANK_UPDATE_DATE_WORDS` is set.
"""

from __future__ import annotations

import json
from collections import defaultdict
from importlib import import_module
from types import ModuleType
from typing import Any

from lorebank.dates.lexicon import ANCHORS, LANGUAGES, language_bit
from lorebank.dates.tokens import tokenize


def compiled_words() -> str:
    """The whole text of the file."""
    meanings: dict[tuple[tuple[str, ...], str, Any, bool], int] = defaultdict(int)
    marks: dict[str, int] = defaultdict(int)
    vague: set[str] = set()
    tenses: dict[str, set[str]] = {"PAST": set(), "FUTURE": set(), "HABIT": set()}
    for code in LANGUAGES:
        module = import_module(f"lorebank.dates.languages.{code}")
        bit = language_bit(code)
        for tag, value, spelling, collides in _spellings(module):
            tokens = _tokens(spelling)
            meanings[tokens, tag, value, collides] |= bit
            if tag == "UNIT":
                meanings[tokens, f"U_{value.upper()}", value, collides] |= bit
        for word in _split(module.MARKS):
            marks[_tokens(word)[0]] |= bit
        vague.update(" ".join(_tokens(phrase)) for phrase in _split(module.VAGUE))
        for name, words in tenses.items():
            words.update(_tokens(word)[0] for word in _split(getattr(module, name)))
    anchors = {max(tokens, key=len) for tokens, tag, _, _ in meanings if tag in ANCHORS}
    rows = {
        "@anchors": " ".join(sorted(anchors)),
        "@marks": " ".join(f"{word} {bits}" for word, bits in sorted(marks.items())),
        "@vague": "|".join(sorted(vague)),
        "@past": " ".join(sorted(tenses["PAST"])),
        "@future": " ".join(sorted(tenses["FUTURE"])),
        "@habit": " ".join(sorted(tenses["HABIT"])),
        **_readings(meanings),
    }
    return "".join(f"{first}\t{row}\n" for first, row in rows.items())


def _readings(meanings: dict[tuple[tuple[str, ...], str, Any, bool], int]) -> dict[str, str]:
    by_first: dict[str, list[list[Any]]] = defaultdict(list)
    for (tokens, tag, value, collides), languages in meanings.items():
        rest = " ".join(tokens[1:])
        by_first[tokens[0]].append([rest, tag, value, languages, int(collides)])
    return {
        first: json.dumps(
            sorted(found, key=lambda entry: -len(entry[0].split())),
            ensure_ascii=False,
            separators=(",", ":"),
        )
        for first, found in sorted(by_first.items())
    }


def _spellings(module: ModuleType) -> list[tuple[str, Any, str, bool]]:
    found = []
    for tag, values in module.WORDS.items():
        for value, spellings in values.items():
            for spelling in _split(spellings):
                collides = spelling.startswith("~")
                found.append((tag, value, spelling.lstrip("~"), collides))
    return found


def _split(spellings: str) -> list[str]:
    return [s for s in spellings.split("|") if s]


def _tokens(spelling: str) -> tuple[str, ...]:
    return tuple(tokenize(spelling).words)
