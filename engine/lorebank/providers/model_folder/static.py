"""A static model: the vector of a text is the mean of its tokens' vectors, looked up in a table.

A safetensors file is the length of its header as eight bytes, the header as JSON (name → type,
shape, place of the bytes), and the bytes. Nothing in it is ever run.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lorebank.errors import ProviderError
from lorebank.providers.model_folder.tokens import FolderTokenizer, read_tokenizer
from lorebank.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Array = NDArray[Any]


_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",  # the upper half of a 32-bit float
    "I64": "<i8",
    "I32": "<i4",
    "I16": "<i2",
    "I8": "i1",
    "U8": "u1",
    "BOOL": "?",
}
_LONGEST_HEADER = 100 * 2**20
"""Bytes; the limit of the safetensors format itself."""
_BF16_MARK = np.dtype("<u2")


def map_tables(file: Path) -> dict[str, Array]:
    """The arrays of a file by name; an `.npy` file's only one is named `embeddings`.

    Raises `ValueError` where the file is not what its name says, `OSError` where it is not there.
    """
    if file.suffix == ".npy":
        return {"embeddings": np.load(file, mmap_mode="r", allow_pickle=False)}
    size = file.stat().st_size
    with file.open("rb") as opened:
        length = int.from_bytes(opened.read(8), "little")
        if not 2 <= length <= min(_LONGEST_HEADER, size - 8):
            raise ValueError(f"{file.name} is no safetensors file")
        header = json.loads(opened.read(length))
    if not isinstance(header, dict):
        raise ValueError(f"{file.name} is no safetensors file")
    rows = {name: row for name, row in header.items() if name != "__metadata__"}
    return {name: _mapped(file, 8 + length, size, row) for name, row in rows.items()}


def as_floats(table: Array) -> NDArray[np.float32]:
    """Rows of a table as 32-bit floats."""
    if table.dtype == _BF16_MARK:
        return (table.astype(np.uint32) << 16).view(np.float32)
    return table.astype(np.float32)


def _mapped(file: Path, start: int, size: int, row: Any) -> Array:
    try:
        kind, shape = np.dtype(_TYPES[row["dtype"]]), tuple(map(int, row["shape"]))
        begin, end = map(int, row["data_offsets"])
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{file.name}: a table of an unknown kind") from None
    count = int(np.prod(shape, dtype=np.int64))
    if min(shape, default=0) < 0 or begin < 0 or end - begin != count * kind.itemsize:
        raise ValueError(f"{file.name}: a table whose size is not that of its numbers")
    if start + end > size:
        raise ValueError(f"{file.name} is cut off")
    if not count:
        return np.zeros(shape, kind)
    return np.memmap(file, kind, "r", start + begin, shape)


_TABLES = ("embeddings", "embedding.weight")
"""As model2vec and as sentence-transformers name the table of tokens."""


def table_name(tables: dict[str, Array]) -> str | None:
    """Which of a file's tables holds a vector a token; `None` where the file is no static model."""
    named = (name for name in _TABLES if name in tables and tables[name].ndim == 2)
    return next(named, None)


@dataclass(frozen=True, slots=True)
class StaticModel:
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
            tables = map_tables(table_file)
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
