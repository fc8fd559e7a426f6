"""What about names deserves a person's look, each with evidence and the command that decides it.

Nothing is changed here. A pair or a name that a ledger line dismisses is not reported again.
"""

from __future__ import annotations

import json
import shlex
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation, Entity
from lorebank.domain.judgments import Audit, AuditFinding
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
    audible = [entity for entity in entities.values() if entity.slug not in quiet]
    findings = [
        *_duplicates(connection, pairs, entities),
        *_unmentioned(audible),
        *_dangling(connection, audible),
        *_hubs(connection, [entity.facts for entity in entities.values()], audible),
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
) -> Iterator[AuditFinding]:
    known = [pair for pair in pairs if pair[0] in entities and pair[1] in entities]
    common = _common_company(connection, known)
    places = _newest_places(connection, {slug for pair in known for slug in pair[:2]})
    for slug, other, reason in sorted(known, key=lambda pair: (-common[pair[:2]], pair)):
        a, b, shared = entities[slug], entities[other], common[slug, other]
        gone, kept = sorted((a, b), key=lambda e: (e.page is not None, e.facts, e.slug))
        company = f"; seen with {shared} of the same" if shared else ""
        yield AuditFinding(
            kind="duplicate",
            names=(a.name, b.name),
            reason=f"{reason}; {a.name} in {a.facts}, {b.name} in {b.facts}{company}",
            evidence=(*places.get(slug, ()), *places.get(other, ())),
            commands=(
                _command("merge", gone.name, kept.name),
                _command("distinct", a.name, b.name),
                _command("dismiss", a.name, b.name),
            ),
        )


def _unmentioned(entities: Iterable[Entity]) -> Iterator[AuditFinding]:
    for entity in entities:
        if entity.facts == 0 and entity.page:
            reason = "has a page, and no fact mentions it"
            yield _finding("unmentioned", entity, reason, [Citation(entity.page, 1, 1)])


def _dangling(connection: Connection, entities: Iterable[Entity]) -> Iterator[AuditFinding]:
    """Names that one fact mentions in passing: a slip of the pen, or somebody still to be met."""
    rows = select(connection, "SELECT DISTINCT entity FROM mentions WHERE subject = 1")
    subjects = {slug for (slug,) in rows}
    lonely = [e for e in entities if e.facts == 1 and e.page is None and e.slug not in subjects]
    places = _newest_places(connection, {entity.slug for entity in lonely})
    for entity in lonely:
        reason = "mentioned once, in passing, and has no page"
        alias = f"lorebank entity alias {shlex.quote(entity.name)} NAME"
        yield _finding("dangling", entity, reason, places.get(entity.slug, ()), alias)


def _hubs(
    connection: Connection, facts: Iterable[int], entities: Iterable[Entity]
) -> Iterator[AuditFinding]:
    """Entities of several names that stand in far more facts than others: several in one?"""
    counts = list(filter(None, facts))
    if len(counts) < 3:
        return
    mean = statistics.fmean(counts)
    limit = max(mean + _HUB_DEVIATIONS * statistics.pstdev(counts), _FEWEST_FACTS_OF_HUB)
    hubs = [entity for entity in entities if entity.facts > limit]
    places = _newest_places(connection, {entity.slug for entity in hubs})
    for entity in hubs:
        reason = f"in {entity.facts} facts, where the average is {mean:.1f}"
        splits = [_command("split", alias, entity.name) for alias in entity.aliases]
        yield _finding("hub", entity, reason, places.get(entity.slug, ()), *splits)


def _finding(
    kind: str, entity: Entity, reason: str, evidence: Iterable[Citation], *commands: str
) -> AuditFinding:
    return AuditFinding(
        kind=kind,
        names=(entity.name,),
        reason=reason,
        evidence=tuple(evidence),
        commands=(*commands, _command("dismiss", entity.name)),
    )


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
