"""A cheap look at whether a text may name a time, before anything is parsed.

Most lines of notes hold numbers that are no dates (ticket ids, durations) and name no time; finding
that out has to cost next to nothing. What this lets through is parsed; what it holds back must
never be a date, which the golden tests check row by row.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise
from typing import Any

from lorebank.dates.lexicon import Lexicon, is_cjk, lexicon
from lorebank.language.folding import fold
from lorebank.languages import Sections, compiled
from lorebank.records import Record

_NUMERIC = re.compile(
    r"\d(?:"
    r"(?<![\w.-]\d)\d{0,3}[-/](?:\d\d?(?!\d)|w\d\d)"
    r"|(?<![\d.]\d)\d?\.\d\d?(?:['’]|\.(?:(?:19|20)?\d\d(?![\d.])|(?!\d)))"
    r"|(?<=[ (][qh]\d)(?!\w)|(?<=[ (-]w\d)\d(?!\w)|(?<=['’]\d)\d(?!\d)"
    r"|'[a-z]|0'?s(?!\w)|(?:st|nd|rd|th|er|eme|re|ste|de|e|q|[oaº°ª])(?!\w)"
    r")"
)
"""Begins with a digit: the search then skips from digit to digit."""
_YEAR = re.compile(r"[12](?<=[ (\"'’/–-][12])(?:(?<=1)9|(?<=2)0)\d\d(?![\d-])")
_DIGIT = re.compile(r"\d")
_GAPS = str.maketrans(
    dict.fromkeys("\t\n\r!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~‘’“”„«»–—…·¿¡、。，；：？！（）「」", " ")
)

_STRONG = frozenset(
    {"WEEKDAY", "WEEKDAYS", "DAYWORD", "UNITWORD", "HOLIDAY", "EDGE_WORD", "SCHOOL_YEAR"}
)
"""Tags whose words name a time by themselves."""
_NAMED = frozenset({"MONTH", "SEASON", "SEASONS", "DECADE", "WEEK_NO"})
"""Tags whose words are also names, verbs and numbers: they need a number or licence beside them."""
_NUMBERED = frozenset(
    {"MON", "WDAY", "DAY_ARTICLE", "DAY_ARTICLE_WEAK", "DAY_ARTICLE_BOUND", "DAY_PRE", "ORD_PRE"}
)
"""Tags whose words need a number behind them, or before."""
_BEFORE_UNIT = frozenset({"REL_PRE", "THEN", "TRAIL_PRE", "WEEK_NO", "ORD_PRE"})
_BEFORE_NUMBER = frozenset({"SPAN_PRE", "AGO_PRE", "AHEAD_PRE", "SINCE", "DAYWORD"})
_AFTER_UNIT = frozenset(
    {"REL_POST", "THEN_POST", "TRAIL_POST", "SPAN_POST", "AGO", "AHEAD", "ONWARDS", "PART_POST"}
)
_LONG = _STRONG | _AFTER_UNIT | {"MONTH", "SEASON", "UNIT", "DECADE"}
"""Tags of whose longer entries two words in a row are looked for."""
_LICENCES = frozenset(
    {"IN", "ON", "ART", "THE", "OF", "SINCE", "STARTING", "UNTIL", "BEFORE", "AFTER", "AROUND"}
    | {"FROM", "TO", "BETWEEN", "AND", "REL_PRE", "THEN", "PART", "ORD", "SPAN_PRE", "DECADE_PRE"}
    | {"DECADE_THE", "WEEK_OF"}
)
_POSTPOSITIONS = frozenset(
    {"IN_POST", "ONWARDS", "STARTING_POST", "UNTIL_POST", "BEFORE_POST", "AFTER_POST", "TO_POST"}
    | {"PART_POST", "REL_POST", "THEN_POST", "RANGE_POST", "AND", "TO", "DECADE_POST"}
)


class _Screen(Record):
    """Words by what they need beside them."""

    strong: frozenset[str]
    pairs: frozenset[tuple[str, ...]]
    """The first two words of longer entries: `last night`."""
    company: frozenset[str]
    """Words that name a time only in company: months, units, articles before a day."""
    units: frozenset[str]
    parts: frozenset[str]
    """Quarters and halves, which an ordinal before them settles."""
    ordinals: frozenset[str]
    counted: frozenset[str]
    """Units that a number behind them settles: `week 45`, `los años 80`."""
    numbers: frozenset[str]
    named: frozenset[str]
    short: frozenset[str]
    """Abbreviations of months and weekdays."""
    day_parts: frozenset[str]
    before_unit: frozenset[str]
    before_number: frozenset[str]
    windows: frozenset[str]
    the: frozenset[str]
    edges: frozenset[str]
    """`start`, `first`: a few words before `of the week`."""
    after_unit: frozenset[str]
    licences: frozenset[str]
    postpositions: frozenset[str]
    letters: frozenset[str]
    """Han letters and kana that begin an entry."""


def may_hold_date(text: str) -> bool:
    """Whether the text may name a time: cheap, never wrong where it says no."""
    folded = " " + (text.lower() if text.isascii() else fold(text))
    if _DIGIT.search(folded) and (_NUMERIC.search(folded) or _YEAR.search(folded)):
        return True
    screen = _screen()
    words = folded.translate(_GAPS).split()
    if not screen.strong.isdisjoint(words):
        return True
    if not screen.pairs.isdisjoint(pairwise(words)):
        return True
    company = screen.company
    if not company.isdisjoint(words) and any(
        _in_company(screen, words, i) for i, word in enumerate(words) if word in company
    ):
        return True
    return not text.isascii() and not screen.letters.isdisjoint(text)


def _in_company(screen: _Screen, words: list[str], index: int) -> bool:
    word = words[index]
    before = words[index - 1] if index else ""
    after = words[index + 1] if index + 1 < len(words) else ""
    if word in screen.units:
        if before in screen.before_unit or after in screen.after_unit or len(words) == 1:
            return True
        if word in screen.parts and before in screen.ordinals:
            return True
        if after.isdecimal() and len(after) < 3 and word in screen.counted:
            return True
        further = words[index - 2] if index > 1 else ""
        if before.isdecimal() or before in screen.numbers:
            return not screen.before_number.isdisjoint(words[max(0, index - 4) : index - 1])
        if before in screen.windows:
            return further.isdecimal() or further in screen.numbers
        return before in screen.the and not screen.edges.isdisjoint(
            words[max(0, index - 4) : index]
        )
    if after[:1].isdecimal():
        return not after.isdecimal() or len(after) in (1, 2, 4)
    if word not in screen.named:
        if word not in screen.short:
            return False
        near = before in screen.licences or after in screen.short or after in screen.day_parts
        return near or (before.isdecimal() and len(before) < 3)
    if before.isdecimal() and len(before) in (1, 2, 4):
        return True
    return len(words) == 1 or before in screen.licences or after in screen.postpositions


@cache
def _screen() -> _Screen:
    return _Screen(**compiled("screen", _screening_words, uses="lexicon.py"))


def _screening_words(_: Sections) -> dict[str, Any]:
    """The fields of the screen: kept, since most questions name no time and need no lexicon."""
    words = lexicon()
    entries = _entries(words)

    def tagged(tags: frozenset[str], place: int | None) -> frozenset[str]:
        """First (0) or last (-1) words of the entries with these tags; None: the only one."""
        return frozenset(
            parts[place or 0]
            for parts, tag in entries
            if tag in tags and (place is not None or len(parts) == 1)
        )

    units = tagged(frozenset({"UNIT"}), None)
    long = [parts for parts, tag in entries if tag in _LONG and parts[1:]]
    return {
        "strong": tagged(_STRONG | {"U_WEEKEND"}, None) | frozenset(words.inflected),
        "pairs": frozenset(
            max(pairwise(parts), key=lambda pair: sum(len(w) for w in pair if w not in words.marks))
            for parts in long
        ),
        "company": tagged(_NAMED | _NUMBERED, None) | tagged(_NUMBERED, -1) | units,
        "units": units,
        "parts": tagged(frozenset({"U_QUARTER", "U_HALF"}), None),
        "ordinals": tagged(frozenset({"ORD"}), -1),
        "counted": tagged(_NUMBERED | {"WEEK_NO", "DECADE_PRE"}, -1),
        "numbers": frozenset(
            part
            for parts, tag in entries
            for part in parts
            if tag == "NUM" or (tag == "DURATION" and part not in words.marks)
        ),
        "named": tagged(_NAMED, None),
        "short": tagged(frozenset({"MON", "WDAY"}), None),
        "day_parts": tagged(frozenset({"DAYPART", "HOUR"}), 0),
        "before_unit": tagged(_BEFORE_UNIT, -1),
        "before_number": tagged(_BEFORE_UNIT, -1)
        | frozenset(
            part
            for parts, tag in entries
            if tag in _BEFORE_NUMBER
            for part in ([w for w in parts if w not in words.marks] or parts[-1:])
        ),
        "windows": tagged(frozenset({"SPAN_PRE"}), -1),
        "the": tagged(frozenset({"THE", "OF", "ART"}), -1),
        "edges": frozenset(
            part for parts, tag in entries if tag in ("PART", "ORD") for part in parts if part[2:]
        ),
        "after_unit": tagged(_AFTER_UNIT, None),
        "licences": tagged(_LICENCES, -1),
        "postpositions": tagged(_POSTPOSITIONS, 0),
        "letters": frozenset(parts[0][0] for parts, _ in entries if is_cjk(parts[0][0])),
    }


def _entries(words: Lexicon) -> list[tuple[tuple[str, ...], str]]:
    """Words and tag of every entry."""
    return [
        (parts, fields[1])
        for first, row in words.rows.items()
        for fields in row
        if (parts := tuple(part for part in (first, *fields[0]) if part[0].isalnum()))
    ]
