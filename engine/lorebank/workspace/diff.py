"""Unified diffs that a person can read and `git apply` takes."""

from __future__ import annotations

import difflib
from collections.abc import Iterator

_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def unified(old: str | None, new: str | None, path: str) -> str:
    """The change of one file as a patch, empty where nothing changes.

    `None` is a file that does not exist, before or after. Lines end at LF; a CR before it is part
    of the line.
    """
    if old == new:
        return ""
    body = "".join(_hunks(_lines(old), _lines(new)))
    return f"{_header(old, new, path)}{body}"


def _header(old: str | None, new: str | None, path: str) -> str:
    before, after = _quoted(f"a/{path}"), _quoted(f"b/{path}")
    header = f"diff --git {before} {after}\n"
    if old is None:
        header += "new file mode 100644\n"
    elif new is None:
        header += "deleted file mode 100644\n"
    if not old and not new:
        return header
    # A tab ends a name that holds a space, as git writes it.
    end = "\t\n" if " " in path else "\n"
    source = "/dev/null\n" if old is None else before + end
    target = "/dev/null\n" if new is None else after + end
    return f"{header}--- {source}+++ {target}"


def _lines(text: str | None) -> list[str]:
    lines = (text or "").split("\n")
    ended = [f"{line}\n" for line in lines[:-1]]
    return [*ended, lines[-1]] if lines[-1] else ended


def _hunks(old: list[str], new: list[str]) -> Iterator[str]:
    for number, line in enumerate(difflib.unified_diff(old, new)):
        if number >= 2:
            yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _quoted(name: str) -> str:
    """A name as git writes it: quoted only where it holds a quote or a control character."""
    if name.isprintable() and not {'"', "\\"} & set(name):
        return name
    return '"' + "".join(_escaped(character) for character in name) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    return "".join(f"\\{byte:03o}" for byte in character.encode("utf-8", "surrogateescape"))
