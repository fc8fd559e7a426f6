"""Snippets: the part of a text that holds the match, inside a length."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from lorebank.language.folding import fold

SNIPPET_CHARACTERS = 700
_SHORTEST = 3
_ENDING = 2
_LONG = 80


def snippet(text: str, terms: Iterable[str], limit: int = SNIPPET_CHARACTERS) -> str:
    """The stretch of at most `limit` characters with the most distinct terms, whole lines if they
    fit; `…` marks what was cut.

    >>> snippet("one\\ntwo", ["two"], limit=700)
    'one\\ntwo'
    """
    text = text.strip("\n")
    if len(text) <= limit:
        return text
    wanted = [_beginning(fold(term)) for term in terms]
    return _best_lines(text.split("\n"), wanted, limit - 2)


def matching_line(text: str, terms: Iterable[str]) -> str:
    """The line that holds the most distinct terms, the first of several; of a long one, the part
    that does."""
    lines = text.split("\n")
    wanted = [_beginning(fold(term)) for term in terms]
    line = lines[_center(_terms_held(lines, wanted))]
    return line if len(line) <= _LONG else _around_terms(line, wanted, _LONG).strip("…")


def _beginning(word: str) -> str:
    """What a word shares with most of its other forms: `boats` is looked for as `boa`."""
    return word[: max(_SHORTEST, len(word) - _ENDING)] if word.isalpha() else word


def _best_lines(lines: list[str], wanted: list[str], limit: int) -> str:
    held = _terms_held(lines, wanted)
    center = _center(held)
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


def _terms_held(lines: Sequence[str], wanted: Sequence[str]) -> list[set[str]]:
    folded = (fold(line) for line in lines)
    return [{term for term in wanted if term in line} for line in folded]


def _center(held: Sequence[set[str]]) -> int:
    return max(range(len(held)), key=lambda line: (len(held[line]), -line))


def _around_terms(line: str, wanted: list[str], limit: int) -> str:
    """A stretch of one long line; terms are found letter by letter, as folding changes lengths."""
    pieces = [fold(letter) for letter in line]
    origin = [place for place, piece in enumerate(pieces) for _ in piece]
    folded = "".join(pieces)
    places = sorted(
        (origin[place], term) for term in set(wanted) if term for place in _places(folded, term)
    )
    start = max(0, min(_densest(places, limit) - limit // 6, len(line) - limit))
    end = start + limit
    return ("…" if start else "") + line[start:end] + ("…" if end < len(line) else "")


def _places(text: str, term: str) -> Iterator[int]:
    place = text.find(term)
    while place >= 0:
        yield place
        place = text.find(term, place + len(term))


def _densest(places: Sequence[tuple[int, str]], limit: int) -> int:
    """Where the stretch begins that holds the most distinct terms; the first of several.

    It is a sixth shorter than the limit: so much is shown of what comes before it.
    """
    room = limit - limit // 6
    best, most, first = 0, 0, 0
    held: Counter[str] = Counter()
    for last, (place, term) in enumerate(places):
        held[term] += 1
        while first < last and place + len(term) - places[first][0] > room:
            held -= Counter([places[first][1]])
            first += 1
        if len(held) > most:
            best, most = places[first][0], len(held)
    return best
