"""A cheap look at whether a text may name a time, before anything is parsed.

Most lines of notes hold numbers that are no dates (ticket ids, durations) and name no time; finding
that out has to cost next to nothing. What this lets through is parsed; what it holds back must
never be a date, which the golden tests check row by row.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from functools import cache
from itertools import pairwise

from lorebank.dates.lexicon import is_cjk, lexicon
from lorebank.language.folding import fold
from lorebank.language.words import words_of
from lorebank.languages import Sections, compiled

_NUMERIC = re.compile(
    r"\d(?:"
    r"(?<![\w.-]\d)\d{0,3}[-/](?:\d\d?(?!\d)|w\d\d)"
    r"|(?<![\d.]\d)\d?\.\d\d?(?:['’]|\.(?:(?:19|20)?\d\d(?!\.?\d)|(?!\d)))"
    r"|(?<=[ (][qh]\d)(?!\w)|(?<=[ (-]w\d)\d(?!\w)|(?<=['’]\d)\d(?!\d)"
    r"|'[a-z]|0'?s(?!\w)|(?:st|nd|rd|th|er|eme|re|ste|de|e|q|[oaº°ª])(?!\w)"
    r")"
)
"""Begins with a digit: the search then skips from digit to digit."""
_YEAR = re.compile(r"[12](?<=[\s(\"'’/–-][12])(?:(?<=1)9|(?<=2)0)\d\d(?!-?\d)")
_BESIDE_DIGIT = re.compile(r"\d[^\s\d,;:)]|['’qhw]\d")
"""What every match of `_NUMERIC` holds, found in a third of the time: of most numbers nothing."""
_NUMBER = re.compile(r"\d\d?(?:\d\d)?(?:\D.*)?")

_STRONG = {"WEEKDAY", "WEEKDAYS", "DAYWORD", "UNITWORD", "HOLIDAY", "EDGE_WORD"}
"""Tags whose words name a time by themselves."""
_BEFORE_UNIT = {"REL_PRE", "THEN", "TRAIL_PRE", "WEEK_NO", "ORD_PRE"}
_BEFORE_NUMBER = {"SPAN_PRE", "AGO_PRE", "AHEAD_PRE", "WITHIN", "SINCE", "DAYWORD"}
_AFTER_UNIT = {
    *("REL_POST", "THEN_POST", "SPAN_POST", "AGO", "AHEAD", "WITHIN_POST", "ONWARDS", "PART_POST")
}
_NAMED = {"MONTH", "SEASON", "SEASONS", "DECADE", "WEEK_NO"}
"""Tags whose words are also names, verbs and numbers: they need a number or a licence."""
_LICENCES = {
    *("IN", "ON", "ART", "THE", "OF", "SINCE", "STARTING", "UNTIL", "BEFORE", "AFTER", "AROUND"),
    *("FROM", "TO", "BETWEEN", "AND", "REL_PRE", "THEN", "PART", "ORD", "SPAN_PRE"),
    *("DECADE_PRE", "DECADE_THE", "WEEK_OF"),
}
_POSTPOSITIONS = {
    *("IN_POST", "ONWARDS", "STARTING_POST", "UNTIL_POST", "BEFORE_POST", "AFTER_POST", "TO_POST"),
    *("PART_POST", "REL_POST", "THEN_POST", "RANGE_POST", "AND", "TO", "DECADE_POST"),
    *("MON", "WDAY", "DAYPART", "HOUR"),
}
_NUMBERED = {
    *("MON", "WDAY", "DAY_ARTICLE", "DAY_ARTICLE_WEAK", "DAY_ARTICLE_BOUND", "DAY_PRE", "ORD_PRE"),
    *("WEEK_NO", "DECADE_PRE"),
}
"""Tags whose words need a number behind them."""

_Words = dict[str, frozenset[str]]


def may_hold_date(text: str) -> bool:
    """Whether the text may name a time: cheap, never wrong where it says no."""
    folded = " " + (text.lower() if text.isascii() else fold(text))
    if _BESIDE_DIGIT.search(folded) and _NUMERIC.search(folded):
        return True
    strong, pairs, company, letters, by_place = _screen()
    words = words_of(text)
    if not strong.isdisjoint(words):
        return True
    if not by_place["pair"].isdisjoint(words) and not pairs.isdisjoint(pairwise(words)):
        return True
    if not company.isdisjoint(words):
        if len(words) == 1:
            return True
        if any(_in_company(by_place, words, i) for i, w in enumerate(words) if w in company):
            return True
    years = set(_YEAR.findall(folded)) if "19" in folded or "20" in folded else ()
    if years and any(
        _beside_date(by_place, words, i) for i, w in enumerate(words) if w[:4] in years
    ):
        return True
    return not text.isascii() and not letters.isdisjoint(text)


def _in_company(screen: _Words, words: Sequence[str], index: int) -> bool:
    """Whether the neighbours of a month, a unit or an article before a day make it one."""
    word = words[index]
    before = words[index - 1] if index else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    if word in screen["unit"]:
        if before in screen["before_unit"] or after in screen["after_unit"]:
            return True
        counts = before.isdecimal() or before in screen["number"]
        lead = screen["before_number" if counts else "edge"]
        if not lead.isdisjoint(words[max(0, index - 4) : index]):
            return True
    if word in screen["numbered"] and (_NUMBER.fullmatch(after) or after in screen["day"]):
        return True
    if word not in screen["named"]:
        return False
    if _NUMBER.fullmatch(before) or _NUMBER.fullmatch(after):
        return True
    return before in screen["licence"] or after in screen["postposition"]


def _beside_date(screen: _Words, words: Sequence[str], index: int) -> bool:
    """Whether a year stands alone, beside a number or a word of dates: not `2019 units`."""
    beside = (*words[max(0, index - 1) : index], *words[index + 1 : index + 2])
    return not beside or any(word in screen["any"] or not word.isalpha() for word in beside)


_Screen = tuple[
    frozenset[str], frozenset[tuple[str, ...]], frozenset[str], frozenset[str], _Words
]  # fmt: skip
"""Words that suffice; two in a row that do; words that need company; Han letters and kana that
begin an entry; the words of company by their place."""


@cache
def _screen() -> _Screen:
    return compiled("screen", _screening_words, uses="lexicon.py")


def _screening_words(_: Sections) -> _Screen:
    """The words of the screen: kept, since most questions name no time and need no lexicon."""
    lexical = lexicon()
    marks = lexical.marks
    entries = [
        (parts, fields[1])
        for first, row in lexical.rows.items()
        for fields in row
        if (parts := tuple(part for part in (first, *fields[0]) if part[0].isalnum()))
    ]

    def alone(tags: Collection[str]) -> frozenset[str]:
        return frozenset(parts[0] for parts, tag in entries if tag in tags and not parts[1:])

    def at(place: int, tags: Collection[str]) -> frozenset[str]:
        return frozenset(parts[place] for parts, tag in entries if tag in tags)

    def telling(tags: Collection[str]) -> frozenset[str]:
        """The words of an entry that are no common ones, else its last."""
        found = ([p for p in e if p not in marks] or e[-1:] for e, tag in entries if tag in tags)
        return frozenset(part for parts in found for part in parts)

    long = _STRONG | _AFTER_UNIT | {"MONTH", "SEASON", "UNIT", "DECADE"}
    by_place = {
        "unit": alone({"UNIT"}),
        "before_unit": at(-1, _BEFORE_UNIT | {"PART", "ORD"}),
        "after_unit": alone(_AFTER_UNIT),
        "number": telling({"NUM", "DURATION"}),
        "before_number": telling(_BEFORE_UNIT | _BEFORE_NUMBER),
        "edge": frozenset(
            p for e, tag in entries if tag in ("PART", "ORD", "SPAN_PRE") for p in e if p[2:]
        ),
        "numbered": at(-1, _NUMBERED),
        "day": alone({"DAY"}),
        "named": alone(_NAMED | {"MON", "WDAY"}),
        "licence": at(-1, _LICENCES),
        "postposition": at(0, _POSTPOSITIONS),
        "any": frozenset(part for parts, _ in entries for part in parts),
    }
    pairs = frozenset(  # of a longer entry the two words that tell most
        max(pairwise(parts), key=lambda p: (sum(len(w) for w in p if w not in marks), len(p[1])))
        for parts, tag in entries
        if tag in long and parts[1:]
    )
    by_place["pair"] = frozenset(first for first, _ in pairs)
    return (
        alone(_STRONG | {"U_WEEKEND"}) | frozenset(lexical.inflected),
        pairs,
        by_place["unit"] | by_place["numbered"] | by_place["named"],
        frozenset(parts[0][0] for parts, _ in entries if is_cjk(parts[0][0])),
        by_place,
    )
