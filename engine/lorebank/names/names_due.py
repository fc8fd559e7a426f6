"""Which names a sync has to look at again: those that changed files name, and whom they bear on.

What is decided about a name bears on no others than those joined to it, by a decision, by being the
same, or by standing for one entity so far. So a sync whose files name a few people settles those
few, however many there are; the rows come out as they would with all names looked at.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import field

from lorebank.database.connection import Connection, select
from lorebank.records import dataclass

MOST = 2_000
"""With more names than this all are looked at: that takes less time than telling them apart."""

_Row = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Said:
    """What some files say about names."""

    mentioned: frozenset[str] = frozenset()
    """Slugs that their facts mention, and what their facts give as a value, as slugs."""
    rows: dict[str, list[_Row]] = field(default_factory=dict)
    """Path → what it decides: action, slug, target, name and type, in order."""
    troubled: frozenset[str] = frozenset()
    """Names in decisions, of whatever file, that are odd; their lines may move."""


def said_in(connection: Connection, paths: Collection[str]) -> Said:
    """What the index holds of the files."""
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
    troubled = select(
        connection,
        "SELECT n.slug, n.target FROM diagnostics d JOIN files f ON f.path = d.path"
        " JOIN names n ON n.file = f.file AND n.line = d.line"
        " WHERE substr(d.code, 1, 9) = 'identity-'",
    )
    return Said(
        frozenset(slug for (slug,) in mentioned),
        rows,
        frozenset(slug for pair in troubled for slug in pair if slug),
    )


def names_between(before: Said, after: Said) -> frozenset[str]:
    """The names of which something may have changed between the two."""
    found = set(before.mentioned | after.mentioned)
    for path in before.rows.keys() | after.rows.keys():
        for _, slug, target, *_ in _middle(before.rows.get(path, []), after.rows.get(path, [])):
            found |= {slug, target} - {""}
    if before.rows or after.rows:
        found |= before.troubled | after.troubled
    return frozenset(found)


def joined_names(
    connection: Connection, start: Iterable[str], most: int = MOST
) -> frozenset[str] | None:
    """The names, and all that are joined to them; `None`: more than `most`."""
    found: set[str] = set()
    frontier = set(start)
    while frontier:
        found |= frontier
        if len(found) > most:
            return None
        bound = (json.dumps(sorted(frontier)),)
        frontier = {slug for query in _JOINED for (slug,) in select(connection, query, bound)}
        frontier -= found
    return frozenset(found)


def set_due(connection: Connection, table: str, slugs: Iterable[str]) -> None:
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
_JOINED = (
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
    """The rows between what both begin with and what both end with."""
    shorter = min(len(old), len(new))
    start = 0
    while start < shorter and old[start] == new[start]:
        start += 1
    end = 0
    while end < shorter - start and old[-1 - end] == new[-1 - end]:
        end += 1
    return [*old[start : len(old) - end], *new[start : len(new) - end]]
