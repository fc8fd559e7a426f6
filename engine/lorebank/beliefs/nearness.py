"""How near two texts are in meaning, where their vectors are known.

Vectors only join statements that share few words and rank what waits for a judge. Where they are
missing, words decide alone.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from lorebank.index.vectors import VectorsOf, vectors_by_text

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

ROUGH = 0.002
"""How far two cosines may lie apart and still be alike: products of a matrix differ from those of
two vectors in the seventh digit, and scores are rounded to the third."""


class Nearness:
    """Cosines of texts whose vectors are known, and which of many statements come near."""

    def __init__(self, vectors_of: VectorsOf) -> None:
        self._vectors_of = vectors_of
        self._vectors: dict[str, Floats] = {}
        self._rows: Floats | None = None
        """The vectors of the statements added, in their order; NaN for those without one."""
        self._count = 0

    def load(self, texts: Collection[str]) -> bool:
        """Load the vectors of these texts in place of the last; whether there are all."""
        self._vectors, self._rows, self._count = vectors_by_text(self._vectors_of, texts), None, 0
        return len(self._vectors) == len(texts)

    def add(self, statement: str) -> None:
        """Add a statement to those that others are compared with."""
        if not self._vectors:
            return
        import numpy as np

        size = len(next(iter(self._vectors.values())))
        if self._rows is None or self._count == len(self._rows):
            grown = np.zeros((max(64, 2 * self._count), size), dtype=np.float32)
            if self._rows is not None:
                grown[: self._count] = self._rows
            self._rows = grown
        self._rows[self._count] = self._vectors.get(statement, np.nan)
        self._count += 1

    def cosine(self, text: str, other: str) -> float | None:
        """The nearness of a text to another; `None` where a vector is missing."""
        one, two = self._vectors.get(text), self._vectors.get(other)
        return None if one is None or two is None else round(float(two @ one), 4)

    def roughly(self, text: str) -> Floats | None:
        """The cosines of a text with all statements added, right to within `ROUGH`; `None` where
        its vector is missing."""
        own = self._vectors.get(text)
        return None if own is None or self._rows is None else self._rows[: self._count] @ own

    def nearest(self, text: str, first: int) -> list[int]:
        """The numbers of those of the first statements that may be nearest to a text."""
        rough = self.roughly(text)
        if rough is None:
            return []
        import numpy as np

        rough = rough[:first]
        found: list[int] = (rough >= np.fmax.reduce(rough) - ROUGH).nonzero()[0].tolist()
        return found
