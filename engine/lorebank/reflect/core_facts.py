"""The facts that proposals for the core memory are made from, out of all those of the bank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from lorebank.domain import Fact, Opinion
from lorebank.index.connection import Connection
from lorebank.index.items import (
    facts_by_entity,
    facts_by_ids,
    facts_by_place,
    facts_without_subject,
)
from lorebank.language.words import content_words
from lorebank.markdown.core_page import CoreLine, read_core
from lorebank.reflect.content import with_facts
from lorebank.reflect.core_memory import CoreMemory, central_names
from lorebank.reflect.pages import BankContent


def core_content(connection: Connection, outline: BankContent, core: CoreMemory) -> BankContent:
    """The content with the facts about central entities and about whom the core memory names, those
    about nobody, those it cites, and what the opinions of all these rest on."""
    lines = read_core(core.text)
    cited = tuple(_cited(connection, lines))
    slugs = {*central_names(outline), *_named(outline, lines)}
    slugs.update(slug for fact in cited for slug in fact.slugs)
    about = [
        *facts_by_entity(connection, sorted(slugs)),
        *facts_without_subject(connection),
        *cited,
    ]
    known = {fact.id for fact in about}
    evidence = {
        line.fact_id
        for opinion in outline.opinions
        if _is_stated_by(opinion, known)
        for line in opinion.evidence
    }
    found = (*about, *facts_by_ids(connection, evidence - known))
    each = {(fact.citation, fact.id): fact for fact in found}
    return with_facts(connection, outline, sorted(each.values(), key=lambda f: f.oldest_first))


def _cited(connection: Connection, lines: Sequence[CoreLine]) -> Iterator[Fact]:
    for line in lines:
        if line.cited is not None:
            fact = facts_by_place(connection, line.cited.path, line.cited.start_line)
            if fact is not None and not fact.quarantined:
                yield fact


def _named(outline: BankContent, lines: Sequence[CoreLine]) -> set[str]:
    said = {word for line in lines for word in content_words(line.said)}
    return {
        slug
        for slug, entity in outline.entities.items()
        if said and not said.isdisjoint(content_words(entity.name))
    }


def _is_stated_by(opinion: Opinion, facts: set[str]) -> bool:
    return any(e.fact_id in facts for e in opinion.evidence if e.reason in ("stated", "restated"))
