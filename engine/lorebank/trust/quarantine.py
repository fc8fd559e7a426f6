"""Rows in quarantine: what is neither trusted by its origin nor confirmed by the owner.

Worked out in SQL after each sync that wrote anything, from `items.origin` and the lines of
`bank/confirmed.md`, so that deleting such a line restores exactly what was before.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation, Origin
from lorebank.errors import NotFound, UsageError

if TYPE_CHECKING:
    from lorebank.trust.confirmations import Confirmation

_SUSPECT = "i.origin NOT IN ('owner', 'agent')"
"""What an index of its own finds; `Origin.trusted` says the same."""
_WANTED = """
    i.id NOT IN (SELECT value FROM confirmations WHERE target = 'id')
    AND i.origin NOT IN (SELECT value FROM confirmations WHERE target = 'origin')
    AND i.file NOT IN (SELECT f.file FROM files f JOIN confirmations c
                       ON c.target = 'path' AND c.value = f.path)
"""
_ITEMS = """
    SELECT i.id, i.kind, i.content, f.path, i.start_line, i.end_line
    FROM items i JOIN files f ON f.file = i.file
    WHERE {condition} ORDER BY f.path, i.ordinal
"""
KnownItem = tuple[str, str, str, Citation]
"""Id, kind, plain text, place."""


def insert_confirmations(
    connection: Connection, file: int, confirmations: Iterable[Confirmation]
) -> None:
    connection.executemany(
        "INSERT INTO confirmations (file, line, target, value) VALUES (?, ?, ?, ?)",
        [
            (file, c.citation.start_line, c.target.value, c.value)
            for c in confirmations
            if not c.rejected
        ],
    )


def refresh_quarantine(connection: Connection) -> tuple[set[str], frozenset[str]]:
    """The entities of facts let in or out ("" for none), and names these speak of."""
    changed = [
        item
        for (item,) in select(
            connection,
            f"SELECT i.item FROM items i WHERE {_SUSPECT} AND i.quarantined <> ({_WANTED})",
        )
    ]
    if not changed:
        return set(), frozenset()
    numbers = json.dumps(changed)
    connection.execute(
        "UPDATE items SET quarantined = 1 - quarantined"
        " WHERE item IN (SELECT value FROM json_each(?))",
        (numbers,),
    )
    mentioned = select(
        connection,
        "SELECT DISTINCT coalesce(m.entity, ''), coalesce(m.slug, '') FROM json_each(?) w"
        " CROSS JOIN items i ON i.item = w.value AND i.kind <> 'note'"
        " LEFT JOIN mentions m ON m.item = i.item",
        (numbers,),
    )
    valued = select(
        connection,
        "SELECT DISTINCT s.value_slug FROM json_each(?) w CROSS JOIN slots s ON s.item = w.value",
        (numbers,),
    )
    names = {slug for _, slug in mentioned} | {slug for (slug,) in valued}
    return {entity for entity, _ in mentioned}, frozenset(names - {"", None})


def quarantined_lines(connection: Connection) -> Mapping[str, Sequence[tuple[int, int]]]:
    """Path → the lines of it that are in quarantine, 1-based and inclusive."""
    return lines_without_owner(connection, ())


def lines_without_owner(
    connection: Connection, days: Collection[str]
) -> Mapping[str, Sequence[tuple[int, int]]]:
    """The same, and of these logs the lines that agents wrote."""
    found: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for path, start, end in select(
        connection,
        "SELECT f.path, i.start_line, i.end_line FROM items i JOIN files f ON f.file = i.file"
        " WHERE i.quarantined = 1 OR (i.origin = 'agent' AND i.file IN (SELECT l.file FROM files l"
        "  WHERE l.path IN (SELECT value FROM json_each(?)))) ORDER BY f.path, i.ordinal",
        (json.dumps(list(days)),),
    ):
        found[path].append((start, end))
    return found


def origins_in_lines(
    connection: Connection, places: Sequence[Citation]
) -> list[tuple[Origin, bool]]:
    """Of each place the least trusted origin of what stands there, and whether any of it is in
    quarantine."""
    found: list[tuple[Origin, bool]] = []
    for place in places:
        rows = select(
            connection,
            "SELECT f.origin, 0 FROM files f WHERE f.path = ?1 UNION ALL"
            " SELECT i.origin, i.quarantined FROM items i JOIN files f ON f.file = i.file"
            " WHERE f.path = ?1 AND i.start_line <= ?3 AND i.end_line >= ?2",
            (place.path, place.start_line, place.end_line),
        )
        origin = Origin.OWNER
        for stored, _ in rows:
            origin = Origin(stored).least_trusted(origin)
        found.append((origin, any(quarantined for _, quarantined in rows)))
    return found


def place_named(source: str) -> Citation:
    """The lines that a source like `memory/a.md#L3-L5` names; from line 0 where it is a file."""
    try:
        return Citation.parse(source)
    except ValueError:
        return Citation(source.rstrip("/"), 0, 0)


def items_matching(
    connection: Connection, condition: str, bound: Sequence[object]
) -> list[KnownItem]:
    """The facts and passages that meet an SQL condition on `items i` and `files f`."""
    return [
        (id_, kind, text, Citation(path, start, end))
        for id_, kind, text, path, start, end in select(
            connection, _ITEMS.format(condition=condition), tuple(bound)
        )
    ]


def items_in_lines(connection: Connection, place: Citation) -> list[KnownItem]:
    """The facts and passages that stand wholly or partly in these lines."""
    within = "f.path = ? AND i.start_line <= ? AND i.end_line >= ?"
    return items_matching(connection, within, (place.path, place.end_line, place.start_line))


def item_of_id(connection: Connection, text: str) -> tuple[str, Citation]:
    """The one id of a fact or passage that begins so, and where it stands first."""
    begins = "length(?1) > 2 AND substr(i.id, 1, length(?1)) = ?1"
    found: dict[str, Citation] = {}
    for id_, _, _, place in items_matching(connection, begins, (text,)):
        found.setdefault(id_, place)
    if not found:
        raise NotFound(f"no fact or passage '{text}'", hint="ids are shown by recall --json")
    if len(found) > 1:
        raise UsageError(f"'{text}' matches several ids", hint=", ".join(sorted(found)[:5]))
    return next(iter(found.items()))


def quarantined_items(connection: Connection) -> frozenset[int]:
    """The numbers of the facts and passages in quarantine."""
    rows = select(connection, "SELECT item FROM items WHERE quarantined = 1")
    return frozenset(item for (item,) in rows)
