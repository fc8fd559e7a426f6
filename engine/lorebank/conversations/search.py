"""Search transcripts by words; hits are marked as unconfirmed.

A score is that of a note with the same share of the question's words and no other signals, so that
hits of both can be merged.
"""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.conversations.store import load_session_chunks, select_session_chunks
from lorebank.database.connection import Connection
from lorebank.domain.answers import SearchHit
from lorebank.domain.facts import Origin
from lorebank.index.lexical import match_chunks
from lorebank.recall.scoring import score_of_words
from lorebank.recall.search import search_terms
from lorebank.recall.snippets import snippet
from lorebank.recall.understand import MAX_QUERY_CHARACTERS

_MIN_CANDIDATES, _CANDIDATES_PER_HIT = 40, 4
"""Chosen by hand: repeated chunks and low scores are dropped later."""


def search_sessions(
    connection: Connection, text: str, *, k: int, min_score: float = 0.0, path: str | None = None
) -> tuple[SearchHit, ...]:
    """The best chunks for a question, best first, without duplicates."""
    terms = search_terms(text[:MAX_QUERY_CHARACTERS])
    within = None if path is None else select_session_chunks(connection, path)
    wanted = max(_MIN_CANDIDATES, k * _CANDIDATES_PER_HIT)
    matches = match_chunks(connection, terms, wanted, table="session_chunks_fts", within=within)
    scores = {row: score_of_words(count / len(terms), named=0.0) for row, count in matches.items()}
    hits: dict[str, SearchHit] = {}
    for chunk in load_session_chunks(connection, list(scores)):
        if scores[chunk.number] < min_score or chunk.text in hits:
            continue
        hits[chunk.text] = SearchHit(
            path=chunk.path,
            start_line=chunk.start_line,
            end_line=chunk.end_line,
            score=scores[chunk.number],
            snippet=snippet(chunk.text, terms),
            heading=chunk.day,
            origin=Origin.SESSION,
            quarantined=True,
            corpus="sessions",
        )
        if len(hits) == k:
            break
    return tuple(hits.values())


def merge_hits(
    notes: Sequence[SearchHit], sessions: Sequence[SearchHit], *, k: int
) -> tuple[SearchHit, ...]:
    """Merge both by score, each in its own order; notes first at equal scores."""
    left, right = list(notes), list(sessions)
    merged: list[SearchHit] = []
    while (left or right) and len(merged) < k:
        first = left if not right or (left and left[0].score >= right[0].score) else right
        merged.append(first.pop(0))
    return tuple(merged)
