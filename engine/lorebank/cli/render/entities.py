"""Entities as text: one with all that is known of it, or a list."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lorebank.cli.render.look import INDENT, Look
from lorebank.cli.render.opinions import opinion_block
from lorebank.cli.render.phrases import SEPARATOR, count, fact_block, part_lines
from lorebank.cli.render.text import display_width
from lorebank.domain import Entity, EntityView

WIDEST_NAME = 32
_NAMED_IN = 3
"""Lines that only name it, of those that the JSON lists."""


def entity_view_lines(look: Look, view: EntityView, *, limit: int) -> list[str]:
    """Name and dates, what holds now, opinions, what is open, the newest `limit` facts, company."""
    lines = [look.strong(look.clean_line(view.entity.name))]
    lines += part_lines(look, _about(view.entity), INDENT)
    if view.properties:
        lines += ["", look.strong("Now")]
        for each in view.properties:
            about = f" ({each.about})" if each.about else ""
            text = f"{each.relation}{about}: {each.fact.content} · {each.fact.citation}"
            lines += look.paragraph(text, INDENT)
    for title, opinions in (("Opinions", view.held), ("Opinions of others about it", view.about)):
        if opinions:
            lines += ["", look.strong(title)]
            for opinion in opinions:
                lines += opinion_block(look, opinion, evidence=0, indent=INDENT)
    if view.questions:
        lines += ["", look.strong("Open")]
        for question in view.questions:
            places = "".join(f" · {place}" for place in question.sources)
            lines += look.paragraph(f"{question.kind}: {question.text}{places}", INDENT)
    if view.facts:
        lines += ["", look.strong("Facts")]
        for fact in view.facts[:limit]:
            lines += fact_block(look, fact, indent=INDENT)
        if len(view.facts) > limit:
            rest = len(view.facts) - limit
            lines.append(look.dim(f"{INDENT}… and {rest:,} older; -k {len(view.facts)} shows all"))
    if view.named_in:
        lines += ["", look.strong("Named in")]
        for named in view.named_in[:_NAMED_IN]:
            lines += look.paragraph(look.cut(named.content, look.width - len(INDENT)), INDENT)
            lines += look.dim_paragraph(str(named.source), INDENT * 2)
    if view.neighbours:
        lines += ["", look.strong("Seen with")]
        near = [f"{each.entity.name} ({each.shared})" for each in view.neighbours]
        lines += look.paragraph(", ".join(near), INDENT)
    return lines


def _about(entity: Entity) -> list[str]:
    aliases = f"also {', '.join(entity.aliases)}" if entity.aliases else ""
    facts = count(entity.facts, "fact")
    return [entity.type or "", aliases, facts, _seen(entity), entity.page or ""]


def _seen(entity: Entity) -> str:
    days: list[date] = [day for day in (entity.first_seen, entity.last_seen) if day]
    return " – ".join(dict.fromkeys(day.isoformat() for day in days))


def entity_list_lines(look: Look, entities: Sequence[Entity]) -> list[str]:
    """One line an entity: name, number of facts, when it was seen, type and aliases."""
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
