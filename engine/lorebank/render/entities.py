"""Entities and the decisions about their names, as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from lorebank.domain.answers import EntitiesOfBanks, EntityGraph, EntityView, GraphNode
from lorebank.domain.facts import Entity
from lorebank.domain.judgments import Audit, AuditFinding, LedgerChange, NameReason, NameResolution
from lorebank.render.beliefs import opinion_block, page_lines
from lorebank.render.text import INDENT, SEPARATOR, Look, blocks, count, display_width, excerpt

WIDEST_NAME = 32
_NAMED_IN = 3
"""Shown lines that only name it."""


def entity_view_lines(look: Look, view: EntityView, *, limit: int) -> list[str]:
    lines = [look.title(look.clean_line(view.entity.name), 1)]
    lines += look.parts(_about(view.entity), INDENT)
    for told in view.screen:
        [said] = page_lines(look, told.removeprefix("- "))
        is_title = told.startswith("**")
        lines += ["", look.title(said)] if is_title else look.paragraph(excerpt(said), INDENT)
    screen = "\n".join(view.screen)
    for title, opinions in (("More opinions", view.held), ("Opinions of others", view.about)):
        more = (o for o in opinions if not any(f"[{e.source}]" in screen for e in o.evidence))
        blocks = [opinion_block(look, each, evidence=0, indent=INDENT) for each in more]
        lines += look.section(title, [line for block in blocks for line in block])
    questions = (" · ".join([f"{q.kind}: {q.text}", *map(str, q.sources)]) for q in view.questions)
    lines += look.section("Open", _paragraphs(look, questions))
    facts = [line for fact in view.facts[:limit] for line in look.fact(fact, indent=INDENT)]
    if len(view.facts) > limit:
        older = f"… and {len(view.facts) - limit:,} older; -k {len(view.facts)} shows all"
        facts.append(look.dim(INDENT + older))
    lines += look.section("Facts", facts)
    named: list[str] = []
    for line in view.named_in[:_NAMED_IN]:
        named += look.paragraph(look.cut(line.content, look.width - len(INDENT)), INDENT)
        named += look.dim_paragraph(str(line.source), INDENT * 2)
    lines += look.section("Named in", named)
    near = ", ".join(f"{each.entity.name} ({each.shared})" for each in view.neighbours)
    return lines + look.section("Seen with", look.paragraph(near, INDENT) if near else [])


def _paragraphs(look: Look, texts: Iterable[str]) -> list[str]:
    return [line for text in texts for line in look.paragraph(text, INDENT)]


def _about(entity: Entity) -> list[str]:
    aliases = f"also {', '.join(entity.aliases)}" if entity.aliases else ""
    facts = count(entity.facts, "fact")
    return [entity.type or "", aliases, facts, _seen(entity), entity.page or ""]


def _seen(entity: Entity) -> str:
    days: list[date] = [day for day in (entity.first_seen, entity.last_seen) if day]
    return " – ".join(dict.fromkeys(day.isoformat() for day in days))


def entity_list_lines(look: Look, entities: Sequence[Entity]) -> list[str]:
    if not entities:
        return []
    names = [look.cut(entity.name, WIDEST_NAME) for entity in entities]
    column = max(map(display_width, names))
    digits = len(str(max(entity.facts for entity in entities)))
    lines = []
    for name, entity in zip(names, entities, strict=True):
        padding = " " * (column - display_width(name))
        aliases = f"also {', '.join(entity.aliases)}" if entity.aliases else ""
        about = SEPARATOR.join(part for part in (_seen(entity), entity.type, aliases) if part)
        room = max(look.width - column - digits - 4, 20)
        tail = look.dim(look.cut(about, room))
        lines.append(f"{look.strong(name)}{padding}  {entity.facts:>{digits}}  {tail}".rstrip())
    return lines


_MOST_SHOWN = 10
_TITLES = {
    "duplicate": "Likely duplicates",
    "unmentioned": "Pages nobody mentions",
    "dangling": "Dangling mentions",
    "hub": "Hubs",
}


def resolution_lines(look: Look, found: NameResolution) -> list[str]:
    whom = found.entity.name if found.entity else "no certain match"
    lines = [f"{look.strong(look.clean_line(found.written))} is {look.clean_line(whom)}"]
    for number, step in enumerate(found.steps, start=1):
        mark = look.good("yes") if step.found else look.dim("no ")
        place = f" · {step.source}" if step.source else ""
        lines.append(
            f"{INDENT}{number} {step.step:<12} {mark}  {look.clean_line(step.note)}{place}"
        )
    lines += _reasons(look, "Names", found.names)
    lines += _reasons(look, "Perhaps", found.proposals)
    return lines


def _reasons(look: Look, title: str, reasons: Sequence[NameReason]) -> list[str]:
    texts = (
        f"{each.name}: {each.reason}{f' · {each.source}' if each.source else ''}"
        for each in reasons
    )
    return look.section(title, _paragraphs(look, texts))


def ledger_change_lines(look: Look, change: LedgerChange, *, undo: bool) -> list[str]:
    """The decision (made, or planned), its entities, and the pages written."""
    if not change.changed:
        return [f"already decided: {look.clean_line(change.line)}"]
    verb = "taken back" if undo else "decided"
    verb = f"would be {verb}" if change.dry_run else verb
    lines = [f"{look.strong(verb)}: {look.clean_line(change.line)}"]
    if change.before != change.after:
        lines.append(f"{INDENT}{_entities(change.before)} → {_entities(change.after)}")
    return [*lines, *(look.dim(f"{INDENT}{path}") for path in change.changed)]


def _entities(slugs: Sequence[str]) -> str:
    return ", ".join(slugs) if slugs else "nobody"


def audit_lines(look: Look, audit: Audit) -> list[str]:
    def lines_of(finding: AuditFinding) -> Iterator[str]:
        yield from look.paragraph(f"{' / '.join(finding.names)}: {finding.reason}", INDENT)
        if finding.evidence:
            yield from look.dim_paragraph(", ".join(map(str, finding.evidence)), INDENT * 2)
        yield from (f"{INDENT * 2}$ {look.clean_line(each)}" for each in finding.commands)

    return blocks(
        [
            look.strong(f"{title} ({count(len(found), 'finding')})"),
            *(line for finding in found for line in lines_of(finding)),
        ]
        for kind, title in _TITLES.items()
        if (found := [finding for finding in audit.findings if finding.kind == kind])
    )


def graph_lines(look: Look, graph: EntityGraph) -> list[str]:
    if not graph.nodes:
        return []
    names = {node.slug: look.clean_line(node.name) for node in graph.nodes}
    components = max(node.component for node in graph.nodes)
    shape = f"{count(len(graph.nodes), 'entity', 'entities')}, {count(len(graph.edges), 'link')}"
    lines = [f"{shape}, {count(components, 'component')}"]
    central = [node for node in graph.nodes if node.centrality > 0][:_MOST_SHOWN]
    ranked = [f"{INDENT}{n.centrality:.3f}  {names[n.slug]} ({n.degree})" for n in central]
    lines += look.section("Most central", ranked)
    communities: dict[int, list[GraphNode]] = {}
    for node in graph.nodes:
        communities.setdefault(node.community, []).append(node)
    larger = [found for _, found in sorted(communities.items()) if len(found) > 1]
    shown = (
        ", ".join(names[node.slug] for node in found[:_MOST_SHOWN])
        + (f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else "")
        for found in larger[:_MOST_SHOWN]
    )
    lines += look.section("Communities", _paragraphs(look, shown))
    bridges = [
        f"{INDENT}{names[edge.a]} – {names[edge.b]}  {look.dim(str(edge.source))}"
        for edge in graph.bridges[:_MOST_SHOWN]
    ]
    return lines + look.section("Bridges", bridges)


def merged_view_lines(look: Look, found: EntitiesOfBanks, *, limit: int) -> list[str]:
    return blocks(
        [look.accent(f"{bank}:"), *entity_view_lines(look, view, limit=limit)]
        for bank, view in found.views
    )
