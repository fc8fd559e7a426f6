"""Names as text: whom one stands for, what a decision changed, what an audit found."""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.phrases import count
from lorebank.domain import (
    Audit,
    AuditFinding,
    EntityGraph,
    GraphNode,
    LedgerChange,
    NameReason,
    NameResolution,
)

_MOST_SHOWN = 10
_TITLES = {
    "duplicate": "Likely duplicates",
    "unmentioned": "Pages nobody mentions",
    "dangling": "Dangling mentions",
    "hub": "Hubs",
}


def resolution_lines(look: Look, found: NameResolution) -> list[str]:
    """The steps in order, then the entity's other names, or who else may be meant."""
    whom = found.entity.name if found.entity else "nobody for sure"
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
    if not reasons:
        return []
    lines = ["", look.strong(title)]
    for each in reasons:
        place = f" · {each.source}" if each.source else ""
        lines += look.paragraph(f"{each.name}: {each.reason}{place}", INDENT)
    return lines


def ledger_change_lines(look: Look, change: LedgerChange, *, undo: bool) -> list[str]:
    """What was decided, or would be, who is who by it, and the pages written."""
    if not change.changed:
        return [f"stands already: {look.clean_line(change.line)}"]
    verb = "taken back" if undo else "decided"
    verb = f"would be {verb}" if change.dry_run else verb
    lines = [f"{look.strong(verb)}: {look.clean_line(change.line)}"]
    if change.before != change.after:
        lines.append(f"{INDENT}{_entities(change.before)} → {_entities(change.after)}")
    return [*lines, *(look.dim(f"{INDENT}{path}") for path in change.changed)]


def _entities(slugs: Sequence[str]) -> str:
    return ", ".join(slugs) if slugs else "nobody"


def audit_lines(look: Look, audit: Audit) -> list[str]:
    """The findings by kind: names and why, the lines, the commands."""
    lines: list[str] = []
    for kind, title in _TITLES.items():
        found = [finding for finding in audit.findings if finding.kind == kind]
        if found:
            gap = [""] if lines else []
            lines += [*gap, look.strong(f"{title} ({count(len(found), 'finding')})")]
            for finding in found:
                lines += _finding_lines(look, finding)
    return lines


def _finding_lines(look: Look, finding: AuditFinding) -> list[str]:
    names = " / ".join(finding.names)
    lines = look.paragraph(f"{names}: {finding.reason}", INDENT)
    if finding.evidence:
        lines += look.dim_paragraph(", ".join(map(str, finding.evidence)), INDENT * 2)
    return [*lines, *(f"{INDENT * 2}$ {look.clean_line(each)}" for each in finding.commands)]


def graph_lines(look: Look, graph: EntityGraph) -> list[str]:
    """The shape in numbers, who is most central, the communities, the bridges."""
    if not graph.nodes:
        return []
    names = {node.slug: look.clean_line(node.name) for node in graph.nodes}
    components = max(node.component for node in graph.nodes)
    shape = f"{count(len(graph.nodes), 'entity', 'entities')}, {count(len(graph.edges), 'link')}"
    lines = [f"{shape}, {count(components, 'component')}"]
    central = [node for node in graph.nodes if node.centrality > 0][:_MOST_SHOWN]
    if central:
        lines += ["", look.strong("Most central")]
        lines += [f"{INDENT}{n.centrality:.3f}  {names[n.slug]} ({n.degree})" for n in central]
    communities: dict[int, list[GraphNode]] = {}
    for node in graph.nodes:
        communities.setdefault(node.community, []).append(node)
    larger = [found for _, found in sorted(communities.items()) if len(found) > 1]
    if larger:
        lines += ["", look.strong("Communities")]
        for found in larger[:_MOST_SHOWN]:
            shown = ", ".join(names[node.slug] for node in found[:_MOST_SHOWN])
            more = f" and {len(found) - _MOST_SHOWN} more" if len(found) > _MOST_SHOWN else ""
            lines += look.paragraph(f"{shown}{more}", INDENT)
    if graph.bridges:
        lines += ["", look.strong("Bridges")]
        for edge in graph.bridges[:_MOST_SHOWN]:
            lines.append(f"{INDENT}{names[edge.a]} – {names[edge.b]}  {look.dim(str(edge.source))}")
    return lines
