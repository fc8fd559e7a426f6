"""Dates that no preposition licenses: `Monday's standup`, `Boxing Day walk`, `our Q3 results`."""

from __future__ import annotations

from lorebank.dates.lattice import Edge, Lattice
from lorebank.dates.lexicon import Lexicon, language_bit
from lorebank.dates.neighbours import (
    AFTER_HOLIDAY,
    AFTER_WEEKDAY,
    EVENTS,
    GREETINGS,
    HAN_NUMERALS,
    NAME_LEADS,
    NAME_WORDS,
    NO_WEEKDAY_AFTER,
    OF_A_QUARTER,
    VERBS,
    capitalised,
)
from lorebank.dates.rules_bounds import Meaning
from lorebank.dates.tokens import Tokens

_ENGLISH = language_bit("en")
_NOUNS_CAPITALISED = language_bit("de")
_WEEKDAYS_CAPITALISED = language_bit("en") | language_bit("de")
_CHINESE_OR_JAPANESE = language_bit("zh") | language_bit("ja")


def counts_alone(lattice: Lattice, start: int, edge: Edge, words: Lexicon) -> bool:
    """Whether the match names a time although nothing before it says so."""
    meaning: Meaning = edge.value
    tokens = lattice.tokens
    if _is_whole_text(tokens, start, edge.end) and not _may_be_name(tokens, start, edge.end):
        return True
    if any(e.tag == "HOLIDAY" and e.end == edge.end for e in lattice.edges[start]):
        return _free_holiday(tokens, start, edge, words)
    if meaning.granularity == "quarter":
        return _free_quarter(tokens, start, edge.end)
    return _free_weekday(tokens, start, edge, meaning, words)


def _is_whole_text(tokens: Tokens, start: int, end: int) -> bool:
    outside = tokens.words[:start] + tokens.words[end:]
    return not any(word[0].isalnum() for word in outside)


def _may_be_name(tokens: Tokens, start: int, end: int) -> bool:
    return end == start + 1 and tokens.words[start] in NAME_WORDS - {
        "monday", "tuesday", "wednesday", "thursday", "saturday", "winter", "autumn",
    }  # fmt: skip


def _free_weekday(tokens: Tokens, start: int, edge: Edge, meaning: Meaning, words: Lexicon) -> bool:
    """A weekday without a preposition: `What did Peter do Monday?`, `Tuesday night's call`."""
    if meaning.granularity != "day" or not meaning.repeating or tokens.words[start] == "the":
        return False
    if edge.languages & _CHINESE_OR_JAPANESE:
        # 三日坊主, 二日酔い: a day of the month in Han numerals begins many other words
        return tokens.words[start] not in HAN_NUMERALS and not _before_katakana(tokens, edge.end)
    if start > 1 and capitalised(tokens, start - 1) and tokens.words[start - 2][0].isalnum():
        return False
    if start and capitalised(tokens, start) and not edge.languages & _WEEKDAYS_CAPITALISED:
        return False
    before = tokens.words[start - 1] if start else ""
    after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
    with_part_of_day = edge.end > start + 1
    if with_part_of_day and edge.languages & _ENGLISH and capitalised(tokens, edge.end - 1):
        return False
    if after == "'" and not with_part_of_day:
        return before not in NAME_LEADS and _possessive_of_event(tokens, edge.end)
    if before in NAME_LEADS or before in NO_WEEKDAY_AFTER or not (before or with_part_of_day):
        return False
    if with_part_of_day and (after in EVENTS or after in words.marks):
        return True
    return not after or not after[0].isalnum() or after in AFTER_WEEKDAY - VERBS


def _free_holiday(tokens: Tokens, start: int, edge: Edge, words: Lexicon) -> bool:
    """A holiday without a preposition: `Boxing Day walk`, `Was haben wir Silvester gemacht?`."""
    if edge.languages & _CHINESE_OR_JAPANESE:
        return True
    before = tokens.words[start - 1] if start else ""
    after = tokens.words[edge.end] if edge.end < len(tokens.words) else ""
    if after == "'":
        return _possessive_of_event(tokens, edge.end)
    if after in EVENTS:
        return before not in ("a", "an")
    if before in NAME_LEADS or before in NO_WEEKDAY_AFTER or before in GREETINGS:
        return False
    if edge.languages & _NOUNS_CAPITALISED and not edge.languages & _ENGLISH:
        return not after or not capitalised(tokens, edge.end)
    if edge.end == start + 1:
        return after in AFTER_HOLIDAY
    return not after[:1].isalnum() or after in words.marks


def _possessive_of_event(tokens: Tokens, index: int) -> bool:
    """`…'s meeting` from the apostrophe on."""
    if index >= len(tokens.words) or tokens.words[index] != "'":
        return False
    return any(word in EVENTS for word in tokens.words[index + 2 : index + 4])


def _before_katakana(tokens: Tokens, index: int) -> bool:
    """`土曜ワイド劇場`: the first part of a name."""
    return tokens.adjacent(index) and "\u30a1" <= tokens.words[index] <= "\u30fa"


def _free_quarter(tokens: Tokens, start: int, end: int) -> bool:
    """A quarter without a preposition: `our Q3 results`; not `Q1: what is your name?`."""
    if not tokens.words[start].startswith("q") and not tokens.words[start].isdecimal():
        return False
    after = tokens.words[end] if end < len(tokens.words) else ""
    return after in OF_A_QUARTER or after in EVENTS or after in ("", "?", ".", ",", "!", "'")
