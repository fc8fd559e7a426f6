"""Context: what the lines around an item say of the question.

A log tells a thing over several lines: somebody asks about the boat, and the answer two lines on
names no boat. So a word counts for an item where a line nearby holds it, the less the farther, and
before more than after. That is so where a file speaks of more than one subject: each line answers
the one before. A file about one subject, or none, is a list, whose entries say little of each
other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache

from lorebank.recall.pool import Pool

_NEIGHBOURS = ((-1, 0.85), (1, 0.75), (-2, 0.7), (2, 0.6))
"""Offset in the file, and what a word counts that stands there first."""
_AROUND = 0.2
"""What a word counts of which the index knows only that a heading or a neighbour holds it."""
_IN_A_LIST = 0.3
"""What is left of these where neighbours are about the same subject."""
_NEARNESS = ((-1, 1.0), (1, 0.5))
_BEST_OF_FILE = 3

_Neighbours = Sequence[tuple[int, float]]
"""Items nearby, and what each counts."""


def coverage_in_context(pool: Pool) -> dict[int, float]:
    """Item → share of the subject terms that it and the lines around it hold, by rarity, 0..1."""
    terms = pool.understood.subject_terms or pool.understood.terms
    rarity = [pool.rarity.get(term, 0.0) for term in terms]
    total = sum(rarity)
    if total <= 0.0:
        return dict.fromkeys(pool.items, 0.0)
    bit = {term: 1 << place for place, term in enumerate(terms)}
    own = dict.fromkeys(pool.items, 0)
    around = dict(own)
    for entry in pool.rankings["lexical"].ranked:
        own[entry.item] = _mask(entry.why["terms"], bit)
        around[entry.item] = _mask(entry.why["around"], bit)

    @cache
    def share(mask: int) -> float:
        return sum(r for place, r in enumerate(rarity) if mask >> place & 1) / total

    covered: dict[int, float] = {}
    for number, neighbours in _neighbours(pool, _NEIGHBOURS):
        seen = own[number]
        found = share(seen)
        for neighbour, weight in neighbours:
            if new := own[neighbour] & ~seen:
                found += weight * share(new)
                seen |= new
        if new := around[number] & ~seen:
            found += _AROUND * share(new)
        covered[number] = found
    return covered


def nearness_around(pool: Pool, standard: Mapping[int, float]) -> dict[int, float]:
    """Item → weighted sum of its neighbours' standard scores of nearness in meaning."""
    if not pool.nearness:
        return dict.fromkeys(pool.items, 0.0)
    return {
        number: sum([weight * standard[neighbour] for neighbour, weight in neighbours])
        for number, neighbours in _neighbours(pool, _NEARNESS)
    }


def coverage_of_files(pool: Pool, covered: Mapping[int, float]) -> dict[int, float]:
    """File → mean of the best coverages in it: a day that speaks of the subject says more on it."""
    files: dict[int, list[float]] = {}
    for number, item in pool.items.items():
        files.setdefault(item.file, []).append(covered[number])
    return {
        file: (sum(sorted(found)[-_BEST_OF_FILE:]) if len(found) > 1 else found[0]) / _BEST_OF_FILE
        for file, found in files.items()
    }


def answers_to_questions(pool: Pool) -> frozenset[int]:
    """The items of conversations whose line before asks something."""
    after = (
        pool.lines[item.file].get(item.ordinal + 1)
        for item in map(pool.items.__getitem__, pool.asking)
        if item.file in pool.conversations
    )
    return frozenset(number for number in after if number is not None)


def _neighbours(
    pool: Pool, weights: Sequence[tuple[int, float]]
) -> Iterator[tuple[int, _Neighbours]]:
    """Each item with those that stand at these offsets from it."""
    lines, conversations = pool.lines, pool.conversations
    in_a_list = [(offset, weight * _IN_A_LIST) for offset, weight in weights]
    for number, item in pool.items.items():
        line, place = lines[item.file], item.ordinal
        if len(line) == 1:
            yield number, ()
            continue
        nearby = weights if item.file in conversations else in_a_list
        yield (
            number,
            [(line[place + away], weight) for away, weight in nearby if place + away in line],
        )


def _mask(terms: Iterable[str], bit: Mapping[str, int]) -> int:
    mask = 0
    for term in terms:
        mask |= bit.get(term, 0)
    return mask
