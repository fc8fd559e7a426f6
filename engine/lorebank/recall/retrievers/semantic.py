"""Semantic retriever: nearness in meaning, by the embedder's vectors.

Facts have vectors of their own. A passage has that of its chunk, a little discounted, since the
chunk says more than the passage.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorebank.index.chunks import chunks_of_passages, passages_of_chunks
from lorebank.index.vectors import CHUNK, ITEM
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

NAME = "semantic"
CHUNK_DISCOUNT = 0.9
CHUNKS = 20


def retrieve(request: Request) -> Ranking:
    """The nearest items; empty without an embedder."""
    if request.vectors is None or request.query_vector is None:
        return Ranking(NAME, ())
    allowed = request.allowed
    limit = request.limit if allowed is None else request.limit * 8
    scores = dict(request.vectors.nearest(ITEM, request.query_vector, limit))
    chunks = dict(request.vectors.nearest(CHUNK, request.query_vector, CHUNKS))
    for passage, chunk in passages_of_chunks(request.connection, list(chunks)):
        scores[passage] = max(scores.get(passage, -1.0), CHUNK_DISCOUNT * chunks[chunk])
    kept = [(item, score) for item, score in scores.items() if allowed is None or item in allowed]
    kept.sort(key=lambda entry: (-entry[1], entry[0]))
    return Ranking(
        NAME,
        tuple(
            Ranked(item, score, {"similarity": round(score, 4)})
            for item, score in kept[: request.limit]
        ),
    )


def nearness(request: Request, ranking: Ranking, items: Sequence[int]) -> Mapping[int, float]:
    """Similarity of every one of `items` that has a vector, found by this retriever or not; of a
    passage, that of its chunk."""
    if request.vectors is None or request.query_vector is None:
        return {}
    found = ranking.scores
    others = [item for item in items if item not in found]
    own = request.vectors.similarities(ITEM, request.query_vector, others)
    places = chunks_of_passages(request.connection, [n for n in others if n not in own])
    chunks = request.vectors.similarities(
        CHUNK, request.query_vector, sorted({chunk for _, chunk in places})
    )
    passages: dict[int, float] = {}
    for passage, chunk in places:
        if chunk in chunks:
            passages[passage] = max(passages.get(passage, -1.0), CHUNK_DISCOUNT * chunks[chunk])
    return own | passages | found
