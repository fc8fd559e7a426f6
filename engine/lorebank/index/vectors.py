"""Nearest vectors: an exact scan, by sqlite-vec inside SQLite or by numpy over a resident matrix.

The plain table `vectors` is the stored truth; both ways give the same rows in the same order. A
process that asks one question lets sqlite-vec walk the table; one that asks more keeps the matrix,
which costs a read of the table once and then a matrix product a query. A very large matrix is
sieved by sign bits first, and only what they leave is scored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from lorebank.index.connection import Connection, generation, load_vector_extension, select
from lorebank.index.sign_bits import SIEVE_FROM, SignBits
from lorebank.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

ITEM = "item"
CHUNK = "chunk"
_QUERIES_BEFORE_MATRIX = 1
_DECIMALS = 6
"""Of a similarity: beyond them the two scans differ, and equal vectors would not tie."""


def insert_vectors(connection: Connection, owner: str, rows: Sequence[tuple[int, bytes]]) -> None:
    """Store `(row, 32-bit floats of unit length)` pairs."""
    connection.executemany(
        "INSERT OR REPLACE INTO vectors (owner, row, vector) VALUES (?, ?, ?)",
        [(owner, row, vector) for row, vector in rows],
    )


def delete_vectors(connection: Connection) -> None:
    """Forget every vector: another embedder's are of no use."""
    connection.execute("DELETE FROM vectors")


@dataclass(slots=True)
class VectorIndex:
    """Scans one connection's `vectors`; remembers the matrix until the index changes."""

    connection: Connection
    enabled: bool = True
    extension_path: str = ""
    _unavailable: str | None = None
    """`None`: not tried yet; "": sqlite-vec is loaded; else the reason it is not."""
    _queries: int = 0
    _matrices: dict[str, _Matrix] = field(default_factory=dict)

    def describe(self) -> str:
        """`sqlite-vec`, or `exact scan` with the reason, as `status` shows it."""
        reason = self._extension_problem()
        return f"exact scan ({reason})" if reason else "sqlite-vec"

    def nearest(
        self, owner: str, query: NDArray[np.float32], limit: int
    ) -> list[tuple[int, float]]:
        """`(row, cosine similarity)` of the nearest rows, best first, ties by row number."""
        self._queries += 1
        if self._queries <= _QUERIES_BEFORE_MATRIX and not self._extension_problem():
            return self._scan_in_sqlite(owner, query, limit)
        return self._matrix(owner).nearest(query, limit)

    def similarities(
        self, owner: str, query: NDArray[np.float32], rows: Sequence[int]
    ) -> dict[int, float]:
        """Cosine similarity of the rows asked for; rows without a vector are left out."""
        import json

        import numpy as np

        held = self._matrices.get(owner)
        if held is not None and held.generation == generation(self.connection):
            return held.similarities(query, rows)
        found = select(
            self.connection,
            "SELECT row, vector FROM vectors WHERE owner = ?"
            " AND row IN (SELECT value FROM json_each(?)) ORDER BY row",
            (owner, json.dumps(list(rows))),
        )
        if not found:
            return {}
        matrix = np.frombuffer(b"".join(vector for _, vector in found), dtype=np.float32)
        scores = matrix.reshape(len(found), -1) @ query
        return {row: float(score) for (row, _), score in zip(found, scores, strict=True)}

    def _extension_problem(self) -> str:
        if self._unavailable is None:
            self._unavailable = (
                load_vector_extension(self.connection, self.extension_path)
                if self.enabled
                else "switched off by vector.enabled"
            )
        return self._unavailable

    def _scan_in_sqlite(
        self, owner: str, query: NDArray[np.float32], limit: int
    ) -> list[tuple[int, float]]:
        rows = select(
            self.connection,
            f"SELECT row, round(1.0 - vec_distance_cosine(vector, ?), {_DECIMALS}) AS similarity"
            " FROM vectors"
            " WHERE owner = ? ORDER BY similarity DESC, row LIMIT ?",
            (query.tobytes(), owner, limit),
        )
        return [(row, float(similarity)) for row, similarity in rows]

    def _matrix(self, owner: str) -> _Matrix:
        current = generation(self.connection)
        held = self._matrices.get(owner)
        if held is None or held.generation != current:
            held = _Matrix.load(self.connection, owner, current)
            self._matrices[owner] = held
        return held


@dataclass(frozen=True, slots=True)
class _Matrix:
    """All vectors of one owner in memory."""

    generation: tuple[int, int]
    rows: NDArray[np.int64]
    vectors: NDArray[np.float32]
    signs: SignBits | None = None
    """Of a matrix so large that not every vector is scored."""

    @classmethod
    def load(cls, connection: Connection, owner: str, generation: tuple[int, int]) -> _Matrix:
        import numpy as np

        stored = select(
            connection, "SELECT row, vector FROM vectors WHERE owner = ? ORDER BY row", (owner,)
        )
        rows = np.array([row for row, _ in stored], dtype=np.int64)
        flat = np.frombuffer(b"".join(vector for _, vector in stored), dtype=np.float32)
        if not stored:
            return cls(generation, rows, flat)
        vectors = flat.reshape(len(stored), -1)
        signs = SignBits.of(vectors) if len(stored) >= SIEVE_FROM else None
        return cls(generation, rows, vectors, signs)

    def nearest(self, query: NDArray[np.float32], limit: int) -> list[tuple[int, float]]:
        import numpy as np

        from lorebank.providers.one_thread import one_thread

        if not len(self.rows):
            return []
        if self.signs is not None:
            left = self.signs.candidates(query, limit)
            return _Matrix(self.generation, self.rows[left], self.vectors[left]).nearest(
                query, limit
            )
        with one_thread():
            scores = np.round(self.vectors @ query, _DECIMALS)
        if limit < len(scores):
            # All that are as near as the last one wanted: which of them stay is told by row.
            kept = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
        else:
            kept = np.arange(len(scores))
        # lexsort: by similarity, then by row, as the SQL does.
        order = kept[np.lexsort((self.rows[kept], -scores[kept]))][:limit]
        return [(int(self.rows[i]), float(scores[i])) for i in order]

    def similarities(self, query: NDArray[np.float32], rows: Sequence[int]) -> dict[int, float]:
        import numpy as np

        if not len(self.rows):
            return {}
        wanted = np.array(rows, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.rows, wanted), len(self.rows) - 1)
        places = places[self.rows[places] == wanted]
        scores = self.vectors[places] @ query
        return dict(zip(self.rows[places].tolist(), scores.tolist(), strict=True))
