"""Chunk search: the hybrid index over all notes, as snippets with their place.

Scores are 0..1: the z-score fusion decides the order, then each score is the hit's own share of
the words asked for, or its nearness in meaning, whichever says more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from lorebank.domain import Chunk, SearchHit
from lorebank.index.chunks import load_chunks
from lorebank.index.connection import Connection
from lorebank.index.contexts import contexts_of
from lorebank.index.lexical import match_chunks
from lorebank.index.quarantine import origins_in_lines
from lorebank.index.vectors import CHUNK
from lorebank.language.words import content_words, identifiers, words
from lorebank.recall.fusion import fuse_zscores
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.snippets import matching_line, snippet
from lorebank.recall.understand import MAX_QUERY_CHARACTERS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.index.vectors import VectorIndex

LEAST_WANTED = 10
"""Hits that candidates are gathered for, however few are asked for."""
LEXICAL_LEAST = 0.4


def search_chunks(
    connection: Connection,
    text: str,
    *,
    k: int,
    min_score: float,
    within: str | None,
    vectors: VectorIndex | None,
    query_vector: NDArray[np.float32] | None,
    provider: str,
    model: str,
    candidate_multiplier: int,
) -> tuple[SearchHit, ...]:
    """The best chunks for a question, best first, at most `k`, none below `min_score`.

    `candidate_multiplier`: candidates of each side for each hit that is wanted.
    """
    terms = search_terms(text[:MAX_QUERY_CHARACTERS])
    wanted = max(k, LEAST_WANTED) * candidate_multiplier
    lexical, covered = _lexical(connection, terms, wanted, within)
    semantic = _semantic(vectors, query_vector, wanted, within)
    depth = max(covered.values(), default=0.0)
    fused = fuse_zscores(
        [lexical, semantic], {"lexical": LEXICAL_LEAST + depth, "semantic": 1.0 - 0.5 * depth}
    )
    similar = semantic.scores
    scores = {c: max(covered.get(c, 0.0), similar.get(c, 0.0), 0.0) for c in fused}
    order = [
        chunk
        for chunk in sorted(fused, key=lambda c: (-fused[c], c))
        if scores[chunk] >= min_score and scores[chunk] > 0.0
    ]
    chunks = load_chunks(connection, order[: 2 * k])
    hits: list[SearchHit] = []
    for number in order[: 2 * k]:
        chunk = chunks[number]
        if len(hits) == k:
            break
        if any(_shows_the_same(hit, chunk, terms) for hit in hits):
            continue
        hits.append(
            SearchHit(
                path=chunk.citation.path,
                start_line=chunk.citation.start_line,
                end_line=chunk.citation.end_line,
                score=min(1.0, scores[number]),
                snippet=snippet(chunk.text, terms),
                heading=chunk.heading,
                provider=provider,
                model=model,
            )
        )
    contexts = contexts_of(connection, [hit.path for hit in hits])
    origins = origins_in_lines(connection, [hit.source for hit in hits])
    return tuple(
        replace(hit, context=contexts.get(hit.path, ()), origin=origin, quarantined=quarantined)
        for hit, (origin, quarantined) in zip(hits, origins, strict=True)
    )


def _shows_the_same(hit: SearchHit, chunk: Chunk, terms: Sequence[str]) -> bool:
    """Whether a chunk overlaps a better one in the very line that it was found for."""
    place = chunk.citation
    apart = hit.path != place.path or (
        place.start_line > hit.end_line or hit.start_line > place.end_line
    )
    if apart:
        return False
    found = matching_line(chunk.text, terms)
    return found in hit.snippet and len(found) > 1


def search_terms(text: str) -> tuple[str, ...]:
    """Content words, and identifiers whole."""
    terms = content_words(text) or words(text)
    whole = [token for token in identifiers(text) if len(words(token)) > 1]
    return tuple(dict.fromkeys([*terms, *whole]))


def _lexical(
    connection: Connection, terms: Sequence[str], limit: int, within: str | None
) -> tuple[Ranking, dict[int, float]]:
    matches = match_chunks(connection, terms, limit, within=within)
    covered = {
        match.row: sum(1 for columns in match.columns if columns) / len(match.columns)
        for match in matches
    }
    return Ranking("lexical", tuple(Ranked(m.row, m.score) for m in matches)), covered


def _semantic(
    vectors: VectorIndex | None,
    query_vector: NDArray[np.float32] | None,
    limit: int,
    within: str | None,
) -> Ranking:
    if vectors is None or query_vector is None:
        return Ranking("semantic", ())
    nearest = vectors.nearest(CHUNK, query_vector, limit)
    if within is not None:
        import json

        allowed = set(json.loads(within))
        found = vectors.similarities(CHUNK, query_vector, sorted(allowed))
        nearest = sorted(found.items(), key=lambda entry: (-entry[1], entry[0]))[:limit]
    return Ranking("semantic", tuple(Ranked(row, score) for row, score in nearest))
