"""Find every date phrase of a text, and the phrases too vague to be one.

A text is cut into tokens, the lexicon says what each may mean, four stages of rules build dates and
bounds out of them; the longest match wins. See `lattice` for how rules match. A text that may
hold a date imports them: most questions hold none, and no command should wait for the rules.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from lorebank.dates.lexicon import ANCHORS, Lexicon, Tokens, lexicon, listed, tokenize
from lorebank.dates.screening import may_hold_date
from lorebank.domain.facts import LONGEST_READ, Interval
from lorebank.records import Mutable, Record

if TYPE_CHECKING:
    from lorebank.dates.lattice import Edge, Lattice, Rule, RuleTree
    from lorebank.dates.rules_bounds import Meaning
    from lorebank.dates.spans import Tense

_DATED = listed(
    """
    DATE DATES DAYS DAY_LIST DATE_ORDINAL DATE_NUMBER DATE_NUMBER_WEAK ONWARDS DATE_BOUND
    DAY_OF_MONTH DM DM_WEAK EDGE PART SHORT_WEEKDAY SINCE STARTING SINCE_OR_STARTING WITHIN
    WITHIN_AFTER THIS_UNIT
    """
)
"""Tags of which every phrase holds one before its bounds are read."""


class DatePhrase(Record):
    """A stretch of text that names a time."""

    text: str
    """As written."""
    start: int
    """Character offset in the text searched."""
    end: int
    interval: Interval
    granularity: str
    """day, week, month, quarter, season, half, year, decade or range."""
    repeating: bool = False
    """Whether the text leaves the year, month or week open: `in May`, `on Friday`."""


_WORDS_A_DATE = 30
"""Words looked through that cost a file as much as a date: at this figure no megabyte of numbers
(footnotes, ids, tables, JSON), 4 to 20 s of CPU before, takes longer than one of dates."""


_KEPT = 4_096
"""Texts kept as read, about 1 KB each: a night reads a line that names a day four times."""


class DatesLeft(Mutable):
    """How many dates of a file are still read."""

    count: int


class Found(Record):
    """A phrase whose open year, month or week is not settled."""

    start: int
    end: int
    languages: int
    meaning: Meaning


def find_phrases(text: str, now: date, tense: Tense = "asked") -> tuple[DatePhrase, ...]:
    """All date phrases of a question, left to right, none overlapping; the longest wins.

    A day, month or quarter without its year is the last one that is not after `now`, unless the
    tense says otherwise.
    """
    phrases = []
    for found in read_phrases(text, now):
        from lorebank.dates.rules_bounds import resolve
        from lorebank.dates.spans import Moment
        from lorebank.dates.times import tells_hours, tense_of

        meaning, shown, told = found.meaning, text[found.start : found.end], tense
        if meaning.repeating and meaning.is_weekly and tells_hours(text):
            continue  # a filter would leave out the line that says it of every week
        if tense == "asked" and meaning.repeating and meaning.modifier in ("until", "before"):
            told = "future" if tense_of(text) == "future" else tense
        days = resolve(meaning, Moment(now, told))
        if days and (not meaning.ahead or tense == "future" or text.strip(" ?") == shown):
            interval = Interval(days[0].start, days[-1].end)
            said = (meaning.granularity, meaning.repeating)
            phrases.append(DatePhrase(shown, found.start, found.end, interval, *said))
    return tuple(phrases)


def read_phrases(text: str, now: date, left: DatesLeft | None = None) -> Sequence[Found]:
    """All date phrases of a text, left to right, none overlapping; the longest wins."""
    text = text[:LONGEST_READ]
    if not may_hold_date(text):
        return ()
    found, cost = _read(text, now)
    if left:
        left.count -= cost
    return found


@lru_cache(_KEPT)
def _read(text: str, now: date) -> tuple[tuple[Found, ...], int]:
    """The same, and how many dates of `DatesLeft` they cost."""
    from lorebank.dates.lattice import read_tokens

    words = lexicon()
    tokens = tokenize(text)
    cost = 1 + len(tokens.words) // _WORDS_A_DATE
    lattice = read_tokens(tokens, words)
    if not (any(map(str.isdecimal, tokens.words)) or lattice.holds(ANCHORS)):
        return (), cost
    from lorebank.dates.spans import Moment

    dates, phrases = _stages()
    for stage in dates:
        stage.apply(lattice, Moment(now))
    if not lattice.holds(_DATED):
        return (), cost
    cost = max(cost, lattice.count(_DATED))
    for stage in phrases:
        stage.apply(lattice, Moment(now))
    found = (
        Found(tokens.starts[start], _end(tokens, edge), edge.languages, edge.value)
        for start, edge in _chosen(lattice, words)
    )
    return tuple(found), cost


def find_vague(text: str) -> tuple[str, ...]:
    """The phrases that speak of a time without saying which: `the other day`, `recently`."""
    words = lexicon()
    tokens = tokenize(text[:LONGEST_READ])
    found = []
    index = 0
    while (first := index) < len(tokens.words):
        rests = words.vague.get(tokens.words[index], ())
        ends = [index + 1 + len(rest) for rest in rests]
        fits = [e for e, r in zip(ends, rests, strict=True) if (*tokens.words[index + 1 : e],) == r]
        index = max(fits, default=index + 1)
        if fits:
            found.append(tokens.text[tokens.starts[first] : tokens.ends[index - 1]])
    return tuple(found)


@cache
def _stages() -> tuple[tuple[RuleTree, ...], tuple[RuleTree, ...]]:
    """Rules that make dates, and those that make phrases of them."""
    from lorebank.dates.lattice import RuleTree

    *dates, parts, bounds = map(RuleTree, _rules())
    return tuple(dates), (parts, bounds)


def tags_of_rules() -> frozenset[str]:
    """All tags that some rule matches or makes."""
    patterns = " ".join(f"{rule.pattern} {rule.tag}" for stage in _rules() for rule in stage)
    return frozenset(patterns.upper().replace("|", " ").replace("?", " ").split())


def _rules() -> tuple[tuple[Rule, ...], ...]:
    from lorebank.dates.rules_bounds import BOUND_RULES
    from lorebank.dates.rules_calendar import CALENDAR_RULES, REFERENCE_RULES
    from lorebank.dates.rules_relative import PART_RULES, RELATIVE_RULES, SHIFT_RULES

    return REFERENCE_RULES, CALENDAR_RULES + SHIFT_RULES, RELATIVE_RULES, PART_RULES, BOUND_RULES


def _chosen(lattice: Lattice, words: Lexicon) -> list[tuple[int, Edge]]:
    """The phrases that are dates, longest first where two overlap, in the order of the text."""
    from lorebank.dates.lookalikes import is_date, is_street

    tokens = lattice.tokens
    candidates = [
        (start, edge)
        for start, edges in enumerate(lattice.edges)
        for edge in edges
        if edge.tag in ("PHRASE", "NEVER") and edge.languages & lattice.spoken
    ]
    candidates.sort(key=lambda c: _rank(tokens, *c))
    taken: list[tuple[int, Edge]] = []
    used: set[int] = set()
    for start, edge in candidates:
        if not used.isdisjoint(range(start, edge.end)):
            continue
        no_date = edge.tag == "NEVER" or (
            len(edge.value.spans) == 1
            and edge.value.spans[0].modifier != "between"  # obras na rua de 5 a 16 de outubro
            and is_street(tokens, start, edge.end)
        )
        if no_date or is_date(lattice, start, edge, words):
            used.update(range(start, edge.end))
            taken += [] if no_date else [(start, edge)]
    return sorted(taken, key=lambda c: c[0])


def _rank(tokens: Tokens, start: int, edge: Edge) -> tuple[int, int, int, bool]:
    """Longest first, then leftmost, of fewest words, with a bound.

    `avant hier` is one word for a day before it is two for a bound; `a partir de 2023` is a bound
    before it is a plain year.
    """
    plain = edge.tag == "PHRASE" and edge.value.modifier == "exact"
    return tokens.starts[start] - _end(tokens, edge), start, edge.pieces, plain


def _end(tokens: Tokens, edge: Edge) -> int:
    """Where a phrase ends; a full stop behind it is none of its own."""
    return tokens.ends[edge.end - 1 - (tokens.words[edge.end - 1] == ".")]
