"""Dates in languages that have no `[dates]` of their own, through the dateparser package.

The `[dateparser]` section of such a language's file only says when to ask it: the beginnings of its
months (`months`, which need a day, a year or a word of `in` beside them), whole phrases
(`relative`), and the word behind `3 days` (`ago`). Only the piece of text around such a word is
parsed, in that one language: searching freely takes a verb for a month and a port for an hour.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from datetime import date, datetime, time
from functools import cache

from lorebank.dates.calendar import Days, month_days, unit_days
from lorebank.dates.lexicon import lexicon
from lorebank.dates.tokens import tokenize
from lorebank.domain import Interval
from lorebank.languages import Sections, compiled, split

_UNITS_OF_WEEK = r"недел|тижн|tydzie|tygod|veck|uge|viikko|hafta|minggu|주|tuần|săptăm"
_UNITS_OF_MONTH = r"месяц|місяц|miesi|månad|måned|kuukau|\bay\b|bulan|달|tháng|lun[ăa]"
_UNITS_OF_YEAR = r"год|лет|рок|rok|lat|\bår|vuo|\byıl|tahun|작년|\d+\s*년|năm|anul"


def foreign_days(text: str, now: date) -> tuple[int, int, Interval, str] | None:
    """Offsets, interval and granularity of a date in another language; None where there is none."""
    if text.isascii() and not any(c.isdigit() for c in text):
        return None
    folded = text.lower()
    if len(folded) != len(text):
        return None
    for language, start, end in _pieces(folded):
        if _is_ours(folded[start:end]):
            continue
        found = _parsed(folded[start:end], language, now)
        if found is not None:
            days, granularity = found
            return start, end, Interval(*days), granularity
    return None


def _is_ours(piece: str) -> bool:
    """`17. juni`: a day and a month of a language with rules, which have judged it already."""
    words = tokenize(piece).words
    return words[0].isdecimal() and any(
        reading.tag == "MON" for word in words for reading in lexicon().readings(word)
    )


def _pieces(text: str) -> Iterator[tuple[str, int, int]]:
    """Language and place of each piece that may be a date, longest first."""
    begins = {language for word in text.split() for language in _languages_of(word)}
    found = [
        (language, match.start(1), match.end(1))
        for language in begins
        for pattern in _patterns(language)
        for match in re.finditer(pattern, text)
    ]
    yield from sorted(found, key=lambda piece: (piece[1] - piece[2], piece[1], piece[0]))


def _languages_of(word: str) -> Iterator[str]:
    """The languages of which a phrase may end or begin with the word."""
    bare = word.lstrip("([{\"'«„“¿¡")
    for beginnings, language in _beginnings():
        if bare.startswith(beginnings):
            yield language
    if any(sign in word for sign in ("월", "전", *_triggers("ko").get("relative", ()))):
        yield "ko"
    if any("\u0590" <= letter <= "\u05ff" for letter in word):
        yield "he"


@cache
def _languages() -> dict[str, dict[str, tuple[str, ...]]]:
    return compiled("dateparser", _split_triggers)


def _split_triggers(languages: Sections) -> dict[str, dict[str, tuple[str, ...]]]:
    return {
        code: {entry: tuple(split(words)) for entry, words in section.items()}
        for code, section in languages.items()
    }


def _triggers(language: str) -> dict[str, tuple[str, ...]]:
    return _languages().get(language, {})


@cache
def _beginnings() -> tuple[tuple[tuple[str, ...], str], ...]:
    """The beginnings of words that each language's phrases hold one of."""
    return tuple(
        (
            tuple(
                phrase.split(" ")[0]
                for entry in ("months", "relative", "ago")
                for phrase in triggers.get(entry, ())
            ),
            language,
        )
        for language, triggers in _languages().items()
    )


@cache
def _patterns(language: str) -> tuple[str, ...]:
    triggers = {entry: "|".join(words) for entry, words in _triggers(language).items()}
    patterns = []
    if "months" in triggers:
        month = rf"(?:{triggers['months']})\w*\.?"
        patterns.append(rf"(?<!\w)(\d{{1,2}}\.?\s+{month}(?:\s+\d{{4}})?)(?!\w)")
        patterns.append(rf"(?<!\w)({month}\s+\d{{4}})(?!\w)")
        if "in" in triggers:
            patterns.append(rf"(?<!\w)(?:{triggers['in']})\s*({month})(?!\w)")
    if "relative" in triggers:
        patterns.append(rf"(?<!\w)({triggers['relative']})(?!\w)")
    if "ago" in triggers:
        patterns.append(rf"(?<!\w)(\d{{1,3}}\s*\w+\s*{triggers['ago']})(?!\w)")
    if language == "ko":
        patterns.append(r"(?<!\d)((?:\d{4}년\s*)?\d{1,2}월(?:\s*\d{1,2}일)?)")
    return tuple(patterns)


def _parsed(piece: str, language: str, now: date) -> tuple[Days, str] | None:
    day = _day(piece, language, now)
    if day is None:
        return None
    if re.search(r"\d일$", piece):
        return (day, day), "day"
    if re.search(_UNITS_OF_WEEK, piece):
        return unit_days(day, "week", 0), "week"
    if re.search(_UNITS_OF_MONTH, piece) or (
        not re.search(r"\d", piece) and _is_month(piece, language)
    ):
        return month_days(day.year, day.month), "month"
    if re.fullmatch(r"\D+\d{4}|(?:\d{4}년\s*)?\d{1,2}월", piece):
        return month_days(day.year, day.month), "month"
    if re.search(_UNITS_OF_YEAR, piece) and not _is_month(piece, language):
        return unit_days(day, "year", 0), "year"
    return (day, day), "day"


def _is_month(piece: str, language: str) -> bool:
    months = "|".join(_triggers(language).get("months", ()))
    return bool(months) and re.search(rf"(?<!\w)(?:{months})", piece) is not None


def _day(piece: str, language: str, now: date) -> date | None:
    import dateparser  # takes a quarter of a second

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own date formats without a year
        try:
            moment = dateparser.parse(
                piece,
                languages=[language],
                settings={
                    "RELATIVE_BASE": datetime.combine(now, time(12)),
                    "PREFER_DATES_FROM": "past",
                    "PREFER_DAY_OF_MONTH": "first",
                },
            )
        except (ValueError, OverflowError, KeyError):
            return None
    return moment.date() if moment else None
