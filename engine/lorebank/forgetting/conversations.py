"""Forgetting what was said in conversations: which turns an order means, and the lines of
`bank/forgotten.md` that keep them from being read again.

A transcript is its host's: it is read and never written. What goes are whole lines of it, as with
notes: a line of which one turn goes is not read at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from lorebank.conversations.files import SessionFile
from lorebank.conversations.turns import Turn
from lorebank.domain.facts import Citation
from lorebank.domain.reports import ForgottenLine
from lorebank.errors import NotFound
from lorebank.forgetting.selection import Order
from lorebank.forgetting.words import word_finder
from lorebank.markdown.forgotten import Tombstone, format_tombstone, message_key
from lorebank.records import Record
from lorebank.trust.quarantine import place_named

_SHOWN = 100
"""Characters of a turn that are shown, so that its owner recognises it."""


class ForgottenTurns(Record):
    """Turns that an order means."""

    turns: tuple[ForgottenLine, ...] = ()
    """Their places and first words."""
    tombstones: tuple[str, ...] = ()
    """The lines that forget them."""


class Conversations(Record):
    """The transcripts of the agent that asks."""

    agent: str
    files: Sequence[SessionFile]
    turns: Callable[[SessionFile], Iterator[Turn]]
    """What of a transcript is not forgotten yet."""
    apply: Callable[[], str]
    """Bring every store of them to what is forgotten; returns "" or what may be left."""

    def name(self, name: str) -> bool:
        """Whether any turn holds a name."""
        is_named = word_finder([name])
        return any(is_named(turn.text) for file in self.files for turn in self.turns(file))

    def select(self, order: Order) -> ForgottenTurns:
        """The turns of an order by path and line; `NotFound` for a transcript that is not there."""
        if order.ids:
            return ForgottenTurns()
        files, place = self.files, None
        if order.source:
            place = place_named(order.source)
            files = [file for file in files if f"{file.path}/".startswith(f"{place.path}/")]
            if not files:
                hint = "transcripts are cited as sessions/….jsonl"
                raise NotFound(f"no transcript {place.path}", hint=hint)
        is_meant = _test_of(order, place)
        turns: list[ForgottenLine] = []
        tombstones: list[str] = []
        for file in files:
            said = list(self.turns(file))
            lines = {turn.line for turn in said if is_meant(turn, file)}
            if not lines:
                continue
            turns += [_shown(file.path, turn) for turn in said if turn.line in lines]
            tombstones += [
                format_tombstone(each, self.agent)
                for each in _tombstones(file, said, lines, order, place)
            ]
        return ForgottenTurns(tuple(turns), tuple(tombstones))


def _test_of(order: Order, place: Citation | None) -> Callable[[Turn, SessionFile], bool]:
    holds = word_finder(order.names, order.match) if order.finder else None
    lines = range(place.start_line, place.end_line + 1) if place and place.start_line else None

    def is_meant(turn: Turn, file: SessionFile) -> bool:
        if lines is not None and turn.line not in lines:
            return False
        if order.before is not None and (turn.day or file.day) >= order.before:
            return False
        return holds is None or bool(holds(turn.text))

    return is_meant


def _tombstones(
    file: SessionFile, said: Sequence[Turn], lines: set[int], order: Order, place: Citation | None
) -> Iterator[Tombstone]:
    """A line for a whole transcript or for its early days, else one for each run of turns."""
    by_place = place is None or not place.start_line
    if by_place and not order.entity and not order.match:
        undated = max(lines) if order.before and file.day < order.before else 0
        yield Tombstone(file.path, min(1, undated), undated, order.before)
        return
    for is_cut, turns in groupby(said, lambda turn: turn.line in lines):
        if is_cut:
            run = list(turns)
            keys = dict.fromkeys(filter(None, (message_key(turn.text) for turn in run)))
            yield Tombstone(file.path, run[0].line, run[-1].line, keys=tuple(keys))


def _shown(path: str, turn: Turn) -> ForgottenLine:
    words = " ".join(turn.text.split())
    text = words if len(words) <= _SHOWN else words[: _SHOWN - 1].rstrip() + "…"
    return ForgottenLine(Citation(path, turn.line, turn.line), text, kind=turn.role.value)
