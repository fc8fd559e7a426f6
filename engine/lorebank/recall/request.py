"""What every retriever is given: the question as understood, the index, the limits."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING

from lorebank.index.connection import Connection
from lorebank.index.items import ItemCache
from lorebank.index.postings import Postings
from lorebank.index.vocabulary import Vocabulary
from lorebank.recall.understand import Understood
from lorebank.records import dataclass

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.index.vectors import VectorIndex


@dataclass(frozen=True, slots=True)
class Request:
    """One question on its way through the retrievers."""

    understood: Understood
    connection: Connection
    vocabulary: Vocabulary
    postings: Postings
    items: ItemCache
    now: date
    limit: int
    """How many items a retriever may return."""
    within: str | None = None
    """JSON list of the only items that filters leave; `None`: all."""
    vectors: VectorIndex | None = None
    query_vector: NDArray[np.float32] | None = None

    @property
    def allowed(self) -> frozenset[int] | None:
        """`within` as a set."""
        return None if self.within is None else frozenset(json.loads(self.within))
