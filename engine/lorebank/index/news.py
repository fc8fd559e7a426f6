"""What changed since the bank's pages were last made: the entities and months they are made from.

Sync notes them with the rows that changed, in one transaction; reflect reads them, and forgets what
it has read once its pages are up to date. What another process notes meanwhile stays for next time.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from lorebank.index.connection import Connection, select

__all__ = [
    "News",
    "beside",
    "forget_news",
    "months_of",
    "news_of_file",
    "note_news",
    "read_news",
    "recorded_since",
    "touched_by_slots",
]

_ENTITY, _MONTH = "entity", "month"
_MONTH_OF = "coalesce(substr(coalesce(i.occurred_start, i.occurred_end, i.recorded), 1, 7), '')"
_EXPERIENCE = "i.kind = 'experience'"


@dataclass(frozen=True, slots=True)
class News:
    """Whose facts changed, and in which months something was done that was told otherwise."""

    entities: frozenset[str] = frozenset()
    """Slugs; "" stands for facts that mention nobody, or fix a property of nobody."""
    months: frozenset[str] = frozenset()
    """`2025-11`; "" stands for undated."""
    last: int = 0
    """Up to where it was read."""

    def __or__(self, other: News) -> News:
        last = max(self.last, other.last)
        return News(self.entities | other.entities, self.months | other.months, last)


def news_of_file(connection: Connection, path: str) -> News:
    """All that the facts of a file touch, as they are now."""
    entities = select(
        connection,
        "SELECT DISTINCT coalesce(m.entity, '') FROM files f"
        " JOIN items i ON i.file = f.file AND i.kind <> 'note'"
        " LEFT JOIN mentions m ON m.item = i.item WHERE f.path = ?1"
        " UNION SELECT '' FROM files f JOIN items i ON i.file = f.file"
        " JOIN slots s ON s.item = i.item WHERE f.path = ?1 AND s.subject = ''",
        (path,),
    )
    months = select(
        connection,
        f"SELECT DISTINCT {_MONTH_OF} FROM files f JOIN items i ON i.file = f.file"
        f" WHERE f.path = ? AND {_EXPERIENCE}",
        (path,),
    )
    return News(frozenset(e for (e,) in entities), frozenset(m for (m,) in months))


def note_news(connection: Connection, news: News) -> None:
    """Keep news for the next reflect; inside the caller's transaction."""
    rows = [(_ENTITY, key) for key in news.entities] + [(_MONTH, key) for key in news.months]
    connection.executemany("INSERT INTO news (kind, key) VALUES (?, ?)", sorted(rows))


def read_news(connection: Connection) -> News:
    """Everything noted so far."""
    rows = select(connection, "SELECT serial, kind, key FROM news")
    return News(
        frozenset(key for _, kind, key in rows if kind == _ENTITY),
        frozenset(key for _, kind, key in rows if kind == _MONTH),
        max((serial for serial, _, _ in rows), default=0),
    )


def forget_news(connection: Connection, last: int) -> None:
    """Forget what was read up to there; inside the caller's transaction."""
    connection.execute("DELETE FROM news WHERE serial <= ?", (last,))


def beside(connection: Connection, entities: Collection[str]) -> frozenset[str]:
    """The entities that stand in the same facts as these, and these."""
    found = select(
        connection,
        "SELECT DISTINCT o.entity FROM json_each(?) w"
        " CROSS JOIN mentions m ON m.entity = w.value JOIN mentions o ON o.item = m.item",
        (_json(entities),),
    )
    return frozenset(entities) | {entity for (entity,) in found}


def touched_by_slots(connection: Connection, entities: Collection[str]) -> frozenset[str]:
    """The entities mentioned in facts that fix a property of these: any may be replaced by now."""
    found = select(
        connection,
        "SELECT DISTINCT o.entity FROM json_each(?) w"
        " CROSS JOIN mentions m ON m.entity = w.value"
        " JOIN slots s ON s.item = m.item AND s.subject = m.slug"
        " JOIN mentions o ON o.item = m.item",
        (_json(entities),),
    )
    if "" in entities:
        found += select(
            connection,
            "SELECT DISTINCT o.entity FROM slots s JOIN mentions o ON o.item = s.item"
            " WHERE s.subject = ''",
        )
    return frozenset(entities) | {entity for (entity,) in found}


def months_of(connection: Connection, entities: Collection[str]) -> frozenset[str]:
    """The months of what was done in facts that mention any of these."""
    found = select(
        connection,
        f"SELECT DISTINCT {_MONTH_OF} FROM json_each(?) w"
        " CROSS JOIN mentions m ON m.entity = w.value"
        f" JOIN items i ON i.item = m.item WHERE {_EXPERIENCE}",
        (_json(entities),),
    )
    return frozenset(month for (month,) in found)


def recorded_since(connection: Connection, day: str) -> frozenset[str]:
    """The entities with facts recorded on an ISO day or later."""
    found = select(
        connection,
        "SELECT DISTINCT m.entity FROM items i JOIN mentions m ON m.item = i.item"
        " WHERE i.recorded >= ? AND i.kind <> 'note'",
        (day,),
    )
    return frozenset(entity for (entity,) in found)


def _json(values: Iterable[str]) -> str:
    return json.dumps(sorted(values))
