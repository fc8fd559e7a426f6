"""Lexical retriever: BM25 over an item's words, neighbours, entities, days and title."""

from __future__ import annotations

from functools import cache

from lorebank.index.lexical import Columns, match_items
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

__all__ = ["NAME", "retrieve"]

NAME = "lexical"
_AROUND = frozenset({"around"})


def retrieve(request: Request) -> Ranking:
    """Items that hold any of the terms; `why` tells those in the item from those around it."""
    terms = request.understood.terms
    matches = match_items(
        request.vocabulary, request.postings, terms, request.limit, within=request.within
    )

    @cache  # most items hold the terms in one of a few ways
    def why(columns: Columns) -> dict[str, list[str]]:
        pairs = list(zip(terms, columns, strict=False))
        return {
            "terms": [term for term, found in pairs if found - _AROUND],
            "around": [term for term, found in pairs if found == _AROUND],
        }

    return Ranking(
        NAME, tuple(Ranked(match.row, match.score, why(match.columns)) for match in matches)
    )
