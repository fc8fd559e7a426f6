"""Whom one name stands for, step by step, with the reason of each.

The order: the explicit slug, the ledger, front matter, folding, then what the writing alone makes
safe (title, legal form, one slip in a long name). What is left is only proposed; context and
recency rank the proposals and never decide.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import takewhile

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation, Entity
from lorebank.domain.judgments import NameReason, NameResolution, NameStep
from lorebank.language.folding import slugify, strip_possessive
from lorebank.names.entities import entities_by_slug

_PROPOSALS = 8
"""Chosen by hand: they are read on a screen, with their reasons."""


def resolve_name(
    connection: Connection, written: str, *, context: Sequence[str] = ()
) -> NameResolution:
    """Find whom a name as written stands for; `context` are slugs of entities it was met with."""
    name = written.strip().removeprefix("@").removeprefix("[[").removesuffix("]]")
    slugs = dict.fromkeys((slugify(strip_possessive(name)), slugify(name)))
    listed = next(filter(None, (_listed(connection, slug) for slug in slugs)), None)
    if listed is not None:
        slug, entity_slug, spelled = listed
        entity = entities_by_slug(connection, [entity_slug])[entity_slug]
        steps = _steps_to(connection, name, slug, spelled, entity)
        names = _names_of(connection, entity)
        return NameResolution(written=written, entity=entity, steps=steps, names=names)
    missed = {
        "slug": f"no entity has the slug {list(slugs)[-1]!r}",
        "ledger": "no line joins it",
        "front matter": "no page lists it",
        "folding": "nobody is written so, case and accents aside",
    }
    steps = tuple(NameStep(step, note, False) for step, note in missed.items())
    same, unsure = _by_writing(connection, name)
    if len({match for match, _, _ in same}) == 1:
        found, alias, reason = same[0]
        entity = entities_by_slug(connection, [found])[found]
        steps += (NameStep("writing", f"{alias}: {reason}", True),)
        names = _names_of(connection, entity)
        return NameResolution(written=written, entity=entity, steps=steps, names=names)
    proposals = _ranked(connection, [*same, *unsure], context)
    note = "several names are as near" if same else "no name is surely the same"
    ranked = "proposed, the likeliest first" if proposals else "nobody to propose"
    steps += (NameStep("writing", note, False), NameStep("context", ranked, False))
    return NameResolution(written=written, entity=None, steps=steps, proposals=proposals)


def _listed(connection: Connection, slug: str) -> tuple[str, str, str] | None:
    """The slug, its entity and how it is spelled there, where the name is on file."""
    rows = select(
        connection,
        "SELECT a.slug, a.entity, a.name FROM aliases a JOIN entities e ON e.slug = a.entity"
        " WHERE a.slug = ? ORDER BY a.slug = a.entity DESC, e.facts DESC, e.slug LIMIT 1",
        (slug,),
    )
    return rows[0] if rows else None


def _steps_to(
    connection: Connection, name: str, slug: str, spelled: str, entity: Entity
) -> tuple[NameStep, ...]:
    """The steps up to the one by which a name on file leads to its entity."""
    decided = _decisions_on(connection, [slug]).get(slug)
    if slug == entity.slug and name in (slug, entity.name):
        last = NameStep("slug", f"{slug} is its own", True)
    elif decided is not None and slug != entity.slug:
        last = NameStep(decided[0], decided[1], True, decided[2])
    elif slug in (entity.slug, slugify(entity.name)):
        note = f"written {spelled}" if spelled != name else f"a name of {entity.name}"
        last = NameStep("folding", note, True)
    else:
        last = NameStep("writing", f"{entity.name}: {_why_same(spelled, entity)}", True)
    missed = {
        "slug": "not the name it goes by",
        "ledger": "no line joins it",
        "front matter": "no page lists it",
        "folding": "not one but for case, accents and separators",
    }
    before = takewhile(lambda step: step != last.step, missed)
    return (*(NameStep(step, missed[step], False) for step in before), last)


def _why_same(name: str, entity: Entity) -> str:
    """Why the writing alone makes a name one of the entity's."""
    from lorebank.names.verdicts import Verdict, compare_names

    for other in (entity.name, *entity.aliases):
        if other != name:
            verdict, reason = compare_names(name, other)
            if verdict is Verdict.SAME:
                return reason
    return "joined through another name"


def _decisions_on(
    connection: Connection, slugs: Sequence[str]
) -> dict[str, tuple[str, str, Citation]]:
    """Slug → `ledger` or `front matter`, what it says, and the line; the ledger counts more."""
    found: dict[str, tuple[str, str, Citation]] = {}
    for slug, action, target, path, line, role in select(
        connection,
        "SELECT n.slug, n.action, n.target, f.path, n.line, f.role FROM json_each(?) w"
        " CROSS JOIN names n ON n.slug = w.value JOIN files f ON f.file = n.file"
        " WHERE n.action IN ('alias', 'merge', 'rename') ORDER BY f.role = 'ledger', n.line",
        (json.dumps(list(slugs)),),
    ):
        place = Citation(path, line, line)
        if role == "ledger":
            found[slug] = ("ledger", f"{action} → {target}", place)
        else:
            found[slug] = ("front matter", f"an alias on the page of {target}", place)
    return found


def _names_of(connection: Connection, entity: Entity) -> tuple[NameReason, ...]:
    rows = select(
        connection,
        "SELECT slug, name FROM aliases WHERE entity = ? AND name <> ? ORDER BY name, slug",
        (entity.slug, entity.name),
    )
    decided = _decisions_on(connection, [slug for slug, _ in rows])
    found: list[NameReason] = []
    for slug, name in rows:
        if slug in decided:
            step, note, place = decided[slug]
            found.append(NameReason(name, f"{step}: {note}", place))
        elif slug == entity.slug:
            found.append(NameReason(name, "folding: the same but for case, accents, separators"))
        else:
            found.append(NameReason(name, f"writing: {_why_same(name, entity)}"))
    return tuple(found)


_Match = tuple[str, str, str]
"""Entity slug, the name of it that matched, and why."""


def _by_writing(connection: Connection, name: str) -> tuple[list[_Match], list[_Match]]:
    """The names that are the same by their writing, and those that may be."""
    from lorebank.names.verdicts import Verdict, compare_names

    verdicts: dict[Verdict, list[_Match]] = {verdict: [] for verdict in Verdict}
    for entity, written in select(
        connection, "SELECT min(entity), name FROM aliases GROUP BY slug ORDER BY slug"
    ):
        verdict, reason = compare_names(name, written)
        verdicts[verdict].append((entity, written, reason))
    return verdicts[Verdict.SAME], verdicts[Verdict.AMBIGUOUS]


def _ranked(
    connection: Connection, matches: Iterable[_Match], context: Sequence[str]
) -> tuple[NameReason, ...]:
    """One proposal an entity: those met with the context first, then the latest seen."""
    reasons: dict[str, str] = {}
    for slug, alias, reason in matches:
        reasons.setdefault(slug, f"{reason} ({alias})")
    entities = entities_by_slug(connection, list(reasons))
    met = dict(
        select(
            connection,
            "SELECT m.entity, count(DISTINCT m.item) FROM json_each(?1) w"
            " CROSS JOIN mentions m ON m.entity = w.value"
            " JOIN mentions o ON o.item = m.item"
            " WHERE o.entity IN (SELECT value FROM json_each(?2)) GROUP BY m.entity",
            (json.dumps(list(reasons)), json.dumps(list(context))),
        )
    )

    def standing(entity: Entity) -> tuple[int, int, int, str]:
        seen = entity.last_seen.toordinal() if entity.last_seen else 0
        return -met.get(entity.slug, 0), -seen, -entity.facts, entity.slug

    best = sorted(entities.values(), key=standing)[:_PROPOSALS]
    return tuple(NameReason(e.name, reasons[e.slug]) for e in best)
