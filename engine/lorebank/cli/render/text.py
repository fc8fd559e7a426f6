"""Text on a terminal: how wide it is, where it may break, and what must not reach it.

Wide letters (Chinese, Japanese, Korean, most emoji) take two columns, combining marks none.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_PIECE = re.compile(r"\s+|\S+")
_NEVER_FIRST = set(
    "、。，．・：；？！ー」』）］｝〉》】〕…,.;:!?)]}%々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
)
_NEVER_LAST = set("「『（［｛〈《【〔([{")


def clean(text: str) -> str:
    """Control characters made visible (`\\x1b`), so that no note can drive the terminal.

    Line feeds stay and tabs become spaces; overrides of the writing direction are shown as well.
    """
    return _CONTROL.sub(_visible, text.replace("\r\n", "\n").expandtabs(4))


def _visible(found: re.Match[str]) -> str:
    return found.group().encode("unicode_escape").decode("ascii")


def display_width(text: str) -> int:
    """How many columns a text takes on a terminal.

    >>> display_width("café 東京")
    9
    """
    return len(text) if text.isascii() else sum(map(_letter_width, text))


@lru_cache(maxsize=4096)
def _letter_width(letter: str) -> int:
    if unicodedata.category(letter) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(letter) in "WF" else 1


def truncate(text: str, width: int) -> str:
    """The text on one line in at most `width` columns, with `…` where it was cut."""
    line = " ".join(text.split())
    if display_width(line) <= width:
        return line
    kept = _fitting(line, max(width - 1, 0))
    return f"{line[:kept].rstrip()}…"


def wrap(text: str, width: int, indent: str = "", *, first: str | None = None) -> list[str]:
    """Break a text into lines of at most `width` columns, each behind `indent`.

    `first` stands before the first line in place of `indent`. A line break in the text stays one,
    and so does the indent behind it. A word wider than the line stays whole, so that a path or a
    link can be copied.
    """
    lines: list[str] = []
    lead = indent if first is None else first
    for paragraph in text.split("\n"):
        own = _own_indent(paragraph, width)
        lines += _fill(paragraph, width, (indent if lines else lead) + own, indent + own)
    return lines


def _own_indent(paragraph: str, width: int) -> str:
    """The indent a paragraph brings along, as far as it leaves room for words."""
    return paragraph[: min(len(paragraph) - len(paragraph.lstrip(" ")), width // 4)]


def _fill(paragraph: str, width: int, first: str, indent: str) -> list[str]:
    lines: list[str] = []
    line, used, gap = first, display_width(first), ""
    empty = True
    for piece in _pieces(paragraph):
        if piece.isspace():
            gap = " "
            continue
        size = display_width(piece)
        if not empty and used + len(gap) + size > width:
            lines.append(line)
            line, used, gap, empty = indent, display_width(indent), "", True
        if empty:
            gap = ""
        line, used, gap, empty = f"{line}{gap}{piece}", used + len(gap) + size, "", False
    lines.append(line.rstrip())
    return lines


def _pieces(paragraph: str) -> list[str]:
    """What must stay together: words, and single wide letters with their punctuation."""
    pieces: list[str] = []
    for piece in _PIECE.findall(paragraph):
        pieces += [piece] if piece.isascii() or piece.isspace() else _split_wide(piece)
    return pieces


def _split_wide(word: str) -> list[str]:
    parts: list[str] = []
    for letter in word:
        if parts and not _may_break(parts[-1][-1], letter):
            parts[-1] += letter
        else:
            parts.append(letter)
    return parts


def _may_break(before: str, after: str) -> bool:
    if after in _NEVER_FIRST or before in _NEVER_LAST or _letter_width(after) == 0:
        return False
    return _letter_width(before) == 2 or _letter_width(after) == 2


def _fitting(text: str, width: int) -> int:
    """How many letters of the text fit into `width` columns."""
    used = 0
    for position, letter in enumerate(text):
        used += _letter_width(letter)
        if used > width:
            return position
    return len(text)
