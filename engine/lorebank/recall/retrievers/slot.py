"""Slot retriever: the facts that fix the very property asked for, in whatever words or language."""

from __future__ import annotations

from lorebank.index.slots import items_of_slots
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

NAME = "slot"


def retrieve(request: Request) -> Ranking:
    """Facts that give a property of an entity named; the newest scores 1, each before it less.

    Asked about a time, the newest is the last one recorded by its end: what held then may have
    been written long before.
    """
    understood = request.understood
    if not understood.relations and not understood.attributes:
        return Ranking(NAME, ())
    interval = understood.query.interval
    rows = items_of_slots(
        request.connection,
        understood.entities,
        understood.relations,
        understood.attributes,
        request.limit,
        until=interval.end if interval else None,
        within=request.within,
    )
    return Ranking(
        NAME,
        tuple(
            Ranked(item, 1.0 / (place + 1), {"relation": relation})
            for place, (item, relation) in enumerate(rows)
        ),
    )
