"""One value in a TOML text, found and replaced without touching anything else in it.

`tomllib` reads but does not write, and a writer would drop the owner's comments. So the text is
scanned statement by statement, `tomllib` itself judging where each ends, and an edit is accepted
only if the result parses to exactly the old document with that one value in its place.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from typing import Any

from lorebank.records import dataclass

Key = tuple[str, ...]

_BARE = re.compile(r"[A-Za-z0-9_-]+")


@dataclass(frozen=True, slots=True)
class _Statement:
    """A table header or a key with its value: lines `start` (0-based) to `end` (exclusive)."""

    key: Key
    table: Key
    start: int
    end: int
    is_header: bool


def find_line(text: str, key: Key) -> int | None:
    """The 1-based line on which a valid TOML text sets a dotted key, or opens the table around it.

    `None` where the text does not name it.
    """
    around = None
    for statement in _statements(text.split("\n")):
        if statement.key == key:
            return statement.start + 1
        if key[: len(statement.key)] == statement.key:
            around = statement.start + 1
    return around


Value = bool | int | float | str | tuple[str, ...] | dict[str, str]


def set_key(text: str, key: Key, value: Value) -> str:
    """The text with one key set; every other byte stays.

    `ValueError` where the text writes the key in a form that cannot be edited in place, such as
    an inline table.
    """
    ending = "\r\n" if "\r\n" in text else "\n"
    lines = text.split("\n")
    statements = list(_statements(lines))
    found = next((s for s in statements if s.key == key and not s.is_header), None)
    if found:
        lines[found.start : found.end] = [_with_new_value(lines[found.start : found.end], value)]
    else:
        _insert(lines, statements, key, toml_text(value), ending.removesuffix("\n"))
    edited = "\n".join(lines)
    if not _is_only_change(text, edited, key, value):
        raise ValueError(f"{'.'.join(key)} is written in a form that cannot be edited in place")
    return edited


def unset_key(text: str, key: Key) -> str:
    """The text without one key's statement, its trailing comment included; every other byte stays.

    `ValueError` as `set_key`, and where the text does not set the key.
    """
    lines = text.split("\n")
    found = next((s for s in _statements(lines) if s.key == key and not s.is_header), None)
    if found is None:
        raise ValueError(f"{'.'.join(key)} is not set in a form that can be edited in place")
    del lines[found.start : found.end]
    edited = "\n".join(lines)
    expected = tomllib.loads(text)
    table = expected
    for name in key[:-1]:
        table = table[name]
    del table[key[-1]]
    if _parse(edited) != expected:
        raise ValueError(f"{'.'.join(key)} is written in a form that cannot be edited in place")
    return edited


def _statements(lines: list[str]) -> Iterator[_Statement]:
    table: Key = ()
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        if not line or line.startswith("#"):
            at += 1
            continue
        if line.startswith("["):
            table = _path(_parse(line) or {})
            yield _Statement(table, table, at, at + 1, True)
            at += 1
            continue
        end = next((e for e in range(at + 1, len(lines) + 1) if _parses(lines[at:e])), at + 1)
        name = _path(_parse("\n".join(lines[at:end])) or {}, depth=_key_depth(lines[at]))
        yield _Statement(table + name, table, at, end, False)
        at = end


def _parse(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(f"{text}\n")  # a CR at the end is only valid before an LF
    except tomllib.TOMLDecodeError:
        return None


def _parses(lines: list[str]) -> bool:
    return _parse("\n".join(lines)) is not None


def _path(document: object, depth: int | None = None) -> Key:
    """The one key that a parsed statement names, as far as it is nested (or `depth` names)."""
    names: list[str] = []
    while depth is None or len(names) < depth:
        if isinstance(document, list) and document:
            document = document[0]
        if not isinstance(document, dict) or not document:
            break
        name, document = next(iter(document.items()))
        names.append(name)
    return tuple(names)


def _key_depth(line: str) -> int:
    """How many dotted names stand left of the `=` that ends the key."""
    return len(_path(_parse(f"{line[: _equals(line)]} = 0") or {}))


def _equals(line: str) -> int:
    """Where the `=` after the key is; a quoted key may hold others."""
    for found in re.finditer("=", line):
        if _parse(f"{line[: found.start()]} = 0") is not None:
            return found.start()
    return len(line)


def _with_new_value(lines: list[str], value: object) -> str:
    """The statement with another value, its indentation and trailing comment kept."""
    statement = "\n".join(lines)
    equals = _equals(lines[0])
    tail = _tail(statement[equals + 1 :])
    gap = re.match(r"[ \t]*", statement[equals + 1 :])
    return f"{statement[: equals + 1]}{gap[0] if gap else ''}{toml_text(value)}{tail}"


def _tail(rest: str) -> str:
    """What follows the value: spaces, a comment, a carriage return."""
    for found in re.finditer(r"[ \t]*#", rest):
        if _parse(f"x ={rest[: found.start()]}") is not None:
            return rest[found.start() :]
    return rest[len(rest.rstrip()) :]


def _insert(
    lines: list[str], statements: list[_Statement], key: Key, value: str, carriage: str
) -> None:
    """Add the key at the end of its table, or the table at the end of the text."""
    *table, name = key
    entry = f"{_toml_name(name)} = {value}{carriage}"
    members = [s for s in statements if s.table == tuple(table)]
    if members:
        lines.insert(members[-1].end, entry)
        if members[-1].end == len(lines) - 1:
            lines.append("")
        return
    if not table:
        lines[:0] = [entry, carriage]
        return
    while lines and not lines[-1].strip():
        lines.pop()
    spacer = [carriage] if lines else []
    header = ".".join(map(_toml_name, table))
    lines += [*spacer, f"[{header}]{carriage}", entry, ""]


def _toml_name(name: str) -> str:
    """A key as TOML writes it: bare where it may be, else quoted."""
    return name if _BARE.fullmatch(name) else toml_text(name)


def toml_text(value: object) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return f"[{', '.join(toml_text(item) for item in value)}]"
    if isinstance(value, dict):
        pairs = (f"{toml_text(name)} = {toml_text(item)}" for name, item in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    return repr(value)


def _is_only_change(before: str, after: str, key: Key, value: object) -> bool:
    expected = tomllib.loads(before)
    table = expected
    for name in key[:-1]:
        table = table.setdefault(name, {})
    table[key[-1]] = list(value) if isinstance(value, tuple) else value
    return _parse(after) == expected
