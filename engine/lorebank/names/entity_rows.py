"""Rows of names and entities, written: which folded name stands for whom.

They are a function of the mentions, the entity pages and the identity ledger, so deleting a ledger
line restores exactly what was before. A sync rewrites only those of dirty names.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, select
from lorebank.domain import Diagnostic
from lorebank.language.folding import slugify
from lorebank.names.compared_names import compared, refresh_comparison
from lorebank.names.dirty_names import connected_names, fill_scope
from lorebank.names.entities import (
    IDENTITY_CODES,
    MOVED,
    SPELLING,
    decisions,
    display_names,
    name_uses,
)
from lorebank.records import dataclass

if TYPE_CHECKING:
    from lorebank.names.resolve import Comparison, Resolution


def refresh_entities(
    connection: Connection, changed: frozenset[str] | None
) -> tuple[frozenset[str], frozenset[str] | None]:
    """Bring `mentions.entity`, `entities` and `aliases` up to date after these names `changed`;
    `None`: any may have.

    Returns the entities affected because names were joined or separated (theirs, and those
    mentioned with them), and the dirty names; `None` for all.
    """
    partial = None if changed is None else _resolve_dirty(connection, changed)
    resolved = _resolve_all(connection) if partial is None else partial.resolved
    dirty = None if partial is None else partial.names
    entity_of = {
        slug: entity
        for slug, entity in resolved.entity_of.items()
        if dirty is None or slug in dirty
    }
    _set_scope(connection, entity_of, dirty)
    _rewrite_problems(connection, resolved.problems, None if partial is None else partial.around)
    _rewrite_proposals(connection, resolved.proposals, every=partial is None)
    moved: set[str] = set()
    slugs: list[str] = []
    for slug, entity in select(
        connection,
        "SELECT DISTINCT m.slug, m.entity FROM temp.dirty_names d"
        " CROSS JOIN mentions m ON m.slug = d.slug",
    ):
        now = entity_of.get(slug, slug)
        if now != entity:
            moved |= {now, entity}
            slugs.append(slug)
            connection.execute(
                "UPDATE mentions SET entity = ? WHERE slug = ? AND entity = ?",
                (now, slug, entity),
            )
    _rewrite_entities(connection, entity_of)
    return frozenset(moved | _mentioned_with(connection, slugs)), dirty


@dataclass(frozen=True, slots=True)
class _Partial:
    """The dirty names, resolved without the others."""

    names: frozenset[str]
    """Those whose rows are rewritten."""
    around: frozenset[str]
    """These, and the ones they may be merged with, whose decisions count too."""
    resolved: Resolution


def _resolve_dirty(connection: Connection, changed: frozenset[str]) -> _Partial | None:
    """Who is who among the names connected to those that changed; `None` where too many are."""
    names = connected_names(connection, changed)
    if names is None:
        return None
    refresh_comparison(connection, _forms(connection, names), names)
    names = connected_names(connection, names)
    if names is None:
        return None
    near = {slug for a, b, _ in compared(connection, names).unsure for slug in (a, b)}
    around = connected_names(connection, names | near)
    if around is None:
        return None
    from lorebank.names.resolve import Comparison, resolve_names

    pairs = compared(connection, around)
    inside = Comparison(
        same=tuple(pair for pair in pairs.same if around.issuperset(pair[:2])),
        unsure=tuple(pair for pair in pairs.unsure if around.issuperset(pair[:2])),
    )
    resolved = resolve_names(
        name_uses(connection, around), decisions(connection, around), lambda _: inside
    )
    return _Partial(names, around, resolved)


def _forms(connection: Connection, slugs: frozenset[str]) -> dict[str, str]:
    """Slug → spelling of those of the names that are in use or decided about."""
    decided = {slug for d in decisions(connection, slugs) for slug in (d.slug, d.target)}
    named = select(
        connection,
        "SELECT DISTINCT n.target FROM json_each(?) w CROSS JOIN names n ON n.target = w.value"
        " WHERE n.action NOT IN (?, ?)",
        (json.dumps(list(slugs)), SPELLING, MOVED),
    )
    known = (decided | {slug for (slug,) in named}) & slugs
    return {slug: slug for slug in known if slug} | {
        use.slug: use.name for use in name_uses(connection, slugs)
    }


def _resolve_all(connection: Connection) -> Resolution:
    from lorebank.names.resolve import resolve_names

    def compare(names: Mapping[str, str]) -> Comparison:
        refresh_comparison(connection, names)
        return compared(connection)

    return resolve_names(name_uses(connection), decisions(connection), compare)


def _set_scope(
    connection: Connection, entity_of: Mapping[str, str], dirty: frozenset[str] | None
) -> None:
    """Fill `temp.dirty_names` and `temp.dirty_entities`: whose rows are rewritten."""
    if dirty is None:
        slugs = select(
            connection,
            "SELECT slug FROM mentions UNION SELECT slug FROM names UNION SELECT slug FROM aliases",
        )
        fill_scope(connection, "dirty_names", {*entity_of, *(slug for (slug,) in slugs)})
        held = select(connection, "SELECT slug FROM entities UNION SELECT entity FROM mentions")
    else:
        fill_scope(connection, "dirty_names", dirty)
        held = select(
            connection,
            "SELECT a.entity FROM temp.dirty_names d CROSS JOIN aliases a ON a.slug = d.slug"
            " UNION SELECT m.entity FROM temp.dirty_names d CROSS JOIN mentions m"
            " ON m.slug = d.slug"
            " UNION SELECT slug FROM temp.dirty_names",
        )
    fill_scope(connection, "dirty_entities", {*entity_of.values(), *(slug for (slug,) in held)})


def _mentioned_with(connection: Connection, slugs: Sequence[str]) -> set[str]:
    """The entities of the items that write one of these names."""
    rows = select(
        connection,
        "SELECT DISTINCT other.entity FROM json_each(?) w CROSS JOIN mentions mine"
        " ON mine.slug = w.value JOIN mentions other ON other.item = mine.item",
        (json.dumps(list(slugs)),),
    )
    return {entity for (entity,) in rows}


def _rewrite_problems(
    connection: Connection, problems: Iterable[Diagnostic], about: frozenset[str] | None
) -> None:
    """Replace what is odd about the decisions, all or those about some names."""
    held = f"substr(code, 1, {len(IDENTITY_CODES)}) = '{IDENTITY_CODES}'"
    if about is None:
        connection.execute(f"DELETE FROM diagnostics WHERE {held}")
    else:
        connection.execute(
            f"DELETE FROM diagnostics WHERE {held} AND (path, line) IN"
            " (SELECT f.path, n.line FROM json_each(?) w CROSS JOIN names n ON n.slug = w.value"
            "  JOIN files f ON f.file = n.file)",
            (json.dumps(list(about)),),
        )
    connection.executemany(
        "INSERT INTO diagnostics (path, line, code, message) VALUES (?, ?, ?, ?)",
        [(p.path, p.line, p.code, p.message) for p in problems],
    )


def _rewrite_proposals(
    connection: Connection, made: Sequence[tuple[str, str, str]], *, every: bool
) -> None:
    """Replace the proposals that name an entity which is due."""
    if every:
        connection.execute("DELETE FROM proposals")
    for column in ("slug", "other"):
        connection.execute(
            f"DELETE FROM proposals WHERE {column} IN (SELECT slug FROM temp.dirty_entities)"
        )
    due = {slug for (slug,) in select(connection, "SELECT slug FROM temp.dirty_entities")}
    connection.executemany(
        "INSERT INTO proposals (slug, other, reason) VALUES (?, ?, ?)",
        [pair for pair in made if every or not due.isdisjoint(pair[:2])],
    )


def _rewrite_entities(connection: Connection, entity_of: Mapping[str, str]) -> None:
    connection.execute("DELETE FROM entities WHERE slug IN (SELECT slug FROM temp.dirty_entities)")
    connection.execute("DELETE FROM aliases WHERE slug IN (SELECT slug FROM temp.dirty_names)")
    connection.execute("DELETE FROM aliases WHERE entity IN (SELECT slug FROM temp.dirty_entities)")
    connection.execute(
        "INSERT INTO entities (slug, name, type, type_reason, page, first_seen, last_seen, facts)"
        " SELECT m.entity, '', NULL, '', NULL,"
        "   min(CASE WHEN i.quarantined = 0 THEN i.recorded END),"
        "   max(CASE WHEN i.quarantined = 0 THEN i.recorded END),"
        "   count(DISTINCT CASE WHEN i.quarantined = 0 THEN m.item END)"
        " FROM temp.dirty_entities d CROSS JOIN mentions m ON m.entity = d.slug"
        " JOIN items i ON i.item = m.item GROUP BY m.entity"
    )
    names = _display_names(connection, entity_of)
    pages = select(
        connection,
        "SELECT n.slug, f.path, n.type, n.name FROM temp.dirty_names d"
        " CROSS JOIN names n ON n.slug = d.slug JOIN files f ON f.file = n.file"
        " WHERE n.action = 'page' ORDER BY f.path",
    )
    # The page that bears the entity's own name before those of its other names.
    for slug, page, kind, written in sorted(pages, key=lambda p: entity_of.get(p[0], p[0]) != p[0]):
        entity = entity_of.get(slug, slug)
        connection.execute(
            "INSERT INTO entities (slug, name, type_reason, facts)"
            " VALUES (?, '', '', 0)"
            " ON CONFLICT (slug) DO NOTHING",
            (entity,),
        )
        connection.execute(
            "UPDATE entities SET page = coalesce(page, ?), type = coalesce(type, ?) WHERE slug = ?",
            (page, kind, entity),
        )
        names.setdefault(entity, written)
        if entity == slug and slugify(names[entity]) != slug:
            names[entity] = written
    names |= _spelled_names(connection, names)
    connection.executemany(
        "UPDATE entities SET name = ? WHERE slug = ?",
        [(name, slug) for slug, name in names.items()],
    )
    _rewrite_aliases(connection, entity_of)
    _set_types(connection)


def _set_types(connection: Connection) -> None:
    """Give each entity its type: the front matter's, else what the rules say."""
    from lorebank.names.types import guess_type

    connection.execute(
        "UPDATE entities SET type_reason = 'front matter' WHERE type IS NOT NULL"
        " AND slug IN (SELECT slug FROM temp.dirty_entities)"
    )
    due = "FROM temp.dirty_entities d CROSS JOIN"
    relations = _grouped(
        connection,
        f"SELECT DISTINCT m.entity, s.relation {due} mentions m ON m.entity = d.slug"
        " JOIN slots s ON s.item = m.item AND s.subject = m.slug AND s.about = ''"
        " JOIN items i ON i.item = s.item AND i.quarantined = 0",
    )
    values_of = _grouped(
        connection,
        f"SELECT DISTINCT a.entity, s.relation {due} aliases a ON a.entity = d.slug"
        " JOIN slots s ON s.value_slug = a.slug"
        " JOIN items i ON i.item = s.item AND i.quarantined = 0 ORDER BY a.entity, s.relation",
    )
    names = _grouped(
        connection,
        f"SELECT a.entity, a.name {due} aliases a ON a.entity = d.slug ORDER BY a.entity, a.name",
    )
    rows: list[tuple[str | None, str, str]] = []
    for slug, name in select(
        connection,
        f"SELECT e.slug, e.name {due} entities e ON e.slug = d.slug WHERE e.type IS NULL",
    ):
        others = [other for other in names.get(slug, ()) if other != name]
        guess = guess_type(
            [name, *others], relations.get(slug, ()), frozenset(values_of.get(slug, ()))
        )
        rows.append((*(guess or (None, "")), slug))
    connection.executemany("UPDATE entities SET type = ?, type_reason = ? WHERE slug = ?", rows)


def _grouped(connection: Connection, query: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in select(connection, query):
        found.setdefault(key, []).append(value)
    return found


def display_names_on(connection: Connection, slugs: Iterable[str], day: date) -> dict[str, str]:
    """Entity slug → display name, as it was spelled in what was recorded by a day.

    Who is who has no date: names that are one by now are one on every day. Who was not named yet
    goes by the present name.
    """
    found = display_names(connection, slugs)
    fill_scope(connection, "dirty_entities", found)
    names = _display_names(connection, {}, until=day)
    for slug, written in select(
        connection,
        "SELECT n.slug, n.name FROM temp.dirty_entities d CROSS JOIN names n ON n.slug = d.slug"
        " WHERE n.action = 'page'",
    ):
        if slug in names and slugify(names[slug]) != slug:
            names[slug] = written
    return found | names | _spelled_names(connection, names)


def _display_names(
    connection: Connection, entity_of: Mapping[str, str], *, until: date | None = None
) -> dict[str, str]:
    """The spelling most used for the entity's own slug; without one, most used of all."""
    names: dict[str, str] = {}
    for slug, entity, name in select(
        connection,
        "SELECT m.slug, m.entity, m.name FROM temp.dirty_entities d"
        " CROSS JOIN mentions m ON m.entity = d.slug JOIN items i ON i.item = m.item"
        " WHERE ?1 IS NULL OR i.recorded IS NULL OR i.recorded <= ?1"
        " GROUP BY m.slug, m.entity, m.name ORDER BY m.slug = m.entity DESC,"
        " sum(i.quarantined = 0) > 0 DESC, count(*) DESC, m.name",
        (until.isoformat() if until else None,),
    ):
        names.setdefault(entity_of.get(slug, entity), name)
    return names


def _spelled_names(connection: Connection, names: Mapping[str, str]) -> dict[str, str]:
    """The names that the ledger spells: by `rename` always, else where nobody wrote the name."""
    spelled: dict[str, str] = {}
    for slug, action, written in select(
        connection,
        "SELECT n.slug, n.target, n.name FROM temp.dirty_entities d"
        " CROSS JOIN names n ON n.slug = d.slug WHERE n.action = ? ORDER BY n.line",
        (SPELLING,),
    ):
        if slug in names and (action == "rename" or slugify(names[slug]) != slug):
            spelled[slug] = written
    return spelled


def _rewrite_aliases(connection: Connection, entity_of: Mapping[str, str]) -> None:
    spellings: dict[str, str] = dict(
        select(
            connection,
            "SELECT n.slug, n.name FROM temp.dirty_names d CROSS JOIN names n ON n.slug = d.slug"
            " WHERE n.action <> ? ORDER BY n.slug, n.name DESC",
            (MOVED,),
        )
    )
    for slug, name in select(
        connection,
        "SELECT m.slug, m.name FROM temp.dirty_names d CROSS JOIN mentions m ON m.slug = d.slug"
        " GROUP BY m.slug, m.name ORDER BY m.slug, count(*), m.name DESC",
    ):
        spellings[slug] = name
    rows = {(slug, entity_of.get(slug, slug), name) for slug, name in spellings.items()}
    rows |= {
        (slug, slug, name)
        for slug, name in select(
            connection,
            "SELECT e.slug, e.name FROM temp.dirty_entities d"
            " CROSS JOIN entities e ON e.slug = d.slug",
        )
    }
    connection.executemany(
        "INSERT OR IGNORE INTO aliases (slug, entity, name)"
        " SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM entities WHERE slug = ?2)",
        sorted(rows),
    )
