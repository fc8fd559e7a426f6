"""What the rest of lorebank asks of a model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Embedder"]


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors whose dot product is their closeness in meaning.

    Vectors are float32 and of length 1. A text without anything to embed has the zero vector,
    which means "no vector" and must not be ranked. Vectors of two embedders may be compared only
    if their fingerprints are equal. Every method may be called from several threads, and raises
    `ProviderError` when the model cannot be loaded or answers nonsense.
    """

    @property
    def name(self) -> str:
        """The provider as the settings name it, such as `local`."""

    @property
    def model(self) -> str:
        """The model's own name."""

    @property
    def dimension(self) -> int:
        """The length of every vector."""

    @property
    def fingerprint(self) -> str:
        """Changes whenever the vector of any text would; the same on every machine."""

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Vectors of texts to be found, in their order: shape `(len(texts), dimension)`."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """The vector of a text to search with: shape `(dimension,)`."""
