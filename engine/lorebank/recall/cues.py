"""Question words: what in a question only asks, and what it asks for.

"What did we find out about Pickle lately?" is about Pickle; "find out" and "lately" say that the
newest is wanted. The phrases are those of the `[questions]` sections of the language files; in
them `...` stands for any words between two parts.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from lorebank.language.words import words
from lorebank.languages import Sections, compiled, split
from lorebank.records import dataclass

_GAP = "..."
_NO_SUBJECT = frozenset({"frame", "newest", "oldest", "count", "when", "define", "opinion"})
"""The kinds whose words only ask. `past` is left out: "the former boat" is another boat."""

_READ = _NO_SUBJECT | {"past", "as_of"}

_Phrase = tuple[str, tuple[str, ...], tuple[str, ...]]
"""Its kind, the words up to the gap, the words behind it."""


@dataclass(frozen=True, slots=True)
class Cues:
    """The question words of one question."""

    kinds: frozenset[str]
    """What is asked for: `when`, `opinion`, `newest`, …, by the entries of `[questions]`."""
    asking: frozenset[str]
    """The folded words that only ask."""


def read_cues(text: str) -> Cues:
    """Find the question words of a text.

    >>> cues = read_cues("What is the latest on the roof?")
    >>> sorted(cues.kinds), sorted(cues.asking)
    (['define', 'newest'], ['is', 'latest', 'what'])
    """
    tokens = words(text)
    found = [
        (kind, {*before, *behind})
        for start, token in enumerate(tokens)
        for kind, before, behind in _table()[0].get(token, ())
        if _stands(before, tokens[start : start + len(before)])
        and (not behind or _stands(behind, tokens[start + len(before) :]))
    ]
    return Cues(
        kinds=frozenset(kind for kind, _ in found),
        asking=frozenset(word for kind, held in found if kind in _NO_SUBJECT for word in held),
    )


def cue_at_end(text: str, kind: str) -> tuple[str, ...]:
    """The words of the longest phrase of that kind with which a text ends; none where none does.

    >>> cue_at_end("price of the flat, as known on", "as_of")
    ('as', 'known', 'on')
    """
    tokens = tuple(words(text))
    ends = [
        before
        for first in set(tokens)
        for found, before, _ in _table()[0].get(first, ())
        if found == kind and tokens[-len(before) :] == before
    ]
    return max(ends, key=len, default=())


def phrases_of(kind: str) -> tuple[str, ...]:
    """The phrases of one entry of `[questions]` as written, of all languages."""
    return _table()[1].get(kind, ())


def _stands(phrase: tuple[str, ...], tokens: Sequence[str]) -> bool:
    """Whether a phrase stands anywhere among some words."""
    size = len(phrase)
    return any(tuple(tokens[at : at + size]) == phrase for at in range(len(tokens) - size + 1))


_Table = tuple[dict[str, list[_Phrase]], dict[str, tuple[str, ...]]]
"""First word → the phrases that begin with it, of all languages; kind → phrases as written."""


@cache
def _table() -> _Table:
    return compiled("questions", _by_word_and_kind)


def _by_word_and_kind(languages: Sections) -> _Table:
    by_word: dict[str, list[_Phrase]] = {}
    by_kind: dict[str, dict[str, None]] = {}
    for section in languages.values():
        for kind, spellings in section.items():
            by_kind.setdefault(kind, {}).update(dict.fromkeys(split(spellings)))
            for spelling in split(spellings) if kind in _READ else ():
                before, behind = (tuple(words(part)) for part in spelling.partition(_GAP)[::2])
                known = by_word.setdefault(before[0], [])
                if (kind, before, behind) not in known:
                    known.append((kind, before, behind))
    return by_word, {kind: tuple(phrases) for kind, phrases in by_kind.items()}
