"""What is known of properties without reading sentences: which values are alike, what is asked.

`where does Peter live?` asks for his residence, by the patterns of `questions.toml`. A question in
one language finds a fact in another this way, because both come down to the same relation.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

from lorebank.language.folding import fold
from lorebank.language.words import content_words, stop_words, words
from lorebank.languages import Sections, compiled

WORDS_BESIDE = 1
"""How many words a question about a property holds beside its name and the entity's."""

_CLAUSE = re.compile(r"[,;:]\s+|(?<=\w{3})[.!]\s+|\s[–—]\s|[、，；。]")
_LIST = 3
"""Clauses from which on a line is a list: two may be one statement (`lives in Bonn, Germany`)."""
_STEM = 6
"""Letters of a word that count: `Saturday` and `Saturdays` are one."""


def asked_relations(question: str, names: Collection[str] = ()) -> tuple[str, ...]:
    """The relations that a question asks about, in the order of the table; mostly none or one.

    `names` are the folded words of the entities named. A question with more in it than a name, a
    property and a word beside ("where does the van that Runa lives in come from?") asks for none.

    >>> asked_relations("Wo wohnt Runa?", {"runa"})
    ('residence',)
    """
    folded = fold(question)
    found: list[str] = []
    for name, pattern in _patterns().items():
        match = pattern.search(folded)
        if match is None:
            continue
        outside = f"{folded[: match.start()]} {folded[match.end() :]}"
        if (
            len([w for w in words(outside) if w not in names and w not in stop_words()])
            <= WORDS_BESIDE
        ):
            found.append(name)
    return tuple(found)


def asking_words(question: str, relations: Collection[str]) -> frozenset[str]:
    """The words of a question that ask for these relations: `do for a living`."""
    folded = fold(question)
    found = (_patterns()[relation].search(folded) for relation in relations)
    return frozenset(word for match in found if match for word in words(match.group()))


def same_value(one: str, other: str) -> bool:
    """Whether two values say the same: one holds all the words of the other."""
    ours, theirs = set(one.split()), set(other.split())
    return ours <= theirs or theirs <= ours


def ends_value(ended: str, value: str) -> bool:
    """Whether what is over takes the value with it: `hooli` does `hooli berlin`, `berlin` does
    `berlin-mitte`; never reversed."""
    said = {part for word in value.split() for part in (word, *word.split("-"))}
    return set(ended.split()) <= said


def clauses_of(text: str) -> list[str]:
    """The clauses of a line as they stand in it: `engineer in Bonn`, `married to Kim`."""
    return _CLAUSE.split(text.rstrip(" ."))


def clause_meant(older: str, newer: str, names: Collection[str] = ()) -> str:
    """Of a line that states several things the one that a newer line speaks of; empty where that is
    none or more than one, and for the first: what stands behind that is mostly said of it (`Listens
    on port 7441, plain text, inside only`). Of two things the second counts only where it says more
    than the newer line repeats. `names` are folded words.

    Of 16 lines of two things by another hand, one of which ended, the right one is found in 7 and
    no wrong one; 16 lines that are replaced whole stay whole.

    >>> clause_meant("Volunteer, has the van, brings leaf mould.", "Sold the van to a farmer.")
    'has the van'
    >>> clause_meant("Her brother, works as a nurse.", "Gave up nursing, works in a library now.")
    'works as a nurse'
    """
    clauses = [clause for clause in clauses_of(older) if _stems(clause, names)]
    meant = [c for c in clauses if not _stems(c, names).isdisjoint(_stems(newer, names))]
    if len(meant) != 1 or meant[0] == clauses[0]:
        return ""
    is_listed = len(clauses) >= _LIST or _stems(meant[0], names) - _stems(newer, names)
    return meant[0] if is_listed else ""


def _stems(text: str, names: Collection[str]) -> frozenset[str]:
    return frozenset(word[:_STEM] for word in content_words(text) if word not in names)


@lru_cache(maxsize=1)
def _patterns() -> dict[str, re.Pattern[str]]:
    found = compiled("asked_relations", _read_questions, uses="questions.toml")
    return {name: re.compile(pattern) for name, pattern in found.items()}


def _read_questions(_: Sections) -> dict[str, str]:
    import tomllib  # only where the cache is out of date

    text = Path(__file__).with_name("questions.toml").read_text("utf-8")
    return {name: "|".join(parts) for name, parts in tomllib.loads(text).items()}
