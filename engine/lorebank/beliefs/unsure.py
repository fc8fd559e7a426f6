"""Pairs that wait for a judge: a line near an opinion whose bearing on it is not certain.

A person or an agent reads them, so there are few: of each line the opinion it comes nearest to, and
only where it comes near enough. The holder's own opinion lines are rare and weigh most: they are
asked about from a lower nearness on.

A judgement on one is a line of `bank/evidence.md` and enters the fold as `forming.Verdict`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import date

from lorebank.beliefs.outcome import Belief
from lorebank.beliefs.reading import read, shared
from lorebank.beliefs.relation import Relation
from lorebank.database.connection import Connection
from lorebank.domain import Fact, OpenPair, Opinion, OpinionStatus, UnsureQueue
from lorebank.index.items import facts_by_id
from lorebank.index.opinions import UnsureRow, count_unsure, load_opinions, load_unsure

NEAR_MEANING, NEAR_WORDS = 0.2, 0.4
"""From here on a line is asked about: on 60 days of notes by another hand 28 of 31 lines that bear
on an opinion come so near, at 1 to 1.5 pairs a day."""
OWN_WORD_NEAR = 0.1
"""The same for an opinion line of the holder. On 126 pairs of opinions by other hands a fifth of
the restatements and contradictions lie below .3, none below .1."""
_LIMIT = 200
"""Pairs of one holder; the newest are kept."""


@dataclass(frozen=True, slots=True)
class UnsurePair:
    """A line near an opinion, and why it may bear on it."""

    fact: Fact
    opinion_id: str
    statement: str
    score: float
    """0..1: how near it comes."""
    reason: str


def names_object(statement: str, text: str, names: frozenset[str] = frozenset()) -> float:
    """0..1: how much of what an opinion is about a text names."""
    objects = read(statement, names).objects
    return shared(objects, read(text, names).objects)


def unsure_pair(
    fact: Fact,
    near: Iterable[tuple[Belief, Relation, float | None]],
    names: frozenset[str],
    *,
    own_word: bool,
) -> UnsurePair | None:
    """The opinion that a line comes nearest to; `None` where it comes near to none.

    `near` holds each opinion with the line's relation to it and the cosine of the two.
    """
    best: UnsurePair | None = None
    least = OWN_WORD_NEAR if own_word else NEAR_MEANING
    for belief, relation, cosine in near:
        named = names_object(belief.statement, fact.content, names)
        meant = cosine or 0.0
        if meant < least and named < NEAR_WORDS:
            continue
        score = round(max(meant, named / 2 if cosine is not None else named), 3)
        if best is None or score > best.score:
            reason = relation.reason or ("alike in meaning" if meant >= named else "names it")
            best = UnsurePair(fact, belief.id, belief.statement, score, reason)
    return best


def newest_first(pairs: Iterable[UnsurePair]) -> tuple[UnsurePair, ...]:
    """The pairs of a holder as they are stored."""
    ranked = sorted(
        pairs,
        key=lambda p: (-(p.fact.recorded or date.min).toordinal(), -p.score, p.fact.id),
    )
    return tuple(ranked[:_LIMIT])


_WEIGHTS = {OpinionStatus.LIVE: 1.0, OpinionStatus.SUPERSEDED: 0.5, OpinionStatus.RETRACTED: 0.0}


def rows_of(pairs: Iterable[UnsurePair], opinions: Collection[Opinion]) -> tuple[UnsureRow, ...]:
    """The pairs as they are stored, without those of opinions that a person took back.

    Of an opinion that another replaced they count half: a judge may still say since when.
    """
    weights = {o.id: _WEIGHTS[o.status] for o in opinions}
    return tuple(
        UnsureRow(pair.opinion_id, pair.fact.id, round(pair.score * weight, 3), pair.reason)
        for pair in pairs
        if (weight := weights.get(pair.opinion_id, 0.0))
    )


def unsure_queue(connection: Connection, *, limit: int, entity: str | None = None) -> UnsureQueue:
    """The pairs that wait, the best first; of opinions by or about `entity` (a slug) only."""
    opinions = {o.id: o for o in load_opinions(connection, entity=entity)}
    pairs = tuple(
        OpenPair(
            fact=facts_by_id(connection, row.fact)[0],
            opinion_id=row.opinion,
            statement=opinions[row.opinion].statement,
            confidence=opinions[row.opinion].confidence,
            score=row.score,
            reason=row.reason,
        )
        for row in load_unsure(connection, entity=entity, limit=limit)
    )
    return UnsureQueue(pairs, count_unsure(connection, entity=entity))
