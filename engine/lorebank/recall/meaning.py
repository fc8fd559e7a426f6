"""Meaning: the embedder as recall sees it, loaded when a question first needs it.

A question that names only entities, a time or identifiers is answered by words and links; loading
a model for it would only cost time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lorebank.errors import LorebankError
from lorebank.language.words import identifiers, words
from lorebank.providers.registry import load_embedder
from lorebank.recall.understand import Understood

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.providers.protocols import Embedder

__all__ = ["Meaning", "needs_meaning"]


def needs_meaning(understood: Understood) -> bool:
    """Whether words and links alone can not be enough for this question."""
    named = {word for token in identifiers(understood.plain) for word in words(token)}
    return any(term not in named and " " not in term for term in understood.subject_terms)


class Meaning:
    """One workspace's embedder, or the reason why there is none."""

    def __init__(self, provider: str) -> None:
        self.provider = provider
        self.problem = ""
        """Why there is no embedder; empty while there is one."""
        self._embedder: Embedder | None = None
        self._loaded = False

    @property
    def embedder(self) -> Embedder | None:
        """The embedder that the settings name; `None` where it cannot be had."""
        if not self._loaded:
            self._loaded = True
            try:
                self._embedder = load_embedder(self.provider)
            except LorebankError as problem:
                self.problem = problem.message
            else:
                if self._embedder is None:
                    self.problem = "switched off by embedder.provider = none"
        return self._embedder

    def query_vector(self, text: str) -> NDArray[np.float32] | None:
        """The vector of a question; `None`, with `problem` set, where the embedder fails."""
        embedder = self.embedder
        if embedder is None:
            return None
        try:
            vector = embedder.embed_query(text)
        except LorebankError as problem:
            self.problem = problem.message
            return None
        return vector if vector.any() else None

    def describe(self) -> dict[str, object]:
        """Provider, model, dimension, whether it is available, and why not: for `status`."""
        embedder = self.embedder
        return {
            "provider": self.provider,
            "model": embedder.model if embedder else "",
            "dimension": embedder.dimension if embedder else 0,
            "available": embedder is not None,
            "reason": self.problem,
        }
