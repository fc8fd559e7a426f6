"""What a reflect run reads: all that the pages are made from, as the index holds it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.config import Config
from lorebank.domain import Fact
from lorebank.index.connection import Connection
from lorebank.index.entities import display_names, list_entities
from lorebank.index.items import all_facts
from lorebank.index.opinions import load_opinions
from lorebank.index.slots import relations_of_facts, superseded_facts
from lorebank.reflect.by_hand import dated, read_entries
from lorebank.reflect.materialise import opinions_under, with_trend
from lorebank.reflect.pages import BankContent, newest_day

__all__ = ["read_content", "touched_since"]


def read_content(
    connection: Connection, root: Path, config: Config, today: date, until: date | None
) -> BankContent:
    """The content of the bank; with `until`, as it was on that day.

    What a person decided and no page dates yet holds from `today` on.
    """
    facts = all_facts(connection)
    if until is not None:
        facts = tuple(f for f in facts if f.recorded is None or f.recorded <= until)
    entries = read_entries(root)
    by_hand = dated(entries, facts, today)
    opinions = (
        load_opinions(connection)
        if until is None and by_hand == entries
        else opinions_under(connection, root, config.reflect, as_of=until, entries=by_hand)
    )
    entities = {entity.slug: entity for entity in list_entities(connection)}
    names = display_names(connection, entities, as_of=until)
    if until is not None:
        entities = {slug: replace(each, name=names[slug]) for slug, each in entities.items()}
        facts = tuple(_spelled(fact, names) for fact in facts)
    # Trends are told for the newest day recorded, not for today: no news, no change.
    newest = newest_day(facts)
    return BankContent(
        facts=facts,
        opinions=tuple(
            replace(
                with_trend(opinion, newest) if newest else opinion,
                entities=tuple(names.get(slug, slug) for slug in opinion.entities),
            )
            for opinion in opinions
        ),
        entries=by_hand,
        entities=entities,
        superseded=superseded_facts(connection, as_of=until),
        relations=relations_of_facts(connection),
    )


def _spelled(fact: Fact, names: Mapping[str, str]) -> Fact:
    mentions = tuple(replace(m, name=names.get(m.slug, m.name)) for m in fact.mentions)
    return fact if mentions == fact.mentions else replace(fact, mentions=mentions)


def touched_since(content: BankContent, since: date) -> set[str]:
    """The entities with facts recorded from that day on."""
    recent = (f for f in content.facts if f.recorded is not None and f.recorded >= since)
    return {slug for fact in recent for slug in fact.slugs}
