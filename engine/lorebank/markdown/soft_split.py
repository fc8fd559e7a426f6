"""Cutting long text where it hurts least: after a sentence, else at white space, else anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator

_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*\s|[。！？]|\n")


def soft_split(text: str, limit: int, *, overlap: int = 0) -> Iterator[str]:
    """Parts of at most `limit` characters, in order, each repeating up to `overlap` of the last."""
    position = 0
    while len(text) - position > limit:
        end = _cut(text, position, position + limit)
        yield text[position:end].strip(" ")
        position = max(_overlap_start(text, end, overlap), position + 1)
    yield text[position:].strip(" ")


def _cut(text: str, start: int, end: int) -> int:
    """The last good place to cut in the second half of a window, else its end."""
    middle = start + (end - start) // 2
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, middle, end)]
    if sentences:
        return sentences[-1]
    space = text.rfind(" ", middle, end)
    return space + 1 if space >= 0 else end


def _overlap_start(text: str, end: int, overlap: int) -> int:
    if not overlap:
        return end
    space = text.find(" ", end - overlap, end)
    return space + 1 if space >= 0 else end - overlap
