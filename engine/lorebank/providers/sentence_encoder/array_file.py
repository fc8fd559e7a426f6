"""Named arrays in one file, mapped instead of read, and written whole or not at all.

Layout: eight magic bytes, the length of the header as eight bytes, a JSON header giving type,
shape and offset of each array and the size of the file, then the arrays at multiples of 64.
"""

from __future__ import annotations

import json
import mmap
import os
from contextlib import suppress
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

_MAGIC = b"LBARRAY1"
_ALIGNMENT = 64
"""Bytes: a cache line, and what numpy's vector instructions want at most."""


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write a file which no reader ever sees half done; raises `OSError` if that is impossible.

    Several processes may do so at once: each replaces the other's equal file.
    """
    import tempfile  # 10 ms that a process which only maps does not spend

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    header, size = _header(arrays)
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.stem, suffix=".tmp")
    try:
        with open(descriptor, "wb") as file:  # noqa: PTH123 - mkstemp gives a descriptor
            file.write(_MAGIC + len(header).to_bytes(8, "little") + header)
            for array in arrays.values():
                file.seek(_aligned(file.tell()))
                file.write(np.ascontiguousarray(array).data)
            file.truncate(size)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        with suppress(OSError):
            Path(name).unlink()
        raise


def map_arrays(path: Path) -> dict[str, NDArray[np.generic]] | None:
    """Read-only arrays over the file, which stays open with them.

    None if there is no such file, or it was cut short or is not of this layout.
    """
    try:
        with path.open("rb") as file:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        return _arrays_in(mapped)
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _arrays_in(mapped: mmap.mmap) -> dict[str, NDArray[np.generic]]:
    if mapped[: len(_MAGIC)] != _MAGIC:
        raise ValueError("not an array file")
    start = len(_MAGIC) + 8
    header = json.loads(
        mapped[start : start + int.from_bytes(mapped[len(_MAGIC) : start], "little")]
    )
    if header["size"] != len(mapped):
        raise ValueError("an array file cut short")
    return {
        name: np.frombuffer(mapped, dtype, prod(shape), offset).reshape(shape)
        for name, (dtype, shape, offset) in header["arrays"].items()
    }


def _header(arrays: Arrays) -> tuple[bytes, int]:
    """The header, and the size of the whole file.

    Offsets depend on the length of the header they stand in, so room for it is set apart.
    """
    room = 256 + 128 * len(arrays)
    places: dict[str, tuple[str, tuple[int, ...], int]] = {}
    end = len(_MAGIC) + 8 + room
    for name, array in arrays.items():
        start = _aligned(end)
        places[name] = (array.dtype.str, array.shape, start)
        end = start + array.nbytes
    return json.dumps({"size": end, "arrays": places}).encode().ljust(room), end


def _aligned(offset: int) -> int:
    return -(-offset // _ALIGNMENT) * _ALIGNMENT
