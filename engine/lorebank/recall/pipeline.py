"""The pipeline of one recall: retrieve, fuse, score, cut to size, explain.

One row a retriever in `RETRIEVERS`. A retriever that cannot run is named in the answer with its
reason; the others answer without it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from lorebank.domain import Answer, FactStatus, Hit, Interval, OpinionStatus
from lorebank.index.contexts import contexts_of
from lorebank.index.intervals import items_of_interval
from lorebank.index.items import NOTE, Item
from lorebank.index.opinions import BeliefOfFact
from lorebank.index.succession import Successor, successors
from lorebank.language.words import estimate_tokens
from lorebank.recall.context_lines import context_tokens
from lorebank.recall.diversity import apply_decay, rerank_mmr
from lorebank.recall.evidence_level import NONE, STRONG, WEAK, evidence_level
from lorebank.recall.fusion import fuse_reciprocal_ranks, fuse_weighted
from lorebank.recall.newest import (
    Current,
    lead_with_successors,
    newest_first,
    newest_opinion_first,
)
from lorebank.recall.pool import Pool, coverage, lexical_terms
from lorebank.recall.ranking import Ranking
from lorebank.recall.readings import coming_first, other_readings, said_of_coming, said_of_reading
from lorebank.recall.repeats import collapse_repeats
from lorebank.recall.request import Request
from lorebank.recall.retrievers import entity, lexical, listing, opinion, semantic, slot, temporal
from lorebank.recall.scoring import DEFAULT_WEIGHTS, Weights, score_pool
from lorebank.recall.snippets import snippet
from lorebank.records import dataclass

RETRIEVERS: Mapping[str, Callable[[Request], Ranking]] = {
    lexical.NAME: lexical.retrieve,
    semantic.NAME: semantic.retrieve,
    entity.NAME: entity.retrieve,
    temporal.NAME: temporal.retrieve,
    opinion.NAME: opinion.retrieve,
    listing.NAME: listing.retrieve,
    slot.NAME: slot.retrieve,
}

_HEAD = 3
"""Beliefs are looked up for this many times `k` of the best items."""
_NEARLY_AS_GOOD = 0.5
_SAYS_LITTLE = 0.3
_SHORT_DAYS = 45
_FEW_DAYS = 10
_UNSAID = 0.6
"""Confidence in an opinion whose writer gave none."""
_NEAR_ENOUGH = 0.15
"""What a workspace holds nearest to words without sense comes to about that."""

BeliefLookup = Callable[[Sequence[str]], Mapping[str, BeliefOfFact]]
"""Fact ids → the opinion each of them states, with its confidence on the day asked about."""


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """How much is wanted, and by which published method."""

    k: int = 10
    token_budget: int | None = None
    include_superseded: bool = False
    fusion: str = "zscore"
    """`zscore`, `rrf` or `weighted`."""
    text_weight: float = 0.3
    vector_weight: float = 0.7
    half_life_days: float | None = None
    """Temporal decay; `None`: off."""
    mmr_lambda: float | None = None
    """Maximal marginal relevance; `None`: off."""
    weights: Weights = DEFAULT_WEIGHTS
    without: frozenset[str] = frozenset()
    """Retrievers that are not asked."""
    explain: bool = False
    """Whether `why` tells what each part of a score is worth."""
    why_not: str | None = None
    """An id or citation; the answer says why it is not among the hits."""


def recall(
    request: Request,
    options: RecallOptions,
    *,
    beliefs: BeliefLookup,
    skipped: Mapping[str, str],
    index: Mapping[str, object],
    notes: Sequence[str] = (),
) -> Answer:
    """Answer a question; `skipped` names retrievers that the caller knows cannot run."""
    gathered = _gather(request, options.without)
    pool, said = gathered.pool, gathered.said
    scores = _score(pool, options)
    scores = apply_decay(scores, pool.items, request.now, options.half_life_days)
    order = sorted(scores, key=lambda item: (-scores[item], pool.items[item].kind == NOTE, item))
    distinct, repeats = collapse_repeats(order, pool.items)
    head = distinct[: _HEAD * options.k]
    facts = [pool.items[item].id for item in head if pool.items[item].kind == "opinion"]
    held = beliefs(facts)
    order, hidden = _without_superseded(distinct, pool.items, held, options)
    if options.mmr_lambda is not None:
        order = rerank_mmr(order, scores, pool.items, options.mmr_lambda, options.k)
    level = evidence_level(pool, order)
    if said and level == STRONG:
        level = WEAK  # it is not from the time asked about
    if level == NONE:
        words = "lexical" not in skipped
        order = [item for item in order if _worth_showing(pool, item, words=words)]
    current = _with_successors(request, pool, order, scores, held, options)
    hidden += current.hidden
    scored = pool
    order, pool = current.order, replace(pool, items=current.items)
    contexts = contexts_of(
        request.connection, [pool.items[item].path for item in order[: options.k]]
    )
    shown, tokens = _cut(order, pool.items, contexts, options)
    parts = _score_parts(scored, shown, scores, options) if options.explain else {}
    marks = _Marks(scores, held, current.replaced, repeats, parts, contexts)
    hits = tuple(_hit(pool, item, marks) for item in shown)
    answer = Answer(
        query=pool.understood.query,
        hits=hits,
        evidence=level,
        total=len(order),
        total_exact=all(len(r.ranked) < request.limit for r in pool.rankings.values()),
        truncated=len(shown) < len(order),
        tokens=tokens,
        index=dict(index),
        retrievers_used=tuple(
            n for n in RETRIEVERS if n not in skipped and pool.rankings[n].ranked
        ),
        retrievers_skipped=dict(skipped),
        notes=(
            *pool.understood.notes,
            *gathered.read_as,
            *notes,
            *_said_of_phrases(pool),
            *said,
            *_said_of_hidden(hidden),
        ),
    )
    if options.why_not is None:
        return answer
    from lorebank.recall.why_not import Trace, explain_absence  # only when asked

    trace = Trace(
        request=request,
        gathered=gathered.found,
        inside=gathered.inside,
        pool=pool,
        scores=scores,
        repeats=repeats,
        successors={
            item: successor
            for item in distinct
            if item not in order
            and (successor := _successor(pool.items[item], held) or _id(current.replaced.get(item)))
        },
        order=order,
        shown=shown,
        k=options.k,
        token_budget=options.token_budget,
    )
    return replace(answer, why_not=explain_absence(trace, options.why_not))


@dataclass(frozen=True, slots=True)
class _Gathered:
    """The candidates of a question."""

    pool: Pool
    found: frozenset[int]
    """What the retrievers found, before the time of the question chose among it."""
    inside: frozenset[int] | None
    """What lies in the time of the question, where only that was looked at."""
    said: list[str]
    read_as: Sequence[str] = ()
    """Which day a date without its year was taken for, where that is not the last one."""


def _gather(request: Request, without: frozenset[str]) -> _Gathered:
    """Run the retrievers; a date phrase that leaves nothing on the subject gives way, aloud."""
    phrase = request.understood.phrase
    if phrase is not None:
        if (ahead := coming_first(request)) and (found_ahead := _inside(ahead, without)):
            return replace(found_ahead, read_as=said_of_reading(ahead, None))
        if (of_the_time := _inside(request, without)) is not None:
            if not _speaks_of_subject(of_the_time.pool) and (other := _elsewhen(request, without)):
                return other
            return replace(of_the_time, read_as=said_of_coming(request))
    said: list[str] = []
    pool = _pool(request, _retrieve(request, request, without))
    found = frozenset(pool.items)
    if phrase is None:
        return _Gathered(pool, found, None, said)
    valid = pool.rankings[slot.NAME].entries
    inside = {n: item for n, item in pool.items.items() if n in pool.in_time or n in valid}
    if inside and _answers(pool, inside):
        rankings = {name: _only(ranking, inside) for name, ranking in pool.rankings.items()}
        return _Gathered(replace(pool, items=inside, rankings=rankings), found, None, said)
    if other := _elsewhen(request, without):
        return other
    said.append(
        f"nothing on this was found in the time of '{phrase.text}'; showing what there is"
        if pool.items
        else f"nothing was found in the time of '{phrase.text}'"
    )
    return _Gathered(pool, found, None, said)


def _inside(request: Request, without: frozenset[str]) -> _Gathered | None:
    """What lies in the short time asked for, where that is what was asked for; else `None`."""
    narrowed = _narrowed(request)
    if narrowed is None:
        return None
    pool = _pool(narrowed, _retrieve(narrowed, request, without))
    if not pool.items or not _is_of_the_time(pool):
        return None
    return _Gathered(pool, frozenset(pool.items), narrowed.allowed, [])


def _elsewhen(request: Request, without: frozenset[str]) -> _Gathered | None:
    """What lies in another year of a date that names none, where it is on the subject."""
    for other in other_readings(request):
        gathered = _inside(other, without)
        if gathered is not None and _speaks_of_subject(gathered.pool):
            empty = request.understood.query.interval
            return replace(gathered, read_as=said_of_reading(other, empty))
    return None


def _retrieve(request: Request, whole: Request, without: frozenset[str]) -> dict[str, Ranking]:
    """Every ranking; what held at a time may have been recorded before it, so slots see `whole`."""
    return {
        name: Ranking(name, ())
        if name in without
        else retrieve(whole if name == slot.NAME else request)
        for name, retrieve in RETRIEVERS.items()
    }


def _narrowed(request: Request) -> Request | None:
    """The request inside the interval of its date phrase; `None` where that is no short time."""
    interval = request.understood.query.interval
    if interval is None or interval.start is None or interval.end is None:
        return None
    if (interval.end - interval.start).days >= _SHORT_DAYS:
        return None
    inside = items_of_interval(request.connection, interval, within=request.within)
    return replace(request, within=inside)


def _is_of_the_time(pool: Pool) -> bool:
    """Whether what lies in a short time is what was asked for: of those named, or of those days."""
    if pool.rankings[slot.NAME].ranked:
        return True
    if pool.understood.entities:
        named = pool.rankings["entity"]
        return any(entry.score >= entity.MENTIONED for entry in named.ranked)
    interval = pool.understood.query.interval
    assert interval is not None and interval.start is not None and interval.end is not None
    return (interval.end - interval.start).days < _FEW_DAYS


def _answers(pool: Pool, inside: Mapping[int, Item]) -> bool:
    """Whether what lies in the interval speaks of the subject about as well as what does not."""
    # A word that stands nowhere cannot tell one day from another.
    subject = [term for term in pool.understood.subject_terms if term in pool.known_terms]
    if not subject:
        named = pool.rankings["entity"]
        return not pool.understood.entities or any(named.of(item) for item in inside)
    best_inside = max(coverage(pool, item, subject) for item in inside)
    best = max(coverage(pool, item, subject) for item in pool.items)
    return best_inside >= best * _NEARLY_AS_GOOD or best < _SAYS_LITTLE


def _speaks_of_subject(pool: Pool) -> bool:
    subject = [term for term in pool.understood.subject_terms if term in pool.known_terms]
    return not subject or max(coverage(pool, n, subject) for n in pool.items) >= _SAYS_LITTLE


def _only(ranking: Ranking, items: Mapping[int, Item]) -> Ranking:
    return Ranking(ranking.retriever, tuple(e for e in ranking.ranked if e.item in items))


def _pool(request: Request, rankings: Mapping[str, Ranking]) -> Pool:
    numbers = sorted({entry.item for ranking in rankings.values() for entry in ranking.ranked})
    items = request.items.load(numbers)
    rarity, known = _rarity(request)
    interval = request.understood.query.interval
    in_time = frozenset[int]() if interval is None else _in_time(interval, items)
    nearness = semantic.nearness(request, rankings[semantic.NAME], numbers)
    return Pool(request.understood, items, rankings, rarity, known, in_time, nearness)


def _in_time(interval: Interval, items: Mapping[int, Item]) -> frozenset[int]:
    """The items that the temporal filter would let through, by the same rule as its SQL."""
    return frozenset(
        number
        for number, item in items.items()
        if any(span.overlaps(interval) for span in _spans(item))
    )


def _spans(item: Item) -> Iterator[Interval]:
    if item.recorded is not None:
        yield Interval(item.recorded, item.recorded)
    if item.occurred is not None:
        start, end = item.occurred.start, item.occurred.end
        yield Interval(start or end, end or start)


def _rarity(request: Request) -> tuple[dict[str, float], frozenset[str]]:
    """Inverse document frequency of each term, as BM25 has it, never below zero; and the terms
    that stand anywhere at all."""
    total = request.vocabulary.total
    counts = request.vocabulary.frequencies(request.understood.terms)
    rarity = {
        term: max(0.0, math.log(1.0 + (total - count + 0.5) / (count + 0.5)))
        for term, count in counts.items()
    }
    return rarity, frozenset(term for term, count in counts.items() if count)


def _score(pool: Pool, options: RecallOptions) -> dict[int, float]:
    if options.fusion == "rrf":
        return fuse_reciprocal_ranks(pool.rankings.values(), {})
    if options.fusion == "weighted":
        return fuse_weighted(
            pool.rankings["lexical"],
            pool.rankings["semantic"],
            text_weight=options.text_weight,
            vector_weight=options.vector_weight,
        )
    return score_pool(pool, options.weights)


def _score_parts(
    pool: Pool, shown: Sequence[int], scores: Mapping[int, float], options: RecallOptions
) -> dict[int, dict[str, float]]:
    """Item → what each part of its score is worth, by whichever method made it; nothing for one
    that was not scored, since it is there in place of another."""
    from lorebank.recall.score_parts import rank_parts, weight_parts, weighted_parts  # when asked

    shown = [item for item in shown if item in scores]
    if options.fusion == "rrf":
        parts = {item: rank_parts(pool.rankings, item) for item in shown}
    elif options.fusion == "weighted":
        lists = (pool.rankings["lexical"], pool.rankings["semantic"])
        parts = {
            item: weighted_parts(
                *lists, item, text_weight=options.text_weight, vector_weight=options.vector_weight
            )
            for item in shown
        }
    else:
        parts = weight_parts(pool, shown, options.weights)
    if options.half_life_days is not None:
        for item in shown:
            parts[item]["decay"] = round(scores[item] - sum(parts[item].values()), 3)
    return parts


def _without_superseded(
    order: Sequence[int],
    items: Mapping[int, Item],
    held: Mapping[str, BeliefOfFact],
    options: RecallOptions,
) -> tuple[list[int], int]:
    """Hide what a newer fact in the same answer replaces; alone, an old truth is shown, marked.

    The number says how many of those hidden would have been among the `k` shown.
    """
    if options.include_superseded:
        return list(order), 0
    present = {items[item].id for item in order}
    present |= {held[fact].opinion_id for fact in present & held.keys()}
    kept = [item for item in order if _successor(items[item], held) not in present]
    return kept, len(set(order[: options.k]) - set(kept))


def _successor(item: Item, held: Mapping[str, BeliefOfFact]) -> str | None:
    belief = held.get(item.id)
    return belief.superseded_by if belief else None


def _with_successors(
    request: Request,
    pool: Pool,
    order: Sequence[int],
    scores: Mapping[int, float],
    held: Mapping[str, BeliefOfFact],
    options: RecallOptions,
) -> Current:
    """The order with the newest truth first, and what replaces a hit in its place."""
    understood, depth = request.understood, _HEAD * options.k
    facts = [item for item in order[:depth] if pool.items[item].kind not in (NOTE, "opinion")]
    as_of = understood.filters.as_of
    replaced = successors(request.connection, facts, as_of=as_of, today=request.now)
    past = understood.wants_past or understood.query.interval is not None
    if past or options.include_superseded:
        return Current(list(order), pool.items, replaced, 0)
    order = newest_first(order, pool.items, understood.terms, depth)
    # Without a name in the question, opinions that share a word of it are seldom about one thing.
    opinions = [
        item for item in order[:depth] if understood.entities and pool.items[item].kind == "opinion"
    ]
    order = newest_opinion_first(
        order,
        pool.items,
        scores,
        {item: _held_of_subject(pool, item) for item in opinions},
        {item: _belief(pool, pool.items[item], held) for item in opinions},
    )
    allowed = request.allowed
    missing = {s.item for s in replaced.values() if s.item not in pool.items}
    wanted = [item for item in sorted(missing) if allowed is None or item in allowed]
    items = {**pool.items, **request.items.load(wanted)}
    asked = (*understood.terms, *understood.query.entities)
    return lead_with_successors(order, items, replaced, asked, options.k)


def _held_of_subject(pool: Pool, item: int) -> frozenset[str]:
    return frozenset(pool.understood.subject_terms) & frozenset(lexical_terms(pool, item, "terms"))


def _belief(pool: Pool, item: Item, held: Mapping[str, BeliefOfFact]) -> float:
    if item.id in held:
        return held[item.id].confidence
    stated = pool.rankings[opinion.NAME].of(item.item)
    return stated.score if stated else item.confidence or _UNSAID


def _said_of_phrases(pool: Pool) -> list[str]:
    """The quoted phrases that no item holds whole."""
    held = {term for entry in pool.rankings["lexical"].ranked for term in entry.why["terms"]}
    return [
        f"nothing holds the phrase '{phrase}' whole; its words were searched"
        for phrase in pool.understood.quoted
        if phrase not in held
    ]


def _said_of_hidden(hidden: int) -> tuple[str, ...]:
    if not hidden:
        return ()
    hits = "1 superseded hit is" if hidden == 1 else f"{hidden} superseded hits are"
    return (f"{hits} hidden; include superseded facts to see them",)


def _worth_showing(pool: Pool, item: int, *, words: bool) -> bool:
    """Without evidence only what shares a word of the subject, or comes near it, is shown.

    `words`: whether they could be looked for; where not, nearness has to do.
    """
    if item in pool.in_time:
        return True
    if words and not pool.rankings["lexical"].ranked:
        return False
    subject = set(pool.understood.subject_terms) or set(pool.understood.terms)
    if subject & {*lexical_terms(pool, item, "terms"), *lexical_terms(pool, item, "around")}:
        return True
    return pool.nearness.get(item, 0.0) >= _NEAR_ENOUGH


def _cut(
    order: Sequence[int],
    items: Mapping[int, Item],
    contexts: Mapping[str, Sequence[str]],
    options: RecallOptions,
) -> tuple[list[int], int]:
    """The first `k`, as far as the token budget goes; at least one."""
    shown: list[int] = []
    spent = 0
    told: set[str] = set()
    for item in order[: options.k]:
        context = contexts.get(items[item].path, ())
        cost = estimate_tokens(items[item].content) + context_tokens(context, told)
        if shown and options.token_budget is not None and spent + cost > options.token_budget:
            break
        told.update(context)
        shown.append(item)
        spent += cost
    return shown, spent


@dataclass(frozen=True, slots=True)
class _Marks:
    """What a recall found out about its items, beside the rankings."""

    scores: Mapping[int, float]
    held: Mapping[str, BeliefOfFact]
    replaced: Mapping[int, Successor]
    repeats: Mapping[int, Sequence[int]]
    parts: Mapping[int, Mapping[str, float]]
    contexts: Mapping[str, tuple[str, ...]]
    """Path → what its folders and itself are about."""


def _hit(pool: Pool, number: int, marks: _Marks) -> Hit:
    item = pool.items[number]
    held, replaced = marks.held, marks.replaced
    belief = held.get(item.id)
    olds = [old for old, successor in replaced.items() if successor.item == number]
    why = pool.why(number)
    if olds:
        why["replaces"] = {"facts": [pool.items[old].id for old in olds]}
    if number in marks.parts:
        why["score"] = dict(marks.parts[number])
    return Hit(
        id=item.id,
        kind=item.kind,
        content=item.content,
        source=item.citation,
        score=max(marks.scores[n] for n in (number, *olds) if n in marks.scores),
        entities=item.names,
        confidence=belief.confidence if belief else item.confidence,
        recorded=item.recorded,
        occurred=item.occurred,
        status=_status(item, held, replaced),
        superseded_by=_successor(item, held) or _id(replaced.get(number)),
        why=why,
        evidence=belief.evidence if belief else (),
        snippet=snippet(item.content, pool.understood.terms),
        repeats=tuple(pool.items[same].citation for same in marks.repeats.get(number, ())),
        context=marks.contexts.get(item.path, ()),
        origin=item.origin,
        quarantined=item.quarantined,
        author=item.author,
    )


def _id(successor: Successor | None) -> str | None:
    return successor.id if successor else None


def _status(
    item: Item, held: Mapping[str, BeliefOfFact], replaced: Mapping[int, Successor]
) -> FactStatus:
    belief = held.get(item.id)
    if belief and belief.status is OpinionStatus.RETRACTED:
        return FactStatus.RETRACTED
    if belief and belief.status is OpinionStatus.SUPERSEDED:
        return FactStatus.SUPERSEDED
    return FactStatus.SUPERSEDED if item.item in replaced else FactStatus.LIVE
