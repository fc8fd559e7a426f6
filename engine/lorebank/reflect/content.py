"""What a reflect run reads: what the pages are made from, as the index holds it.

First the outline: opinions, entities and what people decided, without a fact. Then the facts that
the run needs, with what became of them: those of the entities with news, on most nights.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path

from lorebank.config import Config
from lorebank.domain import Entity, Fact, FactKind, Opinion
from lorebank.index.connection import Connection
from lorebank.index.entities import list_entities, subjects_without_page
from lorebank.index.entity_rows import display_names_on
from lorebank.index.items import (
    all_facts,
    fact_count,
    facts_by_entity,
    facts_by_ids,
    facts_by_month,
    facts_naming,
    facts_of_kind,
    newest_recorded,
)
from lorebank.index.opinions import load_opinions
from lorebank.index.plain_mentions import plainly_named
from lorebank.index.slots import relations_of_facts
from lorebank.index.succession import fates_of_facts
from lorebank.reflect.by_hand import dated, read_entries
from lorebank.reflect.materialise import opinions_under, with_trend
from lorebank.reflect.nearness import VectorsOf
from lorebank.reflect.pages import BankContent, Scope


def read_outline(
    connection: Connection,
    root: Path,
    config: Config,
    today: date,
    until: date | None,
    vectors_of: VectorsOf | None = None,
) -> BankContent:
    """The content of the bank without its facts; with `until`, as it was on that day.

    What a person decided and no page dates yet holds from `today` on.
    """
    entries = read_entries(root)
    stating = _recorded_by(facts_of_kind(connection, FactKind.OPINION), until)
    by_hand = dated(entries, stating, today)
    opinions = (
        load_opinions(connection)
        if until is None and by_hand == entries
        else opinions_under(
            connection, root, config.reflect, vectors_of, as_of=until, entries=by_hand
        )
    )
    entities = {entity.slug: entity for entity in list_entities(connection)}
    if until is None:
        names = {slug: entity.name for slug, entity in entities.items()}
    else:
        names = display_names_on(connection, entities, until)
        entities = {slug: replace(each, name=names[slug]) for slug, each in entities.items()}
    # Trends are told for the newest day recorded, not for today: no news, no change.
    newest = newest_recorded(connection, until)
    return BankContent(
        facts=(),
        opinions=tuple(
            replace(
                with_trend(opinion, newest) if newest else opinion,
                entities=tuple(names.get(slug, slug) for slug in opinion.entities),
            )
            for opinion in opinions
        ),
        entries=by_hand,
        entities=entities,
        subjects=subjects_without_page(connection),
        newest=newest,
        fact_count=fact_count(connection, until),
        named=plainly_named(connection, _stated(opinions)),
    )


def with_facts_of(connection: Connection, outline: BankContent, scope: Scope) -> BankContent:
    """The content with all facts of the entities and months in scope, and no others."""
    found = {
        (fact.citation, fact.id): fact
        for fact in (
            *facts_by_entity(connection, sorted(scope.entities)),
            *facts_naming(connection, sorted(scope.entities)),
            *facts_by_month(connection, sorted(scope.months)),
        )
    }
    facts = sorted(found.values(), key=lambda f: f.oldest_first)
    return replace(with_facts(connection, outline, facts), scope=scope)


def with_every_fact(
    connection: Connection, outline: BankContent, until: date | None
) -> BankContent:
    """The content with all facts recorded up to a day."""
    facts = all_facts(connection)
    fates = fates_of_facts(connection, as_of=until)
    found = replace(
        outline,
        facts=facts,
        superseded=fates.superseded,
        lapsed=fates.lapsed,
        relations=relations_of_facts(connection),
        named=plainly_named(connection),
        scope=None,
    )
    return found if until is None else _as_on(found, until)


def with_facts(connection: Connection, outline: BankContent, facts: Sequence[Fact]) -> BankContent:
    """The content with these facts, and those that replaced them, one after the other."""
    own = {fact.id for fact in facts}
    superseded: dict[str, str] = {}
    lapsed: dict[str, tuple[tuple[str, ...], str]] = {}
    known: set[str] = set()
    asked: Collection[str] = own
    while asked:
        fates = fates_of_facts(connection, facts=asked)
        superseded |= fates.superseded
        lapsed |= fates.lapsed
        known.update(asked)
        asked = {newer for _, newer in fates.lapsed.values()} - known
    return replace(
        outline,
        facts=tuple(facts),
        successors=facts_by_ids(connection, known - own),
        superseded=superseded,
        lapsed=lapsed,
        relations=relations_of_facts(connection, known),
        named={**outline.named, **plainly_named(connection, known)},
    )


def _stated(opinions: Iterable[Opinion]) -> frozenset[str]:
    """The facts that state an opinion first."""
    lines = (line for opinion in opinions for line in opinion.evidence)
    return frozenset(line.fact_id for line in lines if line.reason == "stated")


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
    subjects = frozenset(slug for fact in facts for slug in fact.subjects)
    return replace(content, facts=facts, entities=entities, subjects=subjects)


def _recorded_by(facts: Iterable[Fact], until: date | None) -> tuple[Fact, ...]:
    return tuple(f for f in facts if until is None or f.recorded is None or f.recorded <= until)


def _spelled(fact: Fact, names: Mapping[str, str]) -> Fact:
    mentions = tuple(replace(m, name=names.get(m.slug, m.name)) for m in fact.mentions)
    return fact if mentions == fact.mentions else replace(fact, mentions=mentions)
