"""Lexical retriever: BM25 over an item's words, neighbours, entities, days and title."""

from __future__ import annotations

from functools import cache

from lorebank.index.lexical import match_items
from lorebank.index.postings import Held
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

NAME = "lexical"


def retrieve(request: Request) -> Ranking:
    """Items that hold any of the terms; `why` tells those in the item from those around it."""
    terms = request.understood.terms
    matches = match_items(
        request.vocabulary, request.postings, terms, request.limit, within=request.within
    )

    @cache  # most items hold the terms in one of a few ways
    def why(held: Held) -> dict[str, list[str]]:
        return {
            "terms": [term for place, term in enumerate(terms) if held.own >> place & 1],
            "around": [term for place, term in enumerate(terms) if held.around >> place & 1],
        }

    return Ranking(
        NAME, tuple(Ranked(match.row, match.score, why(match.held)) for match in matches)
    )
