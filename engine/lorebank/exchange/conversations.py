"""A conversation with a model as a note: its turns as prose, each under its speaker's name.

Whatever was said, it stays what was said: `facts: none` in the front matter keeps a typed line or
heading in a turn from being read as a fact, a comment or a fence that is never closed hides nothing
of the next, and recalled text is not learned again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from datetime import UTC, date, datetime, tzinfo
from pathlib import PurePosixPath
from typing import Any

from lorebank.domain.facts import Diagnostic
from lorebank.exchange.notes import ImportedNote, Read
from lorebank.exchange.prose import clean, shareable_text
from lorebank.exchange.source import BROKEN, BrokenJson, Source, json_values
from lorebank.language.folding import slugify
from lorebank.markdown.origin import strip_recalled
from lorebank.markdown.source import FenceScanner
from lorebank.records import Record

_MILLISECONDS = 100_000_000_000
"""Seconds reach this number in the year 5138."""


def moment_of(value: object, zone: tzinfo | None) -> datetime | None:
    """The moment in a time zone (the system's own for `None`); `None` for what names no moment.

    A text without a zone is taken as it stands.
    """
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment.astimezone(zone) if moment.tzinfo else moment
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value >= _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None
    return None


_LONGEST_TITLE = 60
"""Characters of a title in a file's name."""
_HEADING = re.compile(r"[ ]{0,3}#{1,6}[ \t]+(?P<title>.*?)[ \t]*#*[ \t]*\Z")
_UNDERLINE = re.compile(r"[ ]{0,3}(?:=+|-+)[ \t]*\Z")
_OPENS_BLOCK = re.compile(r"[ \t]*(?:[-*+>|]|\d+[.)]|```|~~~|\$\$|<)|[ ]{4}|\t")


class Speech(Record):
    """What one side said at once."""

    speaker: str
    text: str
    day: date | None = None


class Conversation(Record):
    """A conversation as an export holds it, already along one path through its tree."""

    id: str
    title: str
    started: datetime | None
    turns: Sequence[Speech]
    place: str
    line: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    """Code → how many are not among the turns."""
    left_out_names: Mapping[str, str] = field(default_factory=dict)
    """Code → what they are, with `*` where a plural has its s."""


def conversation_note(said: Conversation) -> Read:
    """The note of a conversation, and what of it was left out."""
    title = " ".join(clean(said.title).split()) or "Untitled conversation"
    title, problems = shareable_text(title, said.place)
    shown = f"{said.place} “{title[:80]}”"
    for code, name in said.left_out_names.items():
        if count := said.left_out.get(code):
            message = f"{count} {name.replace('*', 's' * (count > 1))} left out"
            yield Diagnostic(shown, said.line, code, message)
    first = next((turn.day for turn in said.turns if turn.day), None)
    day = said.started.date() if said.started else first
    blocks = [f"# {title}"]
    last = day
    problem_codes: set[str] = {problem.code for problem in problems}
    for turn in said.turns:
        text, problems = shareable_text(clean(turn.text), said.place)
        problem_codes |= {problem.code for problem in problems}
        text = _quoted(strip_recalled(text).text)
        if not text:
            continue
        if turn.day and last and turn.day != last:
            blocks.append(f"## {turn.day.isoformat()}")
        last = turn.day or last
        gap = "\n\n" if _OPENS_BLOCK.match(text) else " "
        blocks.append(f"**{turn.speaker}:**{gap}{text}")
    if "secret-redacted" in problem_codes:
        yield Diagnostic(shown, said.line, "secret-redacted", "holds secrets, which are masked")
    if "private" in problem_codes:
        yield Diagnostic(shown, said.line, "private", "private text is left out")
    if len(blocks) == 1:
        yield Diagnostic(shown, said.line, "empty", "nobody says anything; left out")
        return
    body = "\n\n".join(blocks) + "\n"
    if "\ufffd" in body:
        message = "holds characters that could not be read"
        yield Diagnostic(shown, said.line, "utf8-invalid", message)
    stem = slugify(title)[:_LONGEST_TITLE].strip("-") or "conversation"
    name = f"{day.year:04}/{day.isoformat()}-{stem}" if day else f"undated/{stem}"
    yield ImportedNote(said.id, name, body, shown, day, {"title": title, "facts": "none"})


def _quoted(text: str) -> str:
    """A turn whose headings are bold lines and whose last fence is closed."""
    fences = FenceScanner()
    lines: list[str] = []
    for line in text.strip("\n").split("\n"):
        if fences.feed(line):
            lines.append(line)
            continue
        heading = _HEADING.match(line)
        if heading is not None:
            line = f"**{heading['title'].strip('*')}**" if heading["title"] else ""
        elif _UNDERLINE.match(line) and lines and lines[-1].strip():
            lines.append("")  # a rule, and no underline that makes a heading of the line above
        lines.append(line.replace("<!--", "&lt;!--"))
    if fences.closing:
        lines.append(fences.closing)
    return "\n".join(lines).strip()


_CONVERSATIONS = re.compile(r"conversations?(?:[-_]\d+)?\.json\Z", re.IGNORECASE)


def conversation_files(source: Source) -> tuple[str, ...]:
    """The files of an export that hold conversations."""
    if source.paths == ("",):
        return source.paths
    return tuple(p for p in source.paths if _CONVERSATIONS.match(PurePosixPath(p).name))


def read_conversations(
    source: Source,
    fits: Callable[[object], bool],
    conversation: Callable[[Any, str, int, tzinfo | None], Conversation],
    zone: tzinfo | None,
) -> Read:
    """The conversations of an export in their order; days are those of `zone`."""
    files = conversation_files(source)
    for path in source.paths:
        if path not in files:
            yield Diagnostic(path, 0, "not-a-conversation", "holds no conversations; left out")
    for path in files:
        place = path or source.root.name
        try:
            for line, value in _each(json_values(source.read(path))):
                if fits(value):
                    yield from conversation_note(conversation(value, place, line, zone))
                else:
                    message = "is no conversation of this form; left out"
                    yield Diagnostic(place, line, "not-a-conversation", message)
        except BrokenJson as error:
            yield Diagnostic(place, error.line, BROKEN, f"{error}; what came before it is imported")
        except OSError as error:
            yield source.unread(path, error)


def _each(values: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """The conversations, also where the export wraps them in `{"conversations": […]}`."""
    for line, value in values:
        inner = value.get("conversations") if isinstance(value, dict) else None
        if isinstance(inner, list):
            yield from ((line, each) for each in inner)
        else:
            yield line, value
