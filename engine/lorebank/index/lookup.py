"""Items by what a person can name: an id, the beginning of one, a citation."""

from __future__ import annotations

from lorebank.database.connection import Connection, select
from lorebank.domain import Citation

_LIMIT = 50


def find_items(connection: Connection, named: str) -> list[int]:
    """The items of an id (`f-…`, `n-…`), of a beginning of one, or on a line (`path#L12`).

    Several where lines say the same; none where nothing is called so.
    """
    named = named.encode("utf-8", "replace").decode("utf-8")
    try:
        place = Citation.parse(named)
    except ValueError:
        return _by_id(connection, named)
    rows = select(
        connection,
        "SELECT i.item FROM items i JOIN files f ON f.file = i.file"
        " WHERE f.path = ? AND i.start_line <= ? AND i.end_line >= ?"
        " ORDER BY i.kind = 'note', i.start_line, i.item LIMIT ?",
        (place.path, place.end_line, place.start_line, _LIMIT),
    )
    return [item for (item,) in rows]


def _by_id(connection: Connection, named: str) -> list[int]:
    exact = select(connection, "SELECT item FROM items WHERE id = ? ORDER BY item", (named,))
    if exact or len(named) < 3:
        return [item for (item,) in exact]
    rows = select(
        connection,
        "SELECT item FROM items WHERE substr(id, 1, ?1) = ?2 ORDER BY id, item LIMIT ?3",
        (len(named), named, _LIMIT),
    )
    return [item for (item,) in rows]
