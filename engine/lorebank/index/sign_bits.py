"""One bit a dimension: on which side of the mean a vector lies. A sieve before an exact scan.

From some 200,000 vectors on, reading them all for a question takes longer than a person notices.
The bits are a thirty-second of them; those vectors whose bits differ least from the question's are
then scored exactly. What the sieve loses was measured (`tests/benchmarks/vectors.py`), and
`CANDIDATES` and `SHARE` are chosen by that: at 1,000,000 × 256 recall@20 is .980 to .999, in a
quarter to a half of the time of the exact scan. Subspace collision was measured beside it: .969 at
best in more time, and its index takes seconds to make where the bits take a tenth of one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lorebank.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIEVE_FROM = 200_000
"""Vectors below which every one is scored."""
CANDIDATES = 4096
"""Vectors scored exactly, at least; more where more are asked for."""
SHARE = 1 / 64
"""Of all vectors that are scored exactly: the more there are, the more are as near as the best."""
_CANDIDATES_A_HIT = 32
_SAMPLE = 20_000


@dataclass(frozen=True, slots=True)
class SignBits:
    """The bits of a matrix of vectors: one row of words a 64 dimensions, one column a vector."""

    mean: NDArray[np.float32]
    words: NDArray[np.uint64]

    @classmethod
    def of(cls, vectors: NDArray[np.float32]) -> SignBits | None:
        """The bits of some vectors; `None` where numpy is older than 2 and cannot count bits."""
        import numpy as np

        if not hasattr(np, "bitwise_count"):
            return None
        step = max(1, len(vectors) // _SAMPLE)
        mean = vectors[::step].mean(axis=0, dtype=np.float32)
        width = -(-vectors.shape[1] // 64)
        words = np.empty((width, len(vectors)), dtype=np.uint64)
        for start in range(0, len(vectors), _SAMPLE):
            words[:, start : start + _SAMPLE] = _words(vectors[start : start + _SAMPLE] > mean).T
        return cls(mean, words)

    def wanted(self, limit: int) -> int:
        """How many vectors are scored exactly for so many hits."""
        return max(CANDIDATES, int(SHARE * self.words.shape[1]), _CANDIDATES_A_HIT * limit)

    def candidates(self, query: NDArray[np.float32], limit: int) -> NDArray[np.int64]:
        """Columns of the vectors whose bits differ least, at least some thousand, in order."""
        import numpy as np

        wanted = self.wanted(limit)
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
