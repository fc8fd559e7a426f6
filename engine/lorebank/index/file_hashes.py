"""What the files held when they were last read, as hashes."""

from __future__ import annotations

from lorebank.index.connection import Connection, select


def hashes_outside_bank(connection: Connection) -> tuple[tuple[str, str], ...]:
    """`(path, hash)` of every file that reflect does not write, by path."""
    query = "SELECT path, hash FROM files WHERE role <> 'bank' ORDER BY path"
    return tuple((str(path), str(hash)) for path, hash in select(connection, query))
