"""Items about two lines of facts: does the newer one replace the older, or do both hold?

What ends beyond doubt is ended without asking (`supersede`). Of the rest a newer line is asked
about together with the older line about the same entity that it is nearest to: by meaning, by
words in common, and where it speaks of a change. The less is known of an entity, the likelier a new
line bears on it, so fewer signs are wanted there.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from lorebank.domain import Decision, Fact, FactKind, InboxItem, InboxKind, Relation
from lorebank.inbox.sources import (
    Desk,
    Source,
    Verdict,
    add_ledger_line,
    item_id,
    ledger_text,
    line_of_fact,
    remove_ledger_lines,
)
from lorebank.index.items import all_facts, facts_by_entity
from lorebank.index.succession import fates_of_facts, ruled_pairs
from lorebank.markdown.ledger import LineRuling, format_line_ruling, parse_line_rulings
from lorebank.workspace.layout import DECISIONS_PAGE

if TYPE_CHECKING:
    from numpy import ndarray

_KIND = InboxKind.REPLACEMENT
_STATES = frozenset({FactKind.WORLD, FactKind.OBSERVATION})
_MAY_END = frozenset({FactKind.WORLD, FactKind.OBSERVATION, FactKind.EXPERIENCE})
_A_DAY = 2
"""Most questions about the lines of one day."""
_CHANGE, _SHARED = 0.1, 0.3
"""What a word of change, and all words shared, add to the cosine of the two lines."""
_ENOUGH = 0.45
"""The score wanted where many older lines are known. In two logs by other hands 1.2 questions a day
then reach 16 of 23 and 9 of 12 stale lines, with those ended without asking; at .3 one more, and
half as many questions again where most lines tell of deeds."""
_ENOUGH_WORDS = _SHARED / 3
"""The same without an embedder: a third of the words, or a word of change."""
_WINDOW = timedelta(days=90)
"""Older questions are let go: whoever left them for a quarter will not answer them."""


class _Pair(NamedTuple):
    score: float
    newer: Fact
    older: Fact
    is_change: bool


def _waiting(desk: Desk) -> Iterator[InboxItem]:
    facts = [f for f in all_facts(desk.connection) if f.recorded and not f.quarantined]
    fates = fates_of_facts(desk.connection, today=desk.today)
    ruled = ruled_pairs(desk.connection)
    by_day: defaultdict[date, dict[str, _Pair]] = defaultdict(dict)
    spent = set(fates.superseded.values())  # these lines have ended what they speak of
    for pair in _pairs(desk, [f for f in facts if f.id not in fates.superseded]):
        if pair.newer.id in spent:
            continue
        day = pair.newer.recorded
        assert day is not None
        known = by_day[day].get(pair.newer.id)
        if (pair.newer.id, pair.older.id) not in ruled and (not known or known.score < pair.score):
            by_day[day][pair.newer.id] = pair
    for found in by_day.values():
        ranked = sorted(found.values(), key=lambda p: (-p.score, p.newer.id, p.older.id))
        yield from map(_item, ranked[:_A_DAY])


def _about(desk: Desk, fact: Fact) -> Iterator[InboxItem]:
    """The line about the same entity that a new line is nearest to."""
    if fact.quarantined or not fact.recorded:
        return
    near = [
        f
        for f in facts_by_entity(desk.connection, sorted(fact.subjects))
        if f.recorded and not f.quarantined
    ]
    fates = fates_of_facts(desk.connection, today=desk.today)
    ruled = ruled_pairs(desk.connection)
    pairs = [
        pair
        for pair in _pairs(desk, [f for f in near if f.id not in fates.superseded])
        if pair.newer.id == fact.id and (pair.newer.id, pair.older.id) not in ruled
    ]
    if pairs:
        yield _item(max(pairs, key=lambda p: (p.score, p.older.id)))


def _pairs(desk: Desk, facts: Sequence[Fact]) -> Iterator[_Pair]:
    """Each recent line with the older lines about the same entity that it may replace."""
    if not facts:
        return
    since = max(f.recorded for f in facts if f.recorded) - _WINDOW
    about: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in facts:
        for mention in fact.mentions:
            if mention.subject:
                about[mention.slug].append(fact)
    groups = [group for group in about.values() if len(group) > 1 and _is_recent(group, since)]
    vectors = _unit_vectors(desk, {fact.content for group in groups for fact in group})
    for group in groups:
        for newer in group:
            if newer.kind in _MAY_END and newer.recorded and newer.recorded >= since:
                older = [f for f in group if f.kind in _STATES and _is_before(f, newer)]
                yield from _scored(newer, older, vectors)


def _scored(newer: Fact, older: Sequence[Fact], vectors: Mapping[str, ndarray]) -> Iterator[_Pair]:
    from lorebank.supersede.endings import read_change, read_stated, shared_words, tokens

    names = frozenset(word for m in newer.mentions if m.subject for word in tokens(m.name))
    is_change = read_change(newer.content, names).is_change
    said = read_stated(newer.content, names)
    enough = (_ENOUGH if vectors else _ENOUGH_WORDS) * (1 - 1 / max(1, len(older)))
    for fact in older:
        alike = 0.0
        if newer.content in vectors and fact.content in vectors:
            alike = max(0.0, float(vectors[newer.content] @ vectors[fact.content]))
        score = alike + _CHANGE * is_change
        score += _SHARED * shared_words(said, read_stated(fact.content, names))
        if score >= enough:
            yield _Pair(round(score, 4), newer, fact, is_change)


def _unit_vectors(desk: Desk, texts: Iterable[str]) -> dict[str, ndarray]:
    found = desk.vectors_of(sorted(texts))
    if not found:
        return {}
    import numpy as np

    vectors = {text: np.frombuffer(data, dtype=np.float32) for text, data in found.items()}
    return {text: v / (float(np.linalg.norm(v)) or 1.0) for text, v in vectors.items()}


def _is_recent(group: Sequence[Fact], since: date) -> bool:
    return any(f.recorded and f.recorded >= since for f in group)


def _is_before(older: Fact, newer: Fact) -> bool:
    """Lines of one day were written down together: they hold side by side."""
    assert older.recorded is not None and newer.recorded is not None
    return older.recorded < newer.recorded


def _item(pair: _Pair) -> InboxItem:
    return InboxItem(
        id=pair_id(pair.newer.id, pair.older.id),
        kind=_KIND,
        older=line_of_fact(pair.older),
        newer=line_of_fact(pair.newer),
        reason="it tells of a change, about the same" if pair.is_change else "it is about the same",
        effect={
            "same": "the newer says the older again; the older holds",
            "replaces": "the older holds no longer: it leaves pages and the head of recall",
            "both": "both hold, and this is not asked again",
        },
        weight=min(1.0, pair.score),
    )


def pair_id(newer: str, older: str) -> str:
    """The id of the item about two lines, whatever it asks of them."""
    return item_id(_KIND, newer, older)


def rule_on_lines(desk: Desk, verdict: Verdict) -> None:
    """Write a verdict on two lines into `bank/decisions.md`."""
    older, newer = verdict.item.older, verdict.item.newer
    assert older is not None and newer is not None and newer.source is not None
    reason = f"{newer.source} on {older.source}"
    relation = Relation(verdict.choice)
    ruling = LineRuling(newer.id, relation, older.id, desk.today, verdict.by, reason, newer.source)
    add_ledger_line(desk, DECISIONS_PAGE, format_line_ruling(ruling), title="Decisions on lines")


def _settled(desk: Desk) -> Iterator[Decision]:
    for ruling in parse_line_rulings(ledger_text(desk, DECISIONS_PAGE), DECISIONS_PAGE)[0]:
        yield Decision(
            id=pair_id(ruling.newer, ruling.older),
            kind=_KIND,
            verdict=ruling.relation.value,
            by=ruling.by,
            day=ruling.day,
            source=ruling.citation,
            about=(ruling.newer, ruling.older),
        )


SOURCE = Source(frozenset({_KIND}), _waiting, rule_on_lines, _settled, remove_ledger_lines, _about)
