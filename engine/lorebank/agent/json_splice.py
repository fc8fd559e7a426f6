"""Adding and cutting entries of a JSON or JSON5 text without touching any other byte of it.

An edit is a cut or an insertion between the places of values. A container that stood there empty is
filled in place, one that is made for an entry begins on a new line: by that, cutting tells which to
take away again.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from lorebank.settings.openclaw import BLANK, parse_json5

_SPACE = re.compile(rf"{BLANK}*+", re.DOTALL)
_SCALAR = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s,:\]}/"']+""", re.DOTALL)
_COMMENTS = re.compile(r"(?:[ \t]*+(?://[^\n\r]*|/\*.*?\*/))*", re.DOTALL)
"""What is said on the line of an entry, behind it."""
_INDENT = re.compile(r"\n([ \t]+)\S")


class _Entry(NamedTuple):
    """An entry of an object or array by its places in the text."""

    key: str | int
    """Its number, in an array."""
    start: int
    """Of its key, where it has one."""
    value: int
    end: int


def put(text: str, path: Sequence[str], value: Any, *, into_list: bool = False) -> str:
    """The text with `value` under a new key at `path`, or at the end of the list there; all above
    it is made if missing. `ValueError` where the text is no JSON, or something else stands on the
    way."""
    values = [value] if into_list else value
    if not text.strip():
        whole = json.dumps(_nested(path, values), indent=2, ensure_ascii=False)
        return f"{text}{whole}\n"
    place, depth = _root(text), 0
    while depth < len(path) and (found := _entry_at(text, place, path[depth])) is not None:
        place, depth = found.value, depth + 1
    if depth < len(path):
        if text[place] != "{":
            raise ValueError(f"{'.'.join(path[:depth]) or 'the whole'} is not a table")
        inner = _written(text, _nested(path[depth + 1 :], values), depth + 1)
        written = f"{json.dumps(path[depth])}: {inner}"
    elif not into_list:
        raise ValueError(f"{'.'.join(path)} is there already")
    elif text[place] != "[":
        raise ValueError(f"{'.'.join(path)} is not a list")
    else:
        written = _written(text, value, depth + 1)
    entries = _entries(text, place)
    if not entries:
        return f"{text[: place + 1]}{written}{text[place + 1 :]}"
    end = _skip(text, entries[-1].end)
    in_line = "\n" not in text[place:end]
    gap = " " if in_line else _newline(text) + _unit(text) * (depth + 1)
    if text[end] == ",":  # a list that ends in one goes on to
        last = _skip(text, end + 1, _COMMENTS)
        return f"{text[:last]}{gap}{written},{text[last:]}"
    end = entries[-1].end
    last = _skip(text, end, _COMMENTS)
    return f"{text[:end]},{text[end:last]}{gap}{written}{text[last:]}"


def cut(text: str, path: Sequence[str | int]) -> str:
    """The text without the entry at `path` and the containers that `put` made for it."""
    containers = [_root(text)]
    for key in path:
        found = _entry_at(text, containers[-1], key)
        if found is None:
            return text
        containers.append(found.value)
    depth = len(path) - 1
    while depth >= 0 and _was_made(text, containers[depth]):
        depth -= 1
    if depth < 0:
        return ""
    entries = _entries(text, containers[depth])
    number = max(n for n, entry in enumerate(entries) if entry.key == path[depth])
    if len(entries) == 1:  # what stood in the empty container stands behind the entry
        first, last = containers[depth] + 1, entries[0].end
    elif number:
        before, end = entries[number - 1].end, entries[number].end
        comma, after = _skip(text, before), _skip(text, end)
        if text[after] == ",":
            return text[: _skip(text, comma + 1, _COMMENTS)] + text[after + 1 :]
        return text[:comma] + text[comma + 1 : _skip(text, comma + 1, _COMMENTS)] + text[end:]
    else:
        first, last = entries[0].start, entries[1].start
    return text[:first] + text[last:]


def _was_made(text: str, container: int) -> bool:
    """Whether a container holds one entry that begins on a line of its own, as those made here."""
    entries = _entries(text, container)
    if len(entries) != 1 or text[container + 1] not in "\r\n":
        return False
    around = (
        text[container + 1 : entries[0].start] + text[entries[0].end : _end(text, container) - 1]
    )
    return not around.strip()


def _nested(path: Sequence[str], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def _root(text: str) -> int:
    """Where the whole value begins; `ValueError` where the text is no JSON."""
    parse_json5(text)
    return _skip(text, 0)


def _entry_at(text: str, container: int, key: str | int) -> _Entry | None:
    """The entry under a key; of one given twice, the last."""
    return next((e for e in reversed(_entries(text, container)) if e.key == key), None)


def _entries(text: str, container: int) -> list[_Entry]:
    """The entries of the object or array that begins there; none of another value."""
    found: list[_Entry] = []
    if text[container] not in "{[":
        return found
    place = _skip(text, container + 1)
    while text[place] not in "}]":
        start = place
        key: str | int = len(found)
        if text[container] == "{":
            end = _end(text, place)
            name = text[place:end]
            key = parse_json5(name) if name[0] in "\"'" else name
            place = _skip(text, _skip(text, end) + 1)
        end = _end(text, place)
        found.append(_Entry(key, start, place, end))
        place = _skip(text, end)
        if text[place] == ",":
            place = _skip(text, place + 1)
    return found


def _end(text: str, place: int) -> int:
    """The end of the value or name that begins there."""
    if text[place] in "{[":
        entries = _entries(text, place)
        last = _skip(text, entries[-1].end if entries else place + 1)
        return (_skip(text, last + 1) if text[last] == "," else last) + 1
    return _skip(text, place, _SCALAR)


def _written(text: str, value: Any, depth: int) -> str:
    lines = json.dumps(value, indent=_unit(text), ensure_ascii=False).split("\n")
    return (_newline(text) + _unit(text) * depth).join(lines)


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _unit(text: str) -> str:
    found = _INDENT.search(text)
    return found[1] if found else "  "


def _skip(text: str, place: int, what: re.Pattern[str] = _SPACE) -> int:
    """The end of what stands there: space and comments, unless said otherwise."""
    found = what.match(text, place)
    return found.end() if found else place
