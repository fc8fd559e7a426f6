"""Items of entities, and the opinions that they hold."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from lorebank.database.connection import Connection, select

_INSIDE = " AND (?3 IS NULL OR i.item IN (SELECT value FROM json_each(?3)))"


def items_of_entities(
    connection: Connection, entities: Sequence[str], limit: int, *, within: str | None
) -> list[tuple[int, str, bool]]:
    """`(item, entity, is its subject)` of facts that mention any of them, newest first."""
    found = [
        (day, item, entity, bool(subject))
        for entity in dict.fromkeys(entities)
        for day, item, subject in select(
            connection,
            "SELECT m.day, m.item, max(m.subject) FROM mentions m WHERE m.entity = ?1"
            " AND (?3 IS NULL OR m.item IN (SELECT value FROM json_each(?3)))"
            # In the order of the index: only as many rows are read as are wanted.
            " GROUP BY m.day, m.item ORDER BY m.day DESC, m.item DESC LIMIT ?2",
            (entity, limit, within),
        )
    ]
    found.sort(key=lambda row: row[:2], reverse=True)
    return [(item, entity, subject) for _, item, entity, subject in found[:limit]]


def items_naming_entities(
    connection: Connection, entities: Sequence[str], limit: int, *, within: str | None
) -> list[tuple[int, str]]:
    """`(item, entity)` of items whose text names any of them unmarked, newest first."""
    found = [
        (day, item, entity)
        for entity in dict.fromkeys(entities)
        for day, item in select(
            connection,
            "SELECT p.day, p.item FROM plain_mentions p WHERE p.entity = ?1"
            " AND (?3 IS NULL OR p.item IN (SELECT value FROM json_each(?3)))"
            " GROUP BY p.day, p.item ORDER BY p.day DESC, p.item DESC LIMIT ?2",
            (entity, limit, within),
        )
    ]
    found.sort(key=lambda row: row[:2], reverse=True)
    return [(item, entity) for _, item, entity in found[:limit]]


def entities_in_text(connection: Connection, items: Iterable[int]) -> dict[int, tuple[str, ...]]:
    """Item → the entities that its text names without marking them."""
    found: dict[int, tuple[str, ...]] = {}
    for item, entity in select(
        connection,
        "SELECT p.item, p.entity FROM json_each(?) w CROSS JOIN plain_mentions p"
        " ON p.item = w.value ORDER BY p.item, p.entity",
        (json.dumps(list(items)),),
    ):
        found[item] = (*found.get(item, ()), entity)
    return found


def opinion_items(
    connection: Connection, entities: Sequence[str], limit: int, *, within: str | None
) -> list[tuple[int, float]]:
    """`(item, present confidence)` of facts of kind opinion, the surest and newest first.

    A fact that states a belief has the belief's confidence; one that only speaks against a belief
    has what is left of it.
    """
    about = (
        " AND i.item IN (SELECT m.item FROM mentions m"
        " WHERE m.entity IN (SELECT value FROM json_each(?1)))"
        if entities
        else " AND ?1 IS NOT NULL"
    )
    return [
        (item, confidence)
        for item, confidence in select(
            connection,
            "SELECT i.item, coalesce((SELECT max(e.confidence) FROM opinion_evidence e"
            "  WHERE e.fact = i.id AND e.stance = 'for' AND e.reason IN ('stated', 'restated')),"
            " (SELECT 1 - max(e.confidence) FROM opinion_evidence e"
            "  WHERE e.fact = i.id AND e.stance = 'against'),"
            " i.confidence, 0.6) FROM items i INDEXED BY items_of_opinions"
            f" WHERE i.kind = 'opinion' {about} {_INSIDE}"
            " ORDER BY 2 DESC, i.recorded DESC, i.item DESC LIMIT ?2",
            (json.dumps(list(entities)), limit, within),
        )
    ]
