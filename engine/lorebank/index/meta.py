"""Rows of `meta`: when and with which settings the index was made."""

from __future__ import annotations

from lorebank.index.connection import Connection


def read_meta(connection: Connection, key: str) -> str | None:
    """The value of a key; `None` where it was never written."""
    row = connection.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
    return str(row[0]) if row else None


def write_meta(connection: Connection, key: str, value: str) -> None:
    connection.execute("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)", (key, value))
