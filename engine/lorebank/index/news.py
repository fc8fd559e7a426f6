"""What changed since the bank's pages were last made: the entities and months they are made from.

Sync notes them with the rows that changed, in one transaction; reflect reads them, and forgets what
it has read once its pages are up to date. What another process notes meanwhile stays for next time.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable

from lorebank.index.connection import Connection, select
from lorebank.index.items import MONTH_DONE
from lorebank.index.page_sections import OF_ENTITY, OF_MONTH, forget_sections
from lorebank.records import dataclass

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
        " UNION SELECT p.entity FROM files f JOIN items i ON i.file = f.file AND i.kind <> 'note'"
        " JOIN plain_mentions p ON p.item = i.item WHERE f.path = ?1"
        " UNION SELECT '' FROM files f JOIN items i ON i.file = f.file"
        " JOIN slots s ON s.item = i.item WHERE f.path = ?1 AND s.subject = ''",
        (path,),
    )
    months = select(
        connection,
        f"SELECT DISTINCT {MONTH_DONE} FROM files f JOIN items i ON i.file = f.file"
        f" WHERE f.path = ? AND {_EXPERIENCE}",
        (path,),
    )
    return News(frozenset(e for (e,) in entities), frozenset(m for (m,) in months))


def note_news(connection: Connection, news: News) -> None:
    """Keep news for the next reflect, and nothing of what was told of it; inside the caller's
    transaction."""
    rows = [(OF_ENTITY, key) for key in news.entities] + [(OF_MONTH, key) for key in news.months]
    connection.executemany("INSERT INTO news (kind, key) VALUES (?, ?)", sorted(rows))
    forget_sections(connection, rows)


def read_news(connection: Connection) -> News:
    """Everything noted so far."""
    rows = select(connection, "SELECT serial, kind, key FROM news")
    return News(
        frozenset(key for _, kind, key in rows if kind == OF_ENTITY),
        frozenset(key for _, kind, key in rows if kind == OF_MONTH),
        max((serial for serial, _, _ in rows), default=0),
    )


def forget_news(connection: Connection, last: int) -> None:
    """Forget what was read up to there; inside the caller's transaction."""
    connection.execute("DELETE FROM news WHERE serial <= ?", (last,))


def beside(connection: Connection, entities: Collection[str]) -> frozenset[str]:
    """The entities that stand in the same facts as these, marked or in the text, and these."""
    items = _items_with(connection, entities)
    return frozenset(entities) | named_in(connection, items)


def named_in(connection: Connection, items: Collection[int]) -> frozenset[str]:
    """The entities that these items mention or name in their text."""
    found = select(
        connection,
        "SELECT m.entity FROM json_each(?1) w CROSS JOIN mentions m ON m.item = w.value"
        " UNION SELECT p.entity FROM json_each(?1) w"
        " CROSS JOIN plain_mentions p ON p.item = w.value",
        (json.dumps(sorted(items)),),
    )
    return frozenset(entity for (entity,) in found)


def touched_by_slots(connection: Connection, entities: Collection[str]) -> frozenset[str]:
    """The entities of facts that fix a property of these: any of the facts may be replaced."""
    found = select(
        connection,
        "SELECT DISTINCT m.item FROM json_each(?) w CROSS JOIN mentions m ON m.entity = w.value"
        " JOIN slots s ON s.item = m.item AND s.subject = m.slug",
        (_json(entities),),
    )
    if "" in entities:
        found += select(connection, "SELECT DISTINCT item FROM slots WHERE subject = ''")
    return frozenset(entities) | named_in(connection, {item for (item,) in found})


def touched_by_facts(connection: Connection, facts: Collection[str]) -> News:
    """The entities and months of the facts of these ids."""
    query = "SELECT i.item FROM json_each(?) w CROSS JOIN items i ON i.id = w.value"
    return touched_by_items(
        connection, {item for (item,) in select(connection, query, (_json(facts),))}
    )


def touched_by_items(connection: Connection, items: Collection[int]) -> News:
    """The entities of these facts and passages, and the months of what was done in them."""
    rows = select(
        connection,
        "SELECT DISTINCT i.kind <> 'note' AND NOT EXISTS"
        "  (SELECT 1 FROM mentions m WHERE m.item = i.item),"
        f" CASE WHEN {_EXPERIENCE} THEN {MONTH_DONE} END"
        " FROM json_each(?) w CROSS JOIN items i ON i.item = w.value",
        (json.dumps(sorted(items)),),
    )
    nobody = {""} if any(of_nobody for of_nobody, _ in rows) else set()
    months = frozenset(month for _, month in rows if month is not None)
    return News(named_in(connection, items) | nobody, months)


def _items_with(connection: Connection, entities: Collection[str]) -> set[int]:
    found = select(
        connection,
        "SELECT m.item FROM json_each(?1) w CROSS JOIN mentions m ON m.entity = w.value"
        " UNION SELECT p.item FROM json_each(?1) w"
        " CROSS JOIN plain_mentions p ON p.entity = w.value",
        (_json(entities),),
    )
    return {item for (item,) in found}


def months_of(connection: Connection, entities: Collection[str]) -> frozenset[str]:
    """The months of what was done in facts that mention any of these."""
    found = select(
        connection,
        f"SELECT DISTINCT {MONTH_DONE} FROM json_each(?) w"
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
