"""Changing the text of one memory file: read, edit, written whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lorebank.errors import ConcurrentEdit, WorkspaceError
from lorebank.settings.tables import Config
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import CORE_FILE, is_core
from lorebank.workspace.paths import resolve_memory_path

_MARK = b"\xef\xbb\xbf"
_ATTEMPTS = 20
"""An editor that saves, or another agent, makes one fail; twenty in a row are no accident."""


def edit_text(
    root: Path, path: str, config: Config, edit: Callable[[str | None], str]
) -> tuple[bytes | None, bytes]:
    """Put `edit(text)` in place of a file's text; `edit(None)` where there is no file yet.

    Returns the bytes before and after. Where somebody else writes the file meanwhile, the new text
    is read and edited again.

    A byte order mark stays. `PathRefused` for what is no memory, `WorkspaceError` for a file that
    is not UTF-8, `ConcurrentEdit` for one that changes faster than it can be edited.
    """
    file = resolve_memory_path(root, path, config)
    for left in reversed(range(_ATTEMPTS)):
        before = file.read_bytes() if file.exists() else None
        mark = _MARK if before is not None and before.startswith(_MARK) else b""
        text = None if before is None else _decoded(path, before, len(mark))
        after = mark + edit(text).encode("utf-8")
        if after == before:
            break
        try:
            write_atomic(file, after, expected=before)
            break
        except ConcurrentEdit:
            if not left:
                raise
    return before, after


def core_path(root: Path) -> str:
    """The name of the workspace's core memory, `memory.md` where there is none yet."""
    if (root / CORE_FILE).exists():
        return CORE_FILE
    found = sorted(entry.name for entry in root.iterdir() if is_core(entry.name))
    return found[0] if found else CORE_FILE


def _decoded(path: str, data: bytes, skipped: int) -> str:
    try:
        return data[skipped:].decode("utf-8")
    except UnicodeDecodeError as problem:
        raise WorkspaceError(
            f"{path} is not valid UTF-8 at byte {problem.start + skipped}; nothing written",
            hint="mend the file, then write again",
        ) from problem
