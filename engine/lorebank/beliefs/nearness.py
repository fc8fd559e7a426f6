"""How near two texts are in meaning, where their vectors are known; light, so a recall may ask.

Vectors only join statements that share few words and rank what waits for a judge. Where they are
missing, words decide alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, read_meta

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

WITH_VECTORS = "relation 5 with vectors"
"""What formed the opinions of an index; to be raised with any change of what a relation is."""
WORDS_ALONE = "relation 5"
JUDGED_BY = "judged_by"
"""The key below which an index says which of the two formed its opinions."""

VectorsOf = Callable[[Sequence[str]], Mapping[str, bytes]]
"""Text → its vector as 32-bit floats, for those of the texts that have one."""


def stance_model_changed(connection: Connection, vectors_of: VectorsOf | None) -> bool:
    """Whether the opinions stored were formed in another way than they are now."""
    now = WORDS_ALONE if vectors_of is None else WITH_VECTORS
    return (read_meta(connection, JUDGED_BY) or WORDS_ALONE) != now


class Nearness:
    """Cosines of texts whose vectors are known."""

    def __init__(self, vectors_of: VectorsOf) -> None:
        self._vectors_of = vectors_of
        self._vectors: dict[str, Floats] = {}

    def load(self, texts: Collection[str]) -> bool:
        """Load the vectors of these texts in place of the last; whether there are all."""
        known = self._vectors_of(list(texts))
        self._vectors = {}
        if known:
            import numpy as np

            self._vectors = {t: np.frombuffer(v, dtype=np.float32) for t, v in known.items()}
        return len(known) == len(texts)

    def cosines(self, text: str, others: Sequence[str]) -> list[float | None]:
        """The nearness of a text to each of the others; `None` where a vector is missing."""
        own = self._vectors.get(text)
        if own is None:
            return [None] * len(others)
        vectors = [self._vectors.get(other) for other in others]
        return [None if v is None else round(float(v @ own), 4) for v in vectors]
