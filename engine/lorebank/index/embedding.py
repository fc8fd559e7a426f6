"""Embedding what sync wrote: in batches after the lexical index, resumable, never in its way.

What is to be embedded stands in `items.embedding` and `chunks.embedding` as the hash of its text.
A row without a vector is pending. Vectors known to the cache are copied; the rest go to the
embedder in batches, each batch a short transaction of its own, so that a kill loses one batch.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lorebank.index.connection import Connection, select, transaction
from lorebank.index.embedding_cache import EmbeddingCache, text_hash
from lorebank.index.meta import read_meta, write_meta
from lorebank.index.vectors import CHUNK, ITEM, delete_vectors, insert_vectors

if TYPE_CHECKING:
    from lorebank.providers.protocols import Embedder

__all__ = [
    "embed_pending",
    "follows_embedder",
    "has_vectors",
    "hash_of_item",
    "item_text",
    "pending_count",
    "vector_count",
]

BATCH = 256
Progress = Callable[[str, int, int], None]
_PENDING = """
    SELECT 'item' AS owner, i.item AS row, i.embedding AS hash FROM items i
    WHERE i.embedding IS NOT NULL
      AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.owner = 'item' AND v.row = i.item)
    UNION ALL
    SELECT 'chunk', c.chunk, c.embedding FROM chunks c
    WHERE NOT EXISTS (SELECT 1 FROM vectors v WHERE v.owner = 'chunk' AND v.row = c.chunk)
"""


@dataclass(frozen=True, slots=True)
class _Wanted:
    owner: str
    row: int
    hash: str


def item_text(content: str, heading: str) -> str:
    """What of a fact is embedded: its words, with its heading as context.

    Not its entities: who a fact is about is known exactly, and a name in every vector of a log
    drew questions that hold the name to whatever line was shortest.
    """
    title = heading.split(" > ")[-1]
    # A log's title is its date, which says nothing of a fact's meaning.
    return f"{title}. {content}" if any(letter.isalpha() for letter in title) else content


def pending_count(connection: Connection) -> int:
    """How many facts and chunks have no vector yet."""
    return int(connection.execute(f"SELECT count(*) FROM ({_PENDING})").get)


def follows_embedder(connection: Connection, fingerprint: str) -> bool:
    """Whether the stored vectors, if any, are of the embedder with this fingerprint."""
    return read_meta(connection, "embedder") in (None, fingerprint)


def has_vectors(connection: Connection) -> bool:
    """Whether anything is embedded."""
    return connection.execute("SELECT 1 FROM vectors LIMIT 1").fetchone() is not None


def vector_count(connection: Connection) -> int:
    """How many vectors there are."""
    return int(connection.execute("SELECT count(*) FROM vectors").get)


def embed_pending(
    connection: Connection,
    cache: EmbeddingCache,
    embedder: Embedder,
    *,
    limit: int | None = None,
    progress: Progress | None = None,
) -> int:
    """Embed what has no vector yet, at most `limit` rows; returns how many texts were embedded.

    A changed embedder drops the vectors first: those of two models must never be compared.
    """
    _follow_embedder(connection, embedder.fingerprint)
    wanted = _wanted(connection, limit)
    embedded = done = 0
    for batch in _batches(wanted):
        known = cache.get(embedder.fingerprint, [w.hash for w in batch])
        missing = list(dict.fromkeys(w.hash for w in batch if w.hash not in known))
        if missing:
            fresh = _embed(connection, embedder, batch, missing)
            cache.put(embedder.fingerprint, list(fresh.items()))
            known |= fresh
            embedded += len(fresh)
        with transaction(connection):
            _store(connection, batch, known)
        done += len(batch)
        if progress is not None:
            progress("embedding", done, len(wanted))
    return embedded


def _follow_embedder(connection: Connection, fingerprint: str) -> None:
    if read_meta(connection, "embedder") == fingerprint:
        return
    with transaction(connection):
        delete_vectors(connection)
        write_meta(connection, "embedder", fingerprint)


def _wanted(connection: Connection, limit: int | None) -> list[_Wanted]:
    rows = select(connection, f"{_PENDING} LIMIT ?", (-1 if limit is None else limit,))
    return [_Wanted(owner, row, key) for owner, row, key in rows]


def _batches(wanted: Sequence[_Wanted]) -> Iterator[Sequence[_Wanted]]:
    for start in range(0, len(wanted), BATCH):
        yield wanted[start : start + BATCH]


def _embed(
    connection: Connection, embedder: Embedder, batch: Sequence[_Wanted], missing: Sequence[str]
) -> dict[str, bytes]:
    texts = _texts(connection, batch)
    vectors = embedder.embed_documents([texts[key] for key in missing])
    return {key: vector.tobytes() for key, vector in zip(missing, vectors, strict=True)}


def _texts(connection: Connection, batch: Sequence[_Wanted]) -> dict[str, str]:
    """Hash → text, computed again from the rows, as sync did when it wrote the hash."""
    items = json.dumps([w.row for w in batch if w.owner == ITEM])
    chunks = json.dumps([w.row for w in batch if w.owner == CHUNK])
    texts: dict[str, str] = {}
    for key, content, heading in select(
        connection,
        "SELECT i.embedding, i.content, i.heading FROM items i"
        " WHERE i.item IN (SELECT value FROM json_each(?))",
        (items,),
    ):
        texts[key] = item_text(content, heading)
    for key, text in select(
        connection,
        "SELECT c.embedding, substr(f.text, c.start + 1, c.length) FROM chunks c"
        " JOIN files f ON f.file = c.file WHERE c.chunk IN (SELECT value FROM json_each(?))",
        (chunks,),
    ):
        texts[key] = text
    return texts


def _store(connection: Connection, batch: Sequence[_Wanted], known: dict[str, bytes]) -> None:
    """Store vectors; only where the row still stands for the same text."""
    for owner, table, column in ((ITEM, "items", "item"), (CHUNK, "chunks", "chunk")):
        still = dict(
            select(
                connection,
                f"SELECT {column}, embedding FROM {table}"
                f" WHERE {column} IN (SELECT value FROM json_each(?))",
                (json.dumps([w.row for w in batch if w.owner == owner]),),
            )
        )
        insert_vectors(
            connection,
            owner,
            [
                (w.row, known[w.hash])
                for w in batch
                if w.owner == owner and w.hash in known and still.get(w.row) == w.hash
            ],
        )


def hash_of_item(content: str, heading: str) -> str:
    """The hash that stands for a fact's text in `items.embedding`."""
    return text_hash(item_text(content, heading))
