"""Vectors by what was embedded: `.memory/embeddings.sqlite` outlives any rebuild of the index."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import apsw

from lorebank.index.connection import configure, discard_index, transaction

__all__ = ["EmbeddingCache", "text_hash"]

_SCHEMA = """
CREATE TABLE IF NOT EXISTS embeddings (
    fingerprint TEXT NOT NULL,   -- embedder, model, dimension, preprocessing
    hash        TEXT NOT NULL,   -- of the text
    vector      BLOB NOT NULL,
    PRIMARY KEY (fingerprint, hash)
) WITHOUT ROWID;
"""


def text_hash(text: str) -> str:
    """The key of a text in the cache."""
    from hashlib import blake2b  # brings OpenSSL, which an answer from the index needs not

    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


class EmbeddingCache:
    """A dictionary on disk from (embedder fingerprint, text hash) to vector bytes."""

    def __init__(self, path: Path) -> None:
        try:
            self._connection = _open(path)
        except (apsw.NotADBError, apsw.CorruptError):
            discard_index(path)
            self._connection = _open(path)

    def close(self) -> None:
        self._connection.close()

    def get(self, fingerprint: str, hashes: Sequence[str]) -> dict[str, bytes]:
        """The vectors known for these hashes."""
        return dict(
            self._connection.execute(
                "SELECT hash, vector FROM embeddings WHERE fingerprint = ?"
                " AND hash IN (SELECT value FROM json_each(?))",
                (fingerprint, json.dumps(list(hashes))),
            )
        )

    def put(self, fingerprint: str, vectors: Sequence[tuple[str, bytes]]) -> None:
        """Remember `(text hash, vector)` pairs."""
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO embeddings (fingerprint, hash, vector) VALUES (?, ?, ?)",
                [(fingerprint, key, vector) for key, vector in vectors],
            )


def _open(path: Path) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    try:
        configure(connection)
        connection.execute(_SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection
