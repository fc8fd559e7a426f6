"""The few pairs among many names that are worth comparing: those that share a key or one slip."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product

from lorebank.identity.keys import Keys
from lorebank.identity.readings import Reading
from lorebank.identity.scripts import is_han_or_hangul

__all__ = ["likely_pairs"]

_BLOCK = 48
"""How many names under one key are compared with each other, the most used first. A first name
that fits more full names than this is no help to anybody as that many proposals."""


def likely_pairs(
    readings: Sequence[Reading], keys: Sequence[Keys], uses: Sequence[int]
) -> tuple[list[tuple[int, int]], bool]:
    """Pairs of indices, lower one first, each once, sorted; all other pairs are different. And
    whether all are there: of names under a crowded key only the most used are paired."""
    ranked = sorted(range(len(readings)), key=lambda i: (-uses[i], i))
    pairs: set[tuple[int, int]] = set()
    crowded = False
    own = _index(ranked, [key.own for key in keys])
    for key, block in own.items():
        if len(block) > 1:
            limit = len(block) if key.startswith("same|") else _BLOCK
            crowded |= len(block) > limit
            pairs.update(_ordered(combinations(block[:limit], 2)))
    short, long = (
        _index(ranked, [key.short for key in keys]),
        _index(ranked, [key.long for key in keys]),
    )
    for key, block in short.items():
        others = long.get(key)
        if others is not None:
            crowded |= max(len(block), len(others)) > _BLOCK
            pairs.update(_ordered(product(block[:_BLOCK], others[:_BLOCK])))
    slips = _index(ranked, [_slip_keys(reading) for reading in readings])
    for block in slips.values():
        if len(block) > 1:
            crowded |= len(block) > _BLOCK
            pairs.update(_ordered(combinations(block[:_BLOCK], 2)))
    return sorted(pairs), not crowded


def _index(ranked: Sequence[int], keys: Sequence[Iterable[str]]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for i in ranked:
        for key in keys[i]:
            found.setdefault(key, []).append(i)
    return found


def _ordered(pairs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    return ((i, j) if i < j else (j, i) for i, j in pairs if i != j)


def _slip_keys(reading: Reading) -> set[str]:
    """The name, and the name without each of its letters: names one edit apart share one."""
    text = " ".join(reading.tokens)
    if is_han_or_hangul(text) or not 2 < len(text) < 64:
        return set()
    found = {text}
    for place, char in enumerate(text):
        if char != " " and not char.isdigit():
            found.add(text[:place] + text[place + 1 :])
    return found
