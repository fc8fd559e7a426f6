"""Rows of the unsure queue: pairs of an opinion and a fact that no rule signs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence

from lorebank.database.connection import Connection, select
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class UnsureRow:
    """One pair, by ids."""

    opinion: str
    fact: str
    score: float
    """0..1."""
    reason: str


def insert_unsure(connection: Connection, holder: str, rows: Iterable[UnsureRow]) -> None:
    """Write the pairs among one holder's opinions and facts."""
    connection.executemany(
        "INSERT OR IGNORE INTO unsure (opinion, fact, holder, score, reason)"
        " VALUES (?, ?, ?, ?, ?)",
        [(row.opinion, row.fact, holder, row.score, row.reason) for row in rows],
    )


def delete_unsure(connection: Connection, holders: Sequence[str] | None = None) -> None:
    """Forget the pairs of these holders, of all where `None`."""
    if holders is None:
        connection.execute("DELETE FROM unsure")
        return
    connection.execute(
        "DELETE FROM unsure WHERE holder IN (SELECT value FROM json_each(?))",
        (json.dumps(list(holders)),),
    )


def load_unsure(
    connection: Connection,
    *,
    entity: str | None = None,
    fact: str | None = None,
    limit: int | None = None,
) -> tuple[UnsureRow, ...]:
    """The best pairs first, of two alike the one with the newer fact.

    `entity`: only opinions held by it or about it. `fact`: only pairs of that fact.
    """
    rows = select(
        connection,
        "SELECT u.opinion, u.fact, u.score, u.reason FROM unsure u"
        " JOIN opinions o ON o.id = u.opinion"
        f" WHERE {_OF_ENTITY} AND (?2 IS NULL OR u.fact = ?2)"
        " ORDER BY u.score DESC,"
        " (SELECT max(i.recorded) FROM items i WHERE i.id = u.fact) DESC, u.opinion, u.fact"
        " LIMIT ?3",
        (entity, fact, -1 if limit is None else limit),
    )
    return tuple(UnsureRow(*row) for row in rows)


def count_unsure(connection: Connection, *, entity: str | None = None) -> int:
    """How many pairs wait."""
    [(number,)] = select(
        connection,
        f"SELECT count(*) FROM unsure u JOIN opinions o ON o.id = u.opinion WHERE {_OF_ENTITY}",
        (entity,),
    )
    return int(number)


_OF_ENTITY = "(?1 IS NULL OR EXISTS (SELECT 1 FROM json_each(o.entities) WHERE value = ?1))"
