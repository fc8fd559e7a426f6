"""Scoring: what each sign that an item answers the question is worth.

Two signs lead: how much of the question's words the item holds with the lines around it, and how
near it comes in meaning. On top come small steps for what a person would look at: is it about the
one asked for, did it happen then, does it name a time when one is asked for, does it state an
opinion when one is asked for, is it a statement at all. None is large enough to bury an item that
holds all the words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

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
from lorebank.records import dataclass


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
    unconfirmed: float = -2.5
    """Nobody trusted has vouched for it: more than being the newest can bring."""
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
    scores = {
        number: weights.covered * covered[number]
        + weights.lexical * lexical[number]
        + weights.semantic * semantic[number]
        + weights.semantic_around * around[number]
        + weights.section * section[item.file]
        for number, item in pool.items.items()
    }
    for steps in _STEPS:
        for number, step in steps(pool, weights):
            scores[number] += step
    return _with_property(pool, scores, weights)


def _nearness_by_kind(pool: Pool) -> dict[int, float]:
    """Standard scores of nearness, passages by themselves: a chunk of many sentences is never as
    near to a question as a fact of one."""
    if not pool.nearness:
        return dict.fromkeys(pool.items, 0.0)
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


# -- steps: each gives the items that have a sign, with what it is worth ---------------------------

_Steps = Iterator[tuple[int, float]]


def _complete(pool: Pool, weights: Weights) -> _Steps:
    """1 where one sentence of the item holds every term; near 0 where it lacks one of four."""
    terms = frozenset(pool.understood.telling_terms)
    # Stems are what was matched; the beginnings of words are near enough to them, and cheap.
    starts = {term: fold(term)[: max(3, len(term) - 2)] for term in terms}
    for entry in pool.rankings["lexical"].ranked:
        held = [starts[term] for term in entry.why["terms"] if term in terms]
        if held and len(held) >= _NEARLY_ALL * len(pool.understood.telling_terms):
            together = _most_in_a_sentence(pool.items[entry.item], held)
            share = together / len(pool.understood.telling_terms)
            yield entry.item, weights.complete * share**_STEEPNESS


def _most_in_a_sentence(item: Item, starts: Sequence[str]) -> int:
    """How many of these beginnings of words one sentence holds, the names of the item included."""
    names = fold(" ".join(item.names))
    elsewhere = [start for start in starts if start not in names]
    if not elsewhere:
        return len(starts)
    sentences = _SENTENCE_END.split(fold(item.content))
    most = max(sum([start in sentence for start in elsewhere]) for sentence in sentences)
    return len(starts) - len(elsewhere) + most


def _phrases(pool: Pool, weights: Weights) -> _Steps:
    """Share of the quoted phrases that the item holds whole."""
    quoted = pool.understood.quoted
    for entry in pool.rankings["lexical"].ranked if quoted else ():
        held = sum(phrase in entry.why["terms"] for phrase in quoted)
        yield entry.item, weights.phrase * held / len(quoted)


def _kinds(pool: Pool, weights: Weights) -> _Steps:
    """What somebody noted is worth more than prose, an opinion that nobody asked for little."""
    of_opinion = weights.curated if pool.understood.wants_opinion else weights.unasked_opinion
    for number, item in pool.items.items():
        if item.kind != NOTE:
            yield number, of_opinion if item.kind == "opinion" else weights.curated


def _listed(pool: Pool, weights: Weights) -> _Steps:
    for entry in pool.rankings["listing"].ranked:
        yield entry.item, weights.newest * entry.score


def _about_entities(pool: Pool, weights: Weights) -> _Steps:
    """Is it about those named in the question, or linked to them?"""
    if not pool.understood.entities:
        return
    linked = pool.rankings["entity"].entries
    for number, item in pool.items.items():
        named = _names_held(pool, item) if item.kind == NOTE else _named(pool, item)
        if named:
            yield number, weights.entity * named
        elif number in linked:
            yield number, weights.neighbour


def _of_entities_only(pool: Pool, weights: Weights) -> _Steps:
    """Where nothing is asked of the entities named: who they are, or else the news of them."""
    if not pool.understood.entities or pool.understood.subject_terms:
        return
    for number, item in pool.items.items():
        if pool.understood.asks_who:
            yield number, weights.defining * _defines(pool, item)
        else:
            yield number, weights.newest * pool.newness.get(number, 0.0)


def _in_time(pool: Pool, weights: Weights) -> _Steps:
    """Did it happen then, or hold then?"""
    fixed = pool.rankings["slot"].entries
    placed = pool.rankings["temporal"].entries
    for number in pool.in_time - fixed.keys():
        yield number, weights.in_time * (placed[number].score if number in placed else 1.0)
    if pool.understood.query.interval is not None:
        for entry in fixed.values():  # it was written before, and held then
            yield entry.item, weights.in_time * entry.score


def _fixed(pool: Pool, weights: Weights) -> _Steps:
    for entry in pool.rankings["slot"].ranked:
        yield entry.item, weights.slot * entry.score


def _dated(pool: Pool, weights: Weights) -> _Steps:
    """Does it name a time, when one is asked for?"""
    if pool.understood.wants_time:
        for number, item in pool.items.items():
            if item.occurred is not None:
                yield number, weights.dated


def _opinions(pool: Pool, weights: Weights) -> _Steps:
    """Does it state an opinion, when one is asked for, of those named and of late?"""
    newest = pool.understood.entities and not pool.understood.wants_past
    for entry in pool.rankings["opinion"].ranked:
        if _is_held_by_named(pool, pool.items[entry.item]):
            step = weights.opinion * entry.score
            if newest:
                newness = pool.newness.get(entry.item, 0.0)
                step += weights.newest_opinion * entry.score * newness
            yield entry.item, step


def _questions(pool: Pool, weights: Weights) -> _Steps:
    """Is it a question, and not a statement; or what follows one in a conversation?"""
    for number in answers_to_questions(pool):
        yield number, weights.answers
    for number in pool.asking:
        if pool.items[number].content.rstrip(" \"'”’»)").endswith(_QUESTION_MARKS):
            yield number, weights.question


def _unconfirmed(pool: Pool, weights: Weights) -> _Steps:
    """What is in quarantine stands behind what is about as good and trusted."""
    for number, item in pool.items.items():
        if item.quarantined:
            yield number, weights.unconfirmed


_STEPS = (
    _complete,
    _phrases,
    _kinds,
    _listed,
    _about_entities,
    _of_entities_only,
    _fixed,
    _in_time,
    _dated,
    _opinions,
    _questions,
    _unconfirmed,
)


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


def _named(pool: Pool, item: Item) -> float:
    """Share of the entities asked for that a fact is about, or at least mentions."""
    wanted = pool.understood.entities
    held = 0.0
    for slug in wanted:
        if slug in item.subjects:
            held += 1.0
        elif slug in item.entities:
            held += _MENTIONED
    return held / len(wanted)


def _names_held(pool: Pool, item: Item) -> float:
    """Share of the name words of the question that a passage holds; it has no mentions."""
    names = [t for t in pool.understood.terms if t not in pool.understood.subject_terms]
    held = lexical_terms(pool, item.item, "terms")
    return sum([name in held for name in names]) / len(names) if names else 0.0
