"""The bank's digests of facts: `bank/world.md` entity by entity, `bank/experience.md` by month.

Each part depends on the facts of its entity or month alone: only those with news are made anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import groupby

from lorebank.domain import Fact, FactKind
from lorebank.language.folding import fold
from lorebank.markdown.generated_text import citation_link, escape_inline
from lorebank.reflect.telling import (
    KnownFact,
    Link,
    about_whom,
    distinct,
    is_current,
    newest_first,
    newest_recorded_day,
    salience,
    sentence_line,
    when_told,
)

WORLD_PATH = "bank/world.md"
EXPERIENCE_PATH = "bank/experience.md"
_WORLD_LINES = 12
"""Of an entity with more durable facts, `bank/world.md` shows the most telling ones."""


def world_parts(facts: Iterable[KnownFact], *, link: Link) -> dict[str, str]:
    """Objective facts that hold, by the slug of the first entity they mention ("" for nobody).

    Of an entity with many, the most telling ones: its own page has the rest.
    """
    groups: dict[str, list[KnownFact]] = {}
    names: dict[str, str] = {}
    for known in facts:
        if known.fact.kind is FactKind.WORLD and is_current(known):
            mention = about_whom(known.fact)
            slug = mention[0] if mention else ""
            if mention:
                names.setdefault(*mention)
            groups.setdefault(slug, []).append(known)
    return {
        slug: _world_part(slug, own, link(names[slug]) if slug else "Elsewhere")
        for slug, own in groups.items()
    }


def _world_part(slug: str, facts: Iterable[KnownFact], title: str) -> str:
    own = distinct(sorted(facts, key=newest_first))
    shown = own
    if slug and len(own) > _WORLD_LINES:
        newest = newest_recorded_day(own)
        best = sorted(own, key=lambda k: (-salience(k, slug, newest), newest_first(k)))
        shown = sorted(best[:_WORLD_LINES], key=newest_first)
    lines = [sentence_line(known, WORLD_PATH) for known in shown]
    if len(shown) < len(own):
        lines.append(f"- and {len(own) - len(shown)} more: {title}")
    return "\n".join([f"### {title}", "", *lines])


def world_body(parts: Mapping[str, str]) -> str:
    """The parts by slug; what is about nobody comes last."""
    ordered = sorted(parts, key=lambda slug: (not slug, slug))
    return "\n\n".join(parts[slug] for slug in ordered) or "No facts yet."


def experience_parts(facts: Iterable[KnownFact]) -> dict[str, str]:
    """What was done, in the words it was written in, by month (`2025-11`; "" for undated)."""
    own = [_as_done(k) for k in facts if k.fact.kind is FactKind.EXPERIENCE and is_current(k)]
    parts: dict[str, str] = {}
    for month, lines in groupby(sorted(own, key=newest_first), key=_month):
        told = [
            f"- {when_told(known)} · {_in_first_person(known.fact)}"
            f" ({citation_link(known.fact.citation, EXPERIENCE_PATH)})"
            for known in distinct(list(lines))
        ]
        parts[month] = "\n".join([f"### {month or 'Undated'}", "", *told])
    return parts


def _as_done(known: KnownFact) -> KnownFact:
    """What was booked or promised for a later day was done on the day of its log."""
    fact, occurred = known.fact, known.fact.occurred
    if occurred is None or fact.recorded is None:
        return known
    if occurred.start is not None and occurred.start <= fact.recorded:
        return known
    return replace(known, fact=replace(fact, occurred=None))


def experience_body(parts: Mapping[str, str]) -> str:
    """The parts by month, the newest month first."""
    return "\n\n".join(parts[month] for month in sorted(parts, reverse=True)) or (
        "No experience yet."
    )


def _in_first_person(fact: Fact) -> str:
    """The text of a diary; it begins with what it is about where the text does not say so."""
    about = next((mention.name for mention in fact.mentions if mention.subject), "")
    told = fact.content.startswith(("I ", "I'")) or fold(about) in fold(fact.content)
    return escape_inline(fact.content if told or not about else f"{about}: {fact.content}")


def _month(known: KnownFact) -> str:
    return known.day.isoformat()[:7] if known.day else ""
