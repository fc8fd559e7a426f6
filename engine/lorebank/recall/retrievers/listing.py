"""Listing retriever: what the filters leave, newest first, where nothing else was asked for.

`tag:recipe` and `kind:opinion -tea` are whole questions; there is nothing to search, only to list.
"""

from __future__ import annotations

from lorebank.index.selection import newest_items
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

NAME = "listing"


def retrieve(request: Request) -> Ranking:
    """The newest items inside the filters; empty where words, names or a time are asked for."""
    understood = request.understood
    asked = understood.terms or understood.entities or understood.query.interval
    if asked or request.within is None:
        return Ranking(NAME, ())
    newest = newest_items(request.connection, request.limit, within=request.within)
    return Ranking(NAME, tuple(Ranked(item, 1.0 / (n + 1)) for n, item in enumerate(newest)))
