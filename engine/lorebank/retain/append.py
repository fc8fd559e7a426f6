"""Appending a fact line to the retain section of a log, every other byte left as it is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from lorebank.markdown.document import read_document
from lorebank.markdown.sections import retain_sections
from lorebank.markdown.source import newline_style
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class Appended:
    """A log's text with the fact in it, and the line where the fact begins (1-based)."""

    text: str
    line: int


def new_log(day: date) -> str:
    """The text of a log that does not exist yet."""
    return f"# {day.isoformat()}\n\n## Retain\n"


def append_fact_line(text: str, line: str, *, path: str, headings: Sequence[str]) -> Appended:
    """Put a fact (one line, or several with indented continuations) at the end of the last retain
    section; without one, a section is opened at the end of the file."""
    newline = newline_style(text)
    written = line.replace("\n", newline)
    sections = retain_sections(read_document(text, path), headings=headings)
    if not sections:
        return _with_new_section(text, written, newline)
    lines = text.split("\n")
    first, last = sections[-1].start_line, sections[-1].end_line
    place = min(last, len(lines))
    while place > first and not lines[place - 1].strip():
        place -= 1
    before = "\n".join(lines[:place])
    after = "\n".join(lines[place:])
    before = before.removesuffix("\r") + newline
    if not after.strip():
        return Appended(before + written + newline + after.lstrip("\r\n"), place + 1)
    gap = "" if after.startswith(("\n", "\r")) else newline
    return Appended(before + written + newline + gap + after, place + 1)


def _with_new_section(text: str, written: str, newline: str) -> Appended:
    body = text.rstrip("\r\n")
    kept = text if not body else body + _line_end(text, body, newline)
    gap = newline if body else ""
    opened = f"{kept}{gap}## Retain{newline}"
    return Appended(f"{opened}{written}{newline}", opened.count("\n") + 1)


def _line_end(text: str, body: str, newline: str) -> str:
    """The line endings that stood at the end of the text, at least one."""
    return text[len(body) :] or newline


def one_paragraph(text: str) -> str:
    """A fact as one line of text: line breaks become spaces."""
    return re.sub(r"\s*[\r\n]+\s*", " ", text).strip()
