"""Names in running text: which known names stand in which items without being marked.

A name that comes, goes or is spelled otherwise changes what old text says. Only the items that may
be affected are read again: those that had a name which is gone, and those that hold all words of a
name which is new. The result equals that of an index made anew.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from lorebank.index.connection import Connection, select
from lorebank.index.read_settings import ReadSettings
from lorebank.language.folding import fold
from lorebank.language.words import words

if TYPE_CHECKING:
    from lorebank.identity.prose import NameFinder, NamePattern

__all__ = ["plainly_named", "refresh_plain_mentions"]

_FEW = 300
"""With more new names than this, all items are read: asking for each name would take longer."""
_AT_ONCE = 2_000


def refresh_plain_mentions(
    connection: Connection, read: Sequence[str], settings: ReadSettings
) -> None:
    """Bring the table up to date after the files `read` and the names were."""
    wanted = _patterns(connection, settings) if settings.plain_mentions else {}
    known = _known_patterns(connection)
    gone = [slug for slug, pattern in known.items() if wanted.get(slug) != pattern]
    new = [pattern for slug, pattern in wanted.items() if known.get(slug) != pattern]
    items = _items_of_files(connection, read) if wanted else set()
    items |= _items_with(connection, gone)
    if len(new) > _FEW:
        items = _all_items(connection)
    else:
        for pattern in new:
            items |= _items_that_may_hold(connection, pattern.text)
    _forget(connection, gone, items)
    _remember(connection, new)
    if items and wanted:
        from lorebank.identity.prose import NameFinder  # the automaton's library is loaded late

        finder = NameFinder(wanted.values())
        ordered = sorted(items)
        for start in range(0, len(ordered), _AT_ONCE):
            _link(connection, finder, ordered[start : start + _AT_ONCE])
    _resolve(connection)


def plainly_named(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Fact id → slugs of the entities that its text names without a mark."""
    return {
        fact: tuple(json.loads(slugs))
        for fact, slugs in select(
            connection,
            "SELECT i.id, json_group_array(DISTINCT p.entity) FROM plain_mentions p"
            " JOIN items i ON i.item = p.item WHERE i.kind <> 'note' GROUP BY i.id",
        )
    }


def _patterns(connection: Connection, settings: ReadSettings) -> dict[str, NamePattern]:
    """Slug → what to look for, of every name that stands for an entity."""
    from lorebank.identity.prose import pattern_of

    excluded = frozenset(map(fold, settings.not_mentions))
    found: dict[str, NamePattern] = {}
    for slug, name in select(connection, "SELECT slug, name FROM aliases ORDER BY slug, entity"):
        pattern = pattern_of(slug, name, excluded)
        if pattern is not None:
            found.setdefault(slug, pattern)
    return found


def _known_patterns(connection: Connection) -> dict[str, NamePattern]:
    from lorebank.identity.prose import NamePattern

    rows = select(connection, "SELECT slug, text, written FROM plain_names")
    return {row[0]: NamePattern(*row) for row in rows}


def _items_of_files(connection: Connection, paths: Iterable[str]) -> set[int]:
    return _numbers(
        connection,
        "SELECT i.item FROM json_each(?) w CROSS JOIN files f ON f.path = w.value"
        " JOIN items i ON i.file = f.file",
        (json.dumps(list(paths)),),
    )


def _items_with(connection: Connection, slugs: Sequence[str]) -> set[int]:
    return _numbers(
        connection,
        "SELECT p.item FROM json_each(?) w CROSS JOIN plain_mentions p ON p.slug = w.value",
        (json.dumps(slugs),),
    )


def _items_that_may_hold(connection: Connection, text: str) -> set[int]:
    """Items that hold every word of a name, in whatever order."""
    tokens = dict.fromkeys(words(text))
    if not tokens:
        return _all_items(connection)
    phrase = " AND ".join(f'"{token}"' for token in tokens)
    return _numbers(
        connection,
        "SELECT rowid FROM items_fts WHERE items_fts MATCH ?",
        (f"text : ({phrase})",),
    )


def _all_items(connection: Connection) -> set[int]:
    return _numbers(connection, "SELECT item FROM items", ())


def _numbers(connection: Connection, query: str, bound: Sequence[object]) -> set[int]:
    return {row[0] for row in select(connection, query, bound)}


def _forget(connection: Connection, slugs: Sequence[str], items: Iterable[int]) -> None:
    connection.execute(
        "DELETE FROM plain_names WHERE slug IN (SELECT value FROM json_each(?))",
        (json.dumps(slugs),),
    )
    connection.execute(
        "DELETE FROM plain_mentions WHERE item IN (SELECT value FROM json_each(?))",
        (json.dumps(list(items)),),
    )


def _remember(connection: Connection, patterns: Iterable[NamePattern]) -> None:
    connection.executemany(
        "INSERT INTO plain_names (slug, text, written) VALUES (?, ?, ?)",
        [(pattern.slug, pattern.text, pattern.written) for pattern in patterns],
    )


def _link(connection: Connection, finder: NameFinder, items: Sequence[int]) -> None:
    """Look for names in some items; one that is marked in the item too is no plain mention."""
    marked = _marked(connection, items)
    rows: list[tuple[int, str, str, str]] = []
    for item, text, details, day in select(
        connection,
        "SELECT i.item, coalesce(i.content, substr(f.text, i.start + 1, i.length)), i.details,"
        " coalesce(i.occurred_start, i.recorded, '') FROM json_each(?) w"
        " CROSS JOIN items i ON i.item = w.value JOIN files f ON f.file = i.file",
        (json.dumps(items),),
    ):
        whole = "\n".join([text, *json.loads(details)]) if details else text
        for slug in finder.slugs_in(whole) - marked.get(item, frozenset()):
            rows.append((item, slug, "", day))
    connection.executemany(
        "INSERT INTO plain_mentions (item, slug, entity, day) VALUES (?, ?, ?, ?)", rows
    )


def _marked(connection: Connection, items: Sequence[int]) -> Mapping[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = {}
    for item, slugs in select(
        connection,
        "SELECT m.item, json_group_array(m.slug) FROM json_each(?) w"
        " CROSS JOIN mentions m ON m.item = w.value GROUP BY m.item",
        (json.dumps(items),),
    ):
        found[item] = frozenset(json.loads(slugs))
    return found


def _resolve(connection: Connection) -> None:
    """Let every name lead to the entity that it stands for by now."""
    connection.execute(
        "UPDATE plain_mentions SET entity = a.entity FROM"
        " (SELECT slug, min(entity) AS entity FROM aliases GROUP BY slug) a"
        " WHERE a.slug = plain_mentions.slug AND a.entity <> plain_mentions.entity"
    )
