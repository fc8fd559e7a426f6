"""What recall found for the standing questions, kept until there is news.

What recall finds may also depend on how far texts are embedded, and on whether an embedder answers
tonight; a page must not change for that. So the hits are kept in the index, and asked for anew only
when the question or anything that could answer it has changed. Forgetting them loses nothing.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import date
from typing import Any

from lorebank.database.connection import Connection, read_meta, transaction, write_meta
from lorebank.domain import Citation, Hit, Interval
from lorebank.index.sync import hashes_outside_bank
from lorebank.records import dataclass
from lorebank.workspace.standing import StandingPage

_KEY = "standing"


@dataclass(frozen=True, slots=True)
class FoundHits:
    """The hits of one question that count, and whether their evidence is weak."""

    hits: tuple[Hit, ...] = ()
    weak: bool = False


@dataclass(slots=True)
class StandingMemory:
    """The hits by page, of the last run and of this one."""

    connection: Connection
    news: str
    """Changes with everything that could answer a question."""
    kept: Mapping[str, Any]
    found: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def open(cls, connection: Connection, facts: Iterable[str], today: date) -> StandingMemory:
        """`facts` are the ids of those that hold, `today` is the newest day recorded."""
        said = [today.isoformat(), sorted(facts), hashes_outside_bank(connection)]
        try:
            kept = json.loads(read_meta(connection, _KEY) or "{}")
        except ValueError:
            kept = {}
        return cls(connection, _digest(said), kept if isinstance(kept, dict) else {})

    def recalled(self, page: StandingPage) -> FoundHits | None:
        """What was found for this very question on the same notes; `None` where it was not."""
        row = self.kept.get(page.path)
        if row is None or row["key"] != self._key(page):
            return None
        self.found[page.path] = row
        return FoundHits(tuple(map(_hit, row["hits"])), row["weak"])

    def keep(self, page: StandingPage, found: FoundHits) -> None:
        """Keep what was found for a question."""
        rows = [_row(hit) for hit in found.hits]
        self.found[page.path] = {"key": self._key(page), "hits": rows, "weak": found.weak}

    def save(self) -> None:
        """Store what this run found or used; questions that are no more are forgotten."""
        if self.found != self.kept:
            with transaction(self.connection):
                write_meta(self.connection, _KEY, json.dumps(self.found, ensure_ascii=False))

    def _key(self, page: StandingPage) -> str:
        return _digest([self.news, page.question, page.k, page.since, page.entity])


def _digest(value: object) -> str:
    return hashlib.blake2b(json.dumps(value).encode(), digest_size=12).hexdigest()


def _row(hit: Hit) -> dict[str, Any]:
    occurred = hit.occurred
    return {
        "id": hit.id,
        "kind": hit.kind,
        "content": hit.content,
        "source": [hit.source.path, hit.source.start_line, hit.source.end_line],
        "recorded": _iso(hit.recorded),
        "occurred": [_iso(occurred.start), _iso(occurred.end)] if occurred else None,
    }


def _hit(row: Mapping[str, Any]) -> Hit:
    occurred = row["occurred"]
    return Hit(
        id=row["id"],
        kind=row["kind"],
        content=row["content"],
        source=Citation(*row["source"]),
        score=0.0,
        recorded=_day(row["recorded"]),
        occurred=Interval(*map(_day, occurred)) if occurred else None,
    )


def _iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None
