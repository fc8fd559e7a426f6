"""Writing down what one was asked to remember, in the place where it belongs."""

from __future__ import annotations

from datetime import date
from typing import Protocol

from lorebank.agent.core_memory import CoreWrite
from lorebank.agent.routing import Place, route
from lorebank.domain import NOBODY, Author, Citation, Fact, Origin, record_to_dict
from lorebank.records import dataclass


class Writer(Protocol):
    """What writes: a `Bank`."""

    def retain(
        self,
        text: str,
        *,
        origin: Origin | str = Origin.OWNER,
        author: Author = NOBODY,
        now: date | None = None,
    ) -> Fact:
        """Append a fact."""

    def log(self, text: str, *, author: Author = NOBODY, now: date | None = None) -> Citation:
        """Append a note."""

    def memory_write(
        self, action: str, text: str = "", *, author: Author = NOBODY, now: date | None = None
    ) -> CoreWrite:
        """Change the core memory."""


@dataclass(frozen=True, slots=True)
class Remembered:
    """What was written, where, and why there."""

    place: str
    """`core`, `fact` or `log`; `proposal` where the owner is asked first."""
    reason: str
    text: str
    source: Citation
    fact_id: str | None = None
    warning: str = ""
    """That the core memory grows too large."""

    to_dict = record_to_dict


def remember(
    writer: Writer,
    text: str,
    *,
    to: str,
    origin: Origin | str,
    author: Author = NOBODY,
    now: date | None = None,
) -> Remembered:
    """Route a text and write it there."""
    found = route(text, to=to)
    if found.place is Place.FACT:
        fact = writer.retain(found.text, origin=origin, author=author, now=now)
        return Remembered("fact", found.reason, found.text, fact.citation, fact.id)
    if found.place is Place.LOG:
        place = writer.log(found.text, author=author, now=now)
        return Remembered("log", found.reason, found.text, place)
    done = writer.memory_write("append", f"- {found.text}", author=author, now=now)
    place = Citation(done.path, done.start_line, done.end_line)
    where = "proposal" if done.proposed else "core"
    return Remembered(where, found.reason, found.text, place, warning=done.warning)
