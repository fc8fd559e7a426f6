"""What is shown of a hit: the part of its text that holds the match, what its folder and file are
about, and how many hits a budget of tokens holds. Pure."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Sequence

from lorebank.language.folding import fold
from lorebank.language.words import estimate_tokens

SNIPPET_CHARACTERS = 700
"""As the published memory search shows of a chunk."""
_SHORTEST, _ENDING = 3, 2
"""Letters of a word that are looked for at least, and those at its end that other forms change."""
_LONG = 80
"""Characters of a line that tell it from others."""


def newly_shown(context: Sequence[str], shown: set[str]) -> tuple[str, ...]:
    """Of a hit's context what no earlier hit has shown; adds it to `shown`."""
    fresh = tuple(line for line in context if line not in shown)
    shown.update(fresh)
    return fresh


def within_budget(
    hits: Iterable[tuple[str, Sequence[str]]], token_budget: int | None
) -> tuple[int, int]:
    """How many of some hits, by text and context, a budget holds, at least one; their tokens."""
    count = spent = 0
    shown: set[str] = set()
    for text, context in hits:
        fresh = newly_shown(context, shown)
        cost = estimate_tokens(text) + sum(map(estimate_tokens, fresh))
        if count and token_budget is not None and spent + cost > token_budget:
            break
        count, spent = count + 1, spent + cost
    return count, spent


def snippet(text: str, terms: Iterable[str], limit: int = SNIPPET_CHARACTERS) -> str:
    """The stretch of at most `limit` characters with the most distinct terms, whole lines if they
    fit; `…` marks what was cut.

    >>> snippet("one\\ntwo", ["two"], limit=700)
    'one\\ntwo'
    """
    text = text.strip("\n")
    if len(text) <= limit:
        return text
    return _best_lines(text.split("\n"), beginnings(terms), limit - 2)


def matching_line(text: str, terms: Iterable[str]) -> str:
    """The line that holds the most distinct terms, the first of several; of a long one, the part
    that does."""
    lines = text.split("\n")
    wanted = beginnings(terms)
    line = max(lines, key=lambda each: terms_held(each, wanted))
    return line if len(line) <= _LONG else _around_terms(line, wanted, _LONG).strip("…")


def beginnings(terms: Iterable[str]) -> frozenset[str]:
    """What words share with most of their other forms, folded: `boats` is looked for as `boa`."""
    return frozenset(
        term[: max(_SHORTEST, len(term) - _ENDING)] if term.isalpha() else term
        for term in map(fold, terms)
    )


def terms_held(text: str, wanted: Collection[str]) -> int:
    """How many of the beginnings a text holds."""
    folded = fold(text)
    return sum(term in folded for term in wanted)


def _best_lines(lines: Sequence[str], wanted: Collection[str], limit: int) -> str:
    held = [terms_held(line, wanted) for line in lines]
    first = last = held.index(max(held))
    if len(lines[first]) > limit:
        return _around_terms(lines[first], wanted, limit)
    size = len(lines[first])
    while True:
        below = size + len(lines[last + 1]) + 1 if last + 1 < len(lines) else limit + 1
        above = size + len(lines[first - 1]) + 1 if first > 0 else limit + 1
        # Downwards first: what follows a match explains it more often than what precedes it.
        if below <= limit and (held[last + 1] or above > limit):
            last, size = last + 1, below
        elif above <= limit:
            first, size = first - 1, above
        else:
            break
    return _marked_cut("\n".join(lines[first : last + 1]), first > 0, last + 1 < len(lines))


def _around_terms(line: str, wanted: Collection[str], limit: int) -> str:
    """A stretch of one long line; terms are found letter by letter, as folding changes lengths."""
    pieces = [fold(letter) for letter in line]
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    folded = "".join(pieces)
    places = sorted((origin[at], term) for term in wanted for at in _places(folded, term))
    lead = limit // 6  # so much is shown of what comes before the terms

    def distinct(number: int) -> int:
        end = places[number][0] + limit - lead
        inside = places[number : bisect(places, (end,))]
        return len({term for at, term in inside if at + len(term) <= end})

    densest = places[max(range(len(places)), key=distinct)][0] if places else 0
    start = max(0, min(densest - lead, len(line) - limit))
    return _marked_cut(line[start : start + limit], start > 0, start + limit < len(line))


def _marked_cut(text: str, before: bool, after: bool) -> str:
    return f"{'…' * before}{text}{'…' * after}"


def _places(text: str, term: str) -> Iterator[int]:
    place = text.find(term) if term else -1
    while place >= 0:
        yield place
        place = text.find(term, place + len(term))
