"""Names of daily notes, as Obsidian (moment) and Logseq (Joda) write their formats: no disk.

    moment  "YYYY/MM/YYYY-MM-DD dddd"  "2024/01/2024-01-15 Monday"  → 2024-01-15
    Joda    "MMM do, yyyy"             "Jan 15th, 2024"             → 2024-01-15

Names of months are read in English; for a weekday any word will do, since the date fixes it.
"""

from __future__ import annotations

import re
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
_JODA = re.compile(r"'(?P<literal>[^']*)'|(?P<token>yyyy|yy|dd|do|d|E{1,4})")
_AS_MOMENT = {
    "yyyy": "YYYY",
    "yy": "YY",
    "dd": "DD",
    "do": "Do",
    "d": "D",
    **dict.fromkeys(("EEEE", "EEE", "EE", "E"), "dddd"),
}


def moment_day(name: str, form: str) -> date | None:
    """The day that a name in a moment.js format is of; `None` where it does not fit."""
    return _day(_pattern(form).match(name))


def joda_day(name: str, form: str) -> date | None:
    """The day that a name in Logseq's format is of; `None` where it does not fit."""

    def rewritten(piece: re.Match[str]) -> str:
        return _AS_MOMENT[piece["token"]] if piece["token"] else f"[{piece['literal']}]"

    return moment_day(name, _JODA.sub(rewritten, form))


@cache
def _pattern(form: str) -> re.Pattern[str]:
    tokens = "|".join(sorted(_MOMENT, key=len, reverse=True))
    pieces = re.finditer(rf"\[(?P<literal>[^\]]*)\]|(?P<token>{tokens})|.", form[:200], re.DOTALL)
    seen: set[str] = set()
    found = "".join(_expression(each, seen) for each in pieces)
    return re.compile(rf"{found}\Z", re.IGNORECASE)


def _expression(piece: re.Match[str], seen: set[str]) -> str:
    if piece["literal"] is not None:
        return re.escape(piece["literal"])
    if not piece["token"]:
        return re.escape(piece[0])
    pattern = _MOMENT[piece["token"]]
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
