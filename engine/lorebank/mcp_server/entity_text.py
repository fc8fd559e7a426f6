"""One entity as the text a model reads: what holds now, what is believed, what is open, facts."""

from __future__ import annotations

from collections.abc import Iterator

from lorebank.domain import Entity, EntityView
from lorebank.mcp_server.texts import fact_lines, opinion_text

_NAMED_IN = 3
"""Lines that only name it, of those in the structured result."""


def entity_text(view: EntityView) -> str:
    """A page of Markdown with a section for each part of the view that is not empty."""
    entity = view.entity
    parts = [f"# {entity.name}\n{_seen(entity)}"]
    parts += [f"## {title}\n{text}" for title, text in _sections(view) if text]
    if view.truncated:
        parts.append("… cut to the budget; raise token_budget or narrow since and until")
    return "\n\n".join(parts)


def _seen(entity: Entity) -> str:
    also = f"also {', '.join(entity.aliases)}" if entity.aliases else ""
    days = dict.fromkeys(day.isoformat() for day in (entity.first_seen, entity.last_seen) if day)
    seen = ", ".join([f"{entity.facts} facts", *([" to ".join(days)] if days else [])])
    return ", ".join(filter(None, [entity.type or "", also, seen, entity.page or ""]))


def _sections(view: EntityView) -> Iterator[tuple[str, str]]:
    yield "Now", "\n".join(_properties(view))
    for title, opinions in (("Opinions", view.held), ("Opinions of others about it", view.about)):
        yield title, opinion_text(opinions, len(opinions)) if opinions else ""
    yield "Open", "\n".join(_questions(view))
    yield "Facts", fact_lines(view.facts, len(view.facts), view.superseded) if view.facts else ""
    yield "Named in", "\n".join(f"- {n.content} [{n.source}]" for n in view.named_in[:_NAMED_IN])
    yield "Related", ", ".join(f"{n.entity.name} ({n.shared})" for n in view.neighbours)


def _properties(view: EntityView) -> Iterator[str]:
    for each in view.properties:
        about = f" ({each.about})" if each.about else ""
        content = " ".join(each.fact.content.split())
        yield f"- {each.relation}{about}: {content} [{each.fact.citation}]"


def _questions(view: EntityView) -> Iterator[str]:
    for question in view.questions:
        places = "".join(f" [{place}]" for place in question.sources)
        yield f"- {question.kind}: {question.text}{places}"
