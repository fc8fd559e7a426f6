"""Rows of the index that speak of forgotten lines: found, counted, and their bytes overwritten,
which would stay in free pages, the write-ahead log and segments of the full text."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence

from lorebank.database.connection import (
    BusyIndex,
    Connection,
    full_text_tables,
    select,
    transaction,
)
from lorebank.domain.facts import Citation

_PATIENCE_S = 5.0
"""Half of a connection's busy timeout: another reader finishes within that or is stuck."""


def opinions_moved(connection: Connection, ids: Iterable[str]) -> list[tuple[str, str, int, int]]:
    """Opinions that these facts bear on: id, statement, how many of its lines, of how many."""
    rows = select(
        connection,
        "SELECT o.id, o.statement, sum(e.fact IN (SELECT value FROM json_each(?1))), count(*)"
        " FROM opinions o JOIN opinion_evidence e ON e.opinion = o.id GROUP BY o.id"
        " HAVING sum(e.fact IN (SELECT value FROM json_each(?1))) > 0 ORDER BY o.id",
        (sorted(ids),),
    )
    return [(id_, statement, of, total) for id_, statement, of, total in rows]


def derived_counts(connection: Connection, places: Sequence[Citation]) -> dict[str, int]:
    """How many rows of each table come from these lines."""
    lines: defaultdict[str, set[int]] = defaultdict(set)
    for place in places:
        lines[place.path].update(range(place.start_line, place.end_line + 1))

    def rows(table: str, column: str) -> list[int]:
        found = select(
            connection,
            f"SELECT t.{column}, f.path, t.start_line, t.end_line FROM json_each(?) w"
            f" CROSS JOIN files f ON f.path = w.value JOIN {table} t ON t.file = f.file",
            (lines,),
        )
        return [
            number
            for number, path, start, end in found
            if not lines[path].isdisjoint(range(start, end + 1))
        ]

    known = {"items": rows("items", "item"), "chunks": rows("chunks", "chunk")}
    bound = {table: json.dumps(numbers) for table, numbers in known.items()}
    items = "SELECT value FROM json_each(:items)"
    ids = f"SELECT id FROM items WHERE item IN ({items})"
    queries = {
        "facts": f"items WHERE kind <> 'note' AND item IN ({items})",
        "passages": f"items WHERE kind = 'note' AND item IN ({items})",
        "chunks": "json_each(:chunks)",
        "vectors": f"vectors WHERE part = 0 AND item IN ({items})",
        "evidence": f"opinion_evidence WHERE fact IN ({ids})",
        "unsure": f"unsure WHERE fact IN ({ids})",
    }
    return {
        name: int(connection.execute(f"SELECT count(*) FROM {query}", bound).get)
        for name, query in queries.items()
    }


def embedding_hashes(connection: Connection, paths: Iterable[str] | None = None) -> set[str]:
    """The keys under which texts of these files, or of all, are embedded."""
    of = "" if paths is None else " WHERE f.path IN (SELECT value FROM json_each(?1))"
    bound = () if paths is None else (json.dumps(sorted(paths)),)
    return {
        key
        for (key,) in select(
            connection,
            "SELECT t.embedding FROM (SELECT item, embedding FROM items UNION ALL"
            " SELECT item, embedding FROM sentences) t JOIN items i ON i.item = t.item"
            f" JOIN files f ON f.file = i.file{of}",
            bound,
        )
    }


def scrub(connection: Connection) -> str:
    """Overwrite what deleted rows left behind, outside a transaction; returns "" or what may be
    left."""
    try:
        with transaction(connection):
            for table in full_text_tables(connection):
                connection.execute(f"INSERT INTO {table} ({table}) VALUES ('optimize')")
        connection.execute("VACUUM")
        deadline = time.monotonic() + _PATIENCE_S  # the log needs a moment in which nobody reads
        while connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()[0][0]:
            if time.monotonic() > deadline:
                return "the index is being read by another process"
            time.sleep(0.05)
    except BusyIndex:
        return "the index is in use by another process"
    return ""
