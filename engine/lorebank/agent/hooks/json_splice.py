"""Adding and cutting entries of a JSON text without touching any other byte of it.

The text is scanned for where its values stand; an edit is a cut or an insertion between them. What
was added at the end of a list or table is cut so that the text is again what it was.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from lorebank.records import dataclass

_DECODER = json.JSONDecoder(strict=False)
_SPACE = re.compile(r"[ \t\r\n]*")
_SCALAR = re.compile(r"[^\s,\]\}]+")
_INDENT = re.compile(r"\n([ \t]+)\S")


@dataclass(slots=True)
class Node:
    """A value by its place in the text, `text[start:end]`."""

    start: int
    end: int = 0
    kind: str = "scalar"
    """`object`, `array` or `scalar`."""
    entries: list[Entry] = field(default_factory=list)
    depth: int = 0

    def get(self, key: str) -> Node | None:
        """The value of a key; of one given twice, the last."""
        return next((entry.value for entry in reversed(self.entries) if entry.key == key), None)


@dataclass(slots=True)
class Entry:
    """One entry of an object or array; it begins with its key, where it has one."""

    start: int
    key: str | None
    value: Node


def scan(text: str) -> Node:
    """The places of all values; `ValueError` where the text is not JSON."""
    json.loads(text)
    return _value(text, _skip(text, 0), 0)


def add_entry(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` at the end of the array at `path`, made with all above it if missing.

    `ValueError` where something else than objects and an array stands on the way.
    """
    node, missing = scan(text), list(path)
    while missing and node.kind == "object" and (inner := node.get(missing[0])) is not None:
        node, missing = inner, missing[1:]
    if not missing:
        if node.kind != "array":
            raise ValueError(f"{'.'.join(path)} is not a list")
        return _insert(text, node, _written(text, value, node.depth + 1))
    if node.kind != "object":
        raise ValueError(f"{'.'.join(path[: len(path) - len(missing)])} is not a table")
    whole: Any = [value]
    for key in reversed(missing[1:]):
        whole = {key: whole}
    entry = f"{json.dumps(missing[0])}: {_written(text, whole, node.depth + 1)}"
    return _insert(text, node, entry)


def put_member(text: str, path: Sequence[str], value: Any) -> str:
    """The text with `value` under a new key at `path`, made with all above it if missing.

    A table that stands there empty is filled in place: `cut_member` leaves it then, and takes away
    those that were made here. `ValueError` where something else than tables stands on the way.
    """
    if not text.strip():
        return f"{text}{json.dumps(_nested(path, value), indent=2, ensure_ascii=False)}\n"
    node, depth = scan(text), 0
    while node.kind == "object" and (inner := node.get(path[depth])) is not None:
        node, depth = inner, depth + 1
        if depth == len(path):
            raise ValueError(f"{'.'.join(path)} is there already")
    if node.kind != "object":
        raise ValueError(f"{'.'.join(path[:depth])} is not a table")
    inner_value = _nested(path[depth + 1 :], value)
    entry = f"{json.dumps(path[depth])}: {_written(text, inner_value, node.depth + 1)}"
    if not node.entries:
        return f"{text[: node.start + 1]}{entry}{text[node.start + 1 :]}"
    return _insert(text, node, entry)


def cut_member(text: str, path: Sequence[str]) -> str:
    """The text without the key at `path` and without the tables that `put_member` made for it;
    empty where it made the whole text."""
    way = [scan(text)]
    for key in path:
        inner = way[-1].get(key) if way[-1].kind == "object" else None
        if inner is None:
            return text
        way.append(inner)
    depth = len(path) - 1
    while depth > 0 and _was_made(text, way[depth]):
        depth -= 1
    if depth == 0 and _was_made(text, way[0]):
        return ""
    container = way[depth]
    if len(container.entries) == 1:  # what stood in the empty table stands behind the entry
        return text[: container.start + 1] + text[container.entries[0].value.end :]
    place = max(n for n, entry in enumerate(container.entries) if entry.key == path[depth])
    return cut_entry(text, container, place)


def _was_made(text: str, node: Node) -> bool:
    """Whether a table holds one entry that begins on a line of its own, as those made here do."""
    return len(node.entries) == 1 and text[node.start + 1] in "\r\n"


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def cut_entry(text: str, container: Node, place: int) -> str:
    """The text without one entry of an object or array and the comma that came with it."""
    entries = container.entries
    if len(entries) == 1:
        return text[: container.start + 1] + text[container.end - 1 :]
    if place:
        first, last = entries[place - 1].value.end, entries[place].value.end
    else:
        first, last = entries[0].start, entries[1].start
    return text[:first] + text[last:]


def _insert(text: str, node: Node, written: str) -> str:
    newline = "\r\n" if "\r\n" in text else "\n"
    if node.entries:
        end = node.entries[-1].value.end
        in_line = "\n" not in text[node.start : node.end]
        gap = " " if in_line else newline + _unit(text) * (node.depth + 1)
        return f"{text[:end]},{gap}{written}{text[end:]}"
    inner = newline + _unit(text) * (node.depth + 1)
    outer = newline + _unit(text) * node.depth
    return f"{text[: node.start + 1]}{inner}{written}{outer}{text[node.end - 1 :]}"


def _written(text: str, value: Any, depth: int) -> str:
    unit = _unit(text)
    lines = json.dumps(value, indent=unit, ensure_ascii=False).split("\n")
    newline = "\r\n" if "\r\n" in text else "\n"
    return (newline + unit * depth).join(lines)


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _skip(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _string(text: str, place: int) -> tuple[str, int]:
    found, end = _DECODER.raw_decode(text, place)
    return str(found), end


def _value(text: str, place: int, depth: int) -> Node:
    node = Node(place, depth=depth)
    if text[place] in "{[":
        return _container(text, node)
    if text[place] == '"':
        node.end = _string(text, place)[1]
    else:
        found = _SCALAR.match(text, place)
        node.end = found.end() if found else place
    return node


def _container(text: str, node: Node) -> Node:
    node.kind = "object" if text[node.start] == "{" else "array"
    place = _skip(text, node.start + 1)
    while text[place] not in "}]":
        start, key = place, None
        if node.kind == "object":
            key, place = _string(text, place)
            place = _skip(text, _skip(text, place) + 1)
        value = _value(text, place, node.depth + 1)
        node.entries.append(Entry(start, key, value))
        place = _skip(text, value.end)
        if text[place] == ",":
            place = _skip(text, place + 1)
    node.end = place + 1
    return node
