"""What about names deserves a person's look, each with evidence and the command that decides it.

Nothing is changed here. A pair or a name that a ledger line dismisses is not reported again.
"""

from __future__ import annotations

import json
import shlex
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lorebank.database.connection import Connection, select
from lorebank.domain import Audit, AuditFinding, Citation, Entity
from lorebank.names.entities import list_entities, proposals

_EVIDENCE = 2
"""Lines shown for each name."""
_FEWEST_FACTS_OF_HUB = 20
"""Below that, far above the average is still not much."""
_HUB_DEVIATIONS = 3.0
"""The usual three standard deviations; chosen by hand."""


def audit_names(connection: Connection) -> Audit:
    """Likely duplicates, the best supported first; dangling mentions, pages nobody mentions and
    hubs."""
    pairs = proposals(connection)
    entities = {entity.slug: entity for entity in list_entities(connection)}
    quiet = _dismissed(connection)
    findings = [
        *_duplicates(connection, pairs, entities),
        *_unmentioned(entities.values(), quiet),
        *_dangling(connection, entities.values(), quiet),
        *_hubs(connection, entities.values(), quiet),
    ]
    return Audit(duplicates=pairs, findings=tuple(findings))


def _dismissed(connection: Connection) -> frozenset[str]:
    """Entities about which nothing is to be reported."""
    rows = select(
        connection,
        "SELECT n.slug, a.entity FROM names n LEFT JOIN aliases a ON a.slug = n.slug"
        " WHERE n.action = 'dismiss' AND n.target = ''",
    )
    return frozenset(slug for row in rows for slug in row if slug)


def _duplicates(
    connection: Connection,
    pairs: Sequence[tuple[str, str, str]],
    entities: Mapping[str, Entity],
) -> list[AuditFinding]:
    known = [pair for pair in pairs if pair[0] in entities and pair[1] in entities]
    common = _common_company(connection, known)
    places = _newest_places(connection, {slug for pair in known for slug in pair[:2]})
    ranked = sorted(known, key=lambda pair: (-common.get(pair[:2], 0), pair))
    return [
        _duplicate(entities[a], entities[b], reason, common.get((a, b), 0), places)
        for a, b, reason in ranked
    ]


def _duplicate(
    a: Entity, b: Entity, reason: str, common: int, places: Mapping[str, Sequence[Citation]]
) -> AuditFinding:
    gone, kept = sorted((a, b), key=lambda e: (e.page is not None, e.facts, e.slug))
    company = f"; seen with {common} of the same" if common else ""
    counts = f"{a.name} in {a.facts}, {b.name} in {b.facts}"
    return AuditFinding(
        kind="duplicate",
        names=(a.name, b.name),
        reason=f"{reason}; {counts}{company}",
        evidence=(*places.get(a.slug, ()), *places.get(b.slug, ())),
        commands=(
            _command("merge", gone.name, kept.name),
            _command("distinct", a.name, b.name),
            _command("dismiss", a.name, b.name),
        ),
    )


def _unmentioned(entities: Iterable[Entity], quiet: frozenset[str]) -> Iterator[AuditFinding]:
    for entity in entities:
        if entity.facts == 0 and entity.page and entity.slug not in quiet:
            yield AuditFinding(
                kind="unmentioned",
                names=(entity.name,),
                reason="has a page, and no fact mentions it",
                evidence=(Citation(entity.page, 1, 1),),
                commands=(_command("dismiss", entity.name),),
            )


def _dangling(
    connection: Connection, entities: Iterable[Entity], quiet: frozenset[str]
) -> list[AuditFinding]:
    """Names that one fact mentions in passing: a slip of the pen, or somebody still to be met."""
    subjects = {
        slug
        for (slug,) in select(connection, "SELECT DISTINCT entity FROM mentions WHERE subject = 1")
    }
    lonely = [
        entity
        for entity in entities
        if entity.facts == 1
        and entity.page is None
        and entity.slug not in quiet
        and entity.slug not in subjects
    ]
    places = _newest_places(connection, {entity.slug for entity in lonely})
    return [
        AuditFinding(
            kind="dangling",
            names=(entity.name,),
            reason="mentioned once, in passing, and has no page",
            evidence=tuple(places.get(entity.slug, ())),
            commands=(
                f"lorebank entity alias {shlex.quote(entity.name)} NAME",
                _command("dismiss", entity.name),
            ),
        )
        for entity in lonely
    ]


def _hubs(
    connection: Connection, entities: Iterable[Entity], quiet: frozenset[str]
) -> list[AuditFinding]:
    """Entities of several names that stand in far more facts than others: several in one?"""
    used = [entity for entity in entities if entity.facts]
    if len(used) < 3:
        return []
    counts = [entity.facts for entity in used]
    limit = statistics.fmean(counts) + _HUB_DEVIATIONS * statistics.pstdev(counts)
    hubs = [
        entity
        for entity in used
        if entity.facts > max(limit, _FEWEST_FACTS_OF_HUB) and entity.slug not in quiet
    ]
    places = _newest_places(connection, {entity.slug for entity in hubs})
    return [
        AuditFinding(
            kind="hub",
            names=(entity.name,),
            reason=f"in {entity.facts} facts, where the average is {statistics.fmean(counts):.1f}",
            evidence=tuple(places.get(entity.slug, ())),
            commands=(
                *(_command("split", alias, entity.name) for alias in entity.aliases),
                _command("dismiss", entity.name),
            ),
        )
        for entity in hubs
    ]


def _common_company(
    connection: Connection, pairs: Sequence[tuple[str, str, str]]
) -> dict[tuple[str, str], int]:
    """Pair → how many other entities are mentioned with both."""
    slugs = sorted({slug for pair in pairs for slug in pair[:2]})
    company_of: dict[str, set[str]] = {}
    for slug, other in select(
        connection,
        "SELECT DISTINCT mine.entity, other.entity FROM json_each(?) w"
        " CROSS JOIN mentions mine ON mine.entity = w.value"
        " JOIN mentions other ON other.item = mine.item AND other.entity <> mine.entity",
        (json.dumps(slugs),),
    ):
        company_of.setdefault(slug, set()).add(other)
    return {(a, b): len(company_of.get(a, set()) & company_of.get(b, set())) for a, b, _ in pairs}


def _newest_places(connection: Connection, slugs: Iterable[str]) -> dict[str, list[Citation]]:
    """Entity → its newest lines."""
    found: dict[str, list[Citation]] = {}
    for slug, path, start, end in select(
        connection,
        "SELECT entity, path, start_line, end_line FROM ("
        " SELECT m.entity, f.path, i.start_line, i.end_line,"
        "  row_number() OVER (PARTITION BY m.entity ORDER BY m.day DESC, f.path, i.start_line)"
        "   AS place"
        " FROM json_each(?1) w CROSS JOIN mentions m ON m.entity = w.value"
        " JOIN items i ON i.item = m.item JOIN files f ON f.file = i.file"
        ") WHERE place <= ?2 ORDER BY entity, place",
        (json.dumps(sorted(slugs)), _EVIDENCE),
    ):
        found.setdefault(slug, []).append(Citation(path, start, end))
    return found


def _command(action: str, *names: str) -> str:
    return f"lorebank entity {action} {' '.join(map(shlex.quote, names))}"
