"""Rows of contexts: what folders and files are about, inherited by every file below."""

from __future__ import annotations

import json
from collections.abc import Iterable

from lorebank.database.connection import Connection, select
from lorebank.markdown.owner_pages import scopes_above


def contexts_of(connection: Connection, paths: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Path → the contexts that hold for it, outermost first; paths without any are left out.

    Where two files speak of one folder, the alphabetically first does.
    """
    above = {path: scopes_above(path) for path in dict.fromkeys(paths)}
    wanted = sorted({scope for scopes in above.values() for scope in scopes})
    told: dict[str, str] = {}
    for scope, text in select(
        connection,
        "SELECT c.scope, c.text FROM json_each(?) w CROSS JOIN contexts c ON c.scope = w.value"
        " JOIN files f ON f.file = c.file ORDER BY c.scope, f.path",
        (json.dumps(wanted),),
    ):
        told.setdefault(scope, text)
    if not told:
        return {}
    found = {
        path: tuple(dict.fromkeys(told[scope] for scope in scopes if scope in told))
        for path, scopes in above.items()
    }
    return {path: contexts for path, contexts in found.items() if contexts}


def contexts_stated_in(connection: Connection, path: str) -> frozenset[str]:
    """What a file states, of itself or of its folder."""
    rows = select(
        connection,
        "SELECT c.text FROM contexts c JOIN files f ON f.file = c.file WHERE f.path = ?",
        (path,),
    )
    return frozenset(text for (text,) in rows)


def insert_context(connection: Connection, file: int, scope: str, text: str) -> None:
    """Write the context that a file states."""
    connection.execute(
        "INSERT INTO contexts (scope, file, text) VALUES (?, ?, ?)", (scope, file, text)
    )


def delete_context(connection: Connection, file: int) -> None:
    """Remove the context that a file stated."""
    connection.execute("DELETE FROM contexts WHERE file = ?", (file,))
