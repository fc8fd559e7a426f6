"""What the bank's pages are made from, and what of it still holds.

"Is my sister; she lives in Lisbon." goes on as "Is my sister." once she has moved. Only whole
clauses are taken out, never words of one; and of the rest only those are kept that can stand by
themselves: that say what somebody is, or fix a property. "Before that she lived in Rome", "loves it
there" lean on what is gone.

A line such as "now drinks espresso" stays in its log when later lines bring the old preference
back; it must not be told as what holds. And of six lines that say one thing, a list needs one.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date

from lorebank.domain.answers import AgendaItem
from lorebank.domain.facts import (
    Citation,
    Entity,
    Fact,
    FactKind,
    FactStatus,
    Opinion,
    OpinionStatus,
    Stance,
)
from lorebank.index.entity_view import Description
from lorebank.language.folding import fold
from lorebank.markdown.opinion_page import OpinionEntry
from lorebank.records import Record
from lorebank.supersede.properties import read_slots

_HAN = "\u3040-\u30ff\u3400-\u9fff"
_CLAUSE = re.compile(rf"\s*(?:[;；。，]|(?<=[{_HAN}]),|(?<=\w\w[.!?])\s)\s*")
_AND = re.compile(r",?\s+(?:and|und|y|e|et|en)\s+", re.IGNORECASE)
_IS = re.compile(
    r"(?:(?:he|she|it|they|er|sie|es|el|ella|ele|ela|il|elle|lui|lei|hij|zij|他|她|它) ?)?"
    r"(?:(?:is|are|ist|sind|es|e|est|sono)\b|是)(?! (?:there|da|la|ali|alli)\b)"
)
_END = re.compile(r"[.。!]+\s*\Z")
_WORD = re.compile(r"[^\W_][\w'’+#@/.:-]*")


class BankContent(Record):
    """All that the pages are made from."""

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
    unjudged: Mapping[str, int] = field(default_factory=dict)
    """Opinion id → how many newer lines may bear on it that nobody has judged."""
    superseded: Mapping[str, str] = field(default_factory=dict)
    """Fact id → id of the newer fact that replaces it."""
    relations: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Fact id → the properties that it fixes."""
    lapsed: Mapping[str, tuple[tuple[str, ...], str]] = field(default_factory=dict)
    """Id of a fact that is replaced or of which a part is → the values that hold no longer, and
    the newer fact's id."""
    beside: Collection[tuple[str, str]] = frozenset()
    """Ids `(newer, older)` of lines of which somebody ruled that both hold."""
    named: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Fact id → slugs of the entities that its text names without a mark."""
    descriptions: Mapping[str, Description] = field(default_factory=dict)
    """Slug → the owner's own sentence on what the entity is."""
    coming: Sequence[AgendaItem] = ()
    """What is to come, however far away, and what is open."""
    waiting: int = 0
    """How many decisions wait in the inbox."""
    bare: frozenset[str] = frozenset()
    """Entities with few lines whose page holds nothing but what reflect wrote."""


class KnownFact(Record):
    """A fact and what became of it."""

    fact: Fact
    status: FactStatus = FactStatus.LIVE
    newer: Citation | None = None
    """Where the fact stands that replaces it."""
    relations: frozenset[str] = frozenset()
    """The properties that it fixes: `residence`, `employer`, …"""
    holding: str | None = None
    """What of its text still holds, where a newer fact replaces a part; `None`: all of it."""
    outweighed: bool = False
    """Whether newer lines speak against what it says."""

    @property
    def text(self) -> str:
        """What it says that holds."""
        return self.fact.content if self.holding is None else self.holding

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
        and known.holding != ""
        and not known.outweighed
    )


def known_facts(content: BankContent) -> list[KnownFact]:
    """Facts with what became of them, or of the opinion that they state."""
    by_id = {fact.id: fact for fact in content.facts}
    replaced = {**{old: new for old, (_, new) in content.lapsed.items()}, **content.superseded}
    newer = {old: by_id[new].citation for old, new in replaced.items() if new in by_id}
    holding = {old: held_text(by_id[old], content) for old in content.lapsed if old in by_id}
    gone = (old for old in content.superseded if not holding.get(old))
    status = dict.fromkeys(gone, FactStatus.SUPERSEDED)
    turned = outweighed(content.opinions)
    held = {opinion.id: opinion for opinion in content.opinions}
    for opinion in content.opinions:
        if opinion.status is OpinionStatus.LIVE:
            continue
        successor = held.get(opinion.superseded_by or "")
        for evidence in opinion.evidence:
            if evidence.reason in ("stated", "restated"):
                status[evidence.fact_id] = FactStatus(opinion.status.value)
                if successor is not None:
                    newer[evidence.fact_id] = successor.source
    return [
        KnownFact(
            fact,
            status.get(fact.id, FactStatus.LIVE),
            newer.get(fact.id),
            content.relations.get(fact.id, frozenset()),
            holding=holding.get(fact.id),
            outweighed=fact.id in turned,
        )
        for fact in content.facts
    ]


def held_text(fact: Fact, content: BankContent) -> str:
    """What of a fact's text still holds; empty where nothing does."""
    if fact.id in content.lapsed:
        return holding_text(fact.content, content.lapsed[fact.id][0])
    return "" if fact.id in content.superseded else fact.content


def holding_text(content: str, lapsed: Sequence[str]) -> str:
    """The clauses of a sentence that hold none of the values that `lapsed`; empty where all do.

    Values are folded words, as slots have them.

    >>> holding_text("Is my sister; she lives in Lisbon.", ["lisbon"])
    'Is my sister.'
    """
    end = _END.search(content)
    body = content[: end.start()] if end else content
    clauses = _CLAUSE.split(body)
    parts = [p for c in clauses for p in (_AND.split(c) if _says_any(c, lapsed) else [c])]
    kept = [part for part in parts if not _says_any(part, lapsed) and _stands_alone(part)]
    if not kept:
        return ""
    text = ("，" if re.search(f"[{_HAN}]", body) else "; ").join(kept)
    return text[:1].upper() + text[1:] + (end.group().strip() if end else "")


def _says_any(clause: str, values: Sequence[str]) -> bool:
    text = fold(clause)
    said = {part for word in _WORD.findall(text) for part in (word, word.rstrip(".:'’"))}
    return any(
        set(value.split()) <= said or (not value.isascii() and value in text) for value in values
    )


def _stands_alone(part: str) -> bool:
    return bool(_IS.match(fold(part)) or read_slots(part, subjects=("somebody",)))


def outweighed(opinions: Iterable[Opinion]) -> frozenset[str]:
    """The ids of facts on the losing side of a live opinion, with newer lines on the winning one.

    A fact that speaks for the winning side of any opinion is not among them.
    """
    lost: set[str] = set()
    won: set[str] = set()
    for opinion in opinions:
        if opinion.status is not OpinionStatus.LIVE:
            continue
        side = Stance.FOR if opinion.confidence >= 0.5 else Stance.AGAINST
        winning = [line for line in opinion.evidence if line.stance is side]
        last = max((line.date for line in winning), default=date.min)
        won |= {line.fact_id for line in winning}
        lost |= {e.fact_id for e in opinion.evidence if e.stance is not side and e.date < last}
    return frozenset(lost - won)


def latest_wordings(opinions: Iterable[Opinion]) -> dict[str, str]:
    """Fact id → the id of the fact that says the same last, for lines that state one opinion."""
    latest: dict[str, str] = {}
    for opinion in opinions:
        said = [
            line.fact_id
            for line in opinion.evidence
            if line.stance is Stance.FOR and line.reason in ("stated", "restated")
        ]
        latest |= dict.fromkeys(said, said[-1] if said else "")
    return latest
