"""Appending a note to a daily log: prose for the day, kept apart from the facts.

What stands in a log is never changed. A note is a list item before the trailing retain section,
where there is one, and at the end of the file otherwise: inside the section it would be a fact.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from lorebank.errors import UsageError
from lorebank.markdown.document import read_document
from lorebank.markdown.fact_lines import begins_typed
from lorebank.markdown.sections import retain_sections
from lorebank.markdown.source import newline_style
from lorebank.retain.append import Appended

_BULLET = re.compile(r"\s*(?:[-*+>]\s*|\d+[.)]\s+)*")
_MENTION = re.compile(r"[@\uff20]|\[\[")
_HEADING = re.compile(r"\A(\W*?)(#{1,6}(?=\s|\Z)|=+\s*\Z|-+\s*\Z)")


def new_note_log(day: date) -> str:
    """The text of a log that does not exist yet and begins with a note."""
    return f"# {day.isoformat()}\n"


def append_note(text: str, note: str, *, path: str, headings: Sequence[str]) -> Appended:
    """The log with the note in it; further lines of the note are indented below its bullet."""
    newline = newline_style(text)
    item = _as_item(note).replace("\n", newline) + newline
    lines = text.split("\n")
    sections = retain_sections(read_document(text, path), headings=headings)
    place = len(lines)
    if sections and not any(line.strip() for line in lines[sections[-1].end_line :]):
        place = sections[-1].start_line - 1
    before, after = "\n".join(lines[:place]), "\n".join(lines[place:])
    if place < len(lines) and before:
        before += "\n"
    elif before and not before.endswith("\n"):
        before += newline
    head = before + _gap(before, newline)
    return Appended(head + item + (newline + after if after else ""), head.count("\n") + 1)


def _gap(before: str, newline: str) -> str:
    """An empty line, where the text above is not one and no list that the note goes on with."""
    if not before.strip():
        return ""
    last = before.removesuffix("\n").removesuffix("\r").rpartition("\n")[2]
    return "" if not last.strip() or last.startswith(("- ", "* ", "  ")) else newline


def _as_item(note: str) -> str:
    lines = note.replace("\r\n", "\n").replace("\r", "\n").strip().split("\n")
    if not lines[0]:
        raise UsageError("nothing to log: the text is empty")
    first = lines[0].removeprefix("- ")
    return "\n".join(
        [
            f"- {without_heading(first)}",
            *(f"  {without_heading(line)}".rstrip() for line in lines[1:]),
        ]
    )


def without_heading(line: str) -> str:
    """A line that opens no heading and is no typed fact: a note is context, whoever dictated it."""
    bullet = _BULLET.match(line)
    if begins_typed(line[bullet.end() :] if bullet else line):
        line = _MENTION.sub(r"\\\g<0>", line, count=1)
    return _HEADING.sub(r"\1\\\2", line)
