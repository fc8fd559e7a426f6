"""Names of daily notes, as Obsidian (moment) and Logseq (Joda) write their formats: no disk.

    moment  "YYYY/MM/YYYY-MM-DD dddd"  "2024/01/2024-01-15 Monday"  → 2024-01-15
    Joda    "MMM do, yyyy"             "Jan 15th, 2024"             → 2024-01-15

Names of months are read in English; for a weekday any word will do, since the date fixes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from functools import cache

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH_NAME = (
    "(?P<{0}>" + "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS) + r"|sept)\.?"
)
_WORD = r"[^\W\d_]+\.?"
_YEAR, _SHORT_YEAR = r"(?P<year>\d{4})", r"(?P<short_year>\d{2})"
_MONTH, _DAY = r"(?P<month>\d{1,2})", r"(?P<day>\d{1,2})"
_ORDINAL = r"(?P<day>\d{1,2})(?:st|nd|rd|th)"
_NAMED = _MONTH_NAME.format("month_name")
_ANY_NUMBER = {
    "gggg": r"\d{4}",
    "GGGG": r"\d{4}",
    "DDDD": r"\d{3}",
    "DDD": r"\d{1,3}",
    "do": _ORDINAL.replace("?P<day>", "?:"),
    **dict.fromkeys(("ww", "w", "WW", "W"), r"\d{1,2}"),
    **dict.fromkeys(("d", "E", "e", "Q"), r"\d"),
}
_MOMENT = {
    "YYYY": _YEAR,
    "YY": _SHORT_YEAR,
    "MMMM": _NAMED,
    "MMM": _NAMED,
    "MM": _MONTH,
    "Mo": _ORDINAL.replace("day", "month"),
    "M": _MONTH,
    "DD": _DAY,
    "Do": _ORDINAL,
    "D": _DAY,
    **dict.fromkeys(("dddd", "ddd", "dd"), _WORD),
    **_ANY_NUMBER,
}
_JODA = {
    "yyyy": _YEAR,
    "yy": _SHORT_YEAR,
    "MMMM": _NAMED,
    "MMM": _NAMED,
    "MM": _MONTH,
    "M": _MONTH,
    "dd": _DAY,
    "do": _ORDINAL,
    "d": _DAY,
    **dict.fromkeys(("EEEE", "EEE", "EE", "E"), _WORD),
}


def moment_day(name: str, form: str) -> date | None:
    """The day that a name in a moment.js format is of; `None` where it does not fit."""
    return _day(_pattern(form, "moment").match(name))


def joda_day(name: str, form: str) -> date | None:
    """The day that a name in Logseq's format is of; `None` where it does not fit."""
    return _day(_pattern(form, "joda").match(name))


@cache
def _pattern(form: str, language: str) -> re.Pattern[str]:
    tokens: Mapping[str, str] = _MOMENT if language == "moment" else _JODA
    longest_first = sorted(tokens, key=len, reverse=True)
    quoted = r"\[(?P<literal>[^\]]*)\]" if language == "moment" else "'(?P<literal>[^']*)'"
    piece = re.compile(f"{quoted}|(?P<token>{'|'.join(longest_first)})|(?P<other>.)", re.DOTALL)
    seen: set[str] = set()
    found = "".join(_expression(each, tokens, seen) for each in piece.finditer(form[:200]))
    return re.compile(rf"{found}\Z", re.IGNORECASE)


def _expression(piece: re.Match[str], tokens: Mapping[str, str], seen: set[str]) -> str:
    if piece["literal"] is not None:
        return re.escape(piece["literal"])
    if not piece["token"]:
        return re.escape(piece["other"])
    pattern = tokens[piece["token"]]
    group = re.search(r"\?P<(\w+)>", pattern)
    if group is None:
        return pattern
    if group[1] in seen:
        return pattern.replace(group[0], "?:")
    seen.add(group[1])
    return pattern


def _day(found: re.Match[str] | None) -> date | None:
    if found is None:
        return None
    said = found.groupdict()
    year = int(said.get("year") or 0) or (2000 + int(said.get("short_year") or -2000))
    month = int(said.get("month") or 0)
    if name := said.get("month_name"):
        month = next(n for n, each in enumerate(_MONTHS, 1) if each.startswith(name.lower()[:3]))
    try:
        return date(year, month, int(said.get("day") or 0))
    except ValueError:
        return None
