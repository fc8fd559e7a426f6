"""Evidence level: does anything here answer the question, or only resemble it?

The level is for the whole answer: `strong`, `weak` or `none`. It looks at how much of the question
the best hits hold, rare words counting more, and at how near they come in meaning. Words that
stand nowhere in the workspace count as rare as can be: a question full of them is not answered
here, whatever else ranks first.
"""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.recall.pool import Pool, coverage, lexical_terms

STRONG, WEAK, NONE = "strong", "weak", "none"

STRONG_COVERAGE = 0.6
WEAK_COVERAGE = 0.3
STRONG_SIMILARITY = 0.62
WEAK_SIMILARITY = 0.4
_LOOKED_AT = 3


def evidence_level(pool: Pool, best: Sequence[int]) -> str:
    """The level that the first few hits reach."""
    if not best:
        return NONE
    understood = pool.understood
    head = best[:_LOOKED_AT]
    if any(item in pool.rankings["slot"].entries for item in head):
        return STRONG  # the very property asked for, in whatever words
    if not understood.subject_terms:
        return _without_subject(pool, head)
    # Names alone answer nothing: what is asked about them has to be there too.
    asked = understood.subject_terms
    linked = [item for item in head if _is_linked(pool, item)]
    covered = max((coverage(pool, item, asked) for item in linked), default=0.0)
    similar = max((_similarity(pool, item) for item in linked), default=0.0)
    beside = max(coverage(pool, item, asked) for item in head)
    if beside >= STRONG_COVERAGE > covered:
        return WEAK  # what was asked about is here, but said of nobody who was named
    if covered >= STRONG_COVERAGE or similar >= STRONG_SIMILARITY:
        return STRONG
    if _is_opinion_of_named(pool, head):
        return STRONG if covered >= WEAK_COVERAGE else WEAK
    return WEAK if covered >= WEAK_COVERAGE or similar >= WEAK_SIMILARITY else NONE


def _without_subject(pool: Pool, head: Sequence[int]) -> str:
    """The level where only names and times were asked for: is what is shown linked to them?"""
    understood = pool.understood
    wanted = set(understood.entities)
    if pool.rankings["listing"].ranked:
        return STRONG
    if not wanted and understood.query.interval is None:
        return NONE
    linked = not wanted or any(wanted & set(pool.items[item].entities) for item in head)
    if not linked:
        return WEAK
    return WEAK if understood.notes else STRONG


def _is_linked(pool: Pool, number: int) -> bool:
    """Whether an item has to do with somebody named in the question, where anybody is."""
    wanted = set(pool.understood.entities)
    if not wanted or wanted & set(pool.items[number].entities):
        return True
    names = [t for t in pool.understood.terms if t not in pool.understood.subject_terms]
    held = {*lexical_terms(pool, number, "terms"), *lexical_terms(pool, number, "around")}
    return any(name in held for name in names)


def _similarity(pool: Pool, item: int) -> float:
    entry = pool.rankings["semantic"].of(item)
    return entry.score if entry else 0.0


def _is_opinion_of_named(pool: Pool, head: Sequence[int]) -> bool:
    wanted = set(pool.understood.entities)
    return pool.understood.wants_opinion and any(
        pool.items[item].kind == "opinion" and wanted & pool.items[item].subjects for item in head
    )
