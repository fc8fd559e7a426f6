"""Reading a source: the text of a note, and JSON value by value."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from lorebank.domain.facts import Diagnostic
from lorebank.markdown.source import decode
from lorebank.workspace.given import Source

T = TypeVar("T")
MAX_NOTE_BYTES = 8_000_000
"""Chosen by hand: the longest novels have 3 MB."""


def note_text(source: Source, path: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
    """A file's text with `\\n` line ends, or `None`, and problems."""
    try:
        data = source.read(path, MAX_NOTE_BYTES)
    except OSError as error:
        return None, (source.unread(path, error),)
    if b"\0" in data[:8_000]:
        return None, (Diagnostic(path, 0, "not-text", "is not UTF-8 text; left out"),)
    text, problems = decode(data, path)
    return text.replace("\r\n", "\n").replace("\r", "\n"), problems


def read_pages(
    source: Source,
    paths: Iterable[str],
    skip_reason: Callable[[str], tuple[str, str] | None],
    read: Callable[[str, str], Iterator[T | Diagnostic]],
) -> Iterator[T | Diagnostic]:
    """`read(path, text)` for each path without a `skip_reason`; everything else is reported."""
    for path in paths:
        if reason := skip_reason(path):
            yield Diagnostic(path, 0, *reason)
            continue
        text, problems = note_text(source, path)
        yield from problems
        if text is not None:
            yield from read(path, text)


BROKEN = "invalid-json"
"""Diagnostic code: the rest of the file is not read."""
_WHITE = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder()


class BrokenJson(Exception):
    """The text is not JSON from here on."""

    def __init__(self, message: str, text: str, position: int) -> None:
        self.line = text.count("\n", 0, position) + 1
        """1-based, like the column; the character is 0-based."""
        column = position - text.rfind("\n", 0, position)
        super().__init__(f"{message} at line {self.line}, column {column} (character {position})")


def json_values(data: bytes) -> Iterator[tuple[int, Any]]:
    """`(line, value)` of each element of an array, or of a single other value.

    Only one value is in memory at a time. Raises `BrokenJson` after the valid elements.
    """
    text = data.decode("utf-8-sig", "replace")
    del data  # as large again
    position, mark = _next_character(text, 0)
    line, counted = 1, 0
    is_array = mark == "["
    if is_array:
        position, mark = _next_character(text, position + 1)
    while not (is_array and mark == "]"):
        line, counted = line + text.count("\n", counted, position), position
        try:
            value, end = _DECODER.raw_decode(text, position)
        except json.JSONDecodeError as error:
            raise BrokenJson(error.msg.removesuffix(" at"), text, error.pos) from None
        except (RecursionError, ValueError) as error:
            raise BrokenJson(f"cannot be read ({error})", text, position) from None
        yield line, value
        position, mark = _next_character(text, end)
        if not is_array:
            break
        if mark not in (",", "]"):
            wanted = "expected , or ]" if mark else "the array ends early"
            raise BrokenJson(wanted, text, position)
        if mark == ",":
            position, _ = _next_character(text, position + 1)
    if is_array:
        position, mark = _next_character(text, position + 1)
    if mark:
        raise BrokenJson("something follows the end of the value", text, position)


def _next_character(text: str, position: int) -> tuple[int, str]:
    """Position and character of the next non-blank; "" at the end."""
    found = _WHITE.match(text, position)
    assert found is not None
    return found.end(), text[found.end() : found.end() + 1]
