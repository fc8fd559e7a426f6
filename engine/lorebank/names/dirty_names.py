"""Dirty names: those that changed files mention or decide about, and all connected to them.

A name is connected to another by a decision, by being the same in writing, or by standing for one
entity so far; nothing else can change who it is. So a sync resolves a few names however many there
are (4 ms instead of 100 ms with 2,000 names in 10,000 facts), with the rows a full run would write.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field

from lorebank.database.connection import Connection, select
from lorebank.records import dataclass

MOST_DIRTY = 2_000
"""With more dirty names than this all are resolved: following connections takes longer then."""

_Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NameStatements:
    """What some files say about names."""

    mentioned: frozenset[str] = frozenset()
    """Slugs that their facts mention, and what their facts give as a value, as slugs."""
    rows: dict[str, list[_Row]] = field(default_factory=dict)
    """Path → what it decides: action, slug, target, name and type, in order."""
    with_problems: frozenset[str] = frozenset()
    """Names whose decisions, in whatever file, have a diagnostic: its line number may change."""


def name_statements(connection: Connection, paths: Collection[str]) -> NameStatements:
    """What the index holds of these files."""
    bound = (json.dumps(list(paths)),)
    of_files = "FROM json_each(?) w CROSS JOIN files f ON f.path = w.value"
    mentioned = select(
        connection,
        f"SELECT DISTINCT m.slug {of_files} JOIN items i ON i.file = f.file"
        " JOIN mentions m ON m.item = i.item",
        bound,
    ) + select(
        connection,
        f"SELECT DISTINCT s.value_slug {of_files} JOIN items i ON i.file = f.file"
        " JOIN slots s ON s.item = i.item",
        bound,
    )
    rows: dict[str, list[_Row]] = {}
    for path, *row in select(
        connection,
        f"SELECT f.path, n.action, n.slug, n.target, n.name, coalesce(n.type, '') {of_files}"
        " JOIN names n ON n.file = f.file ORDER BY f.path, n.line, n.rowid",
        bound,
    ):
        rows.setdefault(path, []).append(tuple(row))
    with_problems = select(
        connection,
        "SELECT n.slug, n.target FROM diagnostics d JOIN files f ON f.path = d.path"
        " JOIN names n ON n.file = f.file AND n.line = d.line"
        " WHERE substr(d.code, 1, 9) = 'identity-'",
    )
    return NameStatements(
        frozenset(slug for (slug,) in mentioned),
        rows,
        frozenset(slug for pair in with_problems for slug in pair if slug),
    )


def changed_names(before: NameStatements, after: NameStatements) -> frozenset[str]:
    """The names that either state mentions, and those whose decisions differ."""
    found = set(before.mentioned | after.mentioned)
    for path in before.rows.keys() | after.rows.keys():
        for _, slug, target, *_ in _middle(before.rows.get(path, []), after.rows.get(path, [])):
            found |= {slug, target} - {""}
    if before.rows or after.rows:
        found |= before.with_problems | after.with_problems
    return frozenset(found)


def connected_names(
    connection: Connection, start: Iterable[str], most: int = MOST_DIRTY
) -> frozenset[str] | None:
    """The names and all connected to them; `None` for more than `most`."""
    found: set[str] = set()
    frontier = set(start)
    while frontier:
        found |= frontier
        if len(found) > most:
            return None
        bound = (json.dumps(sorted(frontier)),)
        frontier = {slug for query in _CONNECTED for (slug,) in select(connection, query, bound)}
        frontier -= found
    return frozenset(found)


def fill_scope(connection: Connection, table: str, slugs: Iterable[str]) -> None:
    """Make `temp.<table>` hold these slugs, for the statements that write only theirs."""
    connection.execute(
        f"CREATE TEMP TABLE IF NOT EXISTS {table} (slug TEXT PRIMARY KEY) WITHOUT ROWID"
    )
    connection.execute(f"DELETE FROM temp.{table}")
    connection.execute(
        f"INSERT INTO temp.{table} (slug) SELECT DISTINCT value FROM json_each(?)",
        (json.dumps(list(slugs)),),
    )


_DECIDED = "action NOT IN ('page', 'moved', 'spelling') AND n.target <> ''"
_CONNECTED = (
    "SELECT DISTINCT n.target FROM json_each(?) w CROSS JOIN names n ON n.slug = w.value"
    f" WHERE n.{_DECIDED}",
    "SELECT DISTINCT n.slug FROM json_each(?) w CROSS JOIN names n ON n.target = w.value"
    f" WHERE n.{_DECIDED}",
    "SELECT c.other FROM json_each(?) w CROSS JOIN compared_names c ON c.slug = w.value"
    " WHERE c.same",
    "SELECT c.slug FROM json_each(?) w CROSS JOIN compared_names c ON c.other = w.value"
    " WHERE c.same",
    "SELECT DISTINCT b.slug FROM json_each(?) w CROSS JOIN aliases a ON a.slug = w.value"
    " CROSS JOIN aliases b ON b.entity = a.entity",
    "SELECT DISTINCT a.entity FROM json_each(?) w CROSS JOIN aliases a ON a.slug = w.value",
)


def _middle(old: Sequence[_Row], new: Sequence[_Row]) -> list[_Row]:
    """The rows left once the common beginning and end are taken off."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return [*old[start : len(old) - end], *new[start : len(new) - end]]
