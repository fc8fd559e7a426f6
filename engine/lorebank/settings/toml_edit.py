"""One value in a TOML file, found, set or taken out; comments, order and all else stay.

`tomlkit` edits; `tomllib` judges: an edit is accepted only if it parses to exactly the old document
with that one change.
"""

from __future__ import annotations

import tomllib
from typing import Any

Key = tuple[str, ...]
Value = bool | int | float | str | tuple[Any, ...] | dict[str, Any]


def find_line(text: str, key: Key) -> int | None:
    """The 1-based line on which a valid TOML text sets a dotted key, or opens the table around it.

    `None` where the text does not name it. Parses every beginning of the text: only errors ask.
    """
    lines = text.split("\n")
    best, found, start = 0, None, 0
    for end in range(1, len(lines) + 1):
        document = _parse("\n".join(lines[:end]))
        if document is None:
            continue  # inside a value of several lines
        depth = _depth(document, key)
        if depth > best:
            while not lines[start].strip() or lines[start].lstrip().startswith("#"):
                start += 1
            best, found = depth, start + 1
        start = end
    return found


def set_key(text: str, key: Key, value: Value | None) -> str:
    """The text with one key set, or without it for `None`.

    `ValueError` where the text writes the key in a form that cannot be edited in place.
    """
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    is_crlf = text.count("\r\n") == text.count("\n") > 0
    document = tomlkit.parse(text.replace("\r\n", "\n") if is_crlf else text)
    table: Any = document
    expected = tomllib.loads(text)
    inner = expected
    try:
        for name in key[:-1]:
            if name not in table:
                table[name] = tomlkit.table(is_super_table=name != key[-2])
            table, inner = table[name], inner.setdefault(name, {})
        if value is None:
            del table[key[-1]], inner[key[-1]]
        else:
            # A comment at a table's end mostly speaks of the next: what is new goes before it.
            body = [] if key[-1] in table or table is document else table.value.body
            trailing: list[Any] = []
            while body and body[-1][0] is None:
                trailing.insert(0, body.pop())
            table[key[-1]] = _item(value)
            body += trailing
            inner[key[-1]] = list(value) if isinstance(value, tuple) else value
    except (TOMLKitError, KeyError, TypeError, AttributeError) as problem:
        raise _uneditable(key) from problem
    edited = document.as_string()
    edited = edited.replace("\n", "\r\n") if is_crlf else edited
    if _parse(edited) != expected:
        raise _uneditable(key)
    return edited


def toml_text(value: object) -> str:
    """A value as TOML writes it."""
    return str(_item(value).as_string())


def _item(value: Any) -> Any:
    import tomlkit

    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update({name: _item(each) for name, each in value.items()})
        return table
    if isinstance(value, tuple | list):
        array = tomlkit.array()
        array.extend([_item(each) for each in value])
        return array
    return tomlkit.item(value)


def _depth(document: Any, key: Key) -> int:
    """How many names of the key a document holds, from the first."""
    for depth, name in enumerate(key):
        if not isinstance(document, dict) or name not in document:
            return depth
        document = document[name]
    return len(key)


def _parse(text: str) -> dict[str, Any] | None:
    try:
        return tomllib.loads(f"{text}\n")  # a CR at the end is only valid before an LF
    except tomllib.TOMLDecodeError:
        return None


def _uneditable(key: Key) -> ValueError:
    return ValueError(f"{'.'.join(key)} is written in a form that cannot be edited in place")
