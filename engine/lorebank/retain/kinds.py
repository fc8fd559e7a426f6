"""What kind of fact a sentence is: as its writer names it, else by the `[routing]` phrases of the
language files."""

from __future__ import annotations

import re
from functools import cache

from lorebank.domain.facts import FactKind
from lorebank.errors import UsageError
from lorebank.language.folding import fold
from lorebank.language.statements import pattern_of
from lorebank.language.words import known_languages, likely_languages, words
from lorebank.languages import phrase_lists


def parse_kind(kind: FactKind | str | None) -> FactKind | None:
    """A kind by its name or its letter; `UsageError` for anything else."""
    if kind is None or isinstance(kind, FactKind):
        return kind
    for known in FactKind:
        if kind.strip().lower() in (known.value, known.letter.lower()):
            return known
    choices = ", ".join(f"{known.value} ({known.letter})" for known in FactKind)
    raise UsageError(f"unknown kind '{kind}'", hint=f"use one of {choices}")


def kind_of(text: str) -> FactKind:
    """The kind of a sentence that names none.

    A preference or judgement is an opinion; what the writer did is an experience; all else, what
    somebody cannot eat included, is a fact about the world.
    """
    name, _, rest = text.partition(" ")
    named = name[:1].isupper() and fold(name) in not_names()  # Will lives in Bath
    if _holds_in_its_language(rest if named else text, "opinion"):
        return FactKind.OPINION
    if _holds_in_its_language(text, "deed") or _holds_in_its_language(text, "did"):
        return FactKind.EXPERIENCE
    return FactKind.WORLD


def holds_phrase(text: str, entry: str) -> bool:
    """Whether a text holds a phrase of that entry in any language, as an order does."""
    folded = fold(text)
    return any(
        re.search(pattern_of(phrase), folded)
        for word, phrase in _longest_words(entry)
        if word in folded  # most are ruled out so, and no pattern is compiled for them
    )


@cache
def _longest_words(entry: str) -> list[tuple[str, str]]:
    """The phrases of an entry, each behind its longest word as it stands in folded text."""
    listed = [phrase for each in phrases(entry).values() for phrase in each]
    return [(max(fold(p).translate(_NO_SIGNS).split(), key=len), p) for p in listed]


def asked_tasks(question: str) -> str:
    """`promises`, `open` or `done`; by a phrase of its own, or a word for tasks and for state."""
    if holds_phrase(question, "asks_promises"):
        return "promises"
    names_tasks = _holds_in_its_language(question, "task")
    for state, asking in (("open", "asks_tasks"), ("done", "asks_done")):
        said = names_tasks and _holds_in_its_language(question, state)
        if said or holds_phrase(question, asking):
            return state
    return ""


@cache
def words_for_tasks() -> frozenset[str]:
    """The words by which tasks are asked for, in all languages: they say nothing of a task."""
    entries = ("asks_tasks", "asks_done", "asks_promises", "task", "open", "done")
    listed = (p for entry in entries for each in phrases(entry).values() for p in each)
    return frozenset(word for phrase in listed for word in words(phrase.translate(_NO_SIGNS)))


_NO_SIGNS = str.maketrans("*+#^$.", "      ")
"""The signs of a phrase; see `pattern_of`."""


def _holds_in_its_language(text: str, entry: str) -> bool:
    """As `holds_phrase`, in the languages that the text may be in: German `will` wants, and English
    `will` only marks the tense."""
    folded = fold(text)
    telling = [word for word in words(text) if len(word) > 1]  # one letter is a word of many
    spoken = likely_languages(telling)
    return any(
        pattern.search(folded)
        for code, pattern in _patterns(entry).items()
        if code in spoken or code not in known_languages()
    )


def phrases(entry: str) -> dict[str, tuple[str, ...]]:
    listed = phrase_lists("routing")
    return {code: entries[entry] for code, entries in listed.items() if entry in entries}


@cache
def not_names() -> frozenset[str]:
    """Names that, written small, are common words: `rose`, `will`."""
    return frozenset(fold(word) for words in phrases("not_names").values() for word in words)


@cache
def _patterns(entry: str) -> dict[str, re.Pattern[str]]:
    found: dict[str, re.Pattern[str]] = {}
    for code, listed in phrases(entry).items():
        patterns = [pattern_of(phrase) for phrase in listed]
        if entry == "did":  # what the writer did, whether it says "I" or leaves that out
            me = "|".join(map(fold, phrases("me")[code]))
            verbs = "|".join(pattern.removeprefix(r"(?<!\w)") for pattern in patterns)
            patterns = [rf"(?:\A\W*|(?<!\w)(?:{me})\s+)(?:{verbs})"]
        found[code] = re.compile("|".join(patterns))
    return found
