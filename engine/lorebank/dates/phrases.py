"""Find every date phrase of a text, and the phrases too vague to be one.

A text is cut into tokens, the lexicon says what each may mean, four stages of rules build dates and
bounds out of them; the longest match wins. See `lattice` for how rules match.
"""

from __future__ import annotations

import re
from datetime import date
from functools import cache

from lorebank.dates.lattice import Edge, Lattice, RuleTree, read_tokens
from lorebank.dates.lexicon import ANCHORS, Lexicon, lexicon
from lorebank.dates.lookalikes import is_date
from lorebank.dates.numeric import add_numeric_dates
from lorebank.dates.rules_bounds import BOUND_RULES, Meaning
from lorebank.dates.rules_calendar import CALENDAR_RULES
from lorebank.dates.rules_days import DAY_RULES, REFERENCE_RULES
from lorebank.dates.rules_next_to import NEXT_TO_RULES
from lorebank.dates.rules_parts import PART_RULES
from lorebank.dates.rules_relative import RELATIVE_RULES
from lorebank.dates.spans import Moment
from lorebank.dates.tokens import Tokens, tokenize
from lorebank.domain import Interval
from lorebank.records import dataclass

_PLAIN_WORD = re.compile(r"[a-z]+")
_LONGEST_TEXT = 20_000
"""Characters that are looked at; a question or fact beyond that is cut."""


@dataclass(frozen=True, slots=True)
class DatePhrase:
    """A stretch of text that names a time."""

    text: str
    """As written."""
    start: int
    """Character offset in the text searched."""
    end: int
    interval: Interval
    granularity: str
    """day, week, month, quarter, season, half, year, decade or range."""
    modifier: str
    """exact, since, until, before, after, around or between."""
    repeating: bool = False
    """Whether the text leaves the year, month or week open: `in May`, `on Friday`."""


def find_phrases(text: str, now: date) -> tuple[DatePhrase, ...]:
    """All date phrases, left to right, none overlapping; the longest wins.

    A day, month or quarter without its year is the last one that is not after `now`.
    """
    return phrases_at(text, Moment(now))


def phrases_at(text: str, moment: Moment) -> tuple[DatePhrase, ...]:
    """As `find_phrases`, with open years settled as the moment prefers."""
    text = text[:_LONGEST_TEXT]
    if not may_hold_date(text):
        return ()
    words = lexicon()
    tokens = tokenize(text)
    lattice = read_tokens(tokens, words)
    if not (any(map(str.isdecimal, tokens.words)) or lattice.holds(ANCHORS)):
        return ()
    add_numeric_dates(lattice)
    for stage in _stages():
        stage.apply(lattice, moment)
    return tuple(_phrase(tokens, start, edge) for start, edge in _chosen(lattice, words))


def find_vague(text: str) -> tuple[str, ...]:
    """The phrases that speak of a time without saying which: `the other day`, `recently`."""
    words = lexicon()
    tokens = tokenize(text[:_LONGEST_TEXT])
    found = []
    index = 0
    while index < len(tokens.words):
        end = _vague_end(tokens, index, words)
        if end:
            found.append(tokens.text[tokens.starts[index] : tokens.ends[end - 1]])
        index = end or index + 1
    return tuple(found)


def may_hold_date(text: str) -> bool:
    """Whether a word of the text, or a digit, could begin a date: cheap, seldom wrong."""
    if text.isascii():
        return _has_digit(text) or not lexicon().anchors.isdisjoint(
            _PLAIN_WORD.findall(text.lower())
        )
    words = tokenize(text).words
    return any(word[0].isdecimal() for word in words) or not lexicon().anchors.isdisjoint(words)


def _has_digit(text: str) -> bool:
    return any(map(text.__contains__, "0123456789"))


@cache
def _stages() -> tuple[RuleTree, ...]:
    rules = (
        REFERENCE_RULES,
        (*DAY_RULES, *CALENDAR_RULES),
        RELATIVE_RULES,
        (*PART_RULES, *NEXT_TO_RULES),
        BOUND_RULES,
    )
    return tuple(RuleTree(stage) for stage in rules)


def _chosen(lattice: Lattice, words: Lexicon) -> list[tuple[int, Edge]]:
    """The phrases that are dates, longest first where two overlap, in the order of the text."""
    tokens = lattice.tokens
    candidates = [
        (start, edge)
        for start, edges in enumerate(lattice.edges)
        for edge in edges
        if edge.tag in ("PHRASE", "NOT")
    ]
    candidates.sort(key=lambda c: _rank(tokens, *c))
    taken: list[tuple[int, Edge]] = []
    used: set[int] = set()
    for start, edge in candidates:
        if used.isdisjoint(range(start, edge.end)) and (
            edge.tag == "NOT" or is_date(lattice, start, edge, words)
        ):
            used.update(range(start, edge.end))
            taken.append((start, edge))
    return sorted((c for c in taken if c[1].tag == "PHRASE"), key=lambda c: c[0])


def _rank(tokens: Tokens, start: int, edge: Edge) -> tuple[int, int, int, bool]:
    """Longest first, then leftmost, of fewest words, with a bound.

    `avant hier` is one word for a day before it is two for a bound; `a partir de 2023` is a bound
    before it is a plain year.
    """
    plain = edge.tag == "PHRASE" and edge.value.modifier == "exact"
    return tokens.starts[start] - tokens.ends[edge.end - 1], start, edge.pieces, plain


def _phrase(tokens: Tokens, start: int, edge: Edge) -> DatePhrase:
    meaning: Meaning = edge.value
    end = edge.end - 1 if tokens.words[edge.end - 1] == "." else edge.end
    first, last = tokens.starts[start], tokens.ends[end - 1]
    return DatePhrase(
        text=tokens.text[first:last],
        start=first,
        end=last,
        interval=Interval(meaning.first, meaning.last),
        granularity=meaning.granularity,
        modifier=meaning.modifier,
        repeating=meaning.repeating,
    )


def _vague_end(tokens: Tokens, index: int, words: Lexicon) -> int:
    """The token behind the longest vague phrase that begins here; 0 where none does."""
    ends = [
        index + 1 + len(rest)
        for rest in words.vague.get(tokens.words[index], ())
        if tuple(tokens.words[index + 1 : index + 1 + len(rest)]) == rest
    ]
    return max(ends, default=0)
