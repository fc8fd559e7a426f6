"""Rows of names and entities, read: which folded name stands for whom, and what is said of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation, Diagnostic, Entity, Neighbour
from lorebank.language.words import words
from lorebank.records import Record

if TYPE_CHECKING:
    from lorebank.names.resolve import Decision, NameUse, Resolution


SPELLING = "spelling"
"""The action of a row that only says how the name a ledger line leads to is written; its target is
the line's action."""
MOVED = "moved"  # the action of a row that says which page (`target`) moved into the file's page
IDENTITY_CODES = "identity-"  # how the codes of problems with decisions about names begin
_RUN_TOGETHER = re.compile(r"([a-zß-öø-ÿ])([A-ZÀ-ÖØ-Þ])")
"""Where a name like `SaoirseKell` goes on with its next word."""


class NameRow(Record):
    """One decision about a name, from a ledger line or an entity page."""

    line: int
    action: str
    """`page`, a ledger action (`alias`, `merge`, `distinct`, …), `SPELLING` or `MOVED`. An
    `alias` that stands on an entity page is front matter's."""
    slug: str
    target: str
    name: str
    type: str | None = None


def insert_names(connection: Connection, file: int, rows: Iterable[NameRow]) -> None:
    connection.executemany(
        "INSERT INTO names (file, line, action, slug, target, name, type)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(file, r.line, r.action, r.slug, r.target, r.name, r.type) for r in rows],
    )


def name_uses(connection: Connection) -> list[NameUse]:
    """The names that mentions write, by slug."""
    from lorebank.names.resolve import NameUse  # only when writing

    return [
        NameUse(*row)
        for row in select(
            connection,
            "SELECT slug, name, sum(n), min(first) FROM ("
            " SELECT slug, name, count(*) AS n, min(day) AS first FROM mentions"
            " GROUP BY slug, name ORDER BY slug, n DESC, first, name) GROUP BY slug ORDER BY slug",
        )
    ]


def decisions(connection: Connection) -> list[Decision]:
    """What the ledger and the entity pages say about names, the ledger first."""
    from lorebank.names.resolve import Decision

    return [
        Decision(*row)
        for row in select(
            connection,
            "SELECT n.action, n.slug, n.target, f.path, n.line FROM names n"
            f" JOIN files f ON f.file = n.file WHERE n.action NOT IN ('{SPELLING}', '{MOVED}')"
            " ORDER BY f.role <> 'ledger', f.path, n.line, n.slug",
        )
    ]


def proposals(
    connection: Connection, entity: str | None = None
) -> tuple[tuple[str, str, str], ...]:
    """`(slug, slug, reason)` of entities that may be one, of all or of one; sorted."""
    rows = select(
        connection,
        "SELECT slug, other, reason FROM proposals"
        " WHERE ?1 IS NULL OR slug = ?1 OR other = ?1 ORDER BY slug, other",
        (entity,),
    )
    return tuple((slug, other, reason) for slug, other, reason in rows)


def identity_problems(connection: Connection) -> tuple[Diagnostic, ...]:
    """Decisions that contradict each other, go in a circle or name nobody, by place."""
    rows = select(
        connection,
        "SELECT path, line, code, message FROM diagnostics WHERE substr(code, 1, ?) = ?"
        " ORDER BY path, line, code, message",
        (len(IDENTITY_CODES), IDENTITY_CODES),
    )
    return tuple(Diagnostic(*row) for row in rows)


_ENTITY = "e.slug, e.name, e.type, e.page, e.first_seen, e.last_seen, e.facts, e.type_reason"


def list_entities(connection: Connection) -> tuple[Entity, ...]:
    """Every entity, the most mentioned first."""
    aliases = load_aliases(connection)
    rows = select(connection, f"SELECT {_ENTITY} FROM entities e ORDER BY e.facts DESC, e.slug")
    return tuple(_entity(row, aliases) for row in rows)


def entities_by_slug(connection: Connection, slugs: Sequence[str]) -> dict[str, Entity]:
    """Slug → entity, for those that there are."""
    rows = select(
        connection,
        f"SELECT {_ENTITY} FROM entities e WHERE e.slug IN (SELECT value FROM json_each(?))",
        (slugs,),
    )
    aliases = load_aliases(connection, [row[0] for row in rows])
    return {row[0]: _entity(row, aliases) for row in rows}


def load_aliases(
    connection: Connection, entities: Iterable[str] | None = None
) -> Mapping[str, tuple[str, ...]]:
    """Entity slug → its other names, as written."""
    found: dict[str, list[str]] = {}
    # A bound "any" would use no index.
    some = "" if entities is None else " AND a.entity IN (SELECT value FROM json_each(?))"
    for slug, name in select(
        connection,
        "SELECT a.entity, a.name FROM aliases a JOIN entities e ON e.slug = a.entity"
        f" WHERE a.name <> e.name{some} ORDER BY a.entity, a.name",
        () if entities is None else (json.dumps(list(entities)),),
    ):
        found.setdefault(slug, []).append(name)
    return {slug: tuple(names) for slug, names in found.items()}


def lookup_names(connection: Connection, slugs: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Folded names → `(entity slug, display name)`, for those that are known."""
    found: dict[str, tuple[str, str]] = {}
    for slug, entity, name in select(
        connection,
        "SELECT a.slug, e.slug, e.name FROM json_each(?) w CROSS JOIN aliases a ON a.slug = w.value"
        " JOIN entities e ON e.slug = a.entity ORDER BY a.slug = e.slug, e.facts, e.slug DESC",
        (dict.fromkeys(slugs),),
    ):
        found[slug] = (entity, name)
    return found


def entities_by_word(connection: Connection) -> dict[str, set[str]]:
    """Folded word → slugs of the entities with a name that has it; `@SaoirseKell` has two."""
    found: dict[str, set[str]] = {}
    for entity, name in select(connection, "SELECT entity, name FROM aliases"):
        for word in words(_RUN_TOGETHER.sub(r"\1 \2", name)):
            found.setdefault(word, set()).add(entity)
    return found


def display_names(connection: Connection, slugs: Iterable[str]) -> dict[str, str]:
    """Entity slug → display name."""
    return dict(
        select(
            connection,
            "SELECT slug, name FROM entities WHERE slug IN (SELECT value FROM json_each(?))",
            (sorted(slugs),),
        )
    )


def nearest_names(connection: Connection, name: str, limit: int = 3) -> tuple[str, ...]:
    """Names of entities that look like this one, for a hint."""
    from rapidfuzz import fuzz, process  # only on the way to an error message

    names = [row[0] for row in select(connection, "SELECT name FROM entities ORDER BY slug")]
    found = process.extract(name, names, scorer=fuzz.WRatio, limit=limit, score_cutoff=60)
    return tuple(match for match, _, _ in found)


def neighbours(connection: Connection, entity: str, limit: int) -> tuple[Neighbour, ...]:
    """Entities that share facts with this one, the most shared first."""
    rows = select(
        connection,
        f"SELECT {_ENTITY}, count(DISTINCT other.item),"
        "  max(coalesce(i.recorded, '') || char(9) || i.item)"
        " FROM mentions mine JOIN mentions other ON other.item = mine.item"
        " JOIN items i ON i.item = mine.item JOIN entities e ON e.slug = other.entity"
        " WHERE mine.entity = ?1 AND other.entity <> ?1 AND i.quarantined = 0 GROUP BY e.slug"
        " ORDER BY 9 DESC, e.last_seen DESC, e.slug LIMIT ?2",
        (entity, limit),
    )
    newest = {row[0]: int(row[9].split("\t")[1]) for row in rows}
    places = {
        item: (Citation(path, start, end), content)
        for item, path, start, end, content in select(
            connection,
            "SELECT i.item, f.path, i.start_line, i.end_line, i.content FROM items i"
            " JOIN files f ON f.file = i.file"
            " WHERE i.item IN (SELECT value FROM json_each(?))",
            (newest.values(),),
        )
    }
    return tuple(Neighbour(_entity(row, {}), row[8], *places[newest[row[0]]]) for row in rows)


def _entity(row: Sequence[object], aliases: Mapping[str, tuple[str, ...]]) -> Entity:
    slug, name, kind, page, first_seen, last_seen, facts, reason = row[:8]
    return Entity(
        slug=str(slug),
        name=str(name),
        aliases=aliases.get(str(slug), ()),
        type=str(kind) if kind else None,
        first_seen=date.fromisoformat(str(first_seen)) if first_seen else None,
        last_seen=date.fromisoformat(str(last_seen)) if last_seen else None,
        facts=int(str(facts)),
        type_reason=str(reason),
        page=str(page) if page else None,
    )


class PageMove(Record):
    """One page that stands where the ledger does not want it."""

    path: str  # the page's own path
    home: str  # the page that it is to move into, or that it moved into and is to leave
    back: bool  # true where it is to leave
    title: str


def page_moves(connection: Connection, resolved: Resolution) -> tuple[PageMove, ...]:
    """Pages of names that the ledger merged which are still apart, and pages inside others whose
    merge was taken back or that became the home; those that leave first, so that they can go to
    another one."""
    merged, entity_of = resolved.merged, resolved.entity_of
    slug_at: dict[str, str] = {}
    homes: dict[str, str] = {}
    pages: list[tuple[str, str, str]] = []
    for slug, path, name in select(
        connection,
        "SELECT n.slug, f.path, n.name FROM names n JOIN files f ON f.file = n.file"
        " WHERE n.action = 'page' ORDER BY f.path",
    ):
        slug_at.setdefault(path, slug)
        pages.append((slug, path, name))
        if slug in merged and entity_of.get(slug, slug) == slug:
            homes.setdefault(merged[slug], path)
    leaving: list[PageMove] = []
    for slug, path, name, home in select(
        connection,
        "SELECT n.slug, n.target, n.name, f.path FROM names n JOIN files f ON f.file = n.file"
        " WHERE n.action = ? ORDER BY f.path, n.target",
        (MOVED,),
    ):
        parted = slug not in merged or merged[slug] != merged.get(slug_at.get(home, ""))
        own = slug in merged and entity_of.get(slug, slug) == slug != slug_at.get(home)
        if own and not parted:
            homes.setdefault(merged[slug], path)
        if parted or own:
            leaving.append(PageMove(path, home, True, name))
    for slug, path, _ in pages:
        if slug in merged:
            homes.setdefault(merged[slug], path)
    coming = [
        PageMove(path, homes[merged[slug]], False, name)
        for slug, path, name in pages
        if slug in merged and homes[merged[slug]] != path
    ]
    return (*leaving, *coming)
