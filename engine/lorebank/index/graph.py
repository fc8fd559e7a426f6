"""Items of entities, and the opinions that they hold."""

from __future__ import annotations

import json
from collections.abc import Sequence

from lorebank.index.connection import Connection, select

__all__ = ["items_of_entities", "opinion_items"]

_INSIDE = " AND (?3 IS NULL OR i.item IN (SELECT value FROM json_each(?3)))"


def items_of_entities(
    connection: Connection, entities: Sequence[str], limit: int, *, within: str | None
) -> list[tuple[int, str, bool]]:
    """`(item, entity, is its subject)` of facts that mention any of them, newest first."""
    return [
        (item, entity, bool(subject))
        for item, entity, subject in select(
            connection,
            "SELECT m.item, m.entity, max(m.subject) FROM json_each(?1) w"
            " CROSS JOIN mentions m ON m.entity = w.value JOIN items i ON i.item = m.item"
            f" WHERE 1 {_INSIDE} GROUP BY m.item, m.entity"
            " ORDER BY max(coalesce(i.occurred_start, i.recorded, '')) DESC, m.item DESC LIMIT ?2",
            (json.dumps(list(entities)), limit, within),
        )
    ]


def opinion_items(
    connection: Connection, entities: Sequence[str], limit: int, *, within: str | None
) -> list[tuple[int, float]]:
    """`(item, present confidence)` of facts of kind opinion, the surest and newest first."""
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
            "SELECT i.item, max(coalesce(o.confidence, i.confidence, 0.6)) FROM items i"
            " LEFT JOIN opinion_evidence e ON e.fact = i.id AND e.stance = 'for'"
            "  AND e.reason IN ('stated', 'restated')"
            " LEFT JOIN opinions o ON o.id = e.opinion"
            f" WHERE i.kind = 'opinion' {about} {_INSIDE} GROUP BY i.item"
            " ORDER BY 2 DESC, i.recorded DESC, i.item DESC LIMIT ?2",
            (json.dumps(list(entities)), limit, within),
        )
    ]
