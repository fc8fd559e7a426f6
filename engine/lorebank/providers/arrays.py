"""Named arrays in a safetensors file: memory-mapped, and written atomically.

The format: header length as eight bytes, a JSON header (name → type, shape, offsets), raw bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from lorebank.providers.protocols import Array, Floats

_TYPES = {
    "F64": "<f8",
    "F32": "<f4",
    "F16": "<f2",
    "BF16": "<u2",  # the upper half of a 32-bit float
    "I64": "<i8",
    "I32": "<i4",
    "U32": "<u4",
    "I16": "<i2",
    "I8": "|i1",
    "U8": "|u1",
    "BOOL": "|b1",
}
_NAMES = {kind: name for name, kind in _TYPES.items()}
_MAX_HEADER_BYTES = 100 * 2**20  # bytes; the limit of the safetensors format itself
_SAMPLE_BYTES, _SAMPLE_COUNT = 2**14, 64
"""Size and number of the samples of a file that are hashed: 1 MB, which takes 1 ms."""
_BF16_MARK = np.dtype("<u2")


def map_arrays(file: Path) -> dict[str, Array]:
    """The arrays of a file by name; the one of an `.npy` file is named `embeddings`.

    Raises `ValueError` if the format is wrong, `OSError` if the file is missing.
    """
    if file.suffix == ".npy":
        return {"embeddings": np.load(file, mmap_mode="r", allow_pickle=False)}
    size = file.stat().st_size
    with file.open("rb") as handle:
        length = int.from_bytes(handle.read(8), "little")
        if not 2 <= length <= min(_MAX_HEADER_BYTES, size - 8):
            raise ValueError(f"{file.name} is not a safetensors file")
        header = json.loads(handle.read(length))
    if not isinstance(header, dict):
        raise ValueError(f"{file.name} is not a safetensors file")
    rows = {name: row for name, row in header.items() if name != "__metadata__"}
    return {name: _map_array(file, 8 + length, size, row) for name, row in rows.items()}


def _map_array(file: Path, start: int, size: int, row: Any) -> Array:
    try:
        kind, shape = np.dtype(_TYPES[row["dtype"]]), tuple(map(int, row["shape"]))
        begin, end = map(int, row["data_offsets"])
    except (KeyError, TypeError, ValueError):
        raise ValueError(f"{file.name}: an array of an unknown type") from None
    count = int(np.prod(shape, dtype=np.int64))
    if min(shape, default=0) < 0 or begin < 0 or end - begin != count * kind.itemsize:
        raise ValueError(f"{file.name}: an array whose size does not match its shape")
    if start + end > size:
        raise ValueError(f"{file.name} is truncated")
    if not count:
        return np.zeros(shape, kind)
    return np.memmap(file, kind, "r", start + begin, shape)


def as_floats(table: Array) -> Floats:
    if table.dtype == _BF16_MARK:
        return (table.astype(np.uint32) << 16).view(np.float32)
    return table.astype(np.float32)


def write_arrays(file: Path, arrays: Mapping[str, Array]) -> None:
    """Write a file atomically; several processes may do so at once. Raises `OSError`."""
    header: dict[str, dict[str, Any]] = {}
    end = 0
    # Larger items first, so that each array begins at a multiple of the size of its items.
    order = sorted(arrays, key=lambda name: -arrays[name].dtype.itemsize)
    for name in order:
        array, start = arrays[name], end
        end += array.nbytes
        kind = _NAMES[array.dtype.newbyteorder("<").str]
        header[name] = {"dtype": kind, "shape": array.shape, "data_offsets": (start, end)}
    encoded = json.dumps(header).encode()
    encoded += b" " * (-len(encoded) % 8)
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    temporary = file.with_name(f"{file.name}.{os.urandom(4).hex()}.tmp")
    try:
        with temporary.open("wb") as handle:
            handle.write(len(encoded).to_bytes(8, "little") + encoded)
            for name in order:
                handle.write(np.ascontiguousarray(arrays[name]).data)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(file)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def content_hash(file: Path) -> str:
    """Sixteen hexadecimal digits identifying a model file. Raises `OSError`.

    Large files are hashed by size and 64 samples: reading 300 MB takes as long as several
    questions, and differently trained or rounded weights differ everywhere.
    """
    size = file.stat().st_size
    step = max(_SAMPLE_BYTES, size // _SAMPLE_COUNT)
    digest = hashlib.sha256(f"{size}".encode())
    with file.open("rb") as handle:
        for start in range(0, size, step):
            handle.seek(start)
            digest.update(handle.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:16]
