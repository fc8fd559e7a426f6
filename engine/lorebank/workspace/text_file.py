"""Small text files of the workspace: read, edited, written whole and only if unchanged."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path, PurePosixPath

from lorebank.errors import ConcurrentEdit, PathRefused, WorkspaceError
from lorebank.records import dataclass
from lorebank.settings.tables import Config
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import CORE_FILE, is_core
from lorebank.workspace.paths import resolve_memory_path

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class TextFile:
    """A file as it was read."""

    path: str
    """Relative to the workspace."""
    data: bytes | None
    """`None` where there is no file."""
    text: str
    """Without a byte order mark; empty where there is no file."""


def read_text_file(root: Path, path: str) -> TextFile:
    """The file, never through a link; `WorkspaceError` where it is no UTF-8."""
    steps = [PurePosixPath(path), *PurePosixPath(path).parents]
    if any((root / step).is_symlink() for step in steps[:-1]):
        raise PathRefused(f"{path}: is reached by a symbolic link, which is never followed")
    try:
        data = (root / path).read_bytes()
    except FileNotFoundError:
        return TextFile(path, None, "")
    except OSError as problem:
        raise WorkspaceError(f"{path}: cannot be read: {problem.strerror}") from problem
    return TextFile(path, data, _decoded(path, data))


def write_text_file(root: Path, file: TextFile, text: str) -> None:
    """Put a text in place of what was read; a byte order mark stays. The same text is no write."""
    if text == file.text and file.data is not None:
        return
    data = _encoded(text, file.data)
    write_atomic(root / file.path, data, expected=file.data)


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
        text = None if before is None else _decoded(path, before)
        after = _encoded(edit(text), before)
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


def _decoded(path: str, data: bytes) -> str:
    text = data.removeprefix(_BYTE_ORDER_MARK)
    try:
        return text.decode("utf-8")
    except UnicodeDecodeError as problem:
        place = problem.start + len(data) - len(text)
        raise WorkspaceError(
            f"{path} is not valid UTF-8 at byte {place}; nothing written",
            hint="mend the file, then write again",
        ) from problem


def _encoded(text: str, before: bytes | None) -> bytes:
    """With a byte order mark where the file had one."""
    mark = _BYTE_ORDER_MARK if (before or b"").startswith(_BYTE_ORDER_MARK) else b""
    return mark + text.encode("utf-8")
