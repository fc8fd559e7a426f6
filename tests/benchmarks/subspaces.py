"""Subspace collision (SuCo), an experiment beside the sieve of bits; nothing of lorebank uses it.

Vectors are cut into subspaces, each of two halves with some centres of their own; a cell is a pair
of centres. In each subspace a question collides with the vectors of its nearest cells, until they
are a given share of all. Those that collide in most subspaces are then scored exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

CENTRES = 50
SAMPLE = 20_000
ROUNDS = 8


@dataclass(frozen=True)
class Subspace:
    columns: tuple[slice, slice]
    centres: tuple[np.ndarray, np.ndarray]
    starts: np.ndarray
    """Where each cell begins in `order`, and the end of the last one."""
    order: np.ndarray
    """Vectors by cell."""

    def collisions(self, query: np.ndarray, wanted: int) -> np.ndarray:
        one, two = (
            ((query[columns] - centres) ** 2).sum(axis=1)
            for columns, centres in zip(self.columns, self.centres, strict=True)
        )
        cells = np.argsort((one[:, None] + two[None, :]).ravel())
        sizes = np.diff(self.starts)[cells]
        taken = cells[: int(np.searchsorted(np.cumsum(sizes), wanted)) + 1]
        return np.concatenate([self.order[self.starts[c] : self.starts[c + 1]] for c in taken])


class SubspaceCollisions:
    def __init__(self, vectors: np.ndarray, subspaces: int, draw: np.random.Generator) -> None:
        self.count = len(vectors)
        edges = np.linspace(0, vectors.shape[1], 2 * subspaces + 1).astype(int)
        halves = [slice(a, b) for a, b in pairwise(edges)]
        pairs = zip(halves[::2], halves[1::2], strict=True)
        self.subspaces = [self._subspace(vectors, pair, draw) for pair in pairs]

    def candidates(self, query: np.ndarray, share: float, wanted: int) -> np.ndarray:
        """Rows of at least `wanted` vectors; `share` of all collide in a subspace."""
        hits = np.zeros(self.count, dtype=np.uint8)
        for subspace in self.subspaces:
            hits[subspace.collisions(query, int(share * self.count))] += 1
        fewer = np.cumsum(np.bincount(hits, minlength=len(self.subspaces) + 1)[::-1])
        least = len(self.subspaces) - int(np.searchsorted(fewer, wanted))
        return np.flatnonzero(hits >= max(least, 1))

    def _subspace(
        self, vectors: np.ndarray, pair: tuple[slice, slice], draw: np.random.Generator
    ) -> Subspace:
        one, two = (centres_of(vectors[:, columns], draw) for columns in pair)
        cells = nearest(vectors[:, pair[0]], one).astype(np.int64) * len(two)
        cells += nearest(vectors[:, pair[1]], two)
        order = np.argsort(cells, kind="stable").astype(np.int32)
        sizes = np.bincount(cells, minlength=len(one) * len(two))
        return Subspace(pair, (one, two), np.concatenate([[0], np.cumsum(sizes)]), order)


def centres_of(part: np.ndarray, draw: np.random.Generator) -> np.ndarray:
    """Lloyd's rounds over a sample."""
    sample = part[draw.choice(len(part), min(SAMPLE, len(part)), replace=False)]
    centres = sample[:CENTRES].copy()
    for _ in range(ROUNDS):
        chosen = nearest(sample, centres)
        for centre in range(len(centres)):
            members = sample[chosen == centre]
            if len(members):
                centres[centre] = members.mean(axis=0)
    return centres


def nearest(part: np.ndarray, centres: np.ndarray) -> np.ndarray:
    found = np.empty(len(part), dtype=np.int32)
    lengths = (centres**2).sum(axis=1)
    for start in range(0, len(part), 50_000):
        some = np.ascontiguousarray(part[start : start + 50_000])
        found[start : start + 50_000] = np.argmin(lengths - 2 * (some @ centres.T), axis=1)
    return found
