"""Names in running text: which known names stand in which items without being marked.

Adding, removing or respelling a name changes which old lines mention it. Only the items that may
be affected are read again: those that had a name which is gone, and those that hold all words of a
name which is new. The result equals that of an index rebuilt from scratch.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from lorebank.database.connection import Connection, execute, has_full_text, select
from lorebank.domain.facts import Mention
from lorebank.language.folding import fold, slugify
from lorebank.language.words import words
from lorebank.names.prose import NameFinder, NamePattern, pattern_of

_FEW = 300
"""With more new names than this, all items are read: asking for each name would take longer."""
_AT_ONCE = 2_000  # items whose texts are in memory at a time
_SUFFIX = re.compile(r"(?<=\w)['’]\w{1,4}(?!\w)")
"""What stands behind a name and an apostrophe: `Nurten'in`, `Ana's`."""


def refresh_plain_mentions(
    connection: Connection, read: Sequence[str], *, enabled: bool, excluded: Collection[str]
) -> frozenset[int]:
    """Bring the table up to date after these files were `read` and `aliases` was.

    Returns the items of other files that may name somebody else now.
    """
    wanted = _patterns(connection, excluded) if enabled else {}
    rows = select(connection, "SELECT slug, text, written FROM plain_names")
    known = {row[0]: NamePattern(*row) for row in rows}
    gone = [slug for slug, pattern in known.items() if wanted.get(slug) != pattern]
    new = [pattern for slug, pattern in wanted.items() if known.get(slug) != pattern]
    own = _items(
        connection,
        "SELECT i.item FROM json_each(?) w CROSS JOIN files f ON f.path = w.value"
        " JOIN items i ON i.file = f.file",
        read,
    )
    items = own | _items(
        connection,
        "SELECT p.item FROM json_each(?) w CROSS JOIN plain_mentions p ON p.slug = w.value",
        gone,
    )
    if len(new) > _FEW:
        items = _items(connection, "SELECT item FROM items")
    else:
        for pattern in new:
            items |= _items_that_may_hold(connection, pattern.text)
    given = "IN (SELECT value FROM json_each(?))"
    execute(connection, f"DELETE FROM plain_names WHERE slug {given}", (gone,))
    execute(connection, f"DELETE FROM plain_mentions WHERE item {given}", (items,))
    connection.executemany(
        "INSERT INTO plain_names (slug, text, written) VALUES (?, ?, ?)",
        [(p.slug, p.text, p.written) for p in new],
    )
    if items and enabled:
        finder, ordered = NameFinder(wanted.values()), sorted(items)
        for start in range(0, len(ordered), _AT_ONCE):
            _link(connection, finder, ordered[start : start + _AT_ONCE])
    return frozenset((items | _repoint_mentions(connection)) - own)


def plainly_named(connection: Connection) -> dict[str, tuple[str, ...]]:
    """Fact id → slugs of the entities that its text names without a mark."""
    return {
        fact: tuple(json.loads(slugs))
        for fact, slugs in select(
            connection,
            "SELECT i.id, json_group_array(DISTINCT p.entity) FROM items i"
            " JOIN plain_mentions p ON p.item = i.item WHERE i.kind <> 'note' GROUP BY i.id",
        )
    }


def names_in_sentence(
    connection: Connection, text: str, not_names: Collection[str]
) -> tuple[Mention, ...]:
    """The known names in a sentence that somebody dictates, as it writes them, in its order.

    Written small, a name counts too, unless it is a common word then (`not_names`, folded): whoever
    dictates writes "nadia" as often as "Nadia".
    """
    patterns: dict[str, NamePattern] = {}
    lengths: dict[str, int] = {}
    for slug, name in select(connection, "SELECT slug, name FROM aliases ORDER BY slug, entity"):
        # As if shouted, so that a name that is a stop word (Will) is looked for as well.
        found = pattern_of(slug, name) or pattern_of(slug, name.upper())
        if found is None:
            continue
        patterns[found.text] = replace(found, written="")
        lengths[found.text] = len(found.text)
    for pattern in list(patterns.values()):  # a genitive without an apostrophe: Oskars
        genitive = f"{pattern.text}s"
        if genitive not in patterns and pattern.text.isalpha():
            patterns[genitive] = replace(pattern, text=genitive)
            lengths[genitive] = len(pattern.text)
    text = _SUFFIX.sub(lambda found: " " * len(found.group()), text)
    mentions: dict[str, Mention] = {}
    for spotted in NameFinder(patterns.values()).find(text):
        found_text = fold(text[spotted.start : spotted.end]).replace("-", " ")
        end = spotted.start + lengths.get(found_text, spotted.end - spotted.start)
        shown = text[spotted.start : end]
        if shown[:1].islower() and fold(shown) in not_names:
            continue
        mentions.setdefault(spotted.slug, Mention(shown, slugify(shown)))
    return tuple(mentions.values())


def _patterns(connection: Connection, not_names: Collection[str]) -> dict[str, NamePattern]:
    """Slug → what to look for, of every name that stands for an entity."""
    excluded = frozenset(map(fold, not_names))
    found: dict[str, NamePattern] = {}
    for slug, name in select(connection, "SELECT slug, name FROM aliases ORDER BY slug, entity"):
        pattern = pattern_of(slug, name, excluded)
        if pattern is not None:
            found.setdefault(slug, pattern)
    return found


def _items_that_may_hold(connection: Connection, text: str) -> set[int]:
    """Items that hold every word of a name, in whatever order."""
    tokens = dict.fromkeys(words(text))
    if not tokens or not has_full_text(connection):
        return _items(connection, "SELECT item FROM items")
    phrase = " AND ".join(f'"{token}"' for token in tokens)
    return _items(
        connection, "SELECT rowid FROM items_fts WHERE items_fts MATCH ?", f"text : ({phrase})"
    )


def _items(connection: Connection, query: str, *bound: object) -> set[int]:
    return {item for (item,) in select(connection, query, bound)}


def _texts(connection: Connection, items: Sequence[int]) -> list[tuple[int, str, str]]:
    """Item, its text and its day.

    A file's text is read once and cut here: SQLite's `substr` walks it from the beginning for each
    item, which is quadratic on a log of many lines.
    """
    rows = select(
        connection,
        "SELECT i.item, i.content, i.file, i.start, i.length, i.details,"
        " coalesce(i.occurred_start, i.recorded, '') FROM json_each(?) w"
        " CROSS JOIN items i ON i.item = w.value",
        (items,),
    )
    files = dict(
        select(
            connection,
            "SELECT file, text FROM files WHERE file IN (SELECT value FROM json_each(?))",
            (sorted({file for _, content, file, *_ in rows if content is None}),),
        )
    )
    texts: list[tuple[int, str, str]] = []
    for item, content, file, start, length, details, day in rows:
        text = files[file][start : start + length] if content is None else content
        texts.append((item, "\n".join([text, *json.loads(details)]) if details else text, day))
    return texts


def _link(connection: Connection, finder: NameFinder, items: Sequence[int]) -> None:
    """Look for names in some items; one that is marked in the item too is no plain mention."""
    marked = _marked(connection, items)
    connection.executemany(
        "INSERT INTO plain_mentions (item, slug, entity, day) VALUES (?, ?, '', ?)",
        [
            (item, slug, day)
            for item, text, day in _texts(connection, items)
            for slug in finder.slugs_in(text) - marked.get(item, frozenset())
        ],
    )


def _marked(connection: Connection, items: Sequence[int]) -> Mapping[int, frozenset[str]]:
    found: dict[int, frozenset[str]] = {}
    for item, slugs in select(
        connection,
        "SELECT m.item, json_group_array(m.slug) FROM json_each(?) w"
        " CROSS JOIN mentions m ON m.item = w.value GROUP BY m.item",
        (items,),
    ):
        found[item] = frozenset(json.loads(slugs))
    return found


def _repoint_mentions(connection: Connection) -> set[int]:
    """Let every name lead to its entity of now; the items in which it led to another before."""
    led = (
        "FROM plain_mentions p JOIN (SELECT slug, min(entity) AS now FROM aliases GROUP BY slug) a"
        " ON a.slug = p.slug AND a.now <> p.entity"
    )
    rows = select(connection, f"SELECT a.now, p.item, p.slug, p.entity {led}")
    connection.executemany(
        "UPDATE plain_mentions SET entity = ? WHERE item = ? AND slug = ?",
        [row[:3] for row in rows],
    )
    return {item for _, item, _, before in rows if before}
