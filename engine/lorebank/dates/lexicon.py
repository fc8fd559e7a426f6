"""The lexicon: every language's words, merged into one table from first token to meanings.

Tags of `WORDS`, with the values they take:

  MONTH (1–12)        a month by a name that can stand alone
  MON (1–12)          the same and abbreviations, only beside a day or year
  WEEKDAY (0–6)       from Monday; WDAY: abbreviations, only beside a date
  UNIT                day, week, weekend, fortnight, month, quarter, half, year, decade
  DURATION (6, "month")             half a year
  NUM, ORD, DAY       numbers, ordinals (-1 is the last), days of the month in words
  DAYWORD (offset)    yesterday, tomorrow; DAYPART: morning, night
  UNITWORD ("year", -1)             去年, 先月, Vorjahr
  EDGE_WORD ("end", "year")         Jahresende, 月底
  REL_PRE, REL_POST (offset)        last, this, next, before or behind the unit
  TRAIL_PRE, TRAIL_POST (-1, 1)     the past month
  SPAN_PRE, SPAN_POST (-1, 1)       the last … days
  AGO_PRE, AGO, AHEAD_PRE, AHEAD    … ago, … from now
  SEASON, HOLIDAY     keys of `lorebank.dates.calendar`
  QUARTER, HALF (n)   Q3, H1
  DECADE (1980)       eighties; DECADE_PRE, DECADE_THE, DECADE_POST: the words around `80`
  PART, PART_POST     early, mid, late, start, end; opening, closing may be either of two
  WEEK_OF, WEEK_OF_POST, WEEK_NO, DAY_NEXT_TO (-1, 1), WEEK_NEXT_TO (-1, 1)
  DAY_PRE             `el día` before a day of the month
  NIAN, YUE, RI, ORD_PRE            年, 月, 日, 第
  IN, IN_POST, ART, ON              what licenses a date; ON one in digits
  SINCE, UNTIL, BEFORE, AFTER, AROUND, each also with _POST; ONWARDS
  FROM, TO, BETWEEN, AND, RANGE_POST, OF, THE
  EVERY, NOT          what makes the words behind it, or itself, no date
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import ModuleType
from typing import Any

from lorebank.dates.tokens import tokenize
from lorebank.language.folding import fold

__all__ = ["ALL", "LANGUAGES", "Lexicon", "Reading", "language_bit", "lexicon"]

LANGUAGES = ("en", "es", "pt", "fr", "de", "it", "nl", "zh", "ja")

ALL = (1 << len(LANGUAGES)) - 1
"""The set of all languages; a set of languages is an integer, one bit each."""

_ANCHORS = frozenset(
    {"MONTH", "WEEKDAY", "UNIT", "DAYWORD", "UNITWORD", "SEASON", "HOLIDAY", "DECADE", "EDGE_WORD"}
)
"""Tags of which every date phrase without a digit or a CJK letter holds one."""


def language_bit(code: str) -> int:
    return 1 << LANGUAGES.index(code)


@dataclass(frozen=True, slots=True)
class Reading:
    """One meaning of a run of tokens."""

    rest: tuple[str, ...]
    """The tokens behind the first."""
    tag: str
    value: Any
    languages: int
    collides: bool
    """Counts only where another word of the text belongs to its language."""


@dataclass(frozen=True, slots=True)
class Lexicon:
    """All words of all languages."""

    readings: dict[str, tuple[Reading, ...]]
    """First token → its readings, longest first."""
    anchors: frozenset[str]
    """Words, the longest of their entry, of which a date phrase without a digit holds one."""
    marks: dict[str, int]
    """Common word → its languages: evidence of which language a text is in."""
    vague: dict[str, tuple[tuple[str, ...], ...]]
    """First token → the tokens behind it, for phrases that name no definite time."""
    past: frozenset[str]
    """Words that put a sentence in the past."""
    future: frozenset[str]
    """Words that put a sentence in the future."""


@cache
def lexicon() -> Lexicon:
    """The merged lexicon, built at the first call."""
    meanings: dict[tuple[tuple[str, ...], str, Any, bool], int] = defaultdict(int)
    marks: dict[str, int] = defaultdict(int)
    vague: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    tenses: dict[str, set[str]] = {"PAST": set(), "FUTURE": set()}
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
        for phrase in _split(module.VAGUE):
            first, *rest = _tokens(phrase)
            vague[first].add(tuple(rest))
        for name, words in tenses.items():
            words.update(_tokens(word)[0] for word in _split(getattr(module, name)))
    by_first: dict[str, list[Reading]] = defaultdict(list)
    for (tokens, tag, value, collides), languages in meanings.items():
        by_first[tokens[0]].append(Reading(tokens[1:], tag, value, languages, collides))
    return Lexicon(
        readings={
            first: tuple(sorted(found, key=lambda r: -len(r.rest)))
            for first, found in by_first.items()
        },
        anchors=frozenset(
            max(tokens, key=len) for tokens, tag, _, _ in meanings if tag in _ANCHORS
        ),
        marks=dict(marks),
        vague={first: tuple(sorted(rests, key=len)) for first, rests in vague.items()},
        past=frozenset(tenses["PAST"]),
        future=frozenset(tenses["FUTURE"]),
    )


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
    """The same tokens as `tokenize` cuts, without its cost for plain words."""
    folded = fold(spelling)
    if folded.isascii() and folded.replace(" ", "").isalpha():
        return tuple(folded.split())
    return tuple(tokenize(spelling).words)
