"""Snippets: the part of a text that holds the match, inside a length."""

from __future__ import annotations

from collections.abc import Iterable

from lorebank.language.folding import fold

__all__ = ["SNIPPET_CHARACTERS", "snippet"]

SNIPPET_CHARACTERS = 700


def snippet(text: str, terms: Iterable[str], limit: int = SNIPPET_CHARACTERS) -> str:
    """The stretch of at most `limit` characters with the most distinct terms, whole lines if they
    fit; `…` marks what was cut.

    >>> snippet("one\\ntwo", ["two"], limit=700)
    'one\\ntwo'
    """
    text = text.strip("\n")
    if len(text) <= limit:
        return text
    wanted = [fold(term) for term in terms]
    return _best_lines(text.split("\n"), wanted, limit - 2)


def _best_lines(lines: list[str], wanted: list[str], limit: int) -> str:
    held = [{term for term in wanted if term in fold(line)} for line in lines]
    center = max(range(len(lines)), key=lambda i: (len(held[i]), -i))
    if len(lines[center]) > limit:
        return _around_terms(lines[center], wanted, limit)
    first = last = center
    size = len(lines[center])
    while True:
        after = len(lines[last + 1]) + 1 if last + 1 < len(lines) else limit
        before = len(lines[first - 1]) + 1 if first > 0 else limit
        # Downwards first: what follows a match explains it more often than what precedes it.
        if size + after <= limit and (len(held[last + 1]) >= 1 or size + before > limit):
            last, size = last + 1, size + after
        elif size + before <= limit:
            first, size = first - 1, size + before
        elif size + after <= limit:
            last, size = last + 1, size + after
        else:
            break
    cut = "\n".join(lines[first : last + 1])
    return ("…" if first else "") + cut + ("…" if last + 1 < len(lines) else "")


def _around_terms(line: str, wanted: list[str], limit: int) -> str:
    """A stretch of one long line; terms are found letter by letter, as folding changes lengths."""
    pieces = [fold(letter) for letter in line]
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    folded = "".join(pieces)
    found = [folded.find(term) for term in wanted if term]
    places = sorted(origin[place] for place in found if place >= 0)
    best = max(places, key=lambda p: sum(p <= q < p + limit for q in places), default=0)
    start = max(0, min(best - limit // 6, len(line) - limit))
    end = start + limit
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")
