"""Why not: the first stage of a recall at which something that was expected fell out.

The stages in order: filters, retrievers, the time of the question, repeats, superseded facts, the
evidence level, `k`, the token budget.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from lorebank.domain.answers import Absence
from lorebank.domain.facts import Interval
from lorebank.index.finding import Selection, find_items, select_items
from lorebank.index.items import Item
from lorebank.index.lexical import terms_held
from lorebank.language.words import estimate_tokens
from lorebank.recall.answer import Arranged
from lorebank.recall.candidates import Request
from lorebank.recall.filters import Filters, exclusions

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


def explain_absence(answer: Arranged, named: str) -> Absence:
    """Why the item of an id or citation is not in the answer, or at which rank it is."""
    request = answer.found.asked or answer.found.pool.request
    numbers = find_items(request.connection, named)
    if not numbers:
        return Absence(
            asked=named, reason="unknown", detail=f"nothing in the index is called '{named}'"
        )
    found = []
    for number, item in request.items.load(numbers).items():
        reason, detail = _reason(answer, request, number, item)
        found.append(
            Absence(
                asked=named,
                reason=reason,
                detail=detail,
                id=item.id,
                source=item.citation,
                content=item.content,
                rank=answer.order.index(number) + 1 if number in answer.order else None,
                score=answer.found.scores.get(number),
                last_score=_last_score(answer),
                why=answer.found.pool.why(number),
            )
        )
    # Where several lines say the same, the one that came furthest speaks for them.
    return max(found, key=lambda each: _STAGES.index(each.reason))


def _reason(answer: Arranged, request: Request, number: int, item: Item) -> tuple[str, str]:
    found = answer.found
    if number in answer.shown:
        return "shown", f"it is hit {answer.shown.index(number) + 1} of the answer"
    if request.allowed is not None and number not in request.allowed:
        return "filtered", f"left out by {', '.join(_filters_against(request, number))}"
    if number in answer.order:
        return _cut(answer, number, item)
    if found.inside is not None and number not in found.inside:
        phrase, interval = request.understood.phrase, request.understood.query.interval
        written = f"'{phrase.text}'" if phrase else "the question"
        return (
            "outside-time",
            f"neither it nor its day lies in the time of {written} ({_span(interval)})",
        )
    if number not in found.pool.items:
        return "not-matched", _unmatched(request, number)
    for kept, same in answer.repeats.items():
        if number in same:
            other = found.pool.items[kept]
            says = f"it says the same as {other.id} ({other.citation}), which stands for both"
            return "repeat", says
    if successor := answer.successor(number):
        return "superseded", f"superseded by {successor}; a flag shows such facts"
    own = found.scores.get(number, 0.0)
    return (
        "no-evidence",
        f"it is not relevant enough: its score is {own:.3f}, the best is {found.best:.3f}",
    )


def _cut(answer: Arranged, number: int, item: Item) -> tuple[str, str]:
    rank, options = answer.order.index(number) + 1, answer.options
    ranked = f"it is number {rank} of {len(answer.order)}"
    if rank <= options.k:
        return "budget", (
            f"{ranked}; the budget of {options.token_budget} tokens was spent"
            f" after {len(answer.shown)} (it takes {estimate_tokens(item.content)} tokens)"
        )
    own, last = answer.found.scores.get(number), _last_score(answer)
    scores = "it is there in place of what it replaces"
    if own is not None and last is not None:
        scores = f"its score is {own:.2f}, that of the last one shown {last:.2f}"
    return "below-k", f"{ranked}, and {options.k} were asked for; {scores}"


def _last_score(answer: Arranged) -> float | None:
    """The score of the last hit; one that took the place of another has none of its own."""
    scores = answer.found.scores
    return next((scores[number] for number in reversed(answer.shown) if number in scores), None)


def _unmatched(request: Request, number: int) -> str:
    """Which words it lacks; or that others match better, where it lacks none of some."""
    terms = request.understood.terms
    if not terms:
        return "no retriever found it: the question has no words, and it is not linked to its names"
    own, around = terms_held(request.postings, terms, [number])[number]
    places = own | around
    held = [f"'{term}'" for place, term in enumerate(terms) if places >> place & 1]
    lacking = ", ".join(f"'{term}'" for place, term in enumerate(terms) if not places >> place & 1)
    if held:
        lacks = f" and lacks {lacking}" if lacking else ""
        return f"it holds {', '.join(held)}{lacks}; more than {request.limit} others match better"
    meaning = "" if request.query_vector is None else ", and it is not near in meaning"
    return f"no retriever found it: it lacks {lacking}{meaning}"


def _filters_against(request: Request, number: int) -> Iterator[str]:
    """The filters that leave an item out, each tried alone."""
    filters = request.understood.filters
    alone = [(called, Filters(each)) for called, each in _each_wanted(filters.wanted)]
    alone += [
        (f"'-{called}'", Filters(unwanted=each)) for called, each in exclusions(filters.unwanted)
    ]
    for called, each in alone:
        left = select_items(request.connection, each.wanted, each.unwanted)
        if left is not None and number not in json.loads(left):
            yield called


def _each_wanted(wanted: Selection) -> Iterator[tuple[str, Selection]]:
    """What each thing is called that an item must be, and it alone."""
    named = {
        "interval": f"the time {_span(wanted.interval)}",
        "entities": f"the entity {', '.join(wanted.entities)}",
        "names": f"the name {', '.join(wanted.names)}",
        "kinds": f"the kind {', '.join(wanted.kinds)}",
        "tags": f"the tag {', '.join(map(repr, wanted.tags))}",
        "paths": f"the path {', '.join(wanted.paths)}",
        "origins": f"the origin {', '.join(wanted.origins)}",
        "authors": f"the author {', '.join(wanted.authors)}",
        "trusted_only": "trusted only, and nobody has confirmed it",
        "min_confidence": f"the least confidence {wanted.min_confidence}",
        "as_of": f"the day asked as of, {wanted.as_of}",
    }
    for name, called in named.items():
        value = getattr(wanted, name)
        if value != getattr(Selection(), name):
            yield called, Selection(**{name: value})


def _span(interval: Interval | None) -> str:
    if interval is None:
        return "any time"
    return f"{interval.start or '…'} – {interval.end or '…'}"
