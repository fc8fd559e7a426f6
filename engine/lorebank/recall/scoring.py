"""Scoring: the fused rankings, and the signs that a list's score cannot show.

The base is a z-score sum of the lexical and the semantic list. How much the lexical list counts
grows with how much of the question its best hits cover: where a hit holds nearly all the words
asked for, meaning can add little; where the words are missing, meaning is all there is. On top
come small steps, each worth a part of a standard deviation, for what a person would look at: is it
about the one asked for, did it happen then, does it state an opinion when one is asked for, is it
a statement at all. None is large enough to bury an item that holds all the words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from lorebank.index.items import NOTE, Item
from lorebank.language.folding import fold
from lorebank.recall.fusion import standardise
from lorebank.recall.ranking import Ranking
from lorebank.recall.understand import Understood

__all__ = ["DEFAULT_WEIGHTS", "Pool", "Weights", "coverage", "score_pool"]


@dataclass(frozen=True, slots=True)
class Weights:
    """Steps in standard deviations of the fused lists; confirmed on judged chat logs."""

    lexical_least: float = 0.3
    """Weight of the lexical list when its best hits cover nothing of the question."""
    lexical_by_coverage: float = 1.2
    """What full coverage adds to it."""
    names_only: float = 0.3
    """Share of the lexical weight that stays where the question holds only names."""
    semantic: float = 0.9
    """Weight of the semantic list when the words cover nothing of the question."""
    semantic_by_coverage: float = -0.7
    """What full coverage takes from it."""
    covered: float = 1.2
    """For an item that itself holds all the words, pro rata by rarity."""
    complete: float = 3.0
    """For an item with a sentence that holds every word; falls off steeply where one is missing.
    BM25 alone prefers a short text with most of the words to a paragraph with all of them."""
    phrase: float = 2.0
    """It holds the quoted phrases of the question whole, pro rata."""
    entity: float = 1.0
    """It is about, or mentions, an entity of the question."""
    curated: float = 1.5
    """It is a fact that somebody noted, not a passage of prose."""
    unasked_opinion: float = 0.3
    """In place of it, for an opinion where none is asked for."""
    newest: float = 0.8
    """Where the question names entities and no subject: the newest gets all of it, pro rata."""
    defining: float = 1.5
    """The question asks what or who an entity is, and it begins with the entity's name; half of
    it for the oldest, pro rata: who somebody is was said when they first came up."""
    in_time: float = 1.0
    """It lies in the interval of the question."""
    dated: float = 1.0
    """It names a time, and the question asks when."""
    opinion: float = 1.4
    """It states an opinion, and the question asks for one; times the present confidence."""
    question: float = -1.0
    """It is a question itself."""
    context: float = 0.4
    """What its neighbours in the file score, pro rata."""
    slot: float = 2.0
    """It fixes the property asked for; the newest that does stands this far above all others,
    in whatever words or language it is written. Half of it for the one before."""
    newest_opinion: float = 1.2
    """Where opinions are asked for: the newest of those named gets all of it, pro rata."""
    neighbour: float = 0.15
    """It is linked only through a neighbour of the entity."""


DEFAULT_WEIGHTS = Weights()
_MENTIONED = 0.8
_STEEPNESS = 6
_NEARLY_ALL = 0.7
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[。！？]|\n\n|\n(?=\s*[-*+|])")
_QUESTION_MARKS = ("?", "？", "؟")


@dataclass(frozen=True)
class Pool:
    """The candidates of one question and all that was found out about them."""

    understood: Understood
    items: Mapping[int, Item]
    rankings: Mapping[str, Ranking]
    rarity: Mapping[str, float]
    """Term → its inverse document frequency, at least 0."""
    known_terms: frozenset[str]
    """The terms that stand anywhere in the workspace."""
    in_time: frozenset[int]

    def why(self, item: int) -> dict[str, dict[str, Any]]:
        """What each retriever that found an item says of it: its rank from 1, and reasons."""
        return {
            name: {"rank": ranking.places[item] + 1, **ranking.ranked[ranking.places[item]].why}
            for name, ranking in self.rankings.items()
            if item in ranking.places
        }

    @cached_property
    def newness(self) -> dict[int, float]:
        """Item → 1 for the newest day in the pool, 0 for the oldest, by rank of the days."""
        days = sorted({item.recorded for item in self.items.values() if item.recorded})
        place = {day: index / max(1, len(days) - 1) for index, day in enumerate(days)}
        return {n: place[i.recorded] for n, i in self.items.items() if i.recorded}


def score_pool(pool: Pool, base: Mapping[int, float] | None, weights: Weights) -> dict[int, float]:
    """Item → score; `base` replaces the z-score sum where another fusion was chosen."""
    covered = {item: coverage(pool, item) for item in pool.items}
    if base is None:
        base = _z_score_sum(pool, covered, weights)
    scores = {
        item: base.get(item, 0.0) + _steps(pool, pool.items[item], covered[item], weights)
        for item in pool.items
    }
    return _with_property(pool, _with_context(pool, scores, weights), weights)


def _with_property(pool: Pool, scores: dict[int, float], weights: Weights) -> dict[int, float]:
    for entry in pool.rankings["slot"].ranked[:1]:
        scores[entry.item] = max(scores.values()) + weights.slot
    return scores


def coverage(pool: Pool, item: int, terms: Sequence[str] | None = None) -> float:
    """How much of the question the item holds, 0..1, rare words counting more.

    `terms` looks at some of the question's terms only.
    """
    rarity = pool.rarity if terms is None else {t: pool.rarity.get(t, 0.0) for t in terms}
    total = sum(rarity.values())
    if total <= 0.0:
        return 0.0
    why = _why(pool, "lexical", item)
    held = sum(rarity.get(term, 0.0) for term in why.get("terms", ()))
    beside = sum(rarity.get(term, 0.0) for term in why.get("around", ()))
    return min(1.0, (held + 0.3 * beside) / total)


def _z_score_sum(pool: Pool, covered: Mapping[int, float], weights: Weights) -> dict[int, float]:
    best = sorted(covered.values(), reverse=True)[:3]
    depth = sum(best) / len(best) if best else 0.0
    lexical = standardise(pool.rankings["lexical"].scores, pool.items)
    semantic = standardise(pool.rankings["semantic"].scores, pool.items)
    by_words = weights.lexical_least + weights.lexical_by_coverage * depth
    if not pool.understood.subject_terms:
        # Only names were asked for: how short a text is that holds one says nothing.
        by_words *= weights.names_only
    by_meaning = max(0.0, weights.semantic + weights.semantic_by_coverage * depth)
    return {item: by_words * lexical[item] + by_meaning * semantic[item] for item in pool.items}


def _steps(pool: Pool, item: Item, covered: float, weights: Weights) -> float:
    understood = pool.understood
    step = weights.covered * covered + weights.complete * _completeness(pool, item)
    if understood.quoted:
        held = _why(pool, "lexical", item.item).get("terms", ())
        share = sum(phrase in held for phrase in understood.quoted) / len(understood.quoted)
        step += weights.phrase * share
    if item.kind != NOTE:
        unasked = item.kind == "opinion" and not understood.wants_opinion
        step += weights.unasked_opinion if unasked else weights.curated
    listed = pool.rankings["listing"].of(item.item)
    if listed is not None:
        step += weights.newest * listed.score
    if understood.entities:
        named = _names_held(pool, item) if item.kind == NOTE else _named(pool, item)
        step += weights.entity * named
        if not named and pool.rankings["entity"].of(item.item):
            step += weights.neighbour
        if understood.asks_who and not understood.subject_terms:
            step += weights.defining * _defines(pool, item)
        elif not understood.subject_terms:
            step += weights.newest * pool.newness.get(item.item, 0.0)
    fixed = pool.rankings["slot"].of(item.item)
    if fixed is not None:
        step += weights.slot * fixed.score
        if understood.query.interval is not None:
            step += weights.in_time * fixed.score  # it was written before, and held then
    elif item.item in pool.in_time:
        placed = pool.rankings["temporal"].of(item.item)
        step += weights.in_time * (placed.score if placed else 1.0)
    if understood.wants_time and item.occurred is not None:
        step += weights.dated
    stated = pool.rankings["opinion"].of(item.item)
    if stated is not None and _is_held_by_named(pool, item):
        step += weights.opinion * stated.score
        if understood.entities and not understood.wants_past:
            step += weights.newest_opinion * stated.score * pool.newness.get(item.item, 0.0)
    if item.content.rstrip(" \"'”’»)").endswith(_QUESTION_MARKS):
        step += weights.question
    return step


def _defines(pool: Pool, item: Item) -> float:
    first = fold(item.content[:80])
    named = any(
        first.startswith(fold(name))
        for slug, name in zip(item.entities, item.names, strict=False)
        if slug in pool.understood.entities
    )
    return named + 0.5 * (1.0 - pool.newness.get(item.item, 1.0))


def _is_held_by_named(pool: Pool, item: Item) -> bool:
    """Whether an opinion is that of somebody asked about, not of another who is only beside."""
    wanted = set(pool.understood.entities)
    return not wanted or bool(wanted & (item.subjects or set(item.entities)))


def _completeness(pool: Pool, item: Item) -> float:
    """1 where one sentence of the item holds every term; near 0 where it lacks one of four."""
    terms = pool.understood.telling_terms
    held = [t for t in _why(pool, "lexical", item.item).get("terms", ()) if t in terms]
    if not terms or len(held) < _NEARLY_ALL * len(terms):
        return 0.0
    # Stems are what was matched; the beginnings of words are near enough to them, and cheap.
    starts = [fold(term)[: max(3, len(term) - 2)] for term in held]
    names = fold(" ".join(item.names))
    sentences = [f"{text} {names}" for text in _SENTENCE_END.split(fold(item.content))]
    together = max(sum(start in sentence for start in starts) for sentence in sentences)
    share = together / len(terms)
    return share**_STEEPNESS


def _named(pool: Pool, item: Item) -> float:
    """Share of the entities asked for that a fact is about, or at least mentions."""
    wanted = pool.understood.entities
    held = sum(
        1.0 if slug in item.subjects else _MENTIONED if slug in item.entities else 0.0
        for slug in wanted
    )
    return held / len(wanted)


def _names_held(pool: Pool, item: Item) -> float:
    """Share of the name words of the question that a passage holds; it has no mentions."""
    names = [t for t in pool.understood.terms if t not in pool.understood.subject_terms]
    held = _why(pool, "lexical", item.item).get("terms", ())
    return sum(1 for name in names if name in held) / len(names) if names else 0.0


def _with_context(pool: Pool, scores: dict[int, float], weights: Weights) -> dict[int, float]:
    """Add a share of what the items just before and after it score, where that is good."""
    if not scores or not pool.understood.subject_terms:
        return scores
    places = {(item.file, item.ordinal): number for number, item in pool.items.items()}
    middle = sum(scores.values()) / len(scores)
    lifted: dict[int, float] = {}
    for number, item in pool.items.items():
        beside = [
            scores[places[place]] - middle
            for offset in (-2, -1, 1, 2)
            if (place := (item.file, item.ordinal + offset)) in places
        ]
        lift = max(beside, default=0.0)
        lifted[number] = scores[number] + weights.context * max(0.0, lift)
    return lifted


def _why(pool: Pool, retriever: str, item: int) -> Mapping[str, list[str]]:
    entry = pool.rankings[retriever].of(item)
    return entry.why if entry else {}
