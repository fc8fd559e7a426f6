"""What a reflect run reads: what the pages are made from, as the index holds it.

Opinions, entities, what people decided, what is to come; and all facts, with what became of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.beliefs.by_hand import dated, read_entries
from lorebank.beliefs.materialise import formed_under, with_trend
from lorebank.beliefs.nearness import VectorsOf
from lorebank.database.connection import Connection
from lorebank.domain import Entity, Fact, FactKind
from lorebank.index.entity_view import descriptions
from lorebank.index.items import (
    all_facts,
    facts_of_kind,
    newest_recorded,
)
from lorebank.index.opinions import load_opinions
from lorebank.index.slots import relations_of_facts
from lorebank.index.succession import fates_of_facts
from lorebank.index.unsure import load_unsure
from lorebank.names.entities import list_entities
from lorebank.names.entity_rows import display_names_on
from lorebank.names.plain_mentions import plainly_named
from lorebank.pages.agenda import read_agenda
from lorebank.pages.edits import read_pages
from lorebank.pages.pages import FEWEST_LINES, BankContent, is_only_generated
from lorebank.settings.tables import Config

AGENDA_FOREVER = 20_000
"""Days: the pages of entities show what is to come however far away."""


def read_content(
    connection: Connection,
    root: Path,
    config: Config,
    today: date,
    until: date | None,
    vectors_of: VectorsOf | None = None,
) -> BankContent:
    """The content of the bank; with `until`, as it was on that day.

    What a person decided and no page dates yet holds from `today` on.
    """
    outline = _outline(connection, root, config, today, until, vectors_of)
    fates = fates_of_facts(connection, as_of=until)
    found = replace(
        outline,
        facts=all_facts(connection),
        superseded=fates.superseded,
        lapsed=fates.lapsed,
        relations=relations_of_facts(connection),
        named=plainly_named(connection),
    )
    if until is not None:
        found = _as_on(found, until)
    return replace(found, bare=_bare(root, found))


def _bare(root: Path, content: BankContent) -> frozenset[str]:
    """Of the entities with fewer lines than a page needs, those whose page nobody wrote on."""
    few = {
        entity.page: entity
        for entity in content.entities.values()
        if entity.page is not None and entity.facts < FEWEST_LINES
    }
    pages, _ = read_pages(root, few)
    return frozenset(
        few[path].slug
        for path, page in pages.items()
        if is_only_generated(page.text, few[path], path)
    )


def _outline(
    connection: Connection,
    root: Path,
    config: Config,
    today: date,
    until: date | None,
    vectors_of: VectorsOf | None = None,
) -> BankContent:
    """The content without its facts."""
    entries = read_entries(root)
    stating = _recorded_by(facts_of_kind(connection, FactKind.OPINION), until)
    by_hand = dated(entries, stating, today)
    if until is None and by_hand == entries:
        opinions, pairs = load_opinions(connection), load_unsure(connection)
    else:
        opinions, pairs = formed_under(
            connection, root, config.reflect, vectors_of, as_of=until, entries=by_hand
        )
    entities = {entity.slug: entity for entity in list_entities(connection)}
    if until is None:
        names = {slug: entity.name for slug, entity in entities.items()}
    else:
        names = display_names_on(connection, entities, until)
        entities = {slug: replace(each, name=names[slug]) for slug, each in entities.items()}
    newest = newest_recorded(connection, until)
    return BankContent(
        facts=(),
        opinions=tuple(
            replace(
                # As of its own last line: a page moves when it has news, not when days pass.
                with_trend(opinion, opinion.last_updated or today),
                entities=tuple(names.get(slug, slug) for slug in opinion.entities),
            )
            for opinion in opinions
        ),
        entries=by_hand,
        unjudged=Counter(pair.opinion for pair in pairs),
        entities=entities,
        today=today,
        newest=newest,
        descriptions=descriptions(connection),
        coming=read_agenda(connection, until or today, AGENDA_FOREVER).items,
    )


def _as_on(content: BankContent, until: date) -> BankContent:
    """The content with the facts, spellings and counts of a day."""
    names = {slug: entity.name for slug, entity in content.entities.items()}
    facts = tuple(_spelled(fact, names) for fact in _recorded_by(content.facts, until))
    counts: dict[str, int] = {}
    for fact in facts:
        for slug in fact.slugs:
            counts[slug] = counts.get(slug, 0) + 1
    entities: dict[str, Entity] = {
        slug: replace(entity, facts=counts.get(slug, 0))
        for slug, entity in content.entities.items()
    }
    return replace(content, facts=facts, entities=entities)


def _recorded_by(facts: Iterable[Fact], until: date | None) -> tuple[Fact, ...]:
    return tuple(f for f in facts if until is None or f.recorded is None or f.recorded <= until)


def _spelled(fact: Fact, names: Mapping[str, str]) -> Fact:
    mentions = tuple(replace(m, name=names.get(m.slug, m.name)) for m in fact.mentions)
    return fact if mentions == fact.mentions else replace(fact, mentions=mentions)
