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

_STRONG = {"WEEKDAY", "WEEKDAY_PLURAL", "RELATIVE_DAY", "RELATIVE_UNIT", "HOLIDAY", "EDGE"}
"""Tags whose words name a time by themselves."""
_BEFORE_UNIT = {"RELATIVE", "THEN", "TRAILING", "WEEK_NUMBER", "ORDINAL_SIGN"}
_BEFORE_NUMBER = {"WINDOW", "AGO_BEFORE", "AHEAD_BEFORE", "WITHIN", "SINCE", "RELATIVE_DAY"}
_AFTER_UNIT = {
    *(
        "RELATIVE_AFTER",
        "THEN_AFTER",
        "WINDOW_AFTER",
        "AGO",
        "AHEAD",
        "WITHIN_AFTER",
        "ONWARDS",
        "PART_AFTER",
    )
}
_NAMED = {"MONTH", "SEASON", "SEASON_PLURAL", "DECADE", "WEEK_NUMBER"}
"""Tags whose words are also names, verbs and numbers: they need a number or a licence."""
_LICENCES = {
    *(
        "IN",
        "ON",
        "ARTICLE",
        "THE",
        "OF",
        "SINCE",
        "STARTING",
        "UNTIL",
        "BEFORE",
        "AFTER",
        "AROUND",
    ),
    *("FROM", "TO", "BETWEEN", "AND", "RELATIVE", "THEN", "PART", "ORDINAL", "WINDOW"),
    *("DECADE_BEFORE", "DECADE_ARTICLE", "WEEK_OF"),
}
_POSTPOSITIONS = {
    *(
        "IN_AFTER",
        "ONWARDS",
        "STARTING_AFTER",
        "UNTIL_AFTER",
        "BEFORE_AFTER",
        "AFTER_AFTER",
        "TO_AFTER",
    ),
    *("PART_AFTER", "RELATIVE_AFTER", "THEN_AFTER", "RANGE_AFTER", "AND", "TO", "DECADE_AFTER"),
    *("MONTH_SHORT", "WEEKDAY_SHORT", "PART_OF_DAY", "HOUR"),
}
_NUMBERED = {
    *(
        "MONTH_SHORT",
        "WEEKDAY_SHORT",
        "DAY_ARTICLE",
        "DAY_ARTICLE_WEAK",
        "DAY_ARTICLE_BOUND",
        "DAY_BEFORE_NUMBER",
        "ORDINAL_SIGN",
    ),
    *("WEEK_NUMBER", "DECADE_BEFORE"),
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
        "before_unit": at(-1, _BEFORE_UNIT | {"PART", "ORDINAL"}),
        "after_unit": alone(_AFTER_UNIT),
        "number": telling({"NUMBER", "DURATION"}),
        "before_number": telling(_BEFORE_UNIT | _BEFORE_NUMBER),
        "edge": frozenset(
            p for e, tag in entries if tag in ("PART", "ORDINAL", "WINDOW") for p in e if p[2:]
        ),
        "numbered": at(-1, _NUMBERED),
        "day": alone({"DAY"}),
        "named": alone(_NAMED | {"MONTH_SHORT", "WEEKDAY_SHORT"}),
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
