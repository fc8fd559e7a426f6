"""Opinion retriever: what the entities in question prefer and think, surest first."""

from __future__ import annotations

from lorebank.index.graph import opinion_items
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

NAME = "opinion"


def retrieve(request: Request) -> Ranking:
    """Facts that state an opinion of the entities named, or any where none is named."""
    if not request.understood.wants_opinion:
        return Ranking(NAME, ())
    rows = opinion_items(
        request.connection, request.understood.entities, request.limit, within=request.within
    )
    return Ranking(
        NAME,
        tuple(Ranked(item, c, {"confidence": round(c, 4)}) for item, c in rows),
    )
