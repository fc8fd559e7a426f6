"""An answer: what was found in order, the newest truth first, cut to size and explained."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from lorebank.domain.answers import Answer, Hit
from lorebank.domain.facts import FactStatus, Opinion, OpinionStatus, Relation
from lorebank.index.chunks import contexts_of
from lorebank.index.items import NOTE, Item
from lorebank.index.opinions import judged_together
from lorebank.index.succession import Successor, put_newer_first, ruled_pairs, successors
from lorebank.recall.candidates import RETRIEVERS, Request
from lorebank.recall.ordering import (
    AMONG,
    Current,
    collapse_repeats,
    lead_with_successors,
    may_be_outdated,
    newer_hits,
    newest_first,
    rerank_mmr,
)
from lorebank.recall.pipeline import Found, RankOptions, find
from lorebank.recall.scoring import NONE, STRONG, WEAK, score_parts
from lorebank.recall.snippets import snippet, within_budget
from lorebank.records import Record

_LOOKUP_FACTOR = 3
"""Beliefs and successors are looked up for this many times `k` of the best items."""

BeliefLookup = Callable[[Sequence[str]], Mapping[str, Opinion]]
"""Fact ids → the opinion each of them states, with its confidence on the day asked about."""


class RecallOptions(Record):
    """How much of an answer is wanted."""

    k: int = 10
    token_budget: int | None = None
    include_superseded: bool = False
    explain: bool = False
    """Whether `why` shows what each part of a score is worth."""
    why_not: str | None = None
    """An id or citation; the answer says why it is not among the hits."""


class Arranged(Record):
    """What was found, as it is shown."""

    found: Found
    options: RecallOptions
    order: Sequence[int]
    """All that could be shown."""
    shown: Sequence[int]
    tokens: int
    items: Mapping[int, Item]
    hidden: int
    """How many superseded items would have been shown."""
    held: Mapping[str, Opinion]
    replaced: Mapping[int, Successor]
    newer: Mapping[int, int]
    """Item → a newer one that may say otherwise."""
    repeats: Mapping[int, Sequence[int]]
    """Kept item → items that say the same."""
    contexts: Mapping[str, tuple[str, ...]]
    """Path → what its folders and itself are about."""

    def successor(self, number: int) -> str | None:
        """The id of what an item is replaced by."""
        belief = self.held.get(self.items[number].id)
        if belief and belief.superseded_by:
            return belief.superseded_by
        return self.replaced[number].id if number in self.replaced else None

    def possible_successor(self, number: int) -> str | None:
        """The id of a newer line that may say otherwise, of an item that nothing replaces; none
        that supports another belief, which was held before."""
        item = self.items[number]
        newer = self.items.get(self.newer.get(number, number), item)
        day, belief = item.recorded or date.min, self.held.get(newer.id)
        told = {each.fact_id: each.date for each in belief.evidence} if belief else {}
        is_of_another = item.id not in told and min(told.values(), default=day) < day
        is_newer = (newer.recorded or date.min) > day and not is_of_another
        return newer.id if is_newer and not self.successor(number) else None


def recall(
    request: Request,
    ranking: RankOptions,
    options: RecallOptions,
    *,
    beliefs: BeliefLookup,
    skipped: Mapping[str, str],
    index: Mapping[str, object],
    notes: Sequence[str] = (),
) -> Answer:
    """Answer a question; `skipped` names retrievers that the caller knows cannot run."""
    arranged = _arranged(find(request, ranking), ranking, options, beliefs)
    found, order, shown = arranged.found, arranged.order, arranged.shown
    lists = found.pool.lists
    understood = found.pool.request.understood
    hits = _hits(arranged, ranking)
    level = found.level
    if level == STRONG and found.time_filter_dropped:
        level = WEAK  # what is not from the time asked for is never strong
    why_not = None
    if options.why_not is not None:
        from lorebank.recall.why_not import explain_absence  # only when asked

        why_not = explain_absence(arranged, options.why_not)
    return Answer(
        query=understood.query,
        hits=hits,
        evidence=level if hits else NONE,
        total=len(order),
        total_exact=all(len(each) < request.limit for each in lists.values()),
        truncated=len(shown) < len(order),
        tokens=arranged.tokens,
        index=dict(index),
        retrievers_used=tuple(n for n in RETRIEVERS if n not in skipped and lists[n]),
        retrievers_skipped=dict(skipped),
        notes=(*understood.notes, *notes, *_notes(arranged)),
        why_not=why_not,
    )


def _arranged(
    found: Found, ranking: RankOptions, options: RecallOptions, beliefs: BeliefLookup
) -> Arranged:
    items = found.pool.items
    distinct, repeats = collapse_repeats(found.order, items)
    head = distinct[: max(_LOOKUP_FACTOR * options.k, AMONG)]
    held = beliefs([items[number].id for number in head if items[number].kind == "opinion"])
    unreplaced = _without_superseded(distinct, items, held, options)
    hidden = len(set(distinct[: options.k]) - set(unreplaced))
    order = [n for n in found.relevant(unreplaced) if found.scores[n] >= ranking.min_score]
    if ranking.mmr_lambda is not None:
        order = rerank_mmr(order, found.scores, items, ranking.mmr_lambda, options.k)
    current = _with_successors(found, order, options, held)
    order, items = current.order, current.items
    tasks = frozenset(order).intersection(found.pool.lists["tasks"])
    order = list(dict.fromkeys([*(n for n in found.pool.lists["tasks"] if n in tasks), *order]))
    head = order[: options.k]
    contexts = contexts_of(found.pool.request.connection, [items[n].path for n in head])
    texts = ((items[n].content, contexts.get(items[n].path, ())) for n in head)
    count, tokens = within_budget(texts, options.token_budget)
    return Arranged(
        found=found,
        options=options,
        order=order,
        shown=order[:count],
        tokens=tokens,
        items=items,
        hidden=hidden + current.hidden,
        held=held,
        replaced=current.replaced,
        newer=current.newer,
        repeats=repeats,
        contexts=contexts,
    )


def _without_superseded(
    order: Sequence[int],
    items: Mapping[int, Item],
    held: Mapping[str, Opinion],
    options: RecallOptions,
) -> list[int]:
    """Hide what a newer fact in the same answer replaces; alone, an old truth is shown, marked."""
    if options.include_superseded or not held:
        return list(order)
    present = {items[number].id for number in order}
    present |= {held[fact].id for fact in present & held.keys()}
    return [
        number
        for number in order
        if (belief := held.get(items[number].id)) is None or belief.superseded_by not in present
    ]


def _with_successors(
    found: Found, order: Sequence[int], options: RecallOptions, held: Mapping[str, Opinion]
) -> Current:
    """The order with the newest truth first, and what replaces a hit in its place."""
    pool = found.pool
    request, understood, depth = pool.request, pool.request.understood, _LOOKUP_FACTOR * options.k
    facts = [n for n in order[:depth] if pool.items[n].kind not in (NOTE, "opinion")]
    as_of = understood.filters.wanted.as_of
    replaced = successors(
        request.connection, facts, as_of=as_of, today=request.now, memo=request.items.derived
    )
    if understood.order == "oldest":  # since when something holds, what it replaced cannot say
        too = found.answering
        order = put_newer_first(order, {n: s.item for n, s in replaced.items() if s.item in too})
    if _asks_for_past(found) or options.include_superseded:
        return Current(list(order), pool.items, replaced)
    allowed = request.allowed
    missing = {s.item for s in replaced.values() if s.item not in pool.items}
    wanted = [item for item in sorted(missing) if allowed is None or item in allowed]
    items = {**pool.items, **request.items.load(wanted)}
    asked = (*understood.terms, *understood.query.entities)
    current = lead_with_successors(order, items, replaced, asked, options.k)
    over = {fact for fact, opinion in held.items() if opinion.status is not OpinionStatus.LIVE}
    holding = [
        n
        for n in current.order[:AMONG]
        if n in found.scores and n not in replaced and items[n].id not in over
    ]
    olds = _replaced_by(replaced)
    chances = {n: _score(found.scores, n, olds[n]) for n in holding}
    spoken = [items[n].id for n in holding if items[n].kind == "opinion"]

    def judged() -> frozenset[tuple[str, str]]:
        both = ruled_pairs(request.connection, Relation.BOTH)
        return both | judged_together(request.connection, spoken)

    newer = newer_hits(found, [n for n in holding if may_be_outdated(items[n])], chances, judged)
    newest = {old: those[0] for old, those in newer.items()}
    return replace(current, order=newest_first(current.order, newer), newer=newest)


def _asks_for_past(found: Found) -> bool:
    """Whether a question is for what held once, or in a time that is over."""
    understood = found.pool.request.understood
    interval = understood.query.interval
    is_over = interval is not None and (interval.end or date.max) < found.pool.request.now
    return understood.wants_past or understood.order == "oldest" or is_over


_MASKED = "····"
"""A secret as a line shows it; no PIN is shorter."""


def _notes(arranged: Arranged) -> Iterator[str]:
    """What the reader of an answer has to know beside its hits."""
    found, pool = arranged.found, arranged.found.pool
    understood = pool.request.understood
    for phrase in understood.quoted:
        if not any(pool.holds(number, phrase) for number in pool.held):
            yield f"nothing holds the phrase '{phrase}' whole; its words were searched"
    yield from found.notes
    linked = pool.lists["entity"]
    meant = {slug for n in arranged.shown if n in linked for slug in linked.reason(n)["path"]}
    yield from (guess.note for slug, guess in understood.perhaps.items() if slug in meant)
    if understood.order in ("count", "how_many"):
        counted = [pool.items[number].recorded for number in found.answering]
        days = sorted({day for day in counted if day})
        if days[0 if understood.order == "count" else 1 :]:
            lines = "1 line speaks" if len(counted) == 1 else f"{len(counted)} lines speak"
            on = f"on {len(days)} days, {days[0]} to {days[-1]}" if days[1:] else f"on {days[0]}"
            yield f"{lines} of this {on}; counted are lines, which may repeat each other"
    shown = (arranged.items[number] for number in arranged.shown)
    if masked := [str(item.citation) for item in shown if _MASKED in item.content]:
        from lorebank.language.secrets import NOT_SECRET  # few answers need it

        yield (
            f"a secret is masked at {', '.join(masked)}; only the file contains it. If it is no"
            f" secret, end the line with {NOT_SECRET}"
        )
    if arranged.hidden:
        hits = (
            "1 superseded hit is"
            if arranged.hidden == 1
            else f"{arranged.hidden} superseded hits are"
        )
        yield f"{hits} hidden; include superseded facts to see them"


def _hits(arranged: Arranged, ranking: RankOptions) -> tuple[Hit, ...]:
    """The hits as they are shown, in order."""
    pool, scores = arranged.found.pool, arranged.found.scores
    olds = _replaced_by(arranged.replaced)
    hits = []
    for number in arranged.shown:
        item, by = arranged.items[number], arranged.replaced.get(number)
        belief = arranged.held.get(item.id)
        why = pool.why(number)
        if olds[number]:
            why["replaces"] = {"facts": [pool.items[old].id for old in olds[number]]}
        if arranged.options.explain and number in arranged.found.signs:
            signs = arranged.found.signs[number]
            why["score"] = dict(score_parts(signs, ranking.weights))
        hits.append(
            Hit(
                id=item.id,
                kind=item.kind,
                content=item.content,
                source=item.citation,
                score=_score(scores, number, olds[number]),
                entities=item.names,
                confidence=belief.confidence if belief else item.confidence,
                recorded=item.recorded,
                occurred=item.occurred,
                times=item.times,
                status=_status(belief, by),
                superseded_by=arranged.successor(number),
                questioned_by=arranged.possible_successor(number),
                until=_until(belief, by),
                why=why,
                evidence=belief.evidence if belief else (),
                snippet=snippet(item.content, pool.request.understood.terms),
                repeats=tuple(pool.items[n].citation for n in arranged.repeats.get(number, ())),
                context=arranged.contexts.get(item.path, ()),
                origin=item.origin,
                quarantined=item.quarantined,
                author=item.author,
            )
        )
    return tuple(hits)


def _replaced_by(replaced: Mapping[int, Successor]) -> defaultdict[int, list[int]]:
    """Successor → the items that it replaces."""
    olds: defaultdict[int, list[int]] = defaultdict(list)
    for old, successor in replaced.items():
        olds[successor.item].append(old)
    return olds


def _until(belief: Opinion | None, by: Successor | None) -> date | None:
    if belief and belief.superseded_since:
        return belief.superseded_since
    return by.day if by else None


def _score(scores: Mapping[int, float], number: int, olds: Sequence[int]) -> float:
    """A hit's own score; of one that was found only as what replaces others, the best of theirs."""
    found = scores.get(number)
    return max((scores.get(old, 0.0) for old in olds), default=0.0) if found is None else found


def _status(belief: Opinion | None, by: Successor | None) -> FactStatus:
    if belief and belief.status is OpinionStatus.RETRACTED:
        return FactStatus.RETRACTED
    if by is not None or (belief and belief.status is OpinionStatus.SUPERSEDED):
        return FactStatus.SUPERSEDED
    return FactStatus.LIVE
