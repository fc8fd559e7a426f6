"""Lexical retriever: BM25 over an item's words, neighbours, entities, days and title."""

from __future__ import annotations

from lorebank.index.lexical import LexicalMatch, match_items
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

__all__ = ["NAME", "retrieve"]

NAME = "lexical"
_AROUND = frozenset({"around"})


def retrieve(request: Request) -> Ranking:
    """Items that hold any of the terms; `why` tells those in the item from those around it."""
    terms = request.understood.terms
    matches = match_items(request.vocabulary, terms, request.limit, within=request.within)
    return Ranking(NAME, tuple(_ranked(match, terms) for match in matches))


def _ranked(match: LexicalMatch, terms: tuple[str, ...]) -> Ranked:
    pairs = list(zip(terms, match.columns, strict=False))
    return Ranked(
        match.row,
        match.score,
        {
            "terms": [term for term, columns in pairs if columns - _AROUND],
            "around": [term for term, columns in pairs if columns == _AROUND],
        },
    )
