"""Scoring: what each sign that an item answers the question is worth.

Two signs lead: how much of the question's words the item holds with the lines around it, and how
near it comes in meaning. On top come small steps for what a person would look at: is it about the
one asked for, did it happen then, does it name a time when one is asked for, does it state an
opinion when one is asked for, is it a statement at all. None is large enough to bury an item that
holds all the words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from lorebank.index.items import NOTE, Item
from lorebank.language.folding import fold
from lorebank.recall.context import (
    answers_to_questions,
    coverage_in_context,
    coverage_of_files,
    nearness_around,
)
from lorebank.recall.fusion import standardise
from lorebank.recall.pool import Pool, lexical_terms

__all__ = ["DEFAULT_WEIGHTS", "Weights", "score_pool"]


@dataclass(frozen=True, slots=True)
class Weights:
    """What each sign adds to a score; confirmed on judged chat logs and stated preferences."""

    covered: float = 5.7
    """It and the lines around it hold all the words asked for; pro rata by rarity."""
    lexical: float = 0.15
    """A standard deviation of BM25: tells items apart that hold the same words."""
    semantic: float = 0.7
    """A standard deviation of nearness in meaning."""
    semantic_around: float = 0.4
    """The same, of the lines before and after."""
    section: float = 1.5
    """The best of its file hold all the words asked for; pro rata."""
    answers: float = 0.4
    """The line before it, in a conversation, asks something."""
    complete: float = 4.5
    """It has a sentence that holds every word; falls off steeply where one is missing. A paragraph
    with all of the words answers better than a conversation with most of them."""
    phrase: float = 2.0
    """It holds the quoted phrases of the question whole, pro rata."""
    entity: float = 2.6
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
    in_time: float = 2.0
    """It lies in the interval of the question."""
    dated: float = 1.4
    """It names a time, and the question asks when."""
    opinion: float = 1.4
    """It states an opinion, and the question asks for one; times the present confidence."""
    question: float = -1.2
    """It is a question itself."""
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


def score_pool(pool: Pool, weights: Weights) -> dict[int, float]:
    """Item → score."""
    covered = coverage_in_context(pool)
    lexical = standardise(pool.rankings["lexical"].scores, pool.items)
    semantic = _nearness_by_kind(pool)
    around = nearness_around(pool, semantic)
    section = coverage_of_files(pool, covered)
    answers = answers_to_questions(pool)
    scores = {
        number: weights.covered * covered[number]
        + weights.lexical * lexical[number]
        + weights.semantic * semantic[number]
        + weights.semantic_around * around[number]
        + weights.section * section[item.file]
        + weights.answers * (number in answers)
        + _steps(pool, item, weights)
        for number, item in pool.items.items()
    }
    return _with_property(pool, scores, weights)


def _nearness_by_kind(pool: Pool) -> dict[int, float]:
    """Standard scores of nearness, passages by themselves: a chunk of many sentences is never as
    near to a question as a fact of one."""
    passages = [number for number, item in pool.items.items() if item.kind == NOTE]
    facts = pool.items.keys() - set(passages)
    standard: dict[int, float] = {}
    for kind in (passages, facts):
        known = {number: pool.nearness[number] for number in kind if number in pool.nearness}
        standard |= standardise(known, kind)
    return standard


def _with_property(pool: Pool, scores: dict[int, float], weights: Weights) -> dict[int, float]:
    for entry in pool.rankings["slot"].ranked[:1]:
        scores[entry.item] = max(scores.values()) + weights.slot
    return scores


def _steps(pool: Pool, item: Item, weights: Weights) -> float:
    understood = pool.understood
    step = weights.complete * _completeness(pool, item)
    if understood.quoted:
        held = lexical_terms(pool, item.item, "terms")
        share = sum(phrase in held for phrase in understood.quoted) / len(understood.quoted)
        step += weights.phrase * share
    if item.kind != NOTE:
        unasked = item.kind == "opinion" and not understood.wants_opinion
        step += weights.unasked_opinion if unasked else weights.curated
    listed = pool.rankings["listing"].of(item.item)
    if listed is not None:
        step += weights.newest * listed.score
    if understood.entities:
        step += _of_entities(pool, item, weights)
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


def _of_entities(pool: Pool, item: Item, weights: Weights) -> float:
    named = _names_held(pool, item) if item.kind == NOTE else _named(pool, item)
    step = weights.entity * named
    if not named and pool.rankings["entity"].of(item.item):
        step += weights.neighbour
    if pool.understood.asks_who and not pool.understood.subject_terms:
        step += weights.defining * _defines(pool, item)
    elif not pool.understood.subject_terms:
        step += weights.newest * pool.newness.get(item.item, 0.0)
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
    held = [t for t in lexical_terms(pool, item.item, "terms") if t in terms]
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
    held = lexical_terms(pool, item.item, "terms")
    return sum(1 for name in names if name in held) / len(names) if names else 0.0
