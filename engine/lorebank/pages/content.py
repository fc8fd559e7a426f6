"""What a reflect run reads: what the pages are made from, as the index holds it.

Opinions, entities, what people decided, what is to come; and all facts, with what became of them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

from lorebank.beliefs.by_hand import dated, read_entries
from lorebank.beliefs.materialise import formed_under, with_trend
from lorebank.database.connection import Connection
from lorebank.domain.facts import Citation, Entity, Fact, FactKind, Relation
from lorebank.index.agenda import read_agenda
from lorebank.index.entity_view import descriptions, notes_naming
from lorebank.index.items import all_facts, newest_recorded
from lorebank.index.opinions import load_opinions, load_unsure, newer_unjudged
from lorebank.index.slots import relations_of_facts, trust_of
from lorebank.index.succession import Dated, newer_lines, ruled_pairs, what_is_over
from lorebank.index.vectors import VectorsOf, vectors_by_text
from lorebank.markdown.document import read_document
from lorebank.markdown.facts import extract_facts
from lorebank.names.entities import list_entities
from lorebank.names.entity_rows import display_names_on
from lorebank.names.plain_mentions import plainly_named
from lorebank.pages.defining import definitions
from lorebank.pages.edits import PageEdit, read_pages
from lorebank.pages.facts import BankContent, known_facts
from lorebank.pages.pages import FEWEST_LINES, is_only_generated
from lorebank.settings.tables import Config

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

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
    facts = all_facts(connection)
    entities = {entity.slug: entity for entity in list_entities(connection)}
    if until is not None:
        names = display_names_on(connection, entities, until)
        facts = tuple(
            _spelled(f, names) for f in facts if f.recorded is None or f.recorded <= until
        )
        counts = Counter(slug for fact in facts for slug in fact.slugs)
        entities = {
            slug: replace(each, name=names[slug], facts=counts[slug])
            for slug, each in entities.items()
        }
    entries = read_entries(root)
    by_hand = dated(entries, [f for f in facts if f.kind is FactKind.OPINION], today)
    if until is None and by_hand == entries:
        opinions, pairs = load_opinions(connection), load_unsure(connection)
    else:
        opinions, pairs = formed_under(
            connection, root, config.reflect, vectors_of, as_of=until, entries=by_hand
        )
    place = {fact.id: n for n, fact in enumerate(facts)}
    spoken = {fact.id for fact in facts if fact.kind is FactKind.OPINION}
    own = ("stated", "restated")
    last = {o.id: line.fact_id for o in opinions for line in o.evidence if line.reason in own}
    unjudged = newer_unjudged(opinions, pairs, place)
    agenda = read_agenda(connection, until or today, AGENDA_FOREVER)
    over = what_is_over(connection, as_of=until, today=until or today)
    content = BankContent(
        facts=facts,
        opinions=tuple(
            replace(
                # As of its own last line: a page moves when it has news, not when days pass.
                with_trend(opinion, opinion.last_updated or today),
                entities=tuple(
                    entities[slug].name if slug in entities else slug for slug in opinion.entities
                ),
                not_judged=len(unjudged.get(opinion.id, ())),
            )
            for opinion in opinions
        ),
        entries=by_hand,
        entities=entities,
        today=today,
        newest=newest_recorded(connection, until),
        unjudged=unjudged,
        questioned=_perhaps_over(facts, until or today, vectors_of, ruled_pairs(connection))
        | {last[o]: new for o in unjudged for new in reversed(unjudged[o]) if new in spoken},
        over=over,
        relations=relations_of_facts(connection),
        beside=ruled_pairs(connection, Relation.BOTH, as_of=until),
        named=plainly_named(connection),
        notes=notes_naming(connection, until),
        coming=sorted((*agenda.items, *agenda.doubtful), key=lambda item: item.order),
        bare=_bare(root, entities),
    )
    called = {slug: (entity.name, *entity.aliases) for slug, entity in entities.items()}
    lasting = descriptions(connection)
    defined = definitions(connection, known_facts(content), called, lasting, until)
    return replace(content, descriptions=defined)


def _perhaps_over(
    facts: Sequence[Fact],
    today: date,
    vectors_of: VectorsOf | None,
    judged: Collection[tuple[str, str]],
) -> dict[str, str]:
    """Fact id → id of a newer fact about the same, near in meaning, that may say otherwise."""
    lines = [
        Dated(
            fact.id,
            fact.id,
            slug,
            (fact.recorded, fact.citation.path, fact.citation.start_line),
            is_ahead=any(time.begins_after(today) for time in fact.times),
            is_announced=bool(fact.occurred and fact.occurred.announces(fact.recorded)),
            is_event=fact.kind is FactKind.EXPERIENCE,
            trust=trust_of(fact),
        )
        for fact in facts
        if fact.recorded and fact.kind is not FactKind.OPINION
        for slug in fact.subjects
    ]
    texts = {fact.id: fact.content for fact in facts}

    def vectors(ids: Sequence[str]) -> dict[str, NDArray[float32]]:
        known = vectors_by_text(vectors_of, {texts[id_] for id_ in ids})
        return {id_: known[texts[id_]] for id_ in ids if texts[id_] in known}

    return newer_lines(lines, vectors, lambda: judged)


def _spelled(fact: Fact, names: Mapping[str, str]) -> Fact:
    mentions = tuple(replace(m, name=names.get(m.slug, m.name)) for m in fact.mentions)
    return fact if mentions == fact.mentions else replace(fact, mentions=mentions)


def _bare(root: Path, entities: Mapping[str, Entity]) -> frozenset[str]:
    """Of the entities with fewer lines than a page needs, those whose page nobody wrote on."""
    few = {
        entity.page: entity
        for entity in entities.values()
        if entity.page is not None and entity.facts < FEWEST_LINES
    }
    pages, _ = read_pages(root, few)
    return frozenset(
        few[path].slug
        for path, page in pages.items()
        if is_only_generated(page.text, few[path], path)
    )


def relocate(
    content: BankContent, edits: Iterable[PageEdit], *, headings: Sequence[str]
) -> BankContent:
    """The content with every citation as it will be once the edits are written: facts typed on a
    bank page move down when reflect writes above them."""
    by_page: dict[str, list[Fact]] = defaultdict(list)
    for fact in content.facts:
        by_page[fact.citation.path].append(fact)
    places: dict[Citation, Citation] = {}
    for edit in edits:
        if edit.path not in by_page or edit.new is None:
            continue
        there: dict[str, list[Citation]] = defaultdict(list)
        read = extract_facts(
            read_document(edit.new, edit.path), recorded=None, headings=headings, everywhere=True
        )
        for fact in read.facts:
            there[fact.content].append(fact.citation)
        # Several facts of one text keep their order.
        for fact in sorted(by_page[edit.path], key=lambda f: f.citation.start_line):
            if there[fact.content]:
                places[fact.citation] = there[fact.content].pop(0)
    places = {old: new for old, new in places.items() if old != new}
    if not places:
        return content
    opinions = (
        replace(
            opinion,
            source=places.get(opinion.source, opinion.source),
            evidence=tuple(
                replace(e, source=places.get(e.source, e.source)) for e in opinion.evidence
            ),
        )
        for opinion in content.opinions
    )
    facts = (replace(f, citation=places.get(f.citation, f.citation)) for f in content.facts)
    return replace(content, facts=tuple(facts), opinions=tuple(opinions))
