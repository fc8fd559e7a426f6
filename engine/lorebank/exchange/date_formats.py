"""File names of daily notes in the formats of Obsidian (moment) and Logseq (Joda). Pure.

    moment  "YYYY/MM/YYYY-MM-DD dddd"  "2024/01/2024-01-15 Monday"  → 2024-01-15
    Joda    "MMM do, yyyy"             "Jan 15th, 2024"             → 2024-01-15

Month names are English; any word is accepted for a weekday, which the date determines.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import date, datetime
from functools import cache

_NUMBER = r"\d{1,2})(?:st|nd|rd|th)?"
_MONTH_NAME = r"[a-z]{3})[a-z]*\.?"
_PARTS = {
    **dict.fromkeys(("MMMM", "MMM"), f"(?P<B>{_MONTH_NAME}"),
    **dict.fromkeys(("MM", "Mo", "M"), f"(?P<m>{_NUMBER}"),
    **dict.fromkeys(("DD", "Do", "D"), f"(?P<d>{_NUMBER}"),
    "YYYY": r"(?P<Y>\d{4})",
    "YY": r"(?P<y>\d{2})",
    **dict.fromkeys(("dddd", "ddd", "dd"), r"[^\W\d_]+\.?"),
    **dict.fromkeys(("DDDD", "DDD", "gggg", "GGGG", "ww", "w", "WW", "W", "E", "e", "Q"), r"\d+"),
}
"""Token → pattern; groups are named like `strptime` directives."""
_TOKEN = re.compile(
    rf"\[(?P<literal>[^\]]*)\]|(?P<token>{'|'.join(sorted(_PARTS, key=len, reverse=True))})|."
)
_JODA = re.compile(r"'(?P<literal>[^']*)'|(?P<weekday>E+)|[yd]")


def moment_day(name: str, form: str) -> date | None:
    """The day of a name in a moment.js format; `None` if it does not match."""
    found = _pattern(form).fullmatch(name)
    parts = found.groupdict() if found else {}
    if {"y", "Y"}.isdisjoint(parts) or {"m", "B"}.isdisjoint(parts):
        return None
    with suppress(ValueError):
        words = " ".join(f"%{'b' if key == 'B' else key}" for key in parts)
        return datetime.strptime(" ".join(parts.values()), words).date() if "d" in parts else None
    return None


def joda_day(name: str, form: str) -> date | None:
    """The same for a format of Logseq's."""

    def as_moment(found: re.Match[str]) -> str:
        if found["literal"] is not None:
            return f"[{found['literal']}]"
        return "dddd" if found["weekday"] else found[0].upper()

    return moment_day(name, _JODA.sub(as_moment, form))


@cache
def _pattern(form: str) -> re.Pattern[str]:
    """The pattern of a format; only the first of repeated parts is captured."""
    named: set[str] = set()

    def expression(piece: re.Match[str]) -> str:
        part = _PARTS.get(piece["token"] or "")
        if part is None:
            return re.escape(piece[0] if piece["literal"] is None else piece["literal"])
        if (group := re.match(r"\(\?P<(\w)>", part)) and group[1] in named:
            return part.replace(group[0], "(?:")
        named.update(group[1] if group else "")
        return part

    return re.compile(_TOKEN.sub(expression, form[:200]), re.IGNORECASE)
