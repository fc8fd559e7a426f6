"""The network: piece ids to sentence vectors.

Embedding rows pass three convolution branches (over 2, 3 and 5 neighbours, two layers each with
a short cut), are normalised, averaged over the sentence and go through four dense layers.

The original computes everything for every token. Here what depends on the piece alone (its
embedding, the projection into the branches, the products of the first convolution) is computed
once for each distinct piece of a batch, and the second convolution is a product for each place of
the window, added to shifted rows, instead of a gathered copy of each window. Sentences lie in one
tall matrix with two zero rows between them: windows reach two rows at most, so none sees a
neighbour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lorebank.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Integers = NDArray[np.intp]

DIMENSION = 512
"""Of the model's vectors."""
_TABLE_BLOCKS = 17
"""As in `source`."""
_CHANNELS = 256
"""Of each of the network's convolutions."""
_GAP = 2
"""Empty rows between sentences, so that no convolution sees two at once."""
_WINDOWS = ((2, 0), (3, 1), (5, 2))
"""Of each branch: how many neighbours a window holds, and how many of them lie to the left."""


@dataclass(frozen=True, slots=True)
class _Branch:
    width: int
    left: int
    columns: slice
    """Its part of the projection."""
    first: Floats
    """Shape (width, channels, channels): one matrix for each place of the window."""
    first_bias: Floats
    second: Floats
    """Of the same shape."""
    second_bias: Floats


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where the tokens of a batch stand in the tall matrix."""

    rows: Integers
    """For each row the place of its piece among the distinct ones; a gap has the place past all."""
    gaps: Integers
    starts: list[int]
    lengths: list[int]


class SentenceNetwork:
    """The forward pass over prepared arrays, which it reads and never changes."""

    def __init__(self, arrays: Mapping[str, NDArray[np.generic]]) -> None:
        floats: dict[str, Floats] = {
            name: value.astype(np.float32, copy=False)
            for name, value in arrays.items()
            if value.dtype == np.float32
        }
        self._weights = floats
        self._table = arrays["table"]
        self._epsilon = np.float32(arrays["eps"].item())
        self._projection = np.concatenate([floats[f"proj{width}"] for width, _ in _WINDOWS], axis=1)
        self._projection_bias = np.concatenate([floats[f"proj_b{width}"] for width, _ in _WINDOWS])
        self._branch_gain = np.concatenate([floats[f"ln_g{width}"] for width, _ in _WINDOWS])
        self._branch_bias = np.concatenate([floats[f"ln_b{width}"] for width, _ in _WINDOWS])
        self._branches = [
            _branch(floats, width, left, place) for place, (width, left) in enumerate(_WINDOWS)
        ]

    def embed(self, sentences: Sequence[Sequence[int]]) -> Floats:
        """Vectors of length 1, shape (len(sentences), DIMENSION); each sentence has a piece."""
        pieces, places = np.unique(np.concatenate(sentences), return_inverse=True)
        layout = _lay_out(places, [len(sentence) for sentence in sentences], len(pieces))
        embedded = self._embed_pieces(pieces)
        projected = self._project(embedded)
        branches = [_convolve(branch, projected, layout) for branch in self._branches]
        return self._dense(self._average(embedded, branches, layout), layout.lengths)

    def _embed_pieces(self, pieces: Integers) -> Floats:
        """Rows of the table, each of whose blocks has a scale of its own; a zero row at the end."""
        embedded = np.zeros((len(pieces) + 1, DIMENSION), dtype=np.float32)
        block = pieces % _TABLE_BLOCKS
        embedded[:-1] = self._table[pieces]
        embedded[:-1] *= self._weights["scale"][block, None]
        embedded[:-1] += self._weights["lo"][block, None]
        return embedded

    def _project(self, embedded: Floats) -> Floats:
        projected: Floats = embedded @ self._projection
        projected += self._projection_bias
        projected -= projected.mean(axis=1, keepdims=True)
        variance = np.einsum("ij,ij->i", projected, projected) / projected.shape[1]
        projected *= (1 / np.sqrt(variance + self._epsilon))[:, None]
        projected *= self._branch_gain
        projected += self._branch_bias
        projected[-1] = 0
        return projected

    def _average(self, embedded: Floats, branches: list[Floats], layout: _Layout) -> Floats:
        """Normalise the features of each token, then sum them over each sentence.

        The mean and the deviation of a row are numbers, so the sum of normalised rows is a
        weighted sum of plain ones: no normalised matrix is ever written.
        """
        width = DIMENSION + _CHANNELS * len(branches)
        total = embedded.sum(axis=1)[layout.rows]
        squares = np.einsum("ij,ij->i", embedded, embedded)[layout.rows]
        for branch in branches:
            total += branch.sum(axis=1)
            squares += np.einsum("ij,ij->i", branch, branch)
        mean = total / width
        weight = 1 / np.sqrt(squares / width - mean * mean + self._epsilon)
        sums = np.empty((len(layout.starts), width), dtype=np.float32)
        for sentence, (start, length) in enumerate(zip(layout.starts, layout.lengths, strict=True)):
            tokens = slice(start, start + length)
            row = sums[sentence]
            row[:DIMENSION] = weight[tokens] @ embedded[layout.rows[tokens]]
            for place, branch in enumerate(branches):
                column = DIMENSION + _CHANNELS * place
                row[column : column + _CHANNELS] = weight[tokens] @ branch[tokens]
            row -= weight[tokens] @ mean[tokens]
        sums *= self._weights["ln_g"]
        sums += np.array(layout.lengths, dtype=np.float32)[:, None] * self._weights["ln_b"]
        return sums

    def _dense(self, sums: Floats, lengths: list[int]) -> Floats:
        weights = self._weights
        counts = np.array(lengths, dtype=np.float32)[:, None]
        pooled = sums @ weights["cnn_W"]
        pooled += counts * weights["cnn_b"]
        pooled /= np.sqrt(counts)
        hidden = np.maximum(pooled @ weights["d0"], 0)
        hidden = np.maximum(pooled @ weights["p1"] + hidden @ weights["d1"], 0)
        wide = np.maximum(hidden @ weights["d2"], 0)
        vectors = np.tanh(hidden @ weights["p3"] + wide @ weights["d3"])
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors


def _branch(floats: Mapping[str, Floats], width: int, left: int, place: int) -> _Branch:
    return _Branch(
        width=width,
        left=left,
        columns=slice(place * _CHANNELS, (place + 1) * _CHANNELS),
        first=floats[f"w1_{width}"].reshape(width, _CHANNELS, _CHANNELS),
        first_bias=floats[f"b1_{width}"],
        second=floats[f"w2_{width}"].reshape(width, _CHANNELS, _CHANNELS),
        second_bias=floats[f"b2_{width}"],
    )


def _lay_out(places: Integers, lengths: list[int], distinct: int) -> _Layout:
    rows = np.full(len(places) + _GAP * (len(lengths) + 1), distinct, dtype=np.intp)
    ends = np.cumsum(lengths)
    shifts = _GAP * np.arange(1, len(lengths) + 1)
    rows[np.arange(len(places)) + np.repeat(shifts, lengths)] = places
    starts = ends - lengths + shifts
    return _Layout(rows, np.flatnonzero(rows == distinct), starts.tolist(), lengths)


def _convolve(branch: _Branch, projected: Floats, layout: _Layout) -> Floats:
    """Both layers of a branch for every row of the layout; zero in the gaps.

    The products are made for one place of the window after the other, in the same room.
    """
    inputs = np.ascontiguousarray(projected[:, branch.columns])
    products = np.empty_like(inputs)
    hidden = np.zeros((len(layout.rows), _CHANNELS), dtype=np.float32)
    gathered = np.empty_like(hidden)
    for place in range(branch.width):
        np.matmul(inputs, branch.first[place], out=products)
        np.take(products, layout.rows, axis=0, out=gathered, mode="clip")
        _add_shifted(hidden, gathered, place - branch.left)
    hidden += branch.first_bias
    np.maximum(hidden, 0, out=hidden)
    np.take(inputs, layout.rows, axis=0, out=gathered, mode="clip")
    hidden += gathered
    hidden[layout.gaps] = 0
    outcome = np.zeros_like(hidden)
    for place in range(branch.width):
        np.matmul(hidden, branch.second[place], out=gathered)
        _add_shifted(outcome, gathered, place - branch.left)
    outcome += branch.second_bias
    np.maximum(outcome, 0, out=outcome)
    outcome += hidden
    outcome[layout.gaps] = 0
    return outcome


def _add_shifted(target: Floats, rows: Floats, shift: int) -> None:
    """Add to each row the one that many places further on."""
    if shift > 0:
        target[:-shift] += rows[shift:]
    elif shift < 0:
        target[-shift:] += rows[:shift]
    else:
        target += rows
