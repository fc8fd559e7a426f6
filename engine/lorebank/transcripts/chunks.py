"""Turns in chunks of a few hundred words, so that a question and its answer are found together.

Chunks are a function of the turns alone, one after the other: going on from an open chunk gives
what reading everything at once would. A chunk is of one day; a long turn is cut between words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from datetime import date

from lorebank.records import dataclass
from lorebank.transcripts.messages import Role
from lorebank.transcripts.turns import Turn

LABELS = {Role.USER: "User: ", Role.ASSISTANT: "Assistant: "}
_BETWEEN = "\n\n"
_BREAKS = ("\n\n", "\n", ". ", "。", " ")
_WORTH = 2
"""A break counts in the last half of what fits."""


@dataclass(frozen=True, slots=True)
class TurnChunk:
    """Some turns in a row, or a part of a long one."""

    text: str
    """Each turn with who said it before it."""
    start_line: int
    end_line: int
    day: date | None


def chunks_of_turns(
    turns: Iterable[Turn], longest: int, open_chunk: TurnChunk | None = None
) -> Iterator[TurnChunk]:
    """The chunks of the turns, of at most `longest` characters; the first begins with
    `open_chunk`, the last one may go on.
    """
    current = open_chunk
    for turn in turns:
        label = LABELS[turn.role]
        for piece in _pieces(turn.text, longest - len(label)):
            added = TurnChunk(label + piece, turn.line, turn.line, turn.day)
            if current is None:
                current = added
            elif current.day == added.day and (
                len(current.text) + len(_BETWEEN) + len(added.text) <= longest
            ):
                text = current.text + _BETWEEN + added.text
                current = replace(current, text=text, end_line=turn.line)
            else:
                yield current
                current = added
    if current is not None:
        yield current


def _pieces(text: str, longest: int) -> Iterator[str]:
    """The text in parts that fit, cut where a paragraph, line, sentence or word ends."""
    start = 0
    while len(text) - start > longest:
        end = start + longest
        for mark in _BREAKS:
            found = text.rfind(mark, start + longest // _WORTH, end)
            if found >= 0:
                end = found + len(mark)
                break
        if piece := text[start:end].strip():
            yield piece
        start = end
    if piece := text[start:].strip():
        yield piece
