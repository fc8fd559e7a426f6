"""What mentions and plain text share: letters of names, code spans, wikilinks, URLs."""

from __future__ import annotations

import html
import re

_NOT_IN_NAMES = (
    r"\x00-/:-@\[-^`{-\u00a9\u00ab-\u00b4\u00b6-\u00b9\u00bb-\u00bf\u00d7\u00f7"
    r"\u055a-\u055f\u0589\u058a\u05be\u05c0\u05c3\u05f3\u05f4\u060c\u060d\u061b-\u061f"
    r"\u066a-\u066d\u06d4\u0964\u0965\u0e2f\u0e5a\u0e5b\u1360-\u1368\u1680"
    r"\u2000-\u200b\u200e-\u206f\u20a0-\u20cf\u2190-\u2bff\u2e00-\u2e7f\u2ff0-\u3004"
    r"\u3008-\u3020\u3030\u303d-\u303f\u30a0\u30fb\ue000-\uf8ff\ufd3e\ufd3f\ufe00-\ufe1f"
    r"\ufe30-\ufe6f\ufeff\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65\uffe0-\uffff"
    r"\U0001f000-\U0001faff"
)
NAME_CHARACTER = f"[^{_NOT_IN_NAMES}]"
"""Letters, marks and digits of any script, and `_`; combining marks are no `\\w` in Python."""

WIKILINK = r"\[\[(?P<title>[^\[\]|]{1,200})(?:\|[^\[\]]{0,200})?\]\]"
URL = r"(?:https?|ftp)://[!-)+-;=?-~]*"
"""ASCII without `<`, `>` and `*`: a URL ends where CJK text or bold begins."""
ESCAPE = r"\\[!-/:-@\[-`{-~]"

_TICKS = re.compile(r"\\`|`+")
_DAY_LINK = re.compile(r"(?:.*/)?\d{4}[-_]\d{2}[-_]\d{2}(?:\.md)?")
_ANCHOR = re.compile(r"(?<=.)[#^](?=\S).*", re.DOTALL)


def code_spans(text: str) -> list[tuple[int, int, str]]:
    """The code spans of a text: start, end, content; a run of backticks closes one of its length.

    Linear in the text: closing runs are looked up by their length.
    """
    if "`" not in text:
        return []
    runs = [found for found in _TICKS.finditer(text) if found.group() != "\\`"]
    by_length: dict[int, list[int]] = {}
    for index in range(len(runs) - 1, -1, -1):
        by_length.setdefault(len(runs[index].group()), []).append(index)
    spans: list[tuple[int, int, str]] = []
    index = 0
    while index < len(runs):
        opening = runs[index]
        later = by_length[len(opening.group())]
        while later and later[-1] <= index:
            later.pop()
        if not later:
            index += 1
            continue
        closing = runs[later[-1]]
        spans.append((opening.start(), closing.end(), text[opening.end() : closing.start()]))
        index = later[-1] + 1
    return spans


def link_title(title: str) -> str:
    """The page a wikilink points to: entities decoded, heading anchor and folder cut off.

    >>> link_title("bank/entities/The Castle#Rooms")
    'The Castle'
    """
    name = " ".join(html.unescape(title).split()).removesuffix("\\")
    name = _ANCHOR.sub("", name).strip()
    return name.removeprefix("bank/entities/").removesuffix(".md") or name


def is_day_link(title: str) -> bool:
    """Whether a wikilink points to a daily log (`[[2025-11-27]]`): a date, not a name."""
    return _DAY_LINK.fullmatch(title.strip()) is not None
