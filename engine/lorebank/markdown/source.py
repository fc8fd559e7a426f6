"""From bytes to text and from text to lines: what is odd is reported, never dropped in silence.

Also which lines stand in code fences, and where long text is best cut.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date

from lorebank.domain.facts import Diagnostic

_BOM = b"\xef\xbb\xbf"
_NAMED_ERRORS = 20
_LONE_CR = re.compile(r"\r(?!\n)")


def decode(data: bytes, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text of a UTF-8 file without its byte order mark, line endings untouched.

    Invalid bytes become U+FFFD and are reported with their offset, the first ones one by one; a
    carriage return that ends no line is reported too.
    """
    skipped = len(_BOM) if data.startswith(_BOM) else 0
    try:
        text = data[skipped:].decode("utf-8")
        diagnostics = []
    except UnicodeDecodeError:
        text = data[skipped:].decode("utf-8", errors="replace")
        diagnostics = _invalid_bytes(data, skipped, path)
    lone = _LONE_CR.findall(text)
    if lone:
        first = _LONE_CR.search(text)
        line = line_of(text, first.start() if first else 0)
        message = f"a lone carriage return ends no line; read as a space ({len(lone)} in the file)"
        diagnostics.append(Diagnostic(path, line, "lone-cr", message))
    return text, tuple(diagnostics)


def _invalid_bytes(data: bytes, start: int, path: str) -> list[Diagnostic]:
    """One diagnostic for each of the first invalid sequences; the last one speaks for the rest."""
    found: list[Diagnostic] = []
    while len(found) < _NAMED_ERRORS:
        try:
            data[start:].decode("utf-8")
        except UnicodeDecodeError as error:
            offset, start = start + error.start, start + error.end
        else:
            return found
        more = ", and more may follow" if len(found) == _NAMED_ERRORS - 1 else ""
        message = f"invalid UTF-8 at byte offset {offset}; read with replacement{more}"
        found.append(Diagnostic(path, data.count(b"\n", 0, offset) + 1, "utf8-invalid", message))
    return found


def split_lines(text: str) -> list[str]:
    r"""The lines without their endings; only `\n` and `\r\n` end a line.

    A final line ending opens no further line, so `"a\n"` is one line and `""` none.
    """
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    if "\r" in text:
        return [line[:-1] if line.endswith("\r") else line for line in lines]
    return lines


def line_of(text: str, offset: int) -> int:
    """The 1-based number of the line that holds a character."""
    return text.count("\n", 0, offset) + 1


def parse_day(text: str | None) -> date | None:
    """The day of `2025-11-27`; None for nothing, and for a day that no calendar has."""
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


def newline_style(text: str) -> str:
    r"""The line ending that most lines of a text have: `"\r\n"` or `"\n"`."""
    windows = text.count("\r\n")
    return "\r\n" if windows * 2 > text.count("\n") else "\n"


_OPENING = re.compile(r"(?:[ \t>]|[-*+][ \t]|\d{1,9}[.)][ \t])*(?P<run>`{3,}(?=[^`]*\Z)|~{3,})")
_CLOSING = re.compile(r"[ \t>]*(?P<run>`{3,}|~{3,})[ \t]*\Z")


class FenceScanner:
    """Fed line by line, says of each whether it belongs to a code fence.

    Fences in list items and block quotes count as well.
    """

    __slots__ = ("closing",)

    def __init__(self) -> None:
        self.closing = ""
        """The run that would close the open fence; empty outside a fence."""

    def feed(self, line: str) -> bool:
        """Whether this line opens, continues or closes a fence."""
        if self.closing:
            closing = _CLOSING.match(line)
            if closing is not None and closing["run"].startswith(self.closing):
                self.closing = ""
            return True
        opening = _OPENING.match(line) if "```" in line or "~~~" in line else None
        if opening is None:
            return False
        self.closing = opening["run"]
        return True


def lines_outside_fences(text: str) -> Iterator[tuple[int, str]]:
    """Offset and text of each line that belongs to no code fence."""
    fences, offset = FenceScanner(), 0
    for line in text.split("\n"):
        if not fences.feed(line):
            yield offset, line
        offset += len(line) + 1


_SENTENCE_END = re.compile(r"[.!?…][\"'”’)]*\s|[。！？]|\n")


def soft_split(text: str, limit: int) -> Iterator[str]:
    """Parts of at most `limit` characters, in order, cut where it hurts least."""
    position = 0
    while len(text) - position > limit:
        end = _soft_cut(text, position, position + limit)
        yield text[position:end].strip(" ")
        position = end
    yield text[position:].strip(" ")


def _soft_cut(text: str, start: int, end: int) -> int:
    """The last good place to cut in the second half of a window, else its end."""
    middle = start + (end - start) // 2
    sentences = [found.end() for found in _SENTENCE_END.finditer(text, middle, end)]
    if sentences:
        return sentences[-1]
    space = text.rfind(" ", middle, end)
    return space + 1 if space >= 0 else end
