"""Excerpts: the text of a memory file, whole or by lines, as `get` gives it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from lorebank.domain import FileText
from lorebank.errors import NotFound, UsageError
from lorebank.settings.tables import Config
from lorebank.workspace.paths import resolve_memory_path

_FRAGMENT = re.compile(r"\A(?P<path>.*)#L(?P<first>\d+)(?:-L?(?P<last>\d+))?\Z", re.DOTALL)


def read_excerpt(
    root: Path,
    path: str,
    config: Config,
    *,
    start_line: int | None = None,
    lines: int | None = None,
    elsewhere: Callable[[str], Path | None] = lambda path: None,
    as_shown: Callable[[str], str] = str,
) -> FileText:
    """Some lines of a file, all from `start_line` on where `lines` is not given.

    `path` may carry its own lines: `memory/2025-11-27.md#L10-L20`. `elsewhere` may know the file
    behind a path that is none of the workspace's. `as_shown` is given the whole text, since what is
    private may begin above the lines asked for. Raises `PathRefused` for what is outside the
    workspace's memory, `NotFound` for a missing file or a line past its end.
    """
    found = _FRAGMENT.match(path)
    if found:
        first = int(found["first"])
        path, start_line = found["path"], first
        lines = int(found["last"] or first) - first + 1
    if (start_line is not None and start_line < 1) or (lines is not None and lines < 1):
        raise UsageError(
            "lines are counted from 1", hint="use path#L10-L20, or --from 10 --lines 11"
        )
    text = as_shown(_read(elsewhere(path) or resolve_memory_path(root, path, config), path))
    all_lines = text.split("\n")
    total = len(all_lines) - (all_lines[-1] == "")
    first = start_line or 1
    if first > max(total, 1):
        raise NotFound(f"{path} has {total} lines; there is no line {first}")
    last = total if lines is None else min(total, first + lines - 1)
    whole = start_line is None and lines is None
    shown = text if whole else "\n".join(all_lines[first - 1 : last])
    return FileText(path=path, text=shown, start_line=first, end_line=last, total_lines=total)


def _read(file: Path, path: str) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig", errors="replace")
    except FileNotFoundError as problem:
        raise NotFound(f"no file {path}", hint="paths are relative to the workspace") from problem
