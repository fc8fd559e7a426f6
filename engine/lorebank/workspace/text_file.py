"""A small text file of the workspace, read to be written again: whole, and only if unchanged."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from lorebank.errors import PathRefused, WorkspaceError
from lorebank.records import dataclass
from lorebank.workspace.atomic import write_atomic

_MARK = b"\xef\xbb\xbf"


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
    try:
        return TextFile(path, data, data.removeprefix(_MARK).decode("utf-8"))
    except UnicodeDecodeError as problem:
        raise WorkspaceError(
            f"{path} is not valid UTF-8 at byte {problem.start}; nothing written",
            hint="mend the file, then try again",
        ) from problem


def write_text_file(root: Path, file: TextFile, text: str) -> None:
    """Put a text in place of what was read; a byte order mark stays. The same text is no write."""
    if text == file.text and file.data is not None:
        return
    mark = _MARK if file.data is not None and file.data.startswith(_MARK) else b""
    write_atomic(root / file.path, mark + text.encode("utf-8"), expected=file.data)
