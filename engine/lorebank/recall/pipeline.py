"""The pipeline of one recall: candidates, score, newest truth first, cut to size, explain.

`ranked` is the core that `recall` and chunk search share: it finds the candidates of a question and
judges them. `recall` makes hits of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from datetime import date

from lorebank.domain import Answer, FactStatus, Hit, OpinionStatus
from lorebank.index.chunks import contexts_of
from lorebank.index.finding import items_of_interval
from lorebank.index.items import NOTE, Item
from lorebank.index.opinions import BeliefOfFact
from lorebank.index.succession import Successor, successors
from lorebank.language.words import estimate_tokens
from lorebank.recall.candidates import RETRIEVERS, Candidates, Ranking, Request, gather
from lorebank.recall.context_lines import context_tokens
from lorebank.recall.diversity import apply_decay, rerank_mmr
from lorebank.recall.newest import (
    Current,
    lead_with_successors,
    newest_first,
    newest_opinion_first,
)
from lorebank.recall.readings import coming_first, other_readings, said_of_coming, said_of_reading
from lorebank.recall.repeats import collapse_repeats
from lorebank.recall.resolve import resolve
from lorebank.recall.scoring import (
    DEFAULT_WEIGHTS,
    NONE,
    SIGNS,
    STRONG,
    WEAK,
    Pool,
    Weights,
    evidence_level,
    score_parts,
    score_pool,
    subject_of,
)
from lorebank.recall.snippets import snippet
from lorebank.records import dataclass

_HEAD = 3
"""Beliefs and successors are looked up for this many times `k` of the best items."""
_AS_GOOD = 0.6
"""What lies in the time asked for answers if it speaks at least so well of the subject."""
_RELEVANT = 0.05
"""The list ends at hits that are a twentieth as likely right as the best one, ..."""
_SHARES = 0.25
"""... and hold less than a quarter of the words."""
_ANSWERS_TOO = 0.4
"""Lines this likely right, beside the best, are counted or put in order of days where the question
asks how often, or for the newest or oldest."""
_UNSAID = 0.6
"""Confidence in an opinion whose writer gave none."""
_DEFAULT_TEXT_WEIGHT, _DEFAULT_VECTOR_WEIGHT = 0.3, 0.7

BeliefLookup = Callable[[Sequence[str]], Mapping[str, BeliefOfFact]]
"""Fact ids → the opinion each of them states, with its confidence on the day asked about."""


@dataclass(frozen=True, slots=True)
class RankOptions:
    """How candidates are judged: the settings that recall and search share."""

    weights: Weights = DEFAULT_WEIGHTS
    half_life_days: float | None = None
    """Temporal decay; `None`: off."""
    mmr_lambda: float | None = None
    """Maximal marginal relevance; `None`: off."""
    without: frozenset[str] = frozenset()
    """Ways of looking that are left out."""


@dataclass(frozen=True, slots=True)
class RecallOptions:
    """How much of an answer is wanted."""

    k: int = 10
    token_budget: int | None = None
    include_superseded: bool = False
    explain: bool = False
    """Whether `why` tells what each part of a score is worth."""
    why_not: str | None = None
    """An id or citation; the answer says why it is not among the hits."""


def weighted(text_weight: float, vector_weight: float) -> Weights:
    """The weights with words and meaning counting more or less, as the settings say; with those
    of the source (.3 and .7) as they were fitted."""
    text, vector = text_weight / _DEFAULT_TEXT_WEIGHT, vector_weight / _DEFAULT_VECTOR_WEIGHT
    fitted = DEFAULT_WEIGHTS
    return replace(
        fitted,
        covered=fitted.covered * text,
        around=fitted.around * text,
        lexical=fitted.lexical * text,
        meaning=fitted.meaning * vector,
    )


# -- the core ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Found:
    """The candidates of a question, judged."""

    pool: Pool
    scores: Mapping[int, float]
    gathered: frozenset[int]
    """What was found before the time of the question chose among it."""
    inside: frozenset[int] | None = None
    """What lies in the time of the question, where only that was looked at."""
    notes: Sequence[str] = ()
    asked: Request | None = None
    """The question as it was asked, where a part of the notes was looked at."""
    gave_way: bool = False
    """Whether nothing of the time asked for answers, and all else was looked at."""

    @property
    def best(self) -> float:
        return max(self.scores.values(), default=0.0)

    @property
    def order(self) -> list[int]:
        """Best first; of what is as good a fact first, then what stands first. Where the newest or
        the oldest is asked for, what answers about as well as the best is put in order of days."""
        items, scores = self.pool.items, self.scores
        order = sorted(scores, key=lambda n: (-scores[n], items[n].kind == NOTE, n))
        asked = self.pool.request.understood.order
        if asked not in ("newest", "oldest"):
            return order
        least = self.best * _ANSWERS_TOO
        dated = [n for n in order if scores[n] >= least and items[n].recorded]
        dated.sort(key=lambda n: items[n].recorded or date.min, reverse=asked == "newest")
        return [*dated, *(n for n in order if n not in set(dated))]


def find(request: Request, options: RankOptions) -> Found:
    """Find and judge the candidates; a date phrase that leaves nothing on the subject gives way,
    aloud."""
    as_asked, request = request, resolve(request)
    phrase = request.understood.phrase
    if phrase is None:
        return _judged(request, gather(request, options.without), options)
    whole = gather(request, options.without)
    anywhere = _judged(request, whole, options)
    if (ahead := coming_first(request)) and _answers(
        found := _inside(ahead, whole, options), anywhere, options
    ):
        return replace(found, notes=said_of_reading(ahead, None))
    found = _inside(request, whole, options)
    if _answers(found, anywhere, options):
        return replace(found, notes=said_of_coming(request))
    for other in other_readings(request):
        elsewhen = _inside(other, whole, options)
        if _answers(elsewhen, anywhere, options):
            empty = request.understood.query.interval
            return replace(elsewhen, notes=said_of_reading(other, empty))
    if not anywhere.scores:
        note = f"nothing was found in the time of '{phrase.text}'"
    elif not request.understood.subject_terms and not request.understood.entities:
        note = f"nothing was found in the time of '{phrase.text}'"
        anywhere = replace(anywhere, scores={})
    else:
        note = f"nothing on this was found in the time of '{phrase.text}'; showing what there is"
    if as_asked.understood.phrase is None:  # "after the accident" may just as well be the subject
        plain = resolve(as_asked, events=False)
        return replace(_judged(plain, gather(plain, options.without), options), notes=[note])
    return replace(anywhere, notes=[note], gave_way=True)


def _inside(request: Request, whole: Candidates, options: RankOptions) -> Found:
    """What lies in the time asked for. What held then may have been written before it: facts that
    give the property asked for are taken from the whole."""
    interval = request.understood.query.interval
    assert interval is not None
    within = items_of_interval(request.connection, interval, within=request.within)
    narrowed = replace(request, within=within)
    found = gather(narrowed, options.without)
    lists: dict[str, Ranking] = {**found.lists, "slot": whole.lists["slot"]}
    judged = _judged(narrowed, Candidates(lists, found.held, found.nearness), options)
    return replace(judged, inside=narrowed.allowed, asked=request)


def _answers(inside: Found, anywhere: Found, options: RankOptions) -> bool:
    """Whether what lies in the time asked for speaks of the subject about as well as what does not;
    always, where nothing else is asked for."""
    if not inside.scores:
        return False
    understood = inside.pool.request.understood
    if not understood.subject_terms and not understood.entities:
        return True
    if inside.pool.candidates.lists["slot"].ranked:
        return True
    weights = options.weights
    return subject_of(inside.pool, weights) >= _AS_GOOD * subject_of(anywhere.pool, weights)


def _judged(request: Request, candidates: Candidates, options: RankOptions) -> Found:
    pool = Pool.of(request, candidates)
    scores = score_pool(pool, options.weights)
    scores = apply_decay(scores, pool.items, request.now, options.half_life_days)
    return Found(pool, scores, frozenset(pool.items))


# -- an answer ---------------------------------------------------------------------------------


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
    found = find(request, ranking)
    pool = found.pool
    understood = pool.request.understood
    distinct, repeats = collapse_repeats(found.order, pool.items)
    head = distinct[: _HEAD * options.k]
    held = beliefs([pool.items[item].id for item in head if pool.items[item].kind == "opinion"])
    order, hidden = _without_superseded(distinct, pool.items, held, options)
    level = _level(found)
    order = relevant(order, found)
    if ranking.mmr_lambda is not None:
        order = rerank_mmr(order, found.scores, pool.items, ranking.mmr_lambda, options.k)
    current = _with_successors(found, order, held, options)
    hidden += current.hidden
    order, items = current.order, current.items
    contexts = contexts_of(request.connection, [items[item].path for item in order[: options.k]])
    shown, tokens = _cut(order, items, contexts, options)
    marks = _Marks(
        _falling(order, found.scores, current.replaced),
        held,
        current.replaced,
        repeats,
        pool.signs if options.explain else {},
        contexts,
        ranking.weights,
    )
    hits = tuple(_hit(pool, items[item], marks) for item in shown)
    lists = pool.candidates.lists
    used = tuple(n for n in RETRIEVERS if n not in skipped and n in lists and lists[n].ranked)
    answer = Answer(
        query=understood.query,
        hits=hits,
        evidence=level if hits else NONE,
        total=len(order),
        total_exact=all(len(each.ranked) < request.limit for each in lists.values()),
        truncated=len(shown) < len(order),
        tokens=tokens,
        index=dict(index),
        retrievers_used=used,
        retrievers_skipped=dict(skipped),
        notes=(
            *understood.notes,
            *notes,
            *_said_of_phrases(pool),
            *found.notes,
            *_said_of_guesses(pool, shown),
            *_said_of_count(found),
            *_said_of_hidden(hidden),
        ),
    )
    if options.why_not is None:
        return answer
    from lorebank.recall.why_not import Trace, explain_absence  # only when asked

    successors_of = {
        item: successor
        for item in distinct
        if item not in order
        and (successor := _successor(pool.items[item], held) or _id(current.replaced.get(item)))
    }
    trace = Trace(found, repeats, successors_of, order, shown, options.k, options.token_budget)
    return replace(answer, why_not=explain_absence(trace, options.why_not))


def _level(found: Found) -> str:
    """The evidence level: what is not from the time asked for is never strong."""
    level = evidence_level(found.best)
    return WEAK if level == STRONG and found.gave_way else level


def relevant(order: Sequence[int], found: Found) -> list[int]:
    """The order up to where relevance ends; nothing where there is none."""
    if evidence_level(found.best) == NONE:
        return []
    covered, signs = SIGNS.index("covered"), found.pool.signs
    return [
        item
        for item in order
        if found.scores[item] >= found.best * _RELEVANT
        or (item in signs and signs[item][covered] >= _SHARES)
    ]


def _falling(
    order: Sequence[int], scores: Mapping[int, float], replaced: Mapping[int, Successor]
) -> dict[int, float]:
    """The scores as shown: what took the place of another has the score of the place."""
    shown = [
        max(
            [scores.get(item, 0.0)]
            + [scores.get(old, 0.0) for old, by in replaced.items() if by.item == item]
        )
        for item in order
    ]
    return dict(zip(order, sorted(shown, reverse=True), strict=True))


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
    found: Found,
    order: Sequence[int],
    held: Mapping[str, BeliefOfFact],
    options: RecallOptions,
) -> Current:
    """The order with the newest truth first, and what replaces a hit in its place."""
    pool = found.pool
    request, understood, depth = pool.request, pool.request.understood, _HEAD * options.k
    facts = [item for item in order[:depth] if pool.items[item].kind not in (NOTE, "opinion")]
    as_of = understood.filters.as_of
    replaced = successors(request.connection, facts, as_of=as_of, today=request.now)
    past = understood.wants_past or understood.query.interval is not None
    past = past or understood.order == "oldest"
    if past or options.include_superseded:
        return Current(list(order), pool.items, replaced, 0)
    order = newest_first(order, pool.items, understood.terms, depth)
    # Without a name in the question, opinions that share a word of it are seldom about one thing.
    opinions = [
        item for item in order[:depth] if understood.entities and pool.items[item].kind == "opinion"
    ]
    about = {
        item: frozenset(t for t in understood.subject_terms if pool.holds(item, t))
        for item in opinions
    }
    belief = {item: _belief(pool, pool.items[item], held) for item in opinions}
    order = newest_opinion_first(order, pool.items, found.scores, about, belief)
    allowed = request.allowed
    missing = {s.item for s in replaced.values() if s.item not in pool.items}
    wanted = [item for item in sorted(missing) if allowed is None or item in allowed]
    items = {**pool.items, **request.items.load(wanted)}
    asked = (*understood.terms, *understood.query.entities)
    return lead_with_successors(order, items, replaced, asked, options.k)


def _belief(pool: Pool, item: Item, held: Mapping[str, BeliefOfFact]) -> float:
    if item.id in held:
        return held[item.id].confidence
    stated = pool.candidates.lists["opinion"].entries.get(item.item)
    return stated.score if stated else item.confidence or _UNSAID


def _said_of_phrases(pool: Pool) -> list[str]:
    """The quoted phrases that no item holds whole."""
    quoted = pool.request.understood.quoted
    return [
        f"nothing holds the phrase '{phrase}' whole; its words were searched"
        for phrase in quoted
        if not any(pool.holds(item, phrase) for item in pool.candidates.held)
    ]


def _said_of_guesses(pool: Pool, shown: Sequence[int]) -> list[str]:
    """Whom the question may mean besides those it names, where a hit is linked to them."""
    linked = pool.candidates.lists["entity"].entries
    meant = {slug for item in shown if item in linked for slug in linked[item].why["path"]}
    return [guess.note for slug, guess in pool.request.understood.perhaps.items() if slug in meant]


def _said_of_count(found: Found) -> list[str]:
    """How many lines speak of what is counted, and on how many days."""
    if found.pool.request.understood.order != "count":
        return []
    least = found.best * _ANSWERS_TOO
    items = [n for n in found.order if found.scores[n] >= least]
    days = sorted({day for n in items if (day := found.pool.items[n].recorded)})
    if not days:
        return []
    lines = "1 line speaks" if len(items) == 1 else f"{len(items)} lines speak"
    on = f"on {days[0]}" if len(days) == 1 else f"on {len(days)} days, {days[0]} to {days[-1]}"
    return [f"{lines} of this {on}; counted are lines, which may repeat each other"]


def _said_of_hidden(hidden: int) -> tuple[str, ...]:
    if not hidden:
        return ()
    hits = "1 superseded hit is" if hidden == 1 else f"{hidden} superseded hits are"
    return (f"{hits} hidden; include superseded facts to see them",)


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
    """What a recall found out about its items, beside the lists."""

    scores: Mapping[int, float]
    held: Mapping[str, BeliefOfFact]
    replaced: Mapping[int, Successor]
    repeats: Mapping[int, Sequence[int]]
    signs: Mapping[int, Sequence[float]]
    contexts: Mapping[str, tuple[str, ...]]
    """Path → what its folders and itself are about."""
    weights: Weights = field(default=DEFAULT_WEIGHTS)


def _hit(pool: Pool, item: Item, marks: _Marks) -> Hit:
    number, held, replaced = item.item, marks.held, marks.replaced
    belief = held.get(item.id)
    olds = [old for old, successor in replaced.items() if successor.item == number]
    why = pool.why(number)
    if olds:
        why["replaces"] = {"facts": [pool.items[old].id for old in olds]}
    if number in marks.signs:
        why["score"] = dict(score_parts(marks.signs[number], marks.weights))
    return Hit(
        id=item.id,
        kind=item.kind,
        content=item.content,
        source=item.citation,
        score=marks.scores[number],
        entities=item.names,
        confidence=belief.confidence if belief else item.confidence,
        recorded=item.recorded,
        occurred=item.occurred,
        times=item.times,
        status=_status(item, held, replaced),
        superseded_by=_successor(item, held) or _id(replaced.get(number)),
        until=_until(replaced.get(number)),
        why=why,
        evidence=belief.evidence if belief else (),
        snippet=snippet(item.content, pool.request.understood.terms),
        repeats=tuple(pool.items[same].citation for same in marks.repeats.get(number, ())),
        context=marks.contexts.get(item.path, ()),
        origin=item.origin,
        quarantined=item.quarantined,
        author=item.author,
    )


def _until(successor: Successor | None) -> date | None:
    return date.fromisoformat(successor.since) if successor and successor.since else None


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
