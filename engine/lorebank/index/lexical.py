"""Full-text search over items and chunks: FTS5 with BM25 over weighted columns.

Terms are joined by OR and always quoted: raw text in MATCH is a query language of its own and
raises on much of what people type. The column weights were chosen by measurement on dated chat
logs: the item's own words and its entities lead, neighbours and heading give context.

Where SQLite was built without FTS5, nothing is found by words, and nothing fails.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import apsw

from lorebank.database.connection import Connection, has_full_text, select
from lorebank.index.postings import Held, Postings
from lorebank.index.vocabulary import Vocabulary
from lorebank.language.words import searchable

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
