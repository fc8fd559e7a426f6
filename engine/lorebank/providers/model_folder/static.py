"""A static model: the vector of a text is the mean of its tokens' vectors, looked up in a table."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lorebank.errors import ProviderError
from lorebank.providers.arrays import as_floats, map_arrays
from lorebank.providers.model_folder.tokens import FolderTokenizer, read_tokenizer
from lorebank.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Array = NDArray[Any]


_TABLES = ("embeddings", "embedding.weight")
"""As model2vec and as sentence-transformers name the table of tokens."""


def table_name(tables: dict[str, Array]) -> str | None:
    """Which of a file's tables holds a vector a token; `None` where the file is no static model."""
    named = (name for name in _TABLES if name in tables and tables[name].ndim == 2)
    return next(named, None)


class StaticModel(Record):
    """Implements `folder.Model`."""

    tokenizer: FolderTokenizer
    table: Array
    weights: Floats | None
    """Of each token."""
    mapping: NDArray[np.int64] | None
    """Token → row of the table, where several tokens share a row."""
    most_tokens: int

    @classmethod
    def open(cls, table_file: Path, tokenizer_file: Path, most_tokens: int) -> StaticModel:
        """Raises `ProviderError` where the files are not those of one model."""
        try:
            tables = map_arrays(table_file)
        except (OSError, ValueError) as problem:
            raise _unfit(f"cannot be read: {problem}") from problem
        name = table_name(tables)
        if name is None:
            raise _unfit(f"has no table of tokens in {table_file.name}")
        table = tables[name]
        weights, mapping = tables.get("weights"), tables.get("mapping")
        if mapping is not None:
            mapping = mapping.astype(np.int64)
            if mapping.ndim != 1 or mapping.min() < 0 or mapping.max() >= len(table):
                raise _unfit(f"maps tokens to rows that {table_file.name} does not have")
        return cls(
            read_tokenizer(tokenizer_file),
            table,
            None if weights is None else as_floats(weights).reshape(-1),
            mapping,
            most_tokens,
        )

    @property
    def dimension(self) -> int:
        return int(self.table.shape[1])

    def embed(self, texts: Sequence[str]) -> Floats:
        """Sums of vectors, not yet of length 1; zero for a text without a known token."""
        found = np.zeros((len(texts), self.dimension), np.float32)
        unknown = self.tokenizer.unknown
        encoded = self.tokenizer.encode(texts, self.most_tokens, marks=False)
        for row, ids in enumerate(encoded):
            tokens = np.array([each for each in ids if each != unknown], dtype=np.int64)
            if tokens.size:
                found[row] = self._sum(tokens)
        return found

    def _sum(self, tokens: NDArray[np.int64]) -> Floats:
        known = len(self.table) if self.mapping is None else len(self.mapping)
        if tokens.max() >= known or (
            self.weights is not None and tokens.max() >= len(self.weights)
        ):
            raise _unfit("has a tokenizer that knows more tokens than there are vectors")
        distinct, counts = np.unique(tokens, return_counts=True)
        rows = distinct if self.mapping is None else self.mapping[distinct]
        shares = counts.astype(np.float32)
        if self.weights is not None:
            shares *= self.weights[distinct]
        total: Floats = shares @ as_floats(self.table[rows])
        return total


def _unfit(what: str) -> ProviderError:
    return ProviderError(f"the static model {what}", hint="correct embedder.local.model_path")
