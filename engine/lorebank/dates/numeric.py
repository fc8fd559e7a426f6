"""Dates in digits: `2025-11-27`, `3/4/2024`, `27.11.2025`, `2025-W48`, `二〇二五`.

Day first where both orders are possible; a number above 12 settles it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from datetime import date
from functools import cache

from lorebank.dates.lattice import Edge, Lattice
from lorebank.dates.lexicon import ALL, language_bit
from lorebank.dates.spans import Cycle, Span, iso_week_days, month_days, one_day

_DAY_MONTH_DOTTED = language_bit("de") | language_bit("tr")
_HAN_DIGITS = str.maketrans("〇零一二三四五六七八九", "00123456789")


def _one_day(year: str, month: str, day: str) -> Span:
    """A day; of two digits, a year up to 69 is of this century."""
    full = int(year) if len(year) > 2 else int(year) + (2000 if int(year) < 70 else 1900)
    return Span("day", one_day(date(full, int(month), int(day))))


def _day_first(match: re.Match[str]) -> Span | None:
    first, mark, second, year = match.groups()
    if len(year) == 2 and mark != "/" and not (len(first) == len(second) == 2):
        return None  # 3.11.24 is rather a version
    day, month = (second, first) if int(second) > 12 else (first, second)
    return _one_day(year, month, day)


def _month(match: re.Match[str]) -> Span:
    return Span("month", month_days(int(match[1]), int(match[2])))


def _week(match: re.Match[str]) -> Span:
    return Span("week", iso_week_days(int(match[1]), int(match[2])))


def _yearly_week(match: re.Match[str]) -> Span | None:
    week = int(match[1])
    if not 1 <= week <= 53:
        return None
    return Span("week", cycle=Cycle(lambda year: iso_week_days(year, week)), bare=True)


def _day_and_month(match: re.Match[str]) -> Span | None:
    first, second = int(match[1]), int(match[2])
    day, month = (second, first) if second > 12 else (first, second)
    if not (1 <= day <= 31 and 1 <= month <= 12):
        return None

    return Span("day", cycle=Cycle(lambda year: one_day(date(year, month, day))))


def _han_year(match: re.Match[str]) -> int | None:
    year = int(match[0].translate(_HAN_DIGITS))
    return year if 1900 <= year <= 2099 else None


_CLOCK = r"(?:[T ]\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?"
_YEAR = r"(?:19|20)\d\d"
_Read = Callable[[re.Match[str]], object]
_FORMS: tuple[tuple[str, str, _Read, str, int], ...] = (
    (r"\d[-/.]\d", rf"(?<!\d)(\d{{4}})([-/.])(\d{{1,2}})\2(\d{{1,2}}){_CLOCK}(?!\d)",
     lambda match: _one_day(match[1], match[3], match[4]), "DATE", ALL),
    (r"\d[-/.]\d", r"(?<!\d)(\d{1,2})([./-])(\d{1,2})\2(\d{4}|\d{2})(?!\d)",
     _day_first, "DATE", ALL),
    (r"\d-?[Ww]\d", rf"(?<!\d)({_YEAR})-?[Ww](\d{{1,2}})(?!\d)", _week, "DATE", ALL),
    (r"\d[-/]\d", rf"(?<![\d./-])({_YEAR})[-/](0[1-9]|1[0-2])(?![\d/-])", _month, "DATE", ALL),
    (r"\d\.\d", r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.(?![\d])",
     _day_and_month, "DM", _DAY_MONTH_DOTTED),
    (r"\d\.\d", r"(?<![\d./-])(\d{1,2})\.(\d{1,2})\.(\d{2})(?![\d.]*\d)",
     lambda match: _one_day(match[3], match[2], match[1]), "DM_WEAK", _DAY_MONTH_DOTTED),
    (r"\d\.\d", r"(?<![\d./-])(\d{1,2})\.(\d{1,2})(?![\d.]*\d)",
     _day_and_month, "DM_WEAK", _DAY_MONTH_DOTTED),
    (r"\d/\d", r"(?<![\d./-])(\d{1,2})/(\d{1,2})(?![\d/]|\.\d)", _day_and_month, "DM", ALL),
    (r"\d/\d", r"(?<![\d./-])(?=0|../0)(\d\d)/(\d\d)(?![\d/]|\.\d)", _day_and_month, "DATE", ALL),
    (r"\d ?[:.hapu–-]", r"(?<![\d.:])(?:[01]?\d|2[0-3])(?::[0-5]\d|\.[0-5]\d(?!\.?\d)|"
     r" ?[hu] ?(?:[0-5]\d)?|"
     r"(?: ?[-–] ?\d\d?)?(?:[:.][0-5]\d)? ?[ap]\.?m\b)(?![\d:]|\w)",
     bool, "CLOCK", ALL),
    (r"W\d", r"(?<![\w-])(?-i:W)(\d\d)(?![\w.])", _yearly_week, "DATE", ALL),
    ("年", r"[〇零一二三四五六七八九]{4}(?=年)", _han_year, "YR", ALL),
)  # fmt: skip
"""What every text of the form holds, quickly looked for; form, what reads it, tag, languages."""


def add_numeric_dates(lattice: Lattice) -> None:
    """Add an edge for every date in digits."""
    for start, end, tag, value, languages in _numeric_dates(lattice.tokens.text):
        starts, ends = lattice.tokens.starts, lattice.tokens.ends
        first, last = bisect_left(starts, start), bisect_left(ends, end)
        if first < len(starts) and starts[first] == start and ends[last] == end:
            lattice.add(first, Edge(tag, value, languages, last + 1))


@cache
def _compiled_forms() -> list[tuple[re.Pattern[str], re.Pattern[str], _Read, str, int]]:
    return [
        (re.compile(sign, re.I), re.compile(form, re.I), read, tag, languages)
        for sign, form, read, tag, languages in _FORMS
    ]


def _numeric_dates(text: str) -> Iterator[tuple[int, int, str, object, int]]:
    for sign, form, read, tag, languages in _compiled_forms():
        if not sign.search(text):
            continue
        for match in form.finditer(text):
            try:
                value = read(match)
            except ValueError:
                continue
            if value is not None:
                yield match.start(), match.end(), tag, value, languages
