"""The words of change of each language, as `reading` looks them up."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache

from lorebank.language.folding import fold
from lorebank.languages import Sections, compiled, sections, split

_TOKEN = re.compile(
    r"\d+(?:[.:]\d+)+"  # 10.20.4.11, 17:30
    r"|[\u3040-\u30ff\u3400-\u9fff]"  # scripts without spaces: letter by letter
    r"|[^\W_]+(?:-[^\W_]+)*"  # sous-chef is no chef
)

Cues = dict[str, tuple[str, ...]]
"""Language → cues, each as its tokens joined by spaces; of one language the longest first."""
States = dict[str, dict[str, tuple[tuple[str, ...], tuple[str, ...]]]]
"""Language → state → (cues of it, cues of its end)."""
Vocabulary = tuple[dict[str, Cues], States, frozenset[str]]
"""Role (`ends`, `over`, `new`, …) → cues; states; languages whose nouns stand before what describes
them, as in Spanish."""

GAP = "*"
"""In a cue: any one token."""
ROLES = (
    "announced",
    "ends",
    "moved",
    "instead",
    "no_more",
    "over",
    "was",
    "apart",
    "now",
    "new",
    "unsure",
    "once",
    "not",
    "and",
    "also",
    "of",
)


def tokens(text: str) -> list[str]:
    """The folded tokens of a text; a hyphenated word is one, an address or a time of day too.

    >>> tokens("The sous-chef hasn't moved to 10.20.4.52")
    ['the', 'sous-chef', 'hasn', 't', 'moved', 'to', '10.20.4.52']
    """
    return _TOKEN.findall(fold(text))


@cache
def vocabulary() -> Vocabulary:
    """The words of change of all languages."""
    return compiled("change", _compile)


Cue = tuple[str, ...]


@cache
def by_first_token(role: str, language: str) -> dict[str, list[Cue]]:
    """The cues of a role in a language, by their first token."""
    table: dict[str, list[Cue]] = {}
    for text in vocabulary()[0][role].get(language, ()):
        cue = tuple(text.split())
        table.setdefault(cue[0], []).append(cue)
    return table


@cache
def states_by_first_token(
    language: str,
) -> tuple[dict[str, list[tuple[str, Cue]]], dict[str, list[tuple[str, Cue]]]]:
    """`(state, cue)` of the cues of states, and of their ends, by the first token of the cue."""
    tables: tuple[dict[str, list[tuple[str, Cue]]], ...] = ({}, {})
    for state, both in vocabulary()[1].get(language, {}).items():
        for table, texts in zip(tables, both, strict=True):
            for cue in (tuple(text.split()) for text in texts):
                table.setdefault(cue[0], []).append((state, cue))
    return tables[0], tables[1]


@cache
def weekdays() -> frozenset[str]:
    """The names of the days of the week, folded."""
    return _names("weekday", "weekday_plural")


@cache
def months() -> frozenset[str]:
    """The names of the months, folded."""
    return _names("month", "month_short")


def _names(*entries: str) -> frozenset[str]:
    return frozenset(
        fold(spelling)
        for section in sections("dates").values()
        for name in entries
        for entry in section.get(name, ())
        for spelling in split(entry)
    )


def _compile(found: Sections) -> Vocabulary:
    roles = {
        role: {code: _cues(section[role]) for code, section in found.items() if role in section}
        for role in ROLES
    }
    states = {
        code: {
            state: (_cues(cues), _cues(section.get("states_end", {}).get(state, "")))
            for state, cues in section.get("states", {}).items()
        }
        for code, section in found.items()
    }
    heads_first = frozenset(code for code, section in found.items() if section["head"] == "first")
    return roles, states, heads_first


def _cues(text: str) -> tuple[str, ...]:
    cues: Sequence[str] = [
        " ".join(GAP if part == GAP else " ".join(tokens(part)) for part in cue.split())
        for cue in split(text)
    ]
    return tuple(sorted(set(filter(None, cues)), key=lambda cue: (-cue.count(" "), cue)))
