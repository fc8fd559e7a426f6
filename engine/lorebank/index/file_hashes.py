"""What the files held when they were last read, as hashes."""

from __future__ import annotations

from lorebank.database.connection import Connection, select


def hashes_outside_bank(connection: Connection) -> tuple[tuple[str, str], ...]:
    """`(path, hash)` of every file that reflect does not write, by path."""
    query = "SELECT path, hash FROM files WHERE role <> 'bank' ORDER BY path"
    return tuple((str(path), str(hash)) for path, hash in select(connection, query))


def known_hash(connection: Connection, path: str) -> str | None:
    """The hash of what a file held at the last sync; `None` where there was none."""
    found = select(connection, "SELECT hash FROM files WHERE path = ?", (path,))
    return str(found[0][0]) if found else None
