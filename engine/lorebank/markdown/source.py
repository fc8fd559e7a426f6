"""From bytes to text and from text to lines: what is odd is reported, never dropped in silence."""

from __future__ import annotations

import re

from lorebank.domain import Diagnostic

__all__ = ["decode", "line_of", "newline_style", "split_lines"]

_BOM = b"\xef\xbb\xbf"
_LONE_CR = re.compile(r"\r(?!\n)")


def decode(data: bytes, path: str) -> tuple[str, tuple[Diagnostic, ...]]:
    """The text of a UTF-8 file without its byte order mark, line endings untouched.

    Invalid bytes become U+FFFD and are reported with the offset of the first one and their number;
    a carriage return that ends no line is reported too.
    """
    diagnostics: list[Diagnostic] = []
    skipped = len(_BOM) if data.startswith(_BOM) else 0
    body = data[skipped:]
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        text = body.decode("utf-8", errors="replace")
        line = body.count(b"\n", 0, error.start) + 1
        message = f"invalid UTF-8 at byte offset {error.start + skipped}; read with replacement"
        diagnostics.append(Diagnostic(path, line, "utf8-invalid", message))
    lone = _LONE_CR.search(text)
    if lone is not None:
        message = "a lone carriage return ends no line; read as a space"
        diagnostics.append(Diagnostic(path, line_of(text, lone.start()), "lone-cr", message))
    return text, tuple(diagnostics)


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


def newline_style(text: str) -> str:
    r"""The line ending that most lines of a text have: `"\r\n"` or `"\n"`."""
    windows = text.count("\r\n")
    return "\r\n" if windows * 2 > text.count("\n") else "\n"
