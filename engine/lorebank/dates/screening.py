"""A cheap look at whether a text may name a time, before anything is parsed.

Most lines of notes hold numbers that are no dates (ticket ids, durations) and name no time; finding
that out has to cost next to nothing. What this lets through is parsed; what it holds back must
never be a date, which the golden tests check row by row.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection
from functools import cache
from typing import Any

from lorebank.dates.lexicon import lexicon, listed
from lorebank.language.folding import fold
from lorebank.language.words import UNSPACED_RUN, words_of
from lorebank.languages import Sections, compiled
from lorebank.records import Record

_NUMERIC = re.compile(
    r"\d(?:"
    r"(?<![\w.-]\d)(?:\d?(?:/(?:(?:19|20)\d)?\d\d?(?!\d)|-\d\d?-\d)|"
    r"(?<= [0-3])\d-[01]?\d(?![\w-])|"
    r"\d{3}(?:-?w\d|[-/](?:\d\d?[-/]\d|(?<=[12][09]\d\d.)[01]\d(?!\d))))"
    r"|(?<![\d.]\d)\d?\.(?:0?[1-9]|1[0-2])(?:['’]|\.(?:(?:19|20)?\d\d(?!\.?\d)|(?!\d)))"
    r"|(?<=[ (][qh]\d)(?!\w)|(?<=[ (-]w\d)\d(?!\w)|(?<=['’]\d)\d(?!\d)"
    r"|'[a-z]|0'?s(?!\w)|(?:st|nd|rd|th|er|eme|re|ste|de|e|q|[oaº°ª])(?!\w)"
    r")"
)
"""Begins with a digit: the search then skips from digit to digit."""
_BESIDE_DIGIT = re.compile(r"\d[^\s\d,;:)]|['’qhw]\d")
"""What every match of `_NUMERIC` holds, found in a third of the time: of most numbers nothing."""
_YEAR = re.compile(r"[12](?<=[\s(\"'’/–-][12])(?<![a-z][/-][12])(?:(?<=1)9|(?<=2)0)\d\d(?![.-]?\d)")

_ALONE = listed(
    """
    WEEKDAY WEEKDAY_PLURAL RELATIVE_DAY RELATIVE_UNIT HOLIDAY EDGE DECADE U_WEEKEND DURATION
    """
)
"""Tags whose words suffice."""
_IN_COMPANY = {"MONTH", "MONTH_SHORT", "WEEKDAY_SHORT", "SEASON"}
"""Tags whose words are also names, verbs and numbers: they count beside a number or a word that
rules of their language have before or behind them."""
_BEFORE = listed(
    """
    IN ON ARTICLE THE OF SINCE STARTING UNTIL BEFORE AFTER FROM TO AROUND BETWEEN AND RELATIVE
    THEN PART NUMBER ORDINAL DAY DECADE_BEFORE WEEK_OF RELATIVE_DAY
    """
)
_BEHIND = listed(
    """
    IN_AFTER ONWARDS STARTING_AFTER UNTIL_AFTER BEFORE_AFTER AFTER_AFTER TO_AFTER PART_AFTER
    RELATIVE_AFTER THEN_AFTER RANGE_AFTER DECADE_AFTER WEEKDAY_SHORT MONTH_SHORT PART_OF_DAY AND
    TO AGO BEFORE AFTER HOUR
    """
)
_BEFORE_UNIT = listed(
    """
    RELATIVE TRAILING WINDOW ORDINAL ORDINAL_SIGN PART AGO_BEFORE AHEAD_BEFORE AHEAD_CLEAR WITHIN
    SINCE SINCE_OR_STARTING WEEK_OF
    """
)
"""Of which rules have one up to three words before a unit; a number alone makes a duration."""
_BEHIND_UNIT = {"AGO", "AHEAD", "LATER", "WITHIN_AFTER", "RELATIVE_AFTER", "THEN_AFTER"}
_NUMBER_BEHIND = listed(
    """
    MONTH MONTH_SHORT WEEKDAY_SHORT DAY_ARTICLE DAY_ARTICLE_WEAK WEEK_NUMBER CALENDAR_WEEK
    DAY_ARTICLE_BOUND DAYS_ARTICLE DAY_BEFORE_NUMBER ORDINAL_SIGN DECADE_BEFORE
    """
)
_NUMBER_BEFORE = {"MONTH", "MONTH_SHORT", "U_QUARTER", "WEEK_NUMBER", "CALENDAR_WEEK"}


def may_hold_date(text: str) -> bool:
    """Whether the text may name a time: cheap, never wrong where it says no."""
    screen = _screen()
    words = words_of(text)
    if not screen.telling.isdisjoint(words):
        for at, word in enumerate(words):
            if word in screen.telling and _suffices(screen, words, at):
                return True
    folded = " " + (text.lower() if text.isascii() else fold(text))
    if _BESIDE_DIGIT.search(folded) and _NUMERIC.search(folded):
        return True
    if ("19" in folded or "20" in folded) and _YEAR.search(folded):
        return True
    return not text.isascii() and not screen.letters.isdisjoint(text)


def _suffices(screen: _Screen, words: tuple[str, ...], at: int) -> bool:
    """Whether the word there makes a date likely, by itself or beside its neighbours."""
    word, one, other = words[at], words[at - 1] if at else "", (*words[at + 1 : at + 2], "")[0]
    for place, parts in screen.phrases.get(word, ()):
        if words[max(at - place, 0) : at - place + len(parts)] == parts:
            return True
    is_day = other[:1].isdecimal() or other in screen.days
    is_amount = at + 2 < len(words) and words[at + 2] in screen.units  # a 17-day trial
    if word in screen.number_behind and is_day and (word in screen.company or not is_amount):
        return True
    if word in screen.number_before and one[:1].isdecimal():
        return True
    known, unit = screen.company.get(word, 0), screen.units.get(word, 0)
    if known & screen.behind.get(other, 0) or known & screen.before.get(one, 0):
        return True
    if unit and (
        unit & screen.behind_unit.get(other, 0)
        or any(unit & screen.before_unit.get(w, 0) for w in words[max(at - 3, 0) : at])
    ):
        return True
    return len(words) == 1


class _Screen(Record):
    """The words of the screen; of some of them the languages, since no phrase is of two."""

    telling: frozenset[str]
    """Of the next five, the words that have to be looked at."""
    phrases: dict[str, tuple[tuple[int, tuple[str, ...]], ...]]
    """The longest word of what suffices → its place there and all words."""
    company: dict[str, int]
    units: dict[str, int]
    number_before: frozenset[str]
    number_behind: frozenset[str]
    before: dict[str, int]
    behind: dict[str, int]
    before_unit: dict[str, int]
    behind_unit: dict[str, int]
    days: frozenset[str]
    """Days in words."""
    letters: frozenset[str]
    """Letters that begin an entry in a script without spaces."""


@cache
def _screen() -> _Screen:
    return _Screen(**compiled("screen", _screening_words, uses="lexicon.py"))


def _screening_words(_: Sections) -> dict[str, Any]:
    """The words of the screen: kept, since most questions name no time and need no lexicon."""
    lexical = lexicon()
    entries = [
        (parts, fields[1], fields[3])
        for first, row in lexical.rows.items()
        for fields in row
        if (parts := tuple(part for part in (first, *fields[0]) if part[0].isalnum()))
    ]

    def at(place: int, tags: Collection[str]) -> dict[str, int]:
        """The first or last word of each entry → its languages."""
        found: dict[str, int] = {}
        for parts, tag, languages in entries:
            if tag in tags:
                word = parts[place]
                found[word] = found.get(word, 0) | languages
        return found

    phrases: dict[str, list[tuple[int, tuple[str, ...]]]] = defaultdict(list)
    company: dict[str, int] = {}
    units: dict[str, int] = {}
    for word in map(fold, lexical.inflected):
        phrases[word].append((0, (word,)))
    for parts, tag, languages in entries:
        word, is_one = parts[-1], not parts[1:]
        if (tag == "UNIT" and is_one) or (tag == "DURATION" and parts[0].isdecimal()):  # 24 hours
            units[word] = units.get(word, 0) | languages
        elif tag in _IN_COMPANY and is_one:
            company[word] = company.get(word, 0) | languages
        elif tag in {*_ALONE, *_IN_COMPANY, "UNIT"}:
            phrases[parts[_longest(parts)]].append((_longest(parts), parts))
    numbered = [frozenset(at(-1, tags)) for tags in (_NUMBER_BEFORE, _NUMBER_BEHIND)]
    return {
        "telling": frozenset().union(phrases, company, units, *numbered),
        "phrases": {word: tuple(found) for word, found in phrases.items()},
        "company": company,
        "units": units,
        "number_before": numbered[0],
        "number_behind": numbered[1],
        "before": at(-1, _BEFORE),
        "behind": at(0, _BEHIND),
        "before_unit": at(-1, _BEFORE_UNIT),
        "behind_unit": at(0, _BEHIND_UNIT),
        "days": frozenset(at(0, {"DAY", "DAY_WORD"})),
        "letters": frozenset(p[0][0] for p, _, _ in entries if UNSPACED_RUN().match(p[0])),
    }


def _longest(parts: tuple[str, ...]) -> int:
    """The place of the longest word: of all the one that fewest lines hold."""
    return max(range(len(parts)), key=lambda at: len(parts[at]))
