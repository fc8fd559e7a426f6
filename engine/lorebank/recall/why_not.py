"""Why not: the first stage of a recall at which something that was expected fell out.

The stages in order: filters, retrievers, the time of the question, repeats, superseded facts, the
evidence level, `k`, the token budget.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from lorebank.domain import Absence, Interval
from lorebank.index.finding import find_items
from lorebank.index.items import Item
from lorebank.index.lexical import match_items
from lorebank.index.selection import select_items
from lorebank.language.words import estimate_tokens
from lorebank.recall.candidates import Request
from lorebank.recall.filters import Excluded, Filters
from lorebank.recall.pipeline import Found
from lorebank.recall.scoring import Pool
from lorebank.records import dataclass


@dataclass(frozen=True, slots=True)
class Trace:
    """The stages that one recall went through."""

    found: Found
    repeats: Mapping[int, Sequence[int]]
    """Kept item → items that say the same."""
    successors: Mapping[int, str]
    """Hidden item → id of what supersedes it."""
    order: Sequence[int]
    """In order, all that could be shown."""
    shown: Sequence[int]
    k: int
    token_budget: int | None

    @property
    def request(self) -> Request:
        return self.found.asked or self.found.pool.request

    @property
    def pool(self) -> Pool:
        return self.found.pool

    @property
    def scores(self) -> Mapping[int, float]:
        return self.found.scores


def explain_absence(trace: Trace, named: str) -> Absence:
    """Why the item of an id or citation is not in the answer, or at which rank it is."""
    numbers = find_items(trace.request.connection, named)
    if not numbers:
        return Absence(
            asked=named, reason="unknown", detail=f"nothing in the index is called '{named}'"
        )
    found = [_explain(trace, named, number) for number in numbers]
    # Where several lines say the same, the one that came furthest speaks for them.
    return max(found, key=lambda each: _STAGES.index(each.reason))


_STAGES = (
    "filtered",
    "not-matched",
    "outside-time",
    "no-evidence",
    "repeat",
    "superseded",
    "below-k",
    "budget",
    "shown",
)


def _explain(trace: Trace, named: str, number: int) -> Absence:
    item = trace.request.items.load([number])[number]
    reason, detail = _reason(trace, number, item)
    rank = trace.order.index(number) + 1 if number in trace.order else None
    return Absence(
        asked=named,
        reason=reason,
        detail=detail,
        id=item.id,
        source=item.citation,
        content=item.content,
        rank=rank,
        score=trace.scores.get(number),
        last_score=_last_score(trace),
        why=trace.pool.why(number),
    )


def _reason(trace: Trace, number: int, item: Item) -> tuple[str, str]:
    if number in trace.shown:
        return "shown", f"it is hit {trace.shown.index(number) + 1} of the answer"
    allowed = trace.request.allowed
    if allowed is not None and number not in allowed:
        return "filtered", f"left out by {', '.join(_filters_against(trace, number))}"
    if (
        trace.found.inside is not None
        and number not in trace.found.inside
        and number not in trace.order
    ):
        return "outside-time", _outside(trace)
    if number not in trace.found.gathered and number not in trace.order:
        return "not-matched", _unmatched(trace, number)
    if number not in trace.pool.items:
        return "outside-time", _outside(trace)
    for kept, same in trace.repeats.items():
        if number in same:
            other = trace.pool.items[kept]
            return (
                "repeat",
                f"it says the same as {other.id} ({other.citation}), which stands for both",
            )
    if number in trace.successors:
        return "superseded", f"superseded by {trace.successors[number]}; a flag shows such facts"
    if number not in trace.order:
        return "no-evidence", _irrelevant(trace, number)
    return _cut(trace, number, item)


def _irrelevant(trace: Trace, number: int) -> str:
    best = max(trace.scores.values(), default=0.0)
    own = trace.scores.get(number, 0.0)
    return f"it is not relevant enough: its score is {own:.3f}, the best is {best:.3f}"


def _cut(trace: Trace, number: int, item: Item) -> tuple[str, str]:
    rank = trace.order.index(number) + 1
    scores = "it is there in place of what it replaces"
    if number in trace.scores and (last := _last_score(trace)) is not None:
        scores = f"its score is {trace.scores[number]:.2f}, that of the last one shown {last:.2f}"
    if rank <= trace.k:
        cost = estimate_tokens(item.content)
        return "budget", (
            f"ranked {_ordinal(rank)}; the budget of {trace.token_budget} tokens was spent"
            f" after {len(trace.shown)} (it takes {cost} tokens)"
        )
    return "below-k", f"ranked {_ordinal(rank)}, and {trace.k} were asked for; {scores}"


def _last_score(trace: Trace) -> float | None:
    """The score of the last hit; one that took the place of another has none of its own."""
    return next((trace.scores[n] for n in reversed(trace.shown) if n in trace.scores), None)


def _unmatched(trace: Trace, number: int) -> str:
    """Which words it lacks; or that others match better, where it lacks none of some."""
    request = trace.request
    terms = request.understood.terms
    if not terms:
        return "no retriever found it: the question has no words, and it is not linked to its names"
    matches = match_items(
        request.vocabulary, request.postings, terms, 1, within=json.dumps([number])
    )
    places = matches[0].held.own | matches[0].held.around if matches else 0
    held = [term for place, term in enumerate(terms) if places >> place & 1]
    lacking = [term for term in terms if term not in held]
    if held:
        words = f"it holds {_listed(held)}" + (f" and lacks {_listed(lacking)}" if lacking else "")
        return f"{words}; more than {request.limit} others match better"
    meaning = "" if request.query_vector is None else ", and it is not near in meaning"
    return f"no retriever found it: it lacks {_listed(lacking)}{meaning}"


def _outside(trace: Trace) -> str:
    phrase = trace.request.understood.phrase
    interval = trace.request.understood.query.interval
    written = f"'{phrase.text}'" if phrase else "the question"
    return f"neither it nor its day lies in the time of {written} ({_span(interval)})"


def _filters_against(trace: Trace, number: int) -> Iterator[str]:
    """The filters that leave an item out, each tried alone."""
    for said, alone in _each_filter(trace.request.understood.filters):
        left = select_items(trace.request.connection, alone.wanted, alone.unwanted)
        if left is not None and number not in json.loads(left):
            yield said


def _each_filter(filters: Filters) -> Iterator[tuple[str, Filters]]:
    none = Filters()
    if filters.interval is not None:
        yield f"the time {_span(filters.interval)}", replace(none, interval=filters.interval)
    if filters.entities:
        yield f"the entity {', '.join(filters.entities)}", replace(none, entities=filters.entities)
    if filters.kinds:
        yield f"the kind {', '.join(filters.kinds)}", replace(none, kinds=filters.kinds)
    for tag in filters.tags:
        yield f"the tag '{tag}'", replace(none, tags=(tag,))
    if filters.path is not None:
        yield f"the path {filters.path}", replace(none, path=filters.path)
    if filters.origins:
        yield f"the origin {', '.join(filters.origins)}", replace(none, origins=filters.origins)
    if filters.trusted_only:
        yield "trusted only, and nobody has confirmed it", replace(none, trusted_only=True)
    if filters.min_confidence is not None:
        said = f"the least confidence {filters.min_confidence}"
        yield said, replace(none, min_confidence=filters.min_confidence)
    if filters.as_of is not None:
        yield f"the day asked as of, {filters.as_of}", replace(none, as_of=filters.as_of)
    yield from (
        (f"'-{part.shown[0]}'", replace(none, excluded=part)) for part in _parts(filters.excluded)
    )


def _parts(excluded: Excluded) -> Iterator[Excluded]:
    yield from (Excluded(words=(each,)) for each in excluded.words)
    yield from (Excluded(entities=(each,)) for each in excluded.entities)
    yield from (Excluded(kinds=(each,)) for each in excluded.kinds)
    yield from (Excluded(tags=(each,)) for each in excluded.tags)
    yield from (Excluded(paths=(each,)) for each in excluded.paths)


def _span(interval: Interval | None) -> str:
    if interval is None:
        return "any time"
    return f"{interval.start or '…'} – {interval.end or '…'}"


def _listed(terms: Sequence[str]) -> str:
    return ", ".join(f"'{term}'" for term in terms)


def _ordinal(number: int) -> str:
    """`1st`, `22nd`, `13th`."""
    if number % 100 in (11, 12, 13):
        return f"{number}th"
    return f"{number}{ {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th') }"
