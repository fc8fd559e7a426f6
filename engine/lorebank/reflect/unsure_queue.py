"""The unsure queue as it is stored and shown; `unsure` tells which pairs wait.

A judgement on one is a line of `bank/evidence.md` and enters the fold as `matching.Verdict`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection
from lorebank.domain import OpenPair, Opinion, OpinionStatus, UnsureQueue
from lorebank.index.items import facts_by_id
from lorebank.index.opinions import load_opinions
from lorebank.index.unsure import UnsureRow, count_unsure, load_unsure

if TYPE_CHECKING:
    from lorebank.reflect.unsure import UnsurePair


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
