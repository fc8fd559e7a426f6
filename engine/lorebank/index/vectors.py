"""Nearest vectors: a scan by numpy over a resident matrix, exact unless it is very large.

From some 50,000 vectors on, reading them all is most of what a question costs.
The bits are a thirty-second of them; those vectors whose bits differ least from the question's are
then scored exactly. What the sieve loses was measured (`tests/benchmarks/vectors.py`), and
`CANDIDATES` and `SHARE` are chosen by that: at 1,000,000 × 256 recall@20 is .980 to .999, in a
quarter to a half of the time of the exact scan. Subspace collision was measured beside it: .969 at
best in more time, and its index takes seconds to make where the bits take a tenth of one.

The table `vectors` is the stored truth; its matrix is read once and kept until somebody writes. At
10,000 lines of 768 numbers a question takes 1.1 ms of CPU, which `vec0` of sqlite-vec needs 8 ms
for, so sqlite-vec ranks nothing here; `describe` says whether it could be loaded. A very large
matrix is sieved by sign bits first, and only what they leave is scored.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Collection, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, DamagedIndex, generation, load_vector_extension
from lorebank.records import Mutable, Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SIEVE_FROM = 50_000
"""Vectors below which every one is scored. At 50,000 × 512 a question takes 1.7 ms with the sieve
and 6.8 without, at recall@20 .998."""
CANDIDATES = 2048  # vectors scored exactly, at least; more where more are asked for
SHARE = 1 / 64
"""Of all vectors that are scored exactly: the more there are, the more are as near as the best."""
_CANDIDATES_A_HIT = 32
_BLOCK = 20_000
_CHECKED = 1_000  # vectors checked at a time: two to four megabytes
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


class SignBits(Record):
    """The bits of a matrix of vectors: one row of words a 64 dimensions, one column a vector."""

    mean: NDArray[np.float32]
    words: NDArray[np.uint64]
    sample: NDArray[np.float32]  # some of the vectors, which stand for all

    @classmethod
    def of(cls, vectors: NDArray[np.float32]) -> SignBits | None:
        """The bits of some vectors; `None` where numpy is older than 2 and cannot count bits."""
        import numpy as np

        if not hasattr(np, "bitwise_count"):
            return None
        sample = vectors[:: max(1, len(vectors) // _SAMPLED)].copy()
        mean = sample.mean(axis=0, dtype=np.float32)
        width = -(-vectors.shape[1] // 64)
        words = np.empty((width, len(vectors)), dtype=np.uint64)
        for start in range(0, len(vectors), _BLOCK):
            words[:, start : start + _BLOCK] = _words(vectors[start : start + _BLOCK] > mean).T
        return cls(mean, words, sample)

    def candidates(self, query: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Columns of the vectors whose bits differ least, at least some thousand, in order."""
        import numpy as np

        wanted = max(CANDIDATES, int(SHARE * self.words.shape[1]), _CANDIDATES_A_HIT * limit)
        if wanted >= self.words.shape[1]:
            return np.arange(self.words.shape[1])
        asked = _words((query > self.mean)[None, :])[0]
        different = np.zeros(self.words.shape[1], dtype=np.uint16)
        for word, own in zip(asked, self.words, strict=True):
            different += np.bitwise_count(own ^ word)
        farthest = int(np.searchsorted(np.cumsum(np.bincount(different)), wanted))
        return np.flatnonzero(different <= farthest)


def _words(bits: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Rows of truth values as rows of 64-bit words; what is missing in the last one is false."""
    import numpy as np

    missing = -bits.shape[1] % 64
    if missing:
        bits = np.pad(bits, ((0, 0), (0, missing)))
    return np.packbits(bits, axis=1).view(np.uint64)


SENTENCE = 0.3
"""What the nearest sentence of a passage counts for the nearness of the passage, beside the whole:
of 210 questions by two hands 166 find their line among the first five and 130 as the first, by the
whole alone 160 and 130, at .5 165 and 127."""
_PRIOR_COUNT, _USUAL_SPREAD = 30, 0.07
"""As many lines as the usual counts for: of two notes both near, neither is nearer than usual."""
_SAMPLED = 4_000
"""Vectors whose similarities stand for all where there are more; their spread is known to 1 %."""
_DECIMALS = 6  # of a similarity: beyond them the two scans differ, and equal vectors would not tie


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


def insert_vectors(connection: Connection, rows: Sequence[tuple[int, int, bytes]]) -> None:
    """Store `(item, part, 32-bit floats of unit length)`; part 0 is the whole item."""
    import numpy as np

    summed = ((*row, int(_checksums(np.frombuffer(row[2], dtype=np.float32)))) for row in rows)
    connection.executemany(
        "INSERT OR REPLACE INTO vectors (item, part, vector, checksum) VALUES (?, ?, ?, ?)", summed
    )


def damaged_vectors(connection: Connection) -> int:
    """How many vectors are not what was stored: SQLite does not see a byte changed within one."""
    rows = connection.execute("SELECT vector, checksum FROM vectors ORDER BY item, part")
    blocks = iter(lambda: list(islice(rows, _CHECKED)), [])
    return sum(
        _damaged_of(b"".join(vector for vector, _ in block), [stored for _, stored in block])
        for block in blocks
    )


def damage_of_vectors(count: int) -> str:
    return f"{'a vector is' if count == 1 else f'{count} vectors are'} not what was stored"


def _damaged_of(flat: bytes | bytearray, checksums: Sequence[int]) -> int:
    """The same of some vectors, one after the other; all of them where they differ in length."""
    import numpy as np

    if len(flat) % (4 * len(checksums)):
        return len(checksums)
    vectors = np.frombuffer(flat, dtype=np.float32).reshape(len(checksums), -1)
    return int((_checksums(vectors) != np.array(checksums, dtype=np.int64)).sum())


def _checksums(vectors: NDArray[np.float32]) -> NDArray[np.uint32]:
    """Of 10,000 × 896 numbers in a millisecond, where CRC-32 of each takes ten."""
    import numpy as np

    sums: NDArray[np.uint32] = vectors.view(np.uint32).sum(axis=-1, dtype=np.uint32)
    return sums


def delete_vectors(connection: Connection) -> None:
    """Forget every vector: another embedder's are of no use."""
    connection.execute("DELETE FROM vectors")


class Nearest(Record):
    """The items nearest to a question, and how near all of them are: what tells "near" from
    "nearest", whatever an embedder's similarities are like."""

    ranked: list[tuple[int, float]]  # `(item, cosine similarity)`, best first
    mean: float = 0.0
    spread: float = 1.0  # standard deviation of the similarities; never below a hundredth


class VectorIndex(Mutable):
    """Scans one connection's `vectors`; remembers the matrix until the index changes."""

    connection: Connection
    enabled: bool = True
    extension_path: str = ""
    _held: _Matrix | None = None

    def describe(self) -> str:
        """Who compares vectors, and whether sqlite-vec is there for your own SQL."""
        reason = "sqlite-vec switched off by vector.enabled"
        if self.enabled:
            reason = load_vector_extension(self.connection, self.extension_path)
        return f"scan by numpy; {reason or 'sqlite-vec loads'}"

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
    mean = mean * count / (count + _PRIOR_COUNT)
    return mean, max(0.01, (spread * count + _USUAL_SPREAD * _PRIOR_COUNT) / (count + _PRIOR_COUNT))


def _similar(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float32]:
    """How near each is. Where an embedder of two models says nothing of the question by the second
    (`providers.local`), the first one's part alone is compared, as long as if it were the whole:
    else what the second model knows would be farther from every question of another language."""
    import numpy as np

    said = int(np.flatnonzero(query)[-1]) + 1 if query.any() else 0
    if said == len(query) or not said:
        return vectors @ query
    part = vectors[:, :said]
    lengths = np.maximum(np.linalg.norm(part, axis=1), 1e-6)
    near: NDArray[np.float32] = part @ query[:said] / lengths
    return near


class _Matrix(Mutable):
    """All vectors in memory: of each item the one of the whole, then those of its sentences."""

    generation: tuple[int, int]
    items: NDArray[np.int64]
    starts: NDArray[np.int64]
    """Where the vectors of each item begin."""
    vectors: NDArray[np.float32]
    signs: SignBits | None = None
    """Of a matrix so large that not every vector is scored."""
    _asked: tuple[NDArray[np.float32], NDArray[np.float32]] | None = None
    """The last question and how near every item is to it: a dated question asks twice."""

    @classmethod
    def load(cls, connection: Connection, generation: tuple[int, int]) -> _Matrix:
        import numpy as np

        numbers, checksums = array("q"), array("q")
        flat = bytearray()  # one vector at a time: together they are large
        rows = connection.execute("SELECT item, vector, checksum FROM vectors ORDER BY item, part")
        for item, vector, checksum in rows:
            numbers.append(item)
            checksums.append(checksum)
            flat += vector
        if numbers and (damaged := _damaged_of(flat, checksums)):
            raise DamagedIndex[0](damage_of_vectors(damaged))
        items, starts = np.unique(np.array(numbers, dtype=np.int64), return_index=True)
        vectors = np.frombuffer(flat, dtype=np.float32)
        if len(items):
            vectors = vectors.reshape(len(numbers), -1)
        signs = SignBits.of(vectors) if len(numbers) >= SIEVE_FROM else None
        return cls(generation, items, starts, vectors, signs)

    def nearest(self, query: NDArray[np.float32], limit: int) -> Nearest:
        import numpy as np

        from lorebank.providers.one_thread import one_thread

        if not len(self.items):
            return Nearest([])
        if self.signs is not None:
            columns = self.signs.candidates(query, limit)
            left = np.flatnonzero(np.bincount(np.searchsorted(self.starts, columns, "right") - 1))
            with one_thread():
                similar = _similar(self.signs.sample, query)
            return Nearest(self._only(left).nearest(query, limit).ranked, *_spread(similar))
        exact = self._nearness_of_all(query)
        scores = np.round(exact, _DECIMALS)
        limit = min(limit, len(scores))
        # All that are as near as the last one wanted: ties are broken by number.
        kept = np.flatnonzero(scores >= np.partition(scores, -limit)[-limit])
        # lexsort: by nearness, then by number, as the SQL does.
        order = kept[np.lexsort((self.items[kept], -scores[kept]))][:limit]
        ranked = list(zip(self.items[order].tolist(), scores[order].tolist(), strict=True))
        return Nearest(ranked, *_spread(exact))

    def similarities(self, query: NDArray[np.float32], items: Sequence[int]) -> dict[int, float]:
        if not len(self.items):  # nor is it known how long a vector would be
            return {}
        places = self._places(items)
        if self.signs is None:
            scores = self._nearness_of_all(query)[places]
        else:
            scores = self._only(places)._nearness_of_all(query)
        return dict(zip(self.items[places].tolist(), scores.tolist(), strict=True))

    def _nearness_of_all(self, query: NDArray[np.float32]) -> NDArray[np.float32]:
        import numpy as np

        from lorebank.providers.one_thread import one_thread

        if self._asked is None or self._asked[0] is not query:
            with one_thread():
                similar = _similar(self.vectors, query)
            if len(self.items) < len(similar):
                whole = similar[self.starts]
                similar[self.starts] = -np.inf
                best = np.maximum.reduceat(similar, self.starts)
                has = np.isfinite(best)
                similar = np.where(has, (1 - SENTENCE) * whole + SENTENCE * best, whole)
            self._asked = query, similar
        return self._asked[1]

    def _only(self, places: NDArray[np.int64]) -> _Matrix:
        import numpy as np

        counts = np.append(self.starts, len(self.vectors))[places + 1] - self.starts[places]
        starts = np.cumsum(counts) - counts
        rows = np.repeat(self.starts[places] - starts, counts) + np.arange(counts.sum())
        return _Matrix(self.generation, self.items[places], starts, self.vectors.take(rows, axis=0))

    def _places(self, items: Sequence[int]) -> NDArray[np.int64]:
        """Where these items stand, without those that have no vector."""
        import numpy as np

        wanted = np.array(items, dtype=np.int64)
        places = np.minimum(np.searchsorted(self.items, wanted), len(self.items) - 1)
        found: NDArray[np.int64] = places[self.items[places] == wanted]
        return found
