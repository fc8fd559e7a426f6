"""A fact as the bank's pages tell it: what became of it, its day, its weight, its order.

Values in, text out, and the dates are those of the content: the same facts give the same bytes on
any day.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import date

from lorebank.domain import Citation, Fact, FactKind, FactStatus, Interval
from lorebank.language.folding import fold
from lorebank.markdown.entity_page import entity_page_name
from lorebank.markdown.plain import citation_link, escape_inline, wikilink
from lorebank.records import dataclass

_TIES = frozenset({"employer", "manager", "spouse"})
"""Relations of `supersede/relations.toml` that tie an entity to another."""

Link = Callable[[str], str]
"""Display name → its wikilink."""


@dataclass(frozen=True, slots=True)
class KnownFact:
    """A fact and what became of it."""

    fact: Fact
    status: FactStatus = FactStatus.LIVE
    newer: Citation | None = None
    """Where the fact stands that replaces it."""
    relations: frozenset[str] = frozenset()
    """The properties that it fixes: `residence`, `employer`, …"""
    holding: str | None = None
    """What of its text still holds, where a newer fact replaces a part; `None`: all of it."""
    outweighed: bool = False
    """Whether newer lines speak against what it says."""

    @property
    def text(self) -> str:
        """What it says that holds."""
        return self.fact.content if self.holding is None else self.holding

    @property
    def day(self) -> date | None:
        """The day it happened if the text says so, else the day it was written."""
        occurred = self.fact.occurred
        if occurred is not None and (occurred.start or occurred.end):
            return occurred.start or occurred.end
        return self.fact.recorded


def tie_of(known: KnownFact) -> str:
    """The relation to somebody else that a fact states, or nothing."""
    return min(known.relations & _TIES, default="")


def is_current(known: KnownFact) -> bool:
    return (
        known.status is FactStatus.LIVE
        and known.fact.kind is not FactKind.OPINION
        and known.holding != ""
        and not known.outweighed
    )


def distinct(facts: Sequence[KnownFact]) -> list[KnownFact]:
    kept: dict[str, KnownFact] = {}
    for known in facts:
        kept.setdefault(" ".join(fold(known.fact.content).split()).rstrip("."), known)
    return list(kept.values())


def newest_first(known: KnownFact) -> tuple[int, int, str, int]:
    day = known.day or date.min
    recorded = known.fact.recorded or date.min
    citation = known.fact.citation
    return (-day.toordinal(), -recorded.toordinal(), citation.path, citation.start_line)


def sentence_line(known: KnownFact, page: str) -> str:
    said = escape_inline(known.text) + known.fact.origin.note
    return f"- {said} ({citation_link(known.fact.citation, page)})"


def begins_with(text: str, *names: str) -> bool:
    start = fold(text).lstrip(" @[*_\"'")
    for name in map(fold, names):
        following = start[len(name) : len(name) + 1]
        if name and start.startswith(name) and not (following.isascii() and following.isalnum()):
            return True
    return False


def when_told(known: KnownFact) -> str:
    occurred = known.fact.occurred
    if occurred is not None and (occurred.start or occurred.end):
        return span(occurred)
    return known.day.isoformat() if known.day else "undated"


def span(interval: Interval) -> str:
    """The days of an interval: `2026-03-01`, `since …`, `until …`, `… to …`."""
    if interval.start is None:
        return f"until {interval.end}"
    if interval.end is None:
        return f"since {interval.start}"
    return (
        f"{interval.start}"
        if interval.start == interval.end
        else (f"{interval.start} to {interval.end}")
    )


def page_links(pages: Mapping[str, str]) -> Link:
    """A `Link` that knows the page names of entities (display name → page name)."""
    return lambda name: wikilink(pages.get(name) or entity_page_name(name), name)
