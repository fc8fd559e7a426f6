"""Rows of names and entities: which folded name stands for whom.

Written whole after each sync that changed anything, from the mentions, the entity pages and the
identity ledger, so that deleting a ledger line restores exactly what was before.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING

from lorebank.domain import Citation, Diagnostic, Entity, Neighbour
from lorebank.index.connection import Connection, select
from lorebank.index.meta import read_meta, write_meta
from lorebank.language.folding import slugify
from lorebank.version import __version__

if TYPE_CHECKING:
    from lorebank.identity.decisions import Decision
    from lorebank.identity.resolve import Comparison, NameUse, Resolution

__all__ = [
    "MOVED",
    "SPELLING",
    "NameRow",
    "decisions",
    "display_names",
    "entities_by_slug",
    "identity_problems",
    "insert_names",
    "list_entities",
    "load_aliases",
    "lookup_names",
    "name_uses",
    "names_of_file",
    "nearest_names",
    "neighbours",
    "proposals",
    "refresh_entities",
    "resolution",
    "subjects_without_page",
]


SPELLING = "spelling"
"""The action of a row that only says how the name a ledger line leads to is written; its target is
the line's action."""
MOVED = "moved"
"""The action of a row that says which page (`target`) moved into the file's page."""
_IDENTITY_CODES = "identity-"
_COMPARED = "names_compared"
_RULES = f"{__version__} "
"""What was told by the rules of another version is told anew."""


@dataclass(frozen=True, slots=True)
class NameRow:
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
    """Store what one file says about names."""
    connection.executemany(
        "INSERT INTO names (file, line, action, slug, target, name, type)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [(file, r.line, r.action, r.slug, r.target, r.name, r.type) for r in rows],
    )


def names_of_file(connection: Connection, path: str) -> tuple[tuple[NameRow, ...], bool]:
    """What a file says about names, and whether it holds facts."""
    rows = select(
        connection,
        "SELECT n.line, n.action, n.slug, n.target, n.name, n.type FROM names n"
        " JOIN files f ON f.file = n.file WHERE f.path = ? ORDER BY n.rowid",
        (path,),
    )
    has_facts = "SELECT EXISTS (SELECT 1 FROM files f JOIN items i ON i.file = f.file" + (
        " WHERE f.path = ? AND i.kind <> 'note')"
    )
    return tuple(NameRow(*row) for row in rows), bool(connection.execute(has_facts, (path,)).get)


def resolution(connection: Connection) -> Resolution:
    """What the names in use and the decisions on file say about who is who."""
    from lorebank.identity.resolve import resolve_names  # only when writing

    return resolve_names(name_uses(connection), decisions(connection), _compared(connection))


def _compared(connection: Connection) -> Comparison:
    """The comparison of names that was kept."""
    from lorebank.identity.resolve import Comparison

    rows = select(
        connection, "SELECT slug, other, reason, same FROM compared_names ORDER BY slug, other"
    )
    return Comparison(
        fingerprint=(read_meta(connection, _COMPARED) or "none").removeprefix(_RULES),
        same=tuple((a, b, reason) for a, b, reason, same in rows if same),
        unsure=tuple((a, b, reason) for a, b, reason, same in rows if not same),
    )


def _keep_comparison(connection: Connection, made: Comparison | None) -> None:
    if made is None or f"{_RULES}{made.fingerprint}" == read_meta(connection, _COMPARED):
        return
    connection.execute("DELETE FROM compared_names")
    pairs = [(*pair, 1) for pair in made.same] + [(*pair, 0) for pair in made.unsure]
    connection.executemany(
        "INSERT INTO compared_names (slug, other, reason, same) VALUES (?, ?, ?, ?)",
        pairs if made.fingerprint else (),
    )
    write_meta(connection, _COMPARED, f"{_RULES}{made.fingerprint}")


def name_uses(connection: Connection) -> list[NameUse]:
    """The names that mentions write, by slug."""
    from lorebank.identity.resolve import NameUse

    return [
        NameUse(slug=slug, name=name, uses=uses, first=first)
        for slug, name, uses, first in select(
            connection,
            "SELECT slug, name, sum(n), min(first) FROM ("
            "  SELECT m.slug AS slug, m.name AS name, count(*) AS n,"
            "    min(coalesce(i.recorded, '') || ' ' || f.path) AS first"
            "  FROM mentions m JOIN items i ON i.item = m.item JOIN files f ON f.file = i.file"
            "  GROUP BY m.slug, m.name ORDER BY m.slug, n DESC, first, m.name"
            ") GROUP BY slug ORDER BY slug",
        )
    ]


def decisions(connection: Connection) -> list[Decision]:
    """What the ledger and the entity pages say about names, the ledger first."""
    from lorebank.identity.decisions import Decision

    return [
        Decision(action=action, slug=slug, target=target, path=path, line=line)
        for action, slug, target, path, line in select(
            connection,
            "SELECT n.action, n.slug, n.target, f.path, n.line FROM names n"
            " JOIN files f ON f.file = n.file WHERE n.action NOT IN (?, ?)"
            " ORDER BY f.role <> 'ledger', f.path, n.line, n.slug",
            (SPELLING, MOVED),
        )
    ]


def refresh_entities(connection: Connection) -> frozenset[str]:
    """Bring `mentions.entity`, `entities` and `aliases` up to date; returns the entities whose
    set of mentions changed because names were joined or parted."""
    resolved_names = resolution(connection)
    entity_of = resolved_names.entity_of
    _keep_comparison(connection, resolved_names.comparison)
    _rewrite_problems(connection, resolved_names.problems)
    connection.execute("DELETE FROM proposals")
    connection.executemany(
        "INSERT INTO proposals (slug, other, reason) VALUES (?, ?, ?)", resolved_names.proposals
    )
    moved: set[str] = set()
    stored = select(connection, "SELECT DISTINCT slug, entity FROM mentions")
    for slug, entity in stored:
        resolved = entity_of.get(slug, slug)
        if resolved != entity:
            moved |= {resolved, entity}
            connection.execute(
                "UPDATE mentions SET entity = ? WHERE slug = ? AND entity = ?",
                (resolved, slug, entity),
            )
    _rewrite_entities(connection, entity_of)
    return frozenset(moved)


def _rewrite_problems(connection: Connection, problems: Iterable[Diagnostic]) -> None:
    """What is odd about the decisions depends on all files at once; it is replaced as a whole."""
    prefix = len(_IDENTITY_CODES)
    connection.execute(
        "DELETE FROM diagnostics WHERE substr(code, 1, ?) = ?", (prefix, _IDENTITY_CODES)
    )
    connection.executemany(
        "INSERT INTO diagnostics (path, line, code, message) VALUES (?, ?, ?, ?)",
        [(p.path, p.line, p.code, p.message) for p in problems],
    )


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
        (len(_IDENTITY_CODES), _IDENTITY_CODES),
    )
    return tuple(Diagnostic(*row) for row in rows)


def list_entities(connection: Connection) -> tuple[Entity, ...]:
    """Every entity, the most mentioned first."""
    aliases = load_aliases(connection)
    return tuple(
        _entity(row, aliases)
        for row in select(
            connection,
            "SELECT slug, name, type, page, first_seen, last_seen, facts, type_reason FROM entities"
            " ORDER BY facts DESC, slug",
        )
    )


def entities_by_slug(connection: Connection, slugs: Sequence[str]) -> dict[str, Entity]:
    """Slug → entity, for those that there are."""
    return {
        row[0]: _entity(row, load_aliases(connection, row[0]))
        for row in select(
            connection,
            "SELECT slug, name, type, page, first_seen, last_seen, facts, type_reason FROM entities"
            " WHERE slug IN (SELECT value FROM json_each(?))",
            (json.dumps(list(slugs)),),
        )
    }


def load_aliases(
    connection: Connection, entity: str | None = None
) -> Mapping[str, tuple[str, ...]]:
    """Entity slug → its other names, as written."""
    found: dict[str, list[str]] = {}
    one = "" if entity is None else " AND a.entity = ?"  # a bound "any" would use no index
    for slug, name in select(
        connection,
        "SELECT a.entity, a.name FROM aliases a JOIN entities e ON e.slug = a.entity"
        f" WHERE a.name <> e.name{one} ORDER BY a.entity, a.name",
        () if entity is None else (entity,),
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
        (json.dumps(list(dict.fromkeys(slugs))),),
    ):
        found[slug] = (entity, name)
    return found


def display_names(
    connection: Connection, slugs: Iterable[str], *, as_of: date | None = None
) -> dict[str, str]:
    """Entity slug → display name; with `as_of`, as it was spelled in what was recorded by then.

    Who is who has no date: names that are one by now are one on every day.
    """
    found: dict[str, str] = dict(
        select(
            connection,
            "SELECT slug, name FROM entities WHERE slug IN (SELECT value FROM json_each(?))",
            (json.dumps(sorted(slugs)),),
        )
    )
    if as_of is None:
        return found
    then = _display_names(connection, {}, until=as_of)
    for slug, written in select(connection, "SELECT slug, name FROM names WHERE action = 'page'"):
        if slug in then and slugify(then[slug]) != slug:
            then[slug] = written
    then |= _spelled_names(connection, then)
    return found | {slug: name for slug, name in then.items() if slug in found}


def subjects_without_page(connection: Connection) -> frozenset[str]:
    """The entities without a page that a fact is about."""
    return frozenset(
        slug
        for (slug,) in select(
            connection,
            "SELECT e.slug FROM entities e WHERE e.page IS NULL AND EXISTS"
            " (SELECT 1 FROM mentions m WHERE m.entity = e.slug AND m.subject)",
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
        "SELECT e.slug, e.name, e.type, e.page, e.first_seen, e.last_seen, e.facts, e.type_reason,"
        "  count(DISTINCT other.item), max(coalesce(i.recorded, '') || char(9) || i.item)"
        " FROM mentions mine JOIN mentions other ON other.item = mine.item"
        " JOIN items i ON i.item = mine.item JOIN entities e ON e.slug = other.entity"
        " WHERE mine.entity = ?1 AND other.entity <> ?1 GROUP BY e.slug"
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
            (json.dumps(list(newest.values())),),
        )
    }
    return tuple(Neighbour(_entity(row, {}), row[8], *places[newest[row[0]]]) for row in rows)


def _rewrite_entities(connection: Connection, entity_of: Mapping[str, str]) -> None:
    told = _told_types(connection)
    connection.execute("DELETE FROM entities")
    connection.execute("DELETE FROM aliases")
    connection.execute(
        "INSERT INTO entities (slug, name, type, type_reason, page, first_seen, last_seen, facts,"
        " type_basis)"
        " SELECT m.entity, '', NULL, '', NULL, min(i.recorded), max(i.recorded),"
        "   count(DISTINCT m.item), ''"
        " FROM mentions m JOIN items i ON i.item = m.item GROUP BY m.entity"
    )
    names = _display_names(connection, entity_of)
    pages = select(
        connection,
        "SELECT n.slug, f.path, n.type, n.name FROM names n JOIN files f ON f.file = n.file"
        " WHERE n.action = 'page' ORDER BY f.path",
    )
    # The page that bears the entity's own name before those of its other names.
    for slug, page, kind, written in sorted(pages, key=lambda p: entity_of.get(p[0], p[0]) != p[0]):
        entity = entity_of.get(slug, slug)
        connection.execute(
            "INSERT INTO entities (slug, name, type_reason, type_basis, facts)"
            " VALUES (?, '', '', '', 0)"
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
    _tell_types(connection, told)


_Told = Mapping[str, tuple[str | None, str]]
"""What the rules looked at, as a hash → the type that they told, and why."""


def _told_types(connection: Connection) -> _Told:
    return {
        basis: (kind, reason)
        for basis, kind, reason in select(
            connection, "SELECT type_basis, type, type_reason FROM entities WHERE type_basis <> ''"
        )
    }


def _tell_types(connection: Connection, told: _Told) -> None:
    """Give each entity its type: the front matter's, else what the rules say."""
    from lorebank.identity.types import guess_type
    from lorebank.index.embedding_cache import text_hash

    connection.execute("UPDATE entities SET type_reason = 'front matter' WHERE type IS NOT NULL")
    relations = _grouped(
        connection,
        "SELECT DISTINCT m.entity, s.relation FROM slots s"
        " JOIN mentions m ON m.item = s.item AND m.slug = s.subject WHERE s.about = ''",
    )
    values: dict[str, set[str]] = {}
    for relation, value in select(
        connection, "SELECT DISTINCT relation, value FROM slots ORDER BY relation, value"
    ):
        values.setdefault(slugify(value), set()).add(relation)
    names = _grouped(connection, "SELECT entity, name FROM aliases ORDER BY entity, name")
    slugs = _grouped(connection, "SELECT entity, slug FROM aliases ORDER BY entity, slug")
    rows: list[tuple[str | None, str, str, str]] = []
    for slug, name in select(
        connection, "SELECT slug, name FROM entities WHERE type IS NULL ORDER BY slug"
    ):
        values_of = {r for alias in slugs.get(slug, ()) for r in values.get(alias, ())}
        others = [other for other in names.get(slug, ()) if other != name]
        fixed = sorted(relations.get(slug, ()))
        looked_at = (_RULES, name, *others, "", *fixed, "", *sorted(values_of))
        basis = text_hash("\n".join(looked_at))
        guess = told.get(basis)
        if guess is None:
            guess = guess_type([name, *others], relations.get(slug, ()), values_of) or (None, "")
        rows.append((*guess, basis, slug))
    connection.executemany(
        "UPDATE entities SET type = ?, type_reason = ?, type_basis = ? WHERE slug = ?", rows
    )


def _grouped(connection: Connection, query: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for key, value in select(connection, query):
        found.setdefault(key, []).append(value)
    return found


def _display_names(
    connection: Connection, entity_of: Mapping[str, str], *, until: date | None = None
) -> dict[str, str]:
    """The spelling most used for the entity's own slug; without one, most used of all."""
    names: dict[str, str] = {}
    written = (
        ""
        if until is None
        else (
            " WHERE EXISTS (SELECT 1 FROM items i WHERE i.item = mentions.item"
            " AND (i.recorded IS NULL OR i.recorded <= ?))"
        )
    )
    for slug, entity, name in select(
        connection,
        f"SELECT slug, entity, name FROM mentions{written} GROUP BY slug, entity, name"
        " ORDER BY slug = entity DESC, count(*) DESC, name",
        () if until is None else (until.isoformat(),),
    ):
        names.setdefault(entity_of.get(slug, entity), name)
    return names


def _spelled_names(connection: Connection, names: Mapping[str, str]) -> dict[str, str]:
    """The names that the ledger spells: by `rename` always, else where nobody wrote the name."""
    spelled: dict[str, str] = {}
    for slug, action, written in select(
        connection,
        "SELECT slug, target, name FROM names WHERE action = ? ORDER BY line",
        (SPELLING,),
    ):
        if slug in names and (action == "rename" or slugify(names[slug]) != slug):
            spelled[slug] = written
    return spelled


def _rewrite_aliases(connection: Connection, entity_of: Mapping[str, str]) -> None:
    spellings: dict[str, str] = dict(
        select(
            connection,
            "SELECT slug, name FROM names WHERE action <> ? ORDER BY slug, name DESC",
            (MOVED,),
        )
    )
    for slug, name in select(
        connection,
        "SELECT slug, name FROM mentions GROUP BY slug, name ORDER BY slug, count(*), name DESC",
    ):
        spellings[slug] = name
    rows = {(slug, entity_of.get(slug, slug), name) for slug, name in spellings.items()}
    rows |= {
        (slug, slug, name) for slug, name in select(connection, "SELECT slug, name FROM entities")
    }
    connection.executemany(
        "INSERT OR IGNORE INTO aliases (slug, entity, name)"
        " SELECT ?1, ?2, ?3 WHERE EXISTS (SELECT 1 FROM entities WHERE slug = ?2)",
        sorted(rows),
    )


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
