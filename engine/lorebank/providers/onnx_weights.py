"""The weights of an ONNX file as numpy arrays, without onnx or protobuf."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from lorebank.providers.protocols import Array

_GRAPH, _TENSOR = 7, 5
_DIMENSIONS, _KIND, _NAME, _BYTES = 1, 2, 8, 9
"""Numbers of fields in onnx.proto: of a graph, a tensor in it, and a tensor's own."""
_KINDS: dict[int, np.dtype[Any]] = {1: np.dtype("<f4"), 3: np.dtype("i1")}


def read_weights(file: bytes) -> Iterator[tuple[str, Array]]:
    """The float32 and int8 weights of an ONNX file by name, in file order.

    Raises `ValueError`, `IndexError` or `KeyError` if it is not an ONNX file.
    """
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
    """Number and value (integer or bytes) of each field of a protobuf message."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        match key & 7:
            case 0:
                value, place = _varint(message, place)
                yield key >> 3, value
            case 2:
                length, place = _varint(message, place)
                yield key >> 3, message[place : place + length]
                place += length
            case wire:
                if wire not in (1, 5):
                    raise ValueError("no ONNX file")
                place += 8 if wire == 1 else 4


def _varint(message: memoryview, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        place += 1
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return value, place
