"""Rows of chunks: the stretches of a file that chunk search shows."""

from __future__ import annotations

import json
from collections.abc import Sequence

from lorebank.database.connection import Connection, select
from lorebank.domain import Chunk, Citation


def load_chunks(connection: Connection, chunks: Sequence[int]) -> dict[int, Chunk]:
    """The chunks of these numbers; unknown numbers are left out."""
    return {
        number: Chunk(text=text, citation=Citation(path, start, end), heading=heading)
        for number, text, path, start, end, heading in select(
            connection,
            "SELECT c.chunk, substr(f.text, c.start + 1, c.length), f.path, c.start_line,"
            " c.end_line, c.heading FROM chunks c JOIN files f ON f.file = c.file"
            " WHERE c.chunk IN (SELECT value FROM json_each(?))",
            (json.dumps(list(chunks)),),
        )
    }


def chunks_of_items(connection: Connection, items: Sequence[int]) -> dict[int, int]:
    """Item → the last chunk that it begins in: where chunks overlap, it is whole in that one."""
    return dict(
        select(
            connection,
            "SELECT i.item, max(c.chunk) FROM json_each(?) w CROSS JOIN items i ON i.item = w.value"
            " JOIN chunks c ON c.file = i.file"
            " AND i.start >= c.start AND i.start < c.start + c.length GROUP BY i.item",
            (json.dumps(list(items)),),
        )
    )


def select_chunks(connection: Connection, path: str) -> str:
    """JSON list of the chunks of a file, or of the files below a folder."""
    return str(
        connection.execute(
            "SELECT json_group_array(c.chunk) FROM chunks c JOIN files f ON f.file = c.file"
            " WHERE f.path = ?1 OR substr(f.path, 1, length(?1) + 1) = ?1 || '/'",
            (path.rstrip("/"),),
        ).get
    )
