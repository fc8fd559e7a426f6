"""Full-text search over items and chunks: FTS5 with BM25 over weighted columns.

BM25 is a sum over the words of a question, and FTS5 spends its time in the rows that a word stands
in. So each word is scored once, alone, and a question adds up what is known of its words. The sums
are FTS5's own to the last bit, as it adds in the same order.

A process that asks few questions adds in plain Python, since it would be over before numpy was
imported; one that goes on asking adds with numpy, in the same order to the same bits.

Terms are joined by OR and always quoted: raw text in MATCH is a query language of its own and
raises on much of what people type. The column weights were chosen by measurement on dated chat
logs: the item's own words and its entities lead, neighbours and heading give context.

Where SQLite was built without FTS5, nothing is found by words, and nothing fails.
"""

from __future__ import annotations

import json
from array import array
from bisect import bisect_left
from collections.abc import Collection, Sequence
from dataclasses import field
from functools import lru_cache
from heapq import nlargest
from typing import NamedTuple

import apsw

from lorebank.database.connection import Connection, generation, has_full_text, select
from lorebank.index.vocabulary import Vocabulary
from lorebank.language.words import searchable
from lorebank.records import dataclass

CAPACITY = 1_000_000
"""Rows kept, of all words together, at 17 bytes each; words asked for longest ago go first."""
FEW = 16
"""Questions that are answered before numpy is worth its import."""


class Held(NamedTuple):
    """Which words a row holds: bit n stands for the word at place n."""

    own: int
    """In the columns that are the row's own."""
    around: int
    """Only in those that are not."""


class _Posting(NamedTuple):
    """The rows that hold a word, in order, and its BM25 in each, positive."""

    rows: array[int]
    own: bytes
    """For each row 1 where a column of its own holds the word, else 0."""
    scores: array[float]
    """Empty where nobody asked for them."""


@dataclass(slots=True)
class Postings:
    """The scored words of one FTS5 table; forgotten as soon as anybody writes."""

    connection: Connection
    table: str
    weights: Sequence[float]
    """What a column is worth to BM25, in their order."""
    around: str
    """The columns that are not a row's own, as MATCH names them: what stands beside it."""
    _known: dict[str, _Posting] = field(default_factory=dict)
    _size: int = 0
    _asked: int = 0
    _generation: tuple[int, int] | None = None

    def best(
        self, queries: Sequence[str], limit: int, within: Collection[int] | None = None
    ) -> list[tuple[int, float]]:
        """`(row, BM25)` of the `limit` best rows that hold any of these, ties by row.

        `queries` are MATCH expressions of one quoted word or phrase each. Only rows `within` count,
        where it is given.
        """
        self._follow()
        self._asked += 1
        postings = [self._posting(query, scored=True) for query in queries]
        if within is None and self._asked > FEW:
            return _best_by_numpy([posting for posting in postings if posting.rows], limit)
        return _best(postings, limit, within)

    def held(self, queries: Sequence[str], rows: Sequence[int]) -> list[Held]:
        """For each row, which of these it holds; 62 at most."""
        self._follow()
        postings = [self._posting(query) for query in queries]
        return (_held_by_numpy if self._asked > FEW else _held)(postings, rows)

    def _posting(self, query: str, *, scored: bool = False) -> _Posting:
        found = self._known.pop(query, None)
        if found is not None and scored and len(found.scores) < len(found.rows):
            self._size -= len(found.rows)
            found = None
        if found is None:
            found = self._read(query, scored=scored)
            self._size += len(found.rows)
        self._known[query] = found
        while self._size > CAPACITY and len(self._known) > 1:
            self._size -= len(self._known.pop(next(iter(self._known))).rows)
        return found

    def _read(self, query: str, *, scored: bool) -> _Posting:
        rank = f"-bm25({self.table}, {', '.join(map(str, self.weights))})" if scored else "0.0"
        found = self._matching(rank, query)
        own = {row for row, _ in self._matching("0.0", f"- {{{self.around}}} : {query}")}
        return _Posting(
            array("q", [row for row, _ in found]),
            bytes([row in own for row, _ in found]),
            array("d", [score for _, score in found] if scored else []),
        )

    def _matching(self, value: str, query: str) -> list[tuple[int, float]]:
        """`(row, value)` of the rows that match, in order."""
        return select(
            self.connection,
            f"SELECT rowid, {value} FROM {self.table} WHERE {self.table} MATCH ? ORDER BY rowid",
            (query,),
        )

    def _follow(self) -> None:
        current = generation(self.connection)
        if current != self._generation:
            self._generation = current
            self._known.clear()
            self._size = 0


def _best(
    postings: Sequence[_Posting], limit: int, within: Collection[int] | None
) -> list[tuple[int, float]]:
    sums: dict[int, float] = {}
    for posting in postings:
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


def _held(postings: Sequence[_Posting], rows: Sequence[int]) -> list[Held]:
    own, around = dict.fromkeys(rows, 0), dict.fromkeys(rows, 0)
    for place, posting in enumerate(postings):
        last = len(posting.rows)
        for row in rows:
            found = bisect_left(posting.rows, row)
            if found < last and posting.rows[found] == row:
                (own if posting.own[found] else around)[row] |= 1 << place
    return [Held(own[row], around[row]) for row in rows]


def _best_by_numpy(postings: Sequence[_Posting], limit: int) -> list[tuple[int, float]]:
    """The same of postings that are not empty."""
    import numpy as np

    sums = np.zeros(max((posting.rows[-1] for posting in postings), default=-1) + 1)
    for posting in postings:
        sums[np.frombuffer(posting.rows, np.int64)] += np.frombuffer(posting.scores)
    rows = sums.nonzero()[0]
    scores = sums[rows]
    if len(rows) > limit:
        good = scores >= np.partition(scores, -limit)[-limit]
        rows, scores = rows[good], scores[good]
    order = np.lexsort((rows, -scores))[:limit]
    return list(zip(rows[order].tolist(), scores[order].tolist(), strict=True))


def _held_by_numpy(postings: Sequence[_Posting], rows: Sequence[int]) -> list[Held]:
    import numpy as np

    wanted = np.array(rows, np.int64)
    own, around = np.zeros(len(rows), np.int64), np.zeros(len(rows), np.int64)
    for place, posting in enumerate(postings):
        if posting.rows:
            known = np.frombuffer(posting.rows, np.int64)
            found = np.minimum(known.searchsorted(wanted), len(known) - 1)
            bit = (known[found] == wanted).astype(np.int64) << place
            inside = np.frombuffer(posting.own, np.uint8)[found] != 0
            own |= bit * inside
            around |= bit * ~inside
    return list(map(Held, own.tolist(), around.tolist()))


ITEM_COLUMNS = {"text": 1.0, "around": 0.3, "entities": 1.0, "day": 0.5, "title": 0.5}
"""Columns of `items_fts` and their BM25 weights."""
CONTEXT = "around day title"
"""Those that hold what stands beside an item, and not its own words."""
CHUNK_COLUMNS = {"text": 1.0, "heading": 1.5, "title": 2.0}
"""Columns of `chunks_fts` and their BM25 weights; a file's name says more than its body."""
SESSION_COLUMNS = {"text": 1.0}
"""The column of `session_chunks_fts`."""
MAX_TERMS = 48

Columns = tuple[frozenset[str], ...]
"""For each term, the columns of a row that hold it."""


class LexicalMatch(NamedTuple):
    """One row that holds at least one of the terms."""

    row: int
    score: float
    """BM25, positive: the more, the better."""
    columns: Columns


class ItemMatch(NamedTuple):
    """One item that holds at least one of the terms."""

    row: int
    score: float
    """BM25, positive: the more, the better."""
    held: Held
    """Which terms, by their places; what only its neighbours hold is around it."""


def prepare_connection(connection: Connection) -> None:
    """Register what the queries below call; once a connection."""
    if not has_full_text(connection):
        return
    connection.register_fts5_function("matched_columns", _matched_columns)


def item_postings(connection: Connection) -> Postings:
    """The scored words of the items."""
    return Postings(connection, "items_fts", tuple(ITEM_COLUMNS.values()), CONTEXT)


def match_items(
    vocabulary: Vocabulary,
    postings: Postings,
    terms: Sequence[str],
    limit: int,
    *,
    within: str | None = None,
) -> list[ItemMatch]:
    """Items that hold any of the terms (words or phrases), best first; ties by row number.

    `within` is a JSON list of item numbers to stay inside of. A term that stands in more than half
    of the items is worth nothing to BM25; items that hold only such terms are looked for only where
    there are no others.
    """
    query = _Query(vocabulary.connection, "items_fts", ITEM_COLUMNS, terms)
    counts, total = vocabulary.frequencies(query.terms), vocabulary.total
    telling = [term for term in query.terms if 2 * counts[term] <= total]
    inside = None if within is None else json.loads(within)
    best = postings.best(query.quoted(telling), limit, inside)
    if len(best) < limit and len(telling) < len(query.terms):
        best = postings.best(query.quoted(query.terms), limit, inside)
    held = postings.held(query.quoted(query.terms), [row for row, _ in best])
    return [ItemMatch(*found, holds) for found, holds in zip(best, held, strict=True)]


def match_chunks(
    connection: Connection, terms: Sequence[str], limit: int, *, within: str | None = None
) -> list[LexicalMatch]:
    """Chunks that hold any of the terms, best first; ties by row number."""
    query = _Query(connection, "chunks_fts", CHUNK_COLUMNS, terms)
    return query.matches(query.score(query.terms, limit, within))


def match_session_chunks(
    connection: Connection, terms: Sequence[str], limit: int, *, within: str | None = None
) -> list[LexicalMatch]:
    """Chunks of transcripts that hold any of the terms, best first; ties by row number."""
    query = _Query(connection, "session_chunks_fts", SESSION_COLUMNS, terms)
    return query.matches(query.score(query.terms, limit, within))


class _Query:
    """Some terms, asked of one FTS5 table."""

    def __init__(
        self, connection: Connection, table: str, weights: dict[str, float], terms: Sequence[str]
    ) -> None:
        self._connection = connection
        self._table = table
        self._weights = weights
        asked = terms[:MAX_TERMS] if has_full_text(connection) else ()
        self._quoted = {term: quoted for term in asked if (quoted := _quote(term))}

    @property
    def terms(self) -> tuple[str, ...]:
        """Those that FTS5 can look for."""
        return tuple(self._quoted)

    def quoted(self, terms: Sequence[str]) -> list[str]:
        """Some of the terms as MATCH expressions."""
        return [self._quoted[term] for term in terms]

    def score(
        self, terms: Sequence[str], limit: int, within: str | None
    ) -> list[tuple[int, float]]:
        """`(row, BM25)` of the best rows that hold any of these terms."""
        if not terms:
            return []
        inside = " AND +rowid IN (SELECT value FROM json_each(?))" if within is not None else ""
        bound = [self._any(terms), within] if within is not None else [self._any(terms)]
        rank = f"bm25({self._table}, {', '.join(map(str, self._weights.values()))})"
        # Not `ORDER BY rank`: FTS5 would score every row before it looks whether it is inside.
        rows = select(
            self._connection,
            f"SELECT rowid, {rank} FROM {self._table} WHERE {self._table} MATCH ?{inside}"
            f" ORDER BY 2, 1 LIMIT {int(limit)}",
            bound,
        )
        return [(row, -score) for row, score in rows]

    def matches(self, scored: Sequence[tuple[int, float]]) -> list[LexicalMatch]:
        """Scored rows with the columns that hold each term."""
        if not scored:
            return []
        names = tuple(self._weights)
        packed = dict(
            select(
                self._connection,
                f"SELECT rowid, matched_columns({self._table}) FROM {self._table}"
                f" WHERE {self._table} MATCH ? AND +rowid IN (SELECT value FROM json_each(?))",
                (self._any(self.terms), json.dumps([row for row, _ in scored])),
            )
        )
        return [LexicalMatch(row, score, _columns(packed[row], names)) for row, score in scored]

    def _any(self, terms: Sequence[str]) -> str:
        return " OR ".join(self._quoted[term] for term in terms)


def any_of(terms: Sequence[str]) -> str:
    """A MATCH expression for what holds any of these words or phrases; "" for none."""
    return " OR ".join(quoted for term in terms if (quoted := _quote(term)))


def _quote(term: str) -> str:
    prepared = searchable(term).replace("\0", " ").replace('"', " ").strip()
    return f'"{prepared}"' if any(letter.isalnum() for letter in prepared) else ""


def _matched_columns(api: apsw.FTS5ExtensionApi, /, *_: object) -> bytes:
    """One byte a term: a bit for each column that holds it."""
    packed = bytearray(api.phrase_count)
    for phrase in range(api.phrase_count):
        for column in api.phrase_columns(phrase):
            packed[phrase] |= 1 << column
    return bytes(packed)


@lru_cache(maxsize=4096)
def _columns(packed: bytes, names: tuple[str, ...]) -> Columns:
    return tuple(
        frozenset(name for bit, name in enumerate(names) if bits >> bit & 1) for bits in packed
    )
