"""Parts of the bank's digests as they were last made: of `bank/world.md` by entity, of
`bank/experience.md` by month."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from lorebank.index.connection import Connection, select

OF_ENTITY, OF_MONTH = "entity", "month"
"""What a part is of, and what its key is: a slug, or `2025-11`."""


def load_sections(connection: Connection, kind: str) -> dict[str, str]:
    """Key → text of each part of a kind."""
    return dict(select(connection, "SELECT key, body FROM page_sections WHERE kind = ?", (kind,)))


def store_sections(connection: Connection, kind: str, changed: Mapping[str, str]) -> None:
    """Replace these parts, an empty one by nothing; inside the caller's transaction."""
    forget_sections(connection, [(kind, key) for key in changed])
    connection.executemany(
        "INSERT INTO page_sections (kind, key, body) VALUES (?, ?, ?)",
        [(kind, key, body) for key, body in changed.items() if body],
    )


def forget_sections(connection: Connection, parts: Iterable[tuple[str, str]]) -> None:
    """Drop the parts of these kinds and keys; inside the caller's transaction."""
    connection.executemany("DELETE FROM page_sections WHERE kind = ? AND key = ?", list(parts))
