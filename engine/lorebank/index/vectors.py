"""Nearest vectors: a scan by numpy over a resident matrix.

The table `vectors` is the stored truth; its matrix is read once and kept until somebody writes. At
10,000 lines of 768 numbers a question takes 1.1 ms of CPU, which `vec0` of sqlite-vec needs 8 ms
for, so sqlite-vec ranks nothing here; `describe` says whether it could be loaded.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, generation, load_vector_extension
from lorebank.records import Mutable, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


FINGERPRINT = (
    "local/universal-sentence-encoder-multilingual-3/f34dd48792262b34/512/"
    "sentencepiece-first-2048-of-65536-characters"
)
"""Of the built-in embedder: the thresholds on cosines hold for its vectors only."""
VectorsOf = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Text → its vector as 32-bit floats, for those of the texts that have one."""


def vectors_by_text(
    vectors_of: VectorsOf | None, texts: Collection[str]
) -> dict[str, NDArray[np.float32]]:
    """The vectors of these texts, of length one, as far as they are known."""
    known = vectors_of(list(texts)) if vectors_of else {}
    if not known:
        return {}
    import numpy as np

    return {text: np.frombuffer(data, dtype=np.float32) for text, data in known.items()}


_FEW, _USUAL_SPREAD = 30, 0.07
"""As many lines as the usual counts for: of two notes both near, neither is nearer than usual."""
_DECIMALS = 6
"""Of a similarity: beyond them the two scans differ, and equal vectors would not tie."""


class QueryVector(Record):
    """A question's vector and who made it, or why there is none."""

    vector: NDArray[np.float32] | None = None
    provider: str = "none"
    model: str = ""
    spread: float = 0.0
    """The usual standard deviation of the embedder's similarities; 0 where it is not known."""
    skipped: str = ""
    """Why the semantic retriever is skipped; empty where there is a vector."""
    fallback: str | None = None
    """Why the fallback answers; `None` where the primary does."""
    missed: bool = False
    """Whether there would be a vector if something that is wrong were set right."""


def insert_vectors(connection: Connection, rows: Sequence[tuple[int, bytes]]) -> None:
    """Store `(item, 32-bit floats of unit length)` pairs."""
    connection.executemany("INSERT OR REPLACE INTO vectors (item, vector) VALUES (?, ?)", rows)


def delete_vectors(connection: Connection) -> None:
    """Forget every vector: another embedder's are of no use."""
    connection.execute("DELETE FROM vectors")


class Nearest(Record):
    """The items nearest to a question, and how near all of them are: what tells "near" from
    "nearest", whatever an embedder's similarities are like."""

    ranked: list[tuple[int, float]]
    """`(item, cosine similarity)`, best first."""
    mean: float = 0.0
    spread: float = 1.0
    """Standard deviation of the similarities; never below a hundredth."""


class VectorIndex(Mutable):
    """Scans one connection's `vectors`; remembers the matrix until the index changes."""

    connection: Connection
    enabled: bool = True
    extension_path: str = ""
    _held: _Matrix | None = None

    def describe(self) -> str:
        """`sqlite-vec`, or `exact scan` with the reason, as `status` shows it."""
        reason = "switched off by vector.enabled"
        if self.enabled:
            reason = load_vector_extension(self.connection, self.extension_path)
        return f"exact scan ({reason})" if reason else "sqlite-vec"

    def nearest(self, query: NDArray[np.float32], limit: int) -> Nearest:
        """The nearest items, best first, ties by number."""
        return self._matrix().nearest(query, limit)

    def similarities(self, query: NDArray[np.float32], items: Sequence[int]) -> dict[int, float]:
        """Cosine similarity of the items asked for; those without a vector are left out."""
        return self._matrix().similarities(query, items)

    def _matrix(self) -> _Matrix:
        current = generation(self.connection)
        if self._held is None or self._held.generation != current:
            self._held = _Matrix.load(self.connection, current)
        return self._held


def _spread(similarities: NDArray[np.float32]) -> tuple[float, float]:
    """Mean and standard deviation; of few lines, which tell little, nearer to what is usual."""
    count = len(similarities)
    mean, spread = float(similarities.mean()), float(similarities.std())
    mean = mean * count / (count + _FEW)
    return mean, max(0.01, (spread * count + _USUAL_SPREAD * _FEW) / (count + _FEW))


class _Matrix(Mutable):
    """All vectors in memory."""

    generation: tuple[int, int]
    rows: NDArray[np.int64]
    vectors: NDArray[np.float32]
    _asked: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
    """The last question and the similarity of every vector to it: a dated question asks twice."""

    @classmethod
    def load(cls, connection: Connection, generation: tuple[int, int]) -> _Matrix:
        import numpy as np

        numbers, flat = array("q"), bytearray()  # one vector at a time: together they are large
        for row, vector in connection.execute("SELECT item, vector FROM vectors ORDER BY item"):
            numbers.append(row)
            flat += vector
        rows, vectors = np.array(numbers, dtype=np.int64), np.frombuffer(flat, dtype=np.float32)
        if not len(rows):
            return cls(generation, rows, vectors)
        vectors = vectors.reshape(len(rows), -1)
        return cls(generation, rows, vectors)

    def nearest(self, query: NDArray[np.float32], limit: int) -> Nearest:
        import numpy as np

        if not len(self.rows):
            return Nearest([])
        exact = self._similarity_of_all(query)
        scores = np.round(exact, _DECIMALS)
        if limit < len(scores):
            # All that are as near as the last one wanted: ties are broken by row.
            kept = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
        else:
            kept = np.arange(len(scores))
        # lexsort: by similarity, then by row, as the SQL does.
        order = kept[np.lexsort((self.rows[kept], -scores[kept]))][:limit]
        ranked = list(zip(self.rows[order].tolist(), scores[order].tolist(), strict=True))
        return Nearest(ranked, *_spread(exact))

    def similarities(self, query: NDArray[np.float32], rows: Sequence[int]) -> dict[int, float]:
        if not len(self.rows):  # nor is it known how long a vector would be
            return {}
        places = self._places(rows)
        scores = self._similarity_of_all(query)[places]
        return dict(zip(self.rows[places].tolist(), scores.tolist(), strict=True))

    def _similarity_of_all(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        from lorebank.providers.one_thread import one_thread

        if self._asked is None or self._asked[0] is not query:
            with one_thread():
                self._asked = query, self.vectors @ query
        return self._asked[1]

    def _places(self, rows: Sequence[int]) -> NDArray[np.int64]:
        """Where the vectors of these items stand, without those that have none."""
        import numpy as np

        wanted = np.array(rows, dtype=np.int64)
        if not len(self.rows):
            return wanted[:0]
        places = np.minimum(np.searchsorted(self.rows, wanted), len(self.rows) - 1)
        found: NDArray[np.int64] = places[self.rows[places] == wanted]
        return found
