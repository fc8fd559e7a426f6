"""Parts of the bank's digests as they were last made: `bank/world.md` by entity, and so on."""

from __future__ import annotations

from collections.abc import Mapping

from lorebank.index.connection import Connection, select

__all__ = ["load_sections", "store_sections"]


def load_sections(connection: Connection, page: str) -> dict[str, str]:
    """Key → text of each part of a page."""
    query = "SELECT key, body FROM page_sections WHERE page = ?"
    return dict(select(connection, query, (page,)))


def store_sections(connection: Connection, page: str, changed: Mapping[str, str]) -> None:
    """Replace these parts, an empty one by nothing; inside the caller's transaction."""
    connection.executemany(
        "DELETE FROM page_sections WHERE page = ? AND key = ?", [(page, key) for key in changed]
    )
    connection.executemany(
        "INSERT INTO page_sections (page, key, body) VALUES (?, ?, ?)",
        [(page, key, body) for key, body in changed.items() if body],
    )
