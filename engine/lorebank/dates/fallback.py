"""Dates in languages that have no `[dates]` of their own, through the dateparser package.

The `[dateparser]` section of such a language's file only says when to ask it: the beginnings of its
months (`months`, which need a day, a year or a word of `in` beside them), whole phrases
(`relative`), the word behind `3 days` (`ago`), and dates written otherwise (`form`, a regular
expression). Only the piece of text around such a word is parsed, in that one language: searching
freely takes a verb for a month and a port for an hour.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time
from functools import cache

from lorebank.dates.calendar import Days, unit_days
from lorebank.dates.lexicon import lexicon
from lorebank.dates.tokens import tokenize
from lorebank.domain import Interval
from lorebank.languages import Sections, compiled, split


def foreign_days(text: str, now: date) -> tuple[int, int, Interval, str] | None:
    """Offsets, interval and granularity of a date in another language; None where there is none."""
    if text.isascii() and not any(c.isdigit() for c in text):
        return None
    folded = text.lower()
    if len(folded) != len(text):
        return None
    for language, start, end in _pieces(folded):
        piece = folded[start:end]
        found = None if _is_ours(piece) else _parsed(piece, language, now)
        if found is not None:
            return start, end, Interval(*found[0]), found[1]
    return None


def _is_ours(piece: str) -> bool:
    """`17. juni`: a day and a month of a language with rules, which have judged it already."""
    words = tokenize(piece).words
    return words[0].isdecimal() and any(
        reading.tag == "MON" for word in words for reading in lexicon().readings(word)
    )


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Language and place of each piece that may be a date, longest first."""
    found = [
        (language, match.start(1), match.end(1))
        for language, triggers in _languages().items()
        if any(word in text for entry in _TRIGGERS for word in triggers.get(entry, ()))
        for pattern in _patterns(language)
        for match in pattern.finditer(text)
    ]
    yield from sorted(found, key=lambda piece: (piece[1] - piece[2], piece[1], piece[0]))


_TRIGGERS = ("months", "relative", "ago")
"""Entries of which every piece holds a word."""


@cache
def _languages() -> dict[str, dict[str, tuple[str, ...]]]:
    return compiled("dateparser", _split_triggers)


def _split_triggers(languages: Sections) -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        code: {entry: tuple(split(words)) for entry, words in section.items()}
        for code, section in languages.items()
    }


@cache
def _patterns(language: str) -> list[re.Pattern[str]]:
    triggers = {entry: "|".join(words) for entry, words in _languages()[language].items()}
    forms = []
    if "months" in triggers:
        month = rf"(?:{triggers['months']})\w*\.?"
        forms.append(rf"(\d{{1,2}}\.?\s+{month}(?:\s+\d{{4}})?)")
        forms.append(rf"({month}\s+\d{{4}})")
        if "in" in triggers:
            forms.append(rf"(?:{triggers['in']})\s*({month})")
    if "relative" in triggers:
        forms.append(f"({triggers['relative']})")
    if "ago" in triggers:
        forms.append(rf"(\d{{1,3}}\s*\w+\s*{triggers['ago']})")
    patterns = [rf"(?<!\w){form}(?!\w)" for form in forms]
    patterns += [f"({triggers['form']})"] if "form" in triggers else []
    return [re.compile(pattern) for pattern in patterns]


def _parsed(piece: str, language: str, now: date) -> tuple[Days, str] | None:
    """The days of a piece, and their granularity."""
    from dateparser.date import DateDataParser  # takes a quarter of a second

    settings = {
        "RELATIVE_BASE": datetime.combine(now, time(12)),
        "PREFER_DATES_FROM": "past",
        "PREFER_DAY_OF_MONTH": "first",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own date formats without a year
        try:
            found = DateDataParser(languages=[language], settings=settings).get_date_data(piece)
        except (ValueError, OverflowError, KeyError):
            return None
    if found.date_obj is None:
        return None
    unit = found.period if found.period in ("week", "month", "year") else "day"
    return unit_days(found.date_obj.date(), unit, 0), unit
