"""A cheap look at whether a text may name a time, before anything is parsed.

Most lines of notes hold numbers that are no dates (ticket ids, durations) and name no time; finding
that out has to cost next to nothing. What this lets through is parsed; what it holds back must
never be a date, which the golden tests check row by row.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cache
from itertools import pairwise

from lorebank.dates.lexicon import lexicon
from lorebank.language.folding import fold
from lorebank.language.words import UNSPACED_RUN, words_of
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
_BESIDE_DIGIT = re.compile(r"\d[^\s\d,;:)]|['’qhw]\d")
"""What every match of `_NUMERIC` holds, found in a third of the time: of most numbers nothing."""
_YEAR = re.compile(r"[12](?<=[\s(\"'’/–-][12])(?:(?<=1)9|(?<=2)0)\d\d(?!-?\d)")

_ALONE = {
    *("WEEKDAY", "WEEKDAY_PLURAL", "RELATIVE_DAY", "RELATIVE_UNIT", "HOLIDAY", "EDGE", "DECADE"),
    *("U_WEEKEND", "DURATION"),
}
"""Tags whose words suffice."""
_IN_COMPANY = {"UNIT", "MONTH", "SEASON", "SEASON_PLURAL", "MONTH_SHORT", "WEEKDAY_SHORT"}
"""Tags whose words are also names, verbs and numbers: they count beside a number or a word that
rules have before or behind them."""
_BEFORE = {
    *("IN", "ON", "ARTICLE", "THE", "OF", "SINCE", "STARTING", "UNTIL", "BEFORE", "AFTER", "FROM"),
    *("TO", "AROUND", "BETWEEN", "AND", "RELATIVE", "THEN", "TRAILING", "WINDOW", "PART", "NUMBER"),
    *("DECADE_BEFORE", "DECADE_ARTICLE", "WEEK_OF", "ORDINAL", "ORDINAL_SIGN", "RELATIVE_DAY"),
}
_BEHIND = {
    *(
        "IN_AFTER",
        "ONWARDS",
        "STARTING_AFTER",
        "UNTIL_AFTER",
        "BEFORE_AFTER",
        "AFTER_AFTER",
        "HOUR",
    ),
    *("TO_AFTER", "PART_AFTER", "RELATIVE_AFTER", "THEN_AFTER", "RANGE_AFTER", "WINDOW_AFTER"),
    *("WITHIN_AFTER", "DECADE_AFTER", "WEEKDAY_SHORT", "MONTH_SHORT", "PART_OF_DAY", "AND", "TO"),
    *("AGO", "AHEAD", "BEFORE", "AFTER"),
}
_NUMBERED = {
    *("DAY_ARTICLE", "DAY_ARTICLE_WEAK", "DAY_ARTICLE_BOUND", "DAY_BEFORE_NUMBER"),
    *("ORDINAL_SIGN", "WEEK_NUMBER", "DECADE_BEFORE"),
}
"""Tags whose words count beside a number."""


def may_hold_date(text: str) -> bool:
    """Whether the text may name a time: cheap, never wrong where it says no."""
    phrases, shy, company, before, behind, days, letters = _screen()
    words = words_of(text)
    if not phrases.keys().isdisjoint(words) and any(
        words[at + 1 : at + 1 + len(rest)] == rest
        for at, word in enumerate(words)
        for rest in phrases.get(word, ())
    ):
        return True
    if len(words) == 1 and words[0] in company:
        return True
    for one, other in pairwise(words) if not shy.isdisjoint(words) else ():
        if one in shy and (other[0].isdecimal() or other in days):
            return True
        if other in shy and one[0].isdecimal():
            return True
        if (one in company and other in behind) or (other in company and one in before):
            return True
    folded = " " + (text.lower() if text.isascii() else fold(text))
    if _BESIDE_DIGIT.search(folded) and _NUMERIC.search(folded):
        return True
    if ("19" in folded or "20" in folded) and _YEAR.search(folded):
        return True
    return not text.isascii() and not letters.isdisjoint(text)


_Words = frozenset[str]
_Screen = tuple[
    dict[str, tuple[tuple[str, ...], ...]], _Words, _Words, _Words, _Words, _Words, _Words
]
"""First word → the words behind it, of what suffices; words that count beside a number; of these,
those that count beside other words too, and which before and behind them; days in words; letters
that begin an entry in a script without spaces."""


@cache
def _screen() -> _Screen:
    return compiled("screen", _screening_words, uses="lexicon.py")


def _screening_words(_: Sections) -> _Screen:
    """The words of the screen: kept, since most questions name no time and need no lexicon."""
    lexical = lexicon()
    entries = [
        (parts, fields[1])
        for first, row in lexical.rows.items()
        for fields in row
        if (parts := tuple(part for part in (first, *fields[0]) if part[0].isalnum()))
    ]

    def at(place: int, tags: Collection[str]) -> frozenset[str]:
        return frozenset(parts[place] for parts, tag in entries if tag in tags)

    phrases: dict[str, list[tuple[str, ...]]] = {word: [()] for word in lexical.inflected}
    for parts, tag in entries:
        if tag in _ALONE or (tag in _IN_COMPANY and parts[1:]):
            phrases.setdefault(parts[0], []).append(parts[1:])
    company = frozenset(p[0] for p, tag in entries if tag in _IN_COMPANY and not p[1:])
    return (
        {first: tuple(rests) for first, rests in phrases.items()},
        company | at(-1, _NUMBERED),
        company,
        at(-1, _BEFORE),
        at(0, _BEHIND),
        at(0, {"DAY"}),
        frozenset(parts[0][0] for parts, _ in entries if UNSPACED_RUN().match(parts[0])),
    )
