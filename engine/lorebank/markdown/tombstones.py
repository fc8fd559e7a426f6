"""`bank/forgotten.md`: what was said in conversations and is not read again, one decision a line.

    - forget `sessions/a.jsonl` of main
    - forget `sessions/b.jsonl#L3-L7` of main 3f2a9c0d1e4b 77ab01c2d3e4
    - forget `sessions/c.jsonl#L1-L57` of main before 2025-11-20

A transcript is its host's and is not edited, so these lines keep out of every store what stands
there still. "of" names the agent whose transcript it is. The digits tell a message of some length
again where its host copies it, in whatever transcript; nothing that was said stands here. Deleting
a line undoes it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from datetime import date

from lorebank.domain.facts import Citation, Diagnostic
from lorebank.records import Record

_ITEM = re.compile(r"\s*[-*+]\s+")
_LINE = re.compile(
    r"forget\s+`(?P<place>.+)`\s+of\s+(?P<agent>\S+)"
    r"(?:\s+before\s+(?P<day>\d{4}-\d\d-\d\d))?(?P<keys>(?:\s+[0-9a-f]{12})*)\s*\Z"
)
_KEY_BYTES = 6
_SHORTEST_KEYED = 20
"""Characters. A shorter message ("yes, please") is forgotten at its place only: others say the
same, and a digest of it would give it away to whoever tries short sentences."""


class Tombstone(Record):
    """One line: a transcript, or lines of it."""

    path: str
    first: int = 0
    """1-based; 0 for no lines: all that stands there and will, unless there is a day."""
    last: int = 0
    before: date | None = None
    """What was said on an earlier day; of the lines, then, those that bear no day."""
    keys: tuple[str, ...] = ()
    """Of messages that stand in these lines, see `message_key`."""

    def covers(self, line: int, day: date | None) -> bool:
        """Whether it forgets what stands on this line of its transcript, said on this day."""
        if self.before is not None and day is not None:
            return day < self.before
        if self.first:
            return self.first <= line <= self.last
        return self.before is None


class Forgotten(Record):
    """All that an agent's transcripts are read without."""

    tombstones: Mapping[str, tuple[Tombstone, ...]] = field(default_factory=dict)
    """By path."""
    keys: frozenset[str] = frozenset()

    def holds(self, path: str, line: int, day: date | None, text: str) -> bool:
        """Whether a message of a transcript is forgotten."""
        if any(each.covers(line, day) for each in self.tombstones.get(path, ())):
            return True
        return bool(self.keys) and message_key(text) in self.keys

    def fingerprint(self) -> str:
        """Changes with whatever lets other turns pass; empty where all do."""
        if not self.tombstones and not self.keys:
            return ""
        return _digest(repr((sorted(self.tombstones.items(), key=repr), sorted(self.keys))))


NOTHING = Forgotten()


def message_key(text: str) -> str:
    """Hex digits by which a copied message is recognised; empty for one too short for that."""
    return _digest(text) if len(text) >= _SHORTEST_KEYED else ""


def format_tombstone(tombstone: Tombstone, agent: str) -> str:
    """A line of the page.

    >>> format_tombstone(Tombstone("sessions/a.jsonl", 3, 3), "main")
    '- forget `sessions/a.jsonl#L3` of main'
    """
    place = tombstone.path
    if tombstone.first:
        place = str(Citation(place, tombstone.first, tombstone.last))
    day = f" before {tombstone.before.isoformat()}" if tombstone.before else ""
    return " ".join([f"- forget `{place}` of {agent}{day}", *tombstone.keys])


def parse_forgotten(
    text: str, path: str = "", *, agent: str = ""
) -> tuple[Forgotten, tuple[Diagnostic, ...]]:
    """What a page says of an agent's transcripts, and the list items that say nothing; copies are
    told whoever the agent is."""
    found: dict[str, list[Tombstone]] = {}
    keys: set[str] = set()
    problems: list[Diagnostic] = []
    for number, line in enumerate(text.splitlines(), start=1):
        if (item := _ITEM.match(line)) is None:
            continue
        said = _LINE.match(line, item.end())
        tombstone = _tombstone(said) if said else None
        if said is None or tombstone is None:
            message = "forgets nothing; write `sessions/….jsonl` in backticks, or with #L3-L7"
            problems.append(Diagnostic(path, number, "forgotten-unread", message))
            continue
        keys |= set(tombstone.keys)
        if said["agent"] == agent:
            found.setdefault(tombstone.path, []).append(tombstone)
    by_path = {path: tuple(each) for path, each in found.items()}
    return Forgotten(by_path, frozenset(keys)), tuple(problems)


def _tombstone(said: re.Match[str]) -> Tombstone | None:
    try:
        day = date.fromisoformat(said["day"]) if said["day"] else None
    except ValueError:
        return None
    keys = tuple(said["keys"].split())
    try:
        place = Citation.parse(said["place"])
    except ValueError:
        return Tombstone(said["place"], before=day, keys=keys)
    return Tombstone(place.path, place.start_line, place.end_line, day, keys)


def _digest(text: str) -> str:
    from hashlib import blake2b  # brings OpenSSL, which an answer from the index needs not

    data = text.encode("utf-8", "surrogatepass")
    return blake2b(data, digest_size=_KEY_BYTES).hexdigest()
