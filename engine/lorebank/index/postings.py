"""What one word is worth to every item that holds it: kept between questions of one process.

BM25 is a sum over the words of a question, and FTS5 spends its time in the rows that a word stands
in. So each word is scored once, alone, and a question adds up what is known of its words. The sums
are FTS5's own to the last bit, as it adds in the same order.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from typing import NamedTuple

from lorebank.index.connection import Connection, generation, select

__all__ = ["Postings"]

CAPACITY = 1_000_000
"""Rows kept, of all words together, at 16 bytes each; words asked for longest ago go first."""


class _Posting(NamedTuple):
    """The rows that hold a word, and its BM25 in each, positive."""

    rows: array[int]
    scores: array[float]


@dataclass(slots=True)
class Postings:
    """The scored words of one FTS5 table; forgotten as soon as anybody writes."""

    connection: Connection
    table: str
    weights: Sequence[float]
    """What a column is worth to BM25, in their order."""
    _known: dict[str, _Posting] = field(default_factory=dict)
    _size: int = 0
    _generation: tuple[int, int] | None = None

    def best(
        self, queries: Sequence[str], limit: int, within: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """`(row, BM25)` of the `limit` best rows that hold any of these, ties by row.

        `queries` are MATCH expressions of one quoted word or phrase each. Only rows `within` count,
        where it is given.
        """
        self._follow()
        sums: dict[int, float] = {}
        for query in queries:
            posting = self._posting(query)
            if not sums:
                sums = dict(zip(posting.rows, posting.scores, strict=True))
                continue
            known = sums.get
            for row, score in zip(posting.rows, posting.scores, strict=True):
                sums[row] = known(row, 0.0) + score
        if within is not None:
            sums = {row: sums[row] for row in within if row in sums}
        if len(sums) > limit:
            least = nlargest(limit, sums.values())[-1]
            sums = {row: score for row, score in sums.items() if score >= least}
        return sorted(sums.items(), key=lambda found: (-found[1], found[0]))[:limit]

    def _posting(self, query: str) -> _Posting:
        found = self._known.pop(query, None) or self._read(query)
        self._known[query] = found
        while self._size > CAPACITY and len(self._known) > 1:
            self._size -= len(self._known.pop(next(iter(self._known))).rows)
        return found

    def _read(self, query: str) -> _Posting:
        rank = f"-bm25({self.table}, {', '.join(map(str, self.weights))})"
        found = select(
            self.connection,
            f"SELECT rowid, {rank} FROM {self.table} WHERE {self.table} MATCH ?",
            (query,),
        )
        self._size += len(found)
        return _Posting(
            array("q", [row for row, _ in found]), array("d", [score for _, score in found])
        )

    def _follow(self) -> None:
        current = generation(self.connection)
        if current != self._generation:
            self._generation = current
            self._known.clear()
            self._size = 0
