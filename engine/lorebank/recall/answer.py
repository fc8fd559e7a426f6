"""An answer: what was found in order, the newest truth first, cut to size and explained."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from lorebank.domain.answers import Answer, Hit
from lorebank.domain.facts import FactStatus, Opinion, OpinionStatus, Relation
from lorebank.index.chunks import contexts_of
from lorebank.index.items import NOTE, Item
from lorebank.index.opinions import judged_together
from lorebank.index.slots import trust_of
from lorebank.index.succession import (
    NEAR,
    Dated,
    Successor,
    newer_lines,
    put_newer_first,
    ruled_pairs,
    successors,
)
from lorebank.index.vectors import vectors_by_text
from lorebank.recall.candidates import RETRIEVERS, Request
from lorebank.recall.ordering import (
    Current,
    collapse_repeats,
    lead_with_successors,
    newest_first,
    newest_opinion_first,
    rerank_mmr,
    standing,
)
from lorebank.recall.pipeline import Found, RankOptions, find
from lorebank.recall.scoring import NONE, STRONG, WEAK, log_odds, score_parts
from lorebank.recall.snippets import snippet, within_budget
from lorebank.records import Record

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

AMONG = 8
"""Hits among which the newer of two lines near in meaning leads or is told; further down, as many
lines that hold are moved as others."""
_MAX_LOG_ODDS_LOSS = 3.0
"""Log odds by which a newer line may match the question less than the older one it is put before.
Of 86 newer lines on five workspaces by other hands 48 stand above the older, with 1.5 one fewer."""
_PROMOTE_ABOVE_TOP, _SAME_TOPIC_COSINE = 5, 0.55
"""Hits that a newer line may be put before, and the cosine from which two lines are alike; from .5
to .6 the results are about the same."""
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
    past = understood.wants_past or understood.query.interval is not None
    if past or understood.order == "oldest" or options.include_superseded:
        if understood.order == "oldest":  # since when something holds, what it replaced cannot say
            too = found.answering
            order = put_newer_first(
                order, {n: s.item for n, s in replaced.items() if s.item in too}
            )
        return Current(list(order), pool.items, replaced)
    order = newest_first(order, pool.items, understood.terms, depth)
    newer: dict[int, int] = {}
    leading: dict[int, int] = {}
    over = {fact for fact, opinion in held.items() if opinion.status is not OpinionStatus.LIVE}
    if request.vectors_of is not None:
        first = {n: pool.items[n] for n in order[:AMONG] if _states_current_fact(pool.items[n])}
        lines = [
            Dated(
                n,
                item.id,
                slug,
                (item.recorded, item.file, item.ordinal),
                *_is_to_come(item, request.now),
                is_opinion=item.kind == "opinion",
                is_event=item.kind == "experience",
                trust=trust_of(item),
            )
            for n, item in first.items()
            for slug in item.subjects
        ]
        spoken = [item.id for item in first.values() if item.kind == "opinion"]

        def judged() -> frozenset[tuple[str, str]]:
            both = ruled_pairs(request.connection, Relation.BOTH)
            return both | judged_together(request.connection, spoken)

        newer = {
            old: new
            for old, new in newer_lines(
                lines, lambda of: _vectors(request, {n: first[n] for n in of}), judged
            ).items()
            if new not in replaced
            and first[new].id not in over
            # A job says nothing of the home that is asked for.
            and (old not in pool.lists["slot"] or new in pool.lists["slot"])
            and (first[old].kind != "opinion" or _answers_as_well(found, new, old))
        }
        # Where the question names nobody, a newer opinion answers it no better than one that
        # matches more: of 300 questions on preferences the right one comes first in 23, else 14.
        leading = {
            old: new
            for old, new in newer.items()
            if understood.entities or first[old].kind != "opinion"
        }
    # Without a name in the question, opinions that share a word of it are seldom about one thing.
    opinions = [n for n in order[:depth] if understood.entities and pool.items[n].kind == "opinion"]
    about = {
        n: frozenset(term for term in understood.subject_terms if pool.holds(n, term))
        for n in opinions
    }
    order = newest_opinion_first(order, pool.items, about)
    allowed = request.allowed
    missing = {s.item for s in replaced.values() if s.item not in pool.items}
    wanted = [item for item in sorted(missing) if allowed is None or item in allowed]
    items = {**pool.items, **request.items.load(wanted)}
    asked = (*understood.terms, *understood.query.entities)
    current = lead_with_successors(order, items, replaced, newer, asked, options.k)
    order = put_newer_first(current.order, leading)
    holding = {n for n in order[:AMONG] if n not in replaced and items[n].id not in over}
    return replace(current, order=_leading_of_like(found, order, holding, items))


def _leading_of_like(
    found: Found, order: Sequence[int], holding: Collection[int], items: Mapping[int, Item]
) -> list[int]:
    """The order with the owner's of two hits that are alike first, or the newer one if one of them
    is prose, which `newer_lines` cannot compare: it is filed under nobody. It has to answer nearly
    as well. Where all that somebody thinks is asked for, all opinions are alike.

    Of 366 questions on five workspaces by other hands it puts a right line first 225 times instead
    of 222.
    """
    order = list(order)
    among = [n for n in order[:AMONG] if _is_dated_note(items[n])]
    known = _vectors(found.pool.request, {n: items[n] for n in among})
    among = [n for n in among if n in known]
    asks_all = not found.pool.request.understood.subject_terms
    for old in order[:_PROMOTE_ABOVE_TOP]:
        newer = [
            n
            for n in among
            if old in known
            and n in holding
            and order.index(n) > order.index(old)
            and _leads(items[n], items[old])
            and _is_same_matter(items[n], items[old], float(known[n] @ known[old]), asks_all)
            and _answers_as_well(found, n, old)
        ]
        if newer:
            trusted = [n for n in newer if trust_of(items[n]) > trust_of(items[old])]
            moved = trusted or [max(newer, key=lambda n: standing(items[n]))]
            order = [n for n in order if n not in moved]
            order[order.index(old) : order.index(old)] = moved
    return order


def _leads(one: Item, other: Item) -> bool:
    """Whether a hit leads another on the same matter that stands before it."""
    if trust_of(one) != trust_of(other):
        return trust_of(one) > trust_of(other)
    return NOTE in (one.kind, other.kind) and _day(one) > _day(other)


def _is_same_matter(one: Item, other: Item, cosine: float, asks_all: bool) -> bool:
    """Whether one hit may stand for the other; of an agent's and the owner's lines about one
    subject sooner, as of a newer and an older one."""
    if trust_of(one) == trust_of(other) or one.subjects.isdisjoint(other.subjects):
        return cosine >= _SAME_TOPIC_COSINE
    return cosine >= NEAR or (asks_all and one.kind == other.kind == "opinion")


def _is_dated_note(item: Item) -> bool:
    return item.recorded is not None and not item.dialogue and not item.quarantined


def _day(item: Item) -> date:
    return item.recorded or date.min


def _vectors(request: Request, items: Mapping[int, Item]) -> dict[int, NDArray[float32]]:
    """The vectors of what these items say, without the names that stand before it."""
    known: dict[str, NDArray[float32]] = request.items.derived("vectors of contents")
    unknown = {item.content for item in items.values()} - known.keys()
    if unknown:
        known |= vectors_by_text(request.vectors_of, unknown)
    return {n: known[item.content] for n, item in items.items() if item.content in known}


def _answers_as_well(found: Found, one: int, other: int) -> bool:
    """Whether a hit matches the question nearly as well as another."""
    return (
        log_odds(found.scores.get(one, 0.0))
        >= log_odds(found.scores.get(other, 0.0)) - _MAX_LOG_ODDS_LOSS
    )


def _states_current_fact(item: Item) -> bool:
    """Whether a newer line may say otherwise of what it says."""
    plain = item.kind != NOTE and not item.dialogue and not item.quarantined
    return plain and item.recorded is not None and bool(item.subjects)


def _is_to_come(item: Item, today: date) -> tuple[bool, bool]:
    """Whether it speaks of what is to come, and whether it says from which day it holds."""
    if item.occurred is None or item.recorded is None:
        return False, False
    # "moved from the 12th to the 19th" is to come until the last of its days
    is_ahead = any(time.begins_after(today) for time in item.times)
    return is_ahead, item.occurred.announces(item.recorded)


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
    olds: defaultdict[int, list[int]] = defaultdict(list)
    for old, successor in arranged.replaced.items():
        olds[successor.item].append(old)
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
