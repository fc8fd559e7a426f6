"""Full-text search over items and chunks: FTS5 with BM25 over weighted columns.

Terms are joined by OR and always quoted: raw text in MATCH is a query language of its own and
raises on much of what people type. The column weights were chosen by measurement on dated chat
logs: the item's own words and its entities lead, neighbours and heading give context.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import apsw

from lorebank.index.connection import Connection, select
from lorebank.language.words import searchable

__all__ = [
    "CHUNK_COLUMNS",
    "ITEM_COLUMNS",
    "LexicalMatch",
    "any_of",
    "document_frequencies",
    "index_words",
    "match_chunks",
    "match_items",
    "prepare_connection",
    "stems",
]

ITEM_COLUMNS = {"text": 1.0, "around": 0.3, "entities": 1.0, "day": 0.5, "title": 0.5}
"""Columns of `items_fts` and their BM25 weights."""

CHUNK_COLUMNS = {"text": 1.0, "heading": 1.5, "title": 2.0}
"""Columns of `chunks_fts` and their BM25 weights; a file's name says more than its body."""

MAX_TERMS = 48
_TOKENIZER = ("porter", ["unicode61", "remove_diacritics", "2"])


@dataclass(frozen=True, slots=True)
class LexicalMatch:
    """One row that holds at least one of the terms."""

    row: int
    score: float
    """BM25, positive: the more, the better."""
    columns: tuple[frozenset[str], ...]
    """For each term, the columns that hold it."""


def prepare_connection(connection: Connection) -> None:
    """Register what the queries below call; once a connection."""
    connection.register_fts5_function("matched_columns", _matched_columns)


def match_items(
    connection: Connection, terms: Sequence[str], limit: int, *, within: str | None = None
) -> list[LexicalMatch]:
    """Items that hold any of the terms (words or phrases), best first; ties by row number.

    `within` is a JSON list of item numbers to stay inside of.
    """
    return _match(connection, "items_fts", ITEM_COLUMNS, terms, limit, within)


def match_chunks(
    connection: Connection, terms: Sequence[str], limit: int, *, within: str | None = None
) -> list[LexicalMatch]:
    """Chunks that hold any of the terms, best first; ties by row number."""
    return _match(connection, "chunks_fts", CHUNK_COLUMNS, terms, limit, within)


def _match(
    connection: Connection,
    table: str,
    weights: dict[str, float],
    terms: Sequence[str],
    limit: int,
    within: str | None,
) -> list[LexicalMatch]:
    usable = [quoted for term in terms[:MAX_TERMS] if (quoted := _quote(term))]
    if not usable:
        return []
    rank = f"bm25({', '.join(str(weight) for weight in weights.values())})"
    inside = " AND +rowid IN (SELECT value FROM json_each(?))" if within is not None else ""
    bound: tuple[object, ...] = (" OR ".join(usable), rank)
    if within is not None:
        bound += (within,)
    names = tuple(weights)
    # The secondary sort is done here: `ORDER BY rank, rowid` would make SQLite sort every match.
    rows = select(
        connection,
        f"SELECT rowid, rank, matched_columns({table}) FROM {table}"
        f" WHERE {table} MATCH ? AND rank MATCH ?{inside} ORDER BY rank LIMIT {int(limit)}",
        bound,
    )
    found = [LexicalMatch(row, -rank, _columns(packed, names)) for row, rank, packed in rows]
    return sorted(found, key=lambda match: (-match.score, match.row))


def document_frequencies(connection: Connection, terms: Sequence[str]) -> dict[str, int]:
    """For each term, in how many items it stands; a phrase counts as its rarest word."""
    frequencies: dict[str, int] = {}
    for term in terms:
        counts = [
            connection.execute(
                "SELECT coalesce(max(doc), 0) FROM temp.items_words WHERE term = ?", (stem,)
            ).get
            for stem in stems(connection, term)
        ]
        frequencies[term] = min(counts, default=0)
    return frequencies


def index_words(connection: Connection) -> None:
    """Make the vocabulary of `items_fts` readable as `temp.items_words`; once a connection."""
    connection.execute(
        "CREATE VIRTUAL TABLE IF NOT EXISTS temp.items_words"
        " USING fts5vocab('main', 'items_fts', 'row')"
    )


def stems(connection: Connection, text: str) -> list[str]:
    """The tokens of a text as FTS5 stores them, in order: folded and stemmed."""
    tokenizer = connection.fts5_tokenizer(*_TOKENIZER)
    prepared = searchable(text).replace("\0", " ").encode("utf-8", "replace")
    tokens = tokenizer(prepared, apsw.FTS5_TOKENIZE_QUERY, None, include_offsets=False)
    return [str(token) for group in tokens for token in group]


def any_of(terms: Sequence[str]) -> str:
    """A MATCH expression for what holds any of these words or phrases; "" for none."""
    return " OR ".join(quoted for term in terms if (quoted := _quote(term)))


def _quote(term: str) -> str:
    prepared = searchable(term).replace("\0", " ").replace('"', " ").strip()
    return f'"{prepared}"' if any(letter.isalnum() for letter in prepared) else ""


def _matched_columns(api: apsw.FTS5ExtensionApi, /, *_: object) -> str:
    return json.dumps([api.phrase_columns(phrase) for phrase in range(api.phrase_count)])


@lru_cache(maxsize=4096)
def _columns(packed: str, names: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(names[column] for column in columns) for columns in json.loads(packed))
