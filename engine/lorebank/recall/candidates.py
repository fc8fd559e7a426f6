"""Candidates: what each way of looking finds for a question, with its reasons.

By words and codes, by meaning, by the names, the time, the opinion and the property asked for. A
list is in its own order and scores are in its own unit; `scoring` judges the union by one measure.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

from lorebank.database.connection import Connection
from lorebank.domain.facts import Task, TaskState
from lorebank.index.finding import (
    codes_in,
    find_items,
    items_in_interval,
    items_of_entities,
    items_with_codes,
    newest_items,
    opinion_items,
)
from lorebank.index.items import Item, ItemCache
from lorebank.index.lexical import Held, Postings, Vocabulary, best_items, terms_held
from lorebank.index.slots import items_of_slots
from lorebank.language.words import identifiers, same_word, words
from lorebank.recall.understand import Understood
from lorebank.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.index.vectors import VectorIndex, VectorsOf

_NAMED = 0.6
"""How much an item has to do with an entity that it names in its text, beside 1 for one that it is
about or links."""
_FILTERED_OVERFETCH = 8
"""Times `limit` neighbours in meaning that are looked through where filters leave few of them."""
_LISTS = 500
"""Lists kept in memory, some 20 KB each."""


class Request(Record):
    """One question, and what it is asked of."""

    understood: Understood
    connection: Connection
    vocabulary: Vocabulary
    postings: Postings
    items: ItemCache
    now: date
    limit: int
    """How many items each way of looking may bring."""
    within: str | None = None
    """JSON list of the only items that filters leave; `None`: all."""
    vectors: VectorIndex | None = None
    vectors_of: VectorsOf | None = None
    """The vectors of texts by the built-in embedder."""
    query_vector: NDArray[np.float32] | None = None
    asks_for: str = ""
    """Whether `open` or `done` tasks are asked for, own `promises`, or the `days` of each year that
    lie in the time asked for; these lead the answer."""
    tasks_on: tuple[str, ...] = ()
    """Words that say which tasks, where tasks are asked for."""
    spread: float = 0.0
    """The usual standard deviation of the embedder's similarities; 0: as this question's are."""

    @property
    def allowed(self) -> frozenset[int] | None:
        """`within` as a set."""
        return None if self.within is None else frozenset(json.loads(self.within))


class Ranking(dict[int, float]):
    """What one way of looking found: item → score, best first.

    Why it found an item is worked out for those that are shown.
    """

    def __init__(
        self,
        found: Mapping[int, float] | Iterable[tuple[int, float]] = (),
        reason: Callable[[int], Mapping[str, Any]] = lambda item: {},
    ) -> None:
        super().__init__(found)
        self.reason = reason

    def why(self, item: int) -> dict[str, Any]:
        """The rank of an item from 1, and what speaks for it."""
        return {"rank": list(self).index(item) + 1, **self.reason(item)}


@dataclass(frozen=True)
class Pool:
    """The candidates of one question and what the ways of looking say of them."""

    request: Request
    lists: Mapping[str, Ranking]
    items: Mapping[int, Item]
    held: Mapping[int, Held] = field(default_factory=dict)
    """Item → which terms it holds, by their places."""
    codes: Mapping[int, int] = field(default_factory=dict)
    """Item → which terms are of a code that it holds, however written."""
    nearness: Mapping[int, float] = field(default_factory=dict)
    """Item → how many standard deviations it is nearer in meaning than the notes at large."""
    rarity: Mapping[str, float] = field(default_factory=dict)
    """Term → its inverse document frequency."""

    @cached_property
    def turns(self) -> dict[tuple[int, int], int]:
        """File and place of a turn of a dialogue → its number."""
        return {(i.file, i.ordinal): n for n, i in self.items.items() if i.dialogue}

    def neighbouring_turn(self, item: Item, away: int) -> Item | None:
        """The turn that stands that many turns further down in the same dialogue, if it is here."""
        number = self.turns.get((item.file, item.ordinal + away))
        return None if number is None else self.items[number]

    def why(self, item: int) -> dict[str, dict[str, object]]:
        """What each list that holds an item says of it: its rank from 1, and reasons."""
        return {name: ranking.why(item) for name, ranking in self.lists.items() if item in ranking}

    def holds(self, item: int, term: str) -> bool:
        """Whether an item itself holds a term."""
        held = self.held.get(item)
        return held is not None and bool(held.own >> self.request.understood.terms.index(term) & 1)


def needs_meaning(understood: Understood) -> bool:
    """Whether words and links alone can not be enough: a question that names only entities, a time
    or identifiers is answered by these, and loading a model for it would only cost time."""
    named = {word for token in identifiers(understood.plain) for word in words(token)}
    asked = understood.relations or understood.subject_terms  # "where does Ana work?" asks for more
    return any(term not in named and " " not in term for term in asked)


def gather(request: Request, **given: Ranking) -> Pool:
    """What every way of looking finds; lists that are `given` stand for what they would find."""
    held: dict[int, Held] = {}
    codes = _by_codes(request)
    lists = {"lexical": _by_words(request, held, codes)}
    lists |= {name: find(request) for name, find in _FINDERS.items() if name not in given}
    others = frozenset[int]().union(*lists.values())
    lists["semantic"], nearness = _by_meaning(request, others)
    lists |= given
    items = request.items.load(sorted(frozenset[int]().union(*lists.values())))
    return Pool(request, lists, items, held, codes, nearness, _rarity(request, held))


def _rarity(request: Request, held: Mapping[int, Held]) -> dict[str, float]:
    """Term → its inverse document frequency; of one that stands nowhere, by the items that hold
    it as a part of a code or a word."""
    terms, total = request.understood.terms, request.vocabulary.total
    counts = request.vocabulary.frequencies(terms)
    for place, term in enumerate(terms):
        if not counts[term]:
            counts[term] = sum(each.own >> place & 1 for each in held.values())
    return {term: math.log(1.0 + (total - n + 0.5) / (n + 0.5)) for term, n in counts.items()}


def _by_words(request: Request, held: dict[int, Held], codes: Mapping[int, int]) -> Ranking:
    """Items that hold any of the terms; `why` separates those in the item from those around it."""
    terms = request.understood.terms
    scores = best_items(request.postings, terms, request.limit, request.within)
    held |= terms_held(request.postings, terms, scores)
    for item, places in [*codes.items(), *_by_parts(request)]:
        own, around = held.get(item, Held(0, 0))
        if places & ~own:
            held[item] = Held(own | places, around)
            scores[item] = scores.get(item, 0.0) + math.log(request.vocabulary.total + 1)

    def why(found: Held) -> dict[str, list[str]]:
        return {
            "terms": [term for place, term in enumerate(terms) if found.own >> place & 1],
            "around": [term for place, term in enumerate(terms) if found.around >> place & 1],
        }

    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], entry[0]))
    return Ranking(ranked, lambda item: why(held[item]))


def _by_codes(request: Request) -> dict[int, int]:
    """Item → the places of the terms of the codes that it holds whole, or as beginning or end."""
    terms = [(1 << place, set(words(term))) for place, term in enumerate(request.understood.terms)]
    asked = codes_in(request.understood.plain)
    allowed = request.allowed
    held: dict[int, int] = {}
    for code, items in items_with_codes(request.connection, asked).items():
        places = sum(bit for bit, parts in terms if parts.issubset(asked[code]))
        for item in items:
            if allowed is None or item in allowed:
                held[item] = held.get(item, 0) | places
    return held


def _by_parts(request: Request) -> Iterator[tuple[int, int]]:
    """Items with a longer word that holds one that stands nowhere, and the place of that."""
    counts = request.vocabulary.frequencies(request.understood.terms)
    for place, term in enumerate(request.understood.terms):
        if not counts[term] and (longer := request.vocabulary.holding(term)):
            found = best_items(request.postings, longer, request.limit, request.within)
            held = terms_held(request.postings, longer, found)
            yield from ((item, 1 << place) for item in found if held[item].own)


def _by_meaning(request: Request, others: frozenset[int]) -> tuple[Ranking, dict[int, float]]:
    """The nearest items, and how near they and `others` are; empty without an embedder."""
    if request.vectors is None or request.query_vector is None:
        return Ranking(), {}
    allowed = request.allowed
    limit = request.limit if allowed is None else request.limit * _FILTERED_OVERFETCH
    near = request.vectors.nearest(request.query_vector, limit)
    scores = {item: score for item, score in near.ranked if allowed is None or item in allowed}
    nearest = Ranking(
        list(scores.items())[: request.limit], lambda item: {"similarity": round(nearest[item], 4)}
    )
    missing = sorted(others - scores.keys())
    scores |= request.vectors.similarities(request.query_vector, missing)
    kept = others.union(nearest)
    spread = request.spread or near.spread
    return nearest, {
        item: (score - near.mean) / spread for item, score in scores.items() if item in kept
    }


def _kept(find: Callable[[Request], Ranking]) -> Callable[[Request], Ranking]:
    """The same, kept while the index stays as it is where no filter narrows it, of what looks only
    at whom a question names and whether it asks for opinions."""

    def found(request: Request) -> Ranking:
        asked = request.understood
        key = find, asked.entities, tuple(asked.perhaps), asked.wants_opinion, request.limit
        kept = request.items.derived("named")
        known: dict[Hashable, Ranking] = kept if request.within is None else {}
        if key not in known:
            if len(known) >= _LISTS:
                known.clear()
            known[key] = find(request)
        return known[key]

    return found


@_kept
def _by_names(request: Request) -> Ranking:
    """Facts about the entities named, facts that link them, items that have their names in the
    text; what has several of them adds them up. Ties: the newest first."""
    perhaps = request.understood.perhaps
    wanted = (*request.understood.entities, *perhaps)
    scores: dict[int, float] = {}
    paths: dict[int, list[str]] = {}
    if wanted:
        worth = [
            (item, entity, 1.0 if marked else _NAMED)
            for marked in (True, False)
            for item, entity in items_of_entities(
                request.connection, wanted, request.limit, marked=marked, within=request.within
            )
        ]
        for item, entity, score in worth:
            if entity not in paths.setdefault(item, []):
                scores[item] = scores.get(item, 0.0) + score
                paths[item].append(entity)
    order = {item: place for place, item in enumerate(scores)}
    ranked = sorted(scores.items(), key=lambda entry: (-entry[1], order[entry[0]]))
    return Ranking(ranked, lambda item: {"path": paths[item]})


def _by_time(request: Request) -> Ranking:
    """Items whose own time, or else day of writing, overlaps the interval; newest first."""
    interval = request.understood.query.interval
    if interval is None:
        return Ranking()
    rows = items_in_interval(request.connection, interval, request.limit, within=request.within)
    found = {item: by for item, by, _ in rows}
    return Ranking(((item, share) for item, _, share in rows), lambda item: {"by": found[item]})


@_kept
def _by_opinion(request: Request) -> Ranking:
    """Opinions of the entities named, or of anybody where none is named; the surest first."""
    if not request.understood.wants_opinion:
        return Ranking()
    rows = opinion_items(
        request.connection, request.understood.entities, request.limit, within=request.within
    )
    sure = dict(rows)
    return Ranking(sure, lambda item: {"confidence": round(sure[item], 4)})


def _by_property(request: Request) -> Ranking:
    """Facts that give the very property asked for; the newest scores 1, each before it less.

    Asked about a time, the newest is the last one recorded by its end: what held then may have
    been written long before, so the filter of time does not hold here.
    """
    understood = request.understood
    if not understood.relations and not understood.attributes:
        return Ranking()
    interval = understood.query.interval
    rows = items_of_slots(
        request.connection,
        understood.meant,
        understood.relations,
        understood.attributes,
        request.limit,
        until=interval.end if interval else None,
        within=request.within,
    )
    relations = dict(rows)
    scores = ((item, 1.0 / place) for place, (item, _) in enumerate(rows, start=1))
    return Ranking(scores, lambda item: {"relation": relations[item]})


def _by_filters(request: Request) -> Ranking:
    """The newest items inside the filters, where nothing else is asked for: `tag:recipe`."""
    understood = request.understood
    if (
        request.within is None
        or understood.terms
        or understood.entities
        or understood.query.interval
    ):
        return Ranking()
    newest = newest_items(request.connection, request.limit, within=request.within)
    return Ranking((item, 1.0 / place) for place, item in enumerate(newest, start=1))


def _by_tasks(request: Request) -> Ranking:
    """The tasks about whom the question names, where tasks are asked for; or birthdays, in the
    order of their lines."""
    if not request.asks_for:
        return Ranking()
    from lorebank.index.tasks import returning_in

    understood, allowed = request.understood, request.allowed
    until, interval = understood.filters.wanted.as_of or request.now, understood.query.interval
    named = set(understood.entities)
    if request.asks_for != "days":
        about = [(task.citation, task.entities) for task in _tasks_on_subject(request, until)]
    else:
        about = returning_in(request.connection, interval, until) if interval else []
    cited = [str(place) for place, names in about if not named or named.intersection(names)]
    found = (n for place in cited for n in find_items(request.connection, place)[:1])
    return Ranking((n, 1.0) for n in found if allowed is None or n in allowed)


def _tasks_on_subject(request: Request, until: date) -> list[Task]:
    """The tasks that share a word with what is asked of them, else all: open ones by the day they
    are due, those that are perhaps done last; of done ones the last first."""
    from lorebank.index.tasks import load_tasks

    understood, done = request.understood, request.asks_for == "done"
    tasks = load_tasks(
        request.connection,
        until=until,
        state=TaskState.DONE if done else TaskState.OPEN,
        own_promises=request.asks_for == "promises",
    )
    on_it = (task for task in tasks if any(_holds(task.text, each) for each in request.tasks_on))
    tasks = tuple(on_it) or tasks  # one is perhaps on it in other words
    if done:
        return list(tasks[::-1])
    interval = understood.query.interval
    if interval and interval.end and interval.end >= until:  # else when it was noted is asked
        last = interval.end
        tasks = tuple(t for t in tasks if not t.due or (t.due.start or t.due.end or last) <= last)
    return sorted(tasks, key=lambda t: (bool(t.perhaps_done), (t.due and t.due.end) or date.max))


def _holds(text: str, term: str) -> bool:
    return any(same_word(term, word) for word in words(text))


_FINDERS: Mapping[str, Callable[[Request], Ranking]] = {
    "entity": _by_names,
    "temporal": _by_time,
    "opinion": _by_opinion,
    "listing": _by_filters,
    "slot": _by_property,
    "tasks": _by_tasks,
}
RETRIEVERS = ("lexical", "semantic", *_FINDERS)
