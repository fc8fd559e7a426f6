"""A line of a transcript → the turns in it, fit to be kept, and what was odd about it.

No line is ever an error: what cannot be read is told by a code, and the next line is another.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import field
from datetime import date

from lorebank.records import dataclass
from lorebank.transcripts.cleaning import LONGEST_TURN, clean_turn
from lorebank.transcripts.lines import Line, lines_of
from lorebank.transcripts.messages import Role, said_in

ODD = {
    "session-line-half": "the last line is not whole yet; it is read once it is",
    "session-line-long": "a line is too long to hold a turn; it is skipped",
    "session-line-unread": "a line is no JSON object; it is skipped",
    "session-nul": "a line holds NUL bytes; it is read without them",
    "session-replaced": "the file is not what it was; it was read anew",
    "session-turn-cut": f"a turn is kept to its first {LONGEST_TURN:,} characters",
    "session-turn-repeated": "a message stands here again; it is kept once",
    "session-utf8": "a line is not UTF-8; odd bytes are read as �",
    "secret-redacted": "a secret is kept out of the index",
}
"""What may be odd about a transcript: code → what it means."""
_DECODER = json.JSONDecoder(strict=False)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said, without anything that may not be kept."""

    role: Role
    text: str
    line: int
    """1-based, in the file."""
    day: date | None = None
    """Of the turn's own time stamp; `None` where it has none."""
    id: str = ""
    """As the host numbers it; empty where it does not."""


@dataclass(frozen=True, slots=True)
class ReadLine:
    """The turns of one line, and codes of `ODD`."""

    turns: tuple[Turn, ...] = ()
    odd: tuple[str, ...] = ()
    whole: bool = True
    """False for a last line that more is to be written of."""


@dataclass(slots=True)
class _Reading:
    number: int
    turns: list[Turn] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)

    def parse(self, data: bytes) -> list[object]:
        """The JSON values: one, or more where line ends were lost; raises `ValueError`."""
        if b"\0" in data:
            self.odd.append("session-nul")
            data = data.replace(b"\0", b"")
        if not (data := data.strip(b"\xef\xbb\xbf \t\r" if self.number == 1 else b" \t\r")):
            return []
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            self.odd.append("session-utf8")
            text = data.decode("utf-8", "replace")
        values = list[object]()
        while text:
            try:
                value, end = _DECODER.raw_decode(text)
            except RecursionError as problem:
                raise ValueError("nested too deeply") from problem
            if not isinstance(value, dict | list):
                raise ValueError("neither an object nor a list")
            values.append(value)
            text = text[end:].lstrip(" \t\r")
        return values

    def keep(self, value: object) -> None:
        for said in said_in(value):
            cleaned = clean_turn(said.text)
            self.odd += ["secret-redacted"] * bool(cleaned.secrets)
            self.odd += ["session-turn-cut"] * cleaned.cut
            if cleaned.text:
                self.turns.append(Turn(said.role, cleaned.text, self.number, said.day, said.id))


def read_line(line: Line) -> ReadLine:
    """The turns of a line; a last line that is no JSON yet is not whole."""
    if line.too_long:
        return ReadLine(odd=("session-line-long",))
    reading = _Reading(line.number)
    try:
        for value in reading.parse(line.data):
            reading.keep(value)
    except ValueError:
        if not line.ended:
            return ReadLine(odd=("session-line-half",), whole=False)
        return ReadLine(odd=("session-line-unread",))
    return ReadLine(tuple(reading.turns), tuple(reading.odd))


def turns_of(blocks: Iterable[bytes]) -> Iterator[Turn]:
    """The turns of a file whose bytes come in blocks, each message once."""
    seen: set[tuple[str, str]] = set()
    for line in lines_of(blocks):
        for turn in read_line(line).turns:
            if turn.id and (turn.id, turn.text) in seen:
                continue
            seen.add((turn.id, turn.text))
            yield turn
