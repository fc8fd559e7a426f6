"""Chunk search: the notes that answer a question, as snippets with their place.

It ranks as `recall` does, line by line, and shows the chunk in which a line stands. Words that no
line holds (of a heading with nothing below it, of front matter) are looked for in the chunks.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace

from lorebank.domain.answers import SearchHit
from lorebank.domain.facts import Chunk
from lorebank.index.chunks import chunks_of_items, contexts_of, load_chunks, select_chunks
from lorebank.index.lexical import match_chunks
from lorebank.language.words import words
from lorebank.recall.candidates import Request
from lorebank.recall.ordering import rerank_mmr
from lorebank.recall.pipeline import Found, RankOptions, find
from lorebank.recall.scoring import SIGNS, as_typed, holds_typed, score_of_words
from lorebank.recall.snippets import beginnings, matching_line, snippet, terms_held
from lorebank.recall.understand import terms_of
from lorebank.trust.quarantine import origins_in_lines

_VERBATIM = SIGNS.index("verbatim")


def search_chunks(
    request: Request, ranking: RankOptions, *, k: int, min_score: float, path: str | None
) -> tuple[SearchHit, ...]:
    """The best chunks for a question, best first, at most `k`, none below `min_score`."""
    found = find(_as_words(request), ranking)
    near = found.pool.nearness
    order = [
        item
        for item in found.relevant(found.order)
        if item in near or any(found.pool.holds(item, term) for term in _terms_of(found))
    ]
    if ranking.mmr_lambda is not None:
        order = rerank_mmr(order, found.scores, found.pool.items, ranking.mmr_lambda, k)
    place = {item: n for n, item in enumerate(order)}
    homes = chunks_of_items(request.connection, order)
    long = [chunk for chunks in homes.values() if len(chunks) > 1 for chunk in chunks]
    texts = load_chunks(request.connection, long)
    wanted = beginnings(_terms_of(found))
    scores: dict[int, tuple[float, int | None]] = {}
    for item in order:
        if item in homes:
            home = max(
                homes[item], key=lambda c: terms_held(texts[c].text, wanted) if c in texts else 0
            )
            scores.setdefault(home, (found.scores[item], item))
    for chunk, score in _by_other_words(found, path).items():
        if score > scores.get(chunk, (0.0, None))[0]:
            scores[chunk] = (score, None)
    kept = [c for c in scores if scores[c][0] >= min_score]
    if ranking.mmr_lambda is None:
        kept.sort(key=lambda c: (-scores[c][0], place.get(scores[c][1] or -1, 0), c))
    chunks = load_chunks(request.connection, kept)
    hits = _distinct(found, {c: chunks[c] for c in kept if c in chunks}, scores, k)
    contexts = contexts_of(request.connection, [hit.path for hit in hits])
    origins = origins_in_lines(request.connection, [hit.source for hit in hits])
    return tuple(
        replace(hit, context=contexts.get(hit.path, ()), origin=origin, quarantined=quarantined)
        for hit, (origin, quarantined) in zip(hits, origins, strict=True)
    )


def _as_words(request: Request) -> Request:
    """A question that is nothing but a date phrase (`Monday`, `autumn`), as the words that it is:
    what is searched are texts."""
    understood = request.understood
    if understood.phrase is None or understood.terms or understood.entities:
        return request
    terms = search_terms(understood.plain)
    query = replace(understood.query, terms=terms, interval=understood.filters.wanted.interval)
    return replace(
        request,
        understood=replace(understood, query=query, terms=terms, subject_terms=terms, phrase=None),
    )


def search_terms(text: str) -> tuple[str, ...]:
    """What is looked for of a text in which nothing is asked for."""
    return terms_of(text) or tuple(dict.fromkeys(words(text)))


def _terms_of(found: Found) -> tuple[str, ...]:
    return found.pool.request.understood.terms


def _by_other_words(found: Found, path: str | None) -> dict[int, float]:
    """Chunks with the terms that no line holds, and what these terms come to; and those that hold
    the question as typed where no line does."""
    request, terms = found.pool.request, found.pool.request.understood.terms
    missing = [t for t in terms if not any(found.pool.holds(n, t) for n in found.pool.items)]
    is_typed = any(signs[_VERBATIM] for signs in found.signs.values())
    if not missing and is_typed:
        return {}
    matches = match_chunks(request.connection, missing or terms, request.limit)
    if path is not None:
        allowed = set(json.loads(select_chunks(request.connection, path)))
        matches = {row: count for row, count in matches.items() if row in allowed}
    whole = load_chunks(request.connection, [n for n in matches if matches[n] == len(terms)])
    typed = as_typed(request.understood.plain)
    scores = {
        row: score_of_words(1.0, verbatim=1.0)
        for row, chunk in whole.items()
        if holds_typed(as_typed(f"{chunk.heading}\n{chunk.text}"), typed)
    }
    if missing:
        shares = {row: score_of_words(count / len(terms)) for row, count in matches.items()}
        return {**shares, **scores}
    return scores


def _distinct(
    found: Found,
    chunks: Mapping[int, Chunk],
    scores: Mapping[int, tuple[float, int | None]],
    k: int,
) -> list[SearchHit]:
    """The first `k` that show something of their own."""
    terms = found.pool.request.understood.terms
    hits: list[SearchHit] = []
    for number, chunk in chunks.items():
        if len(hits) == k:
            break
        score, item = scores[number]
        shown = terms
        if item is not None and not any(found.pool.holds(item, term) for term in terms):
            shown = tuple(words(found.pool.items[item].content))  # it was found by its meaning
        if any(_shows_the_same(hit, chunk, shown) for hit in hits):
            continue
        place = chunk.citation
        hits.append(
            SearchHit(
                path=place.path,
                start_line=place.start_line,
                end_line=place.end_line,
                score=score,
                snippet=snippet(chunk.text, shown),
                heading=chunk.heading,
            )
        )
    return hits


def _shows_the_same(hit: SearchHit, chunk: Chunk, terms: Sequence[str]) -> bool:
    """Whether a chunk overlaps a better one in the very line that it was found for."""
    place = chunk.citation
    if hit.path != place.path or (
        place.start_line > hit.end_line or hit.start_line > place.end_line
    ):
        return False
    line = matching_line(chunk.text, terms)
    return line in hit.snippet and len(line) > 1
