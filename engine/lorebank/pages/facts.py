"""What the bank's pages are made from, and what became of each fact."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date

from lorebank.domain.answers import AgendaItem, NamedIn
from lorebank.domain.facts import Entity, Fact, FactKind, FactStatus, Opinion, OpinionStatus, Stance
from lorebank.index.entity_view import Description
from lorebank.index.succession import Over
from lorebank.markdown.opinion_page import OpinionEntry
from lorebank.records import Record

_SEVERAL_CLAUSES = re.compile(r"[;；。]\s*\w|\w\w[.!?]\s+\w")


class BankContent(Record):
    facts: Sequence[Fact]
    """Oldest first, mentions resolved to entities."""
    opinions: Sequence[Opinion]
    """With display names and trends."""
    entries: Sequence[OpinionEntry]
    """What stands on the opinions page now."""
    entities: Mapping[str, Entity]
    today: date
    """The day that the pages speak for."""
    newest: date | None = None
    """The last day that anything was recorded on."""
    unjudged: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Opinion id → ids of newer facts that may bear on it and that nobody has judged."""
    questioned: Mapping[str, str] = field(default_factory=dict)
    """Fact id → id of a newer fact that may say otherwise: of the last word on an opinion the
    likeliest of those, else one about the same, near in meaning."""
    over: Over = Over({}, {}, {})
    """What holds no longer, by what newer lines and rulings say."""
    relations: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Fact id → the properties that it fixes."""
    beside: Collection[tuple[str, str]] = frozenset()
    """Ids `(newer, older)` of lines of which somebody ruled that both hold."""
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Fact id → slugs of the entities that its text names without a mark."""
    descriptions: Mapping[str, Description] = field(default_factory=dict)
    """Slug → the owner's own sentence on what the entity is."""
    notes: Mapping[str, Sequence[NamedIn]] = field(default_factory=dict)
    """Slug → the newest sentences of logs that name the entity."""
    coming: Sequence[AgendaItem] = ()
    """What is to come, however far away, and what is open."""
    waiting: int = 0
    """How many decisions wait in the inbox."""
    bare: frozenset[str] = frozenset()
    """Entities with few lines whose page holds nothing but what reflect wrote."""


class KnownFact(Record):
    fact: Fact
    status: FactStatus = FactStatus.LIVE
    newer: Fact | None = None
    """The fact that replaces it; what replaces an opinion stands in `opinions.md`."""
    since: date | None = None
    """The day from which it, or the opinion that it states, holds no longer."""
    relations: frozenset[str] = frozenset()
    """The properties that it fixes: `residence`, `employer`, …"""
    in_part: bool = False
    """Whether `newer` replaces a part of it only."""

    @property
    def day(self) -> date | None:
        """The day it happened if the text says so, else the day it was written."""
        occurred = self.fact.occurred
        if occurred is not None and (occurred.start or occurred.end):
            return occurred.start or occurred.end
        return self.fact.recorded


def is_current(known: KnownFact) -> bool:
    return (
        known.status is FactStatus.LIVE
        and known.fact.kind is not FactKind.OPINION
        and not known.in_part
    )


def known_facts(content: BankContent) -> list[KnownFact]:
    """Facts with what became of them, or of the opinion that they state; the same line written
    twice on one day is one, where it stands last."""
    by_id = {fact.id: fact for fact in content.facts}
    superseded, lapsed = content.over.superseded, content.over.lapsed
    replaced = {old: new for old, (_, new) in lapsed.items()} | superseded
    newer = {old: by_id[new] for old, new in replaced.items() if new in by_id}
    in_part = {
        id_
        for id_ in lapsed
        if id_ in by_id
        if id_ not in superseded or _SEVERAL_CLAUSES.search(by_id[id_].content)
    }
    status = dict.fromkeys(superseded.keys() - in_part, FactStatus.SUPERSEDED)
    since = dict(content.over.since)
    for opinion in content.opinions:
        if opinion.status is OpinionStatus.LIVE:
            continue
        for evidence in opinion.evidence:
            if evidence.reason in ("stated", "restated"):
                status[evidence.fact_id] = FactStatus(opinion.status.value)
                if opinion.superseded_since:
                    since[evidence.fact_id] = opinion.superseded_since
    nothing: frozenset[str] = frozenset()  # one for all
    return [
        KnownFact(
            fact,
            status.get(fact.id, FactStatus.LIVE),
            newer.get(fact.id),
            since.get(fact.id),
            content.relations.get(fact.id, nothing),
            in_part=fact.id in in_part,
        )
        for fact in by_id.values()
    ]


def latest_wordings(opinions: Iterable[Opinion]) -> dict[str, str]:
    """Fact id → the last of the lines that state the same opinion."""
    latest: dict[str, str] = {}
    for opinion in opinions:
        said = [
            line.fact_id
            for line in opinion.evidence
            if line.stance is Stance.FOR and line.reason in ("stated", "restated")
        ]
        latest |= dict.fromkeys(said, said[-1] if said else "")
    return latest


def newer_places(content: BankContent) -> dict[str, str]:
    """The place of each line whose fact or opinion was replaced → that of the line that did it."""
    newer = {str(k.fact.citation): str(k.newer.citation) for k in known_facts(content) if k.newer}
    opened = {o.id: str(o.evidence[0].source) for o in content.opinions if o.evidence}
    for opinion in (each for each in content.opinions if each.superseded_by in opened):
        for line in opinion.evidence:
            if line.reason in ("stated", "restated"):
                newer[str(line.source)] = opened[opinion.superseded_by or ""]
    return newer
