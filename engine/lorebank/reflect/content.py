"""What a reflect run reads: all that the pages are made from, as the index holds it."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.config import Config
from lorebank.index.connection import Connection
from lorebank.index.entities import display_names, list_entities
from lorebank.index.items import all_facts
from lorebank.index.opinions import load_opinions
from lorebank.index.plain_mentions import plainly_named
from lorebank.index.slots import fates_of_facts, relations_of_facts
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
    names = display_names(connection, {slug for o in opinions for slug in o.entities})
    # Trends are told for the newest day recorded, not for today: no news, no change.
    newest = newest_day(facts)
    fates = fates_of_facts(connection, as_of=until)
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
        entities={entity.slug: entity for entity in list_entities(connection)},
        superseded=fates.superseded,
        relations=relations_of_facts(connection),
        lapsed=fates.lapsed,
        named=plainly_named(connection),
    )


def touched_since(content: BankContent, since: date) -> set[str]:
    """The entities with facts recorded from that day on."""
    recent = (f for f in content.facts if f.recorded is not None and f.recorded >= since)
    return {slug for fact in recent for slug in fact.slugs}
