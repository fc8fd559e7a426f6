"""Whom one name stands for, step by step with the reason of each; and what about names deserves a
person's look, with evidence and the command that decides it. Nothing is changed here.

The order: the explicit slug, the ledger, front matter, folding, then what the writing alone makes
safe (title, legal form, one slip in a long name). What is left is only proposed; context and
recency rank the proposals and never decide.
"""

from __future__ import annotations

import shlex
import statistics
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import takewhile

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Citation, Entity
from lorebank.domain.judgments import Audit, AuditFinding, NameReason, NameResolution, NameStep
from lorebank.language.folding import slugify, strip_possessive
from lorebank.names.entities import entities_by_slug, list_entities, proposals

_PROPOSALS = 8  # chosen by hand: they are read on a screen, with their reasons


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
        (slugs,),
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


_Match = tuple[str, str, str]  # entity slug, the name of it that matched, and why


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
            (reasons, context),
        )
    )

    def standing(entity: Entity) -> tuple[int, int, int, str]:
        seen = entity.last_seen.toordinal() if entity.last_seen else 0
        return -met.get(entity.slug, 0), -seen, -entity.facts, entity.slug

    best = sorted(entities.values(), key=standing)[:_PROPOSALS]
    return tuple(NameReason(e.name, reasons[e.slug]) for e in best)


_EVIDENCE = 2  # lines shown for each name
_FEWEST_FACTS_OF_HUB = 20  # below that, far above the average is still not much
_HUB_DEVIATIONS = 3.0  # the usual three standard deviations; chosen by hand


def audit_names(connection: Connection) -> Audit:
    """Likely duplicates, the best supported first; dangling and unmentioned names; hubs."""
    pairs = proposals(connection)
    entities = {entity.slug: entity for entity in list_entities(connection)}
    # Entities about which nothing is to be reported.
    rows = select(
        connection,
        "SELECT n.slug, a.entity FROM names n LEFT JOIN aliases a ON a.slug = n.slug"
        " WHERE n.action = 'dismiss' AND n.target = ''",
    )
    quiet = frozenset(slug for row in rows for slug in row if slug)
    audible = [entity for entity in entities.values() if entity.slug not in quiet]
    findings = [
        *_duplicates(connection, pairs, entities),
        *_unmentioned(audible),
        *_dangling(connection, audible),
        *_hubs(connection, [entity.facts for entity in entities.values()], audible),
    ]
    return Audit(duplicates=pairs, findings=tuple(findings))


def _duplicates(
    connection: Connection, pairs: Sequence[tuple[str, str, str]], entities: Mapping[str, Entity]
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
        (slugs,),
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
        (sorted(slugs), _EVIDENCE),
    ):
        found.setdefault(slug, []).append(Citation(path, start, end))
    return found


def _command(action: str, *names: str) -> str:
    return f"lorebank entity {action} {' '.join(map(shlex.quote, names))}"
