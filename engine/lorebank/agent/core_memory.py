"""Editing the core memory: append, exact replace, insert; and the size it is kept to.

Pure: every byte that was not named stays. A replacement whose old text stands nowhere, or more than
once, is refused: a guess would change the wrong line.
"""

from __future__ import annotations

import difflib
import re
from itertools import pairwise

from lorebank.errors import CoreMemoryFull, NotFound, UsageError
from lorebank.language.words import estimate_tokens
from lorebank.markdown.sections import ORDER_HEADINGS, folded_headings, opens_retain
from lorebank.markdown.source import line_of, newline_style
from lorebank.records import Record
from lorebank.settings.tables import CoreMemorySettings

ACTIONS = ("append", "replace", "insert")
_HEADING = re.compile(r"(#{1,6})[ \t]+(\S.*)")
_NEAR = 0.6


class CoreEdit(Record):
    action: str
    """`append`, `replace` or `insert`."""
    text: str
    """What is written; for a replacement it may be empty, which cuts the old text."""
    old: str = ""
    """For `replace`: the text that is there, letter by letter."""
    line: int | None = None
    """For `insert`: the new text stands from this line on (1-based)."""
    section: str = ""
    """For `append`: the heading at the end of whose section the text goes."""


class CoreWrite(Record):
    """What a write did to the core memory."""

    path: str
    action: str
    start_line: int
    """Where the written text stands, 1-based; of cut text, where it stood."""
    end_line: int
    tokens: int
    """The size of the whole page afterwards, estimated."""
    limit_tokens: int
    warning: str = ""
    """That the page grows too large, and what to do; empty while it is small."""
    proposed: tuple[str, ...] = ()
    """Ids of the proposals made in place of the edit, which `path` and the lines are those of."""


class Edited(Record):
    text: str
    start_line: int
    end_line: int


def edit_core(text: str, edit: CoreEdit) -> Edited:
    """The page after the edit; `UsageError` or `NotFound` where it cannot be done as said."""
    if edit.action not in ACTIONS:
        raise UsageError(f"unknown action '{edit.action}'", hint=f"use {', '.join(ACTIONS)}")
    if edit.action != "replace" and not edit.text.strip():
        raise UsageError("nothing to write: the text is empty")
    newline = newline_style(text)
    written = edit.text.replace("\r\n", "\n").replace("\n", newline)
    if edit.action == "replace":
        return _replaced(text, edit.old.replace("\r\n", "\n").replace("\n", newline), written)
    lines = text.split("\n")
    if edit.action == "insert":
        if edit.line is None:
            raise UsageError("insert needs the line that the text is to stand on")
        last = len(lines) + (lines[-1] != "")
        if not 1 <= edit.line <= last:
            raise UsageError(f"there is no line {edit.line} to insert at", hint=f"use 1 to {last}")
        return _inserted(lines, edit.line, written, newline)
    first, end = _section(lines, edit.section) if edit.section else (0, len(lines))
    while end > first and not lines[end - 1].strip():
        end -= 1
    return _inserted(lines, end + 1, written, newline)


def orders_section(text: str) -> str:
    """The first heading of a page that is for orders (`## How to work`); empty without one."""
    words = folded_headings(ORDER_HEADINGS)
    titles = (title for _, _, title in _headings(text.split("\n")))
    return next((title for title in titles if opens_retain(title, words)), "")


def _headings(lines: list[str]) -> list[tuple[int, int, str]]:
    """Number of the line (0-based), level and title of each heading."""
    found = ((number, _HEADING.match(line)) for number, line in enumerate(lines))
    return [(number, len(match[1]), match[2].strip()) for number, match in found if match]


def measured(
    before: str, edited: Edited, limits: CoreMemorySettings, *, path: str, action: str
) -> CoreWrite:
    """`CoreMemoryFull` past the limit; an edit that makes the page smaller is never refused."""
    tokens = estimate_tokens(edited.text)
    proposal = _what_could_move(edited.text) if tokens > limits.warn_tokens else ""
    if tokens > limits.limit_tokens and tokens > estimate_tokens(before):
        raise CoreMemoryFull(
            f"{path} would grow to {tokens} tokens, more than the {limits.limit_tokens} it is kept"
            " to; nothing was written",
            hint=proposal,
        )
    warning = ""
    if proposal:
        warning = f"{path} has {tokens} of at most {limits.limit_tokens} tokens; {proposal}"
    size = tokens, limits.limit_tokens
    return CoreWrite(path, action, edited.start_line, edited.end_line, *size, warning)


def _replaced(text: str, old: str, new: str) -> Edited:
    if not old:
        raise UsageError("nothing to replace: the old text is empty")
    found = text.count(old)
    if not found:
        wanted = next((line for line in old.split("\n") if line.strip()), "")
        near = difflib.get_close_matches(wanted, text.split("\n"), n=1, cutoff=_NEAR)
        hint = "read it first: the old text must match letter by letter"
        hint = f"the nearest line is: {near[0].strip()}" if near else hint
        raise NotFound("the old text does not stand in the core memory", hint=hint)
    if found > 1:
        raise UsageError(
            f"the old text stands {found} times in the core memory; nothing was written",
            hint="give more of the text around it, so that it stands once",
        )
    place = text.index(old)
    first = line_of(text, place)
    last = first + new.rstrip("\r\n").count("\n")
    return Edited(text[:place] + new + text[place + len(old) :], first, last)


def _section(lines: list[str], wanted: str) -> tuple[int, int]:
    """The lines of a section, its heading included: first (0-based) and the one after the last."""
    headings = _headings(lines)
    for number, level, title in headings:
        if title.casefold() == wanted.lstrip("#").strip().casefold():
            after = (n for n, other, _ in headings if n > number and other <= level)
            return number, next(after, len(lines))
    known = ", ".join(title for _, _, title in headings)
    raise NotFound(f"no section '{wanted}' in the core memory", hint=f"it has: {known or 'none'}")


def _inserted(lines: list[str], line: int, written: str, newline: str) -> Edited:
    """The text as lines of its own; below a heading after an empty line, as lists are written."""
    before, after = lines[: line - 1], lines[line - 1 :]
    body = written.strip("\r\n")
    head = "\n".join(before)
    if before:
        head = head.removesuffix("\r") + newline
        if _HEADING.match(before[-1]) and not _HEADING.match(body):
            head += newline
    elif not body.startswith("#") and not any(after):
        head = ""
    tail = "\n".join(after)
    if tail and _HEADING.match(tail):
        tail = newline + tail
    first = head.count("\n") + 1
    return Edited(head + body + newline + tail, first, first + body.count("\n"))


def _what_could_move(text: str) -> str:
    """Which section could move into the bank: the largest one."""
    lines = text.split("\n")
    starts = {number: title for number, level, title in _headings(lines) if level > 1}
    sections = [
        (estimate_tokens("\n".join(lines[a:b])), a, b) for a, b in pairwise([*starts, len(lines)])
    ]
    if not sections:
        return "retain what is only needed now and then as facts, and replace it here by a line"
    tokens, first, last = max(sections)
    while last > first + 1 and not lines[last - 1].strip():
        last -= 1
    title = starts[first]
    return (
        f"move what is only needed now and then into the bank: lines {first + 1}-{last}"
        f" (“{title}”, {tokens} tokens) as facts with retain, then replace them here by a line"
    )
