"""Write files atomically, and only if they still have the content that was read: a hidden file next
to the target is flushed and renamed, so that readers and a kill see the old or the new."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lorebank.errors import ConcurrentEdit, PathRefused, WorkspaceError
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER

_TEMPORARY = ".lorebank-tmp"
_MAX_JSON_BYTES = 64 * 2**20  # a workspace may come from anybody
_NO_HARD_LINKS = frozenset(
    {errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EACCES}
)
"""Errors on file systems without hard links."""


def write_atomic(path: Path, data: bytes, *, expected: bytes | None) -> None:
    """Replace `expected` by `data`; with `None`, create a file that must not exist.

    Creates missing folders and keeps the mode. Raises `ConcurrentEdit` if the content is different
    by now, `PathRefused` for a link, `WorkspaceError` if the file cannot be written.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        mode = _check_unchanged(path, expected)
        temporary = _write_temporary(path, data, mode)
        try:
            with _exclusive(path.parent):
                _check_unchanged(path, expected)
                _rename_into_place(temporary, path, is_new=expected is None)
        finally:
            temporary.unlink(missing_ok=True)
        _flush_folder(path.parent)
    except OSError as error:
        raise WorkspaceError.on_disk(path, error) from error


def replace_bytes(path: Path, data: bytes | None, *, expected: bytes | None) -> None:
    """As `write_atomic`, with `None` for no file in `data`, too."""
    if data is not None:
        write_atomic(path, data, expected=expected)
    elif expected is not None:
        try:
            with _exclusive(path.parent):
                _check_unchanged(path, expected)
                path.unlink()
            _flush_folder(path.parent)
        except OSError as error:
            raise WorkspaceError.on_disk(path, error, "cannot be removed") from error


def read_json(file: Path) -> Any:
    """The parsed file; `None` if it is missing, invalid or too large."""
    try:
        if not file.is_file() or file.stat().st_size > _MAX_JSON_BYTES:
            return None
        return json.loads(file.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None


def read_if_exists(path: Path) -> bytes | None:
    """The content, or `None` without a file; raises `WorkspaceError` if it is unreadable."""
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise WorkspaceError(f"{path}: cannot be read: {error.strerror}") from error


def temporaries(folder: Path) -> list[Path]:
    """The temporary files in a folder, of running and of killed writers."""
    return sorted(entry for entry in folder.glob(f".*{_TEMPORARY}") if not entry.is_dir())


def temporaries_below(root: Path) -> list[Path]:
    """All temporary files of a workspace."""
    folders = (root, root / "memory", root / BANK_FOLDER, root / DERIVED_FOLDER)
    nested = (below for each in folders[1:] for below in each.glob("**/") if not below.is_symlink())
    return [file for each in {root, *nested} for file in temporaries(each)]


def remove_temporaries(folder: Path) -> tuple[str, ...]:
    """Requires the writer lock and the append lock, since those of running writers look alike."""
    left = temporaries(folder)
    for entry in left:
        entry.unlink(missing_ok=True)
    return tuple(entry.name for entry in left)


@contextlib.contextmanager
def _exclusive(folder: Path) -> Iterator[None]:
    """Lock a folder between a check and the write that depends on it, so that writers with
    different locks (`retain` and a nightly run) never overwrite each other."""
    try:
        import fcntl
    except ImportError:  # Windows cannot lock folders; the check alone has to do
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):  # network folders may not support locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _check_unchanged(path: Path, expected: bytes | None) -> int | None:
    """The file's mode, after checking that its content is the expected one."""
    try:
        status = path.lstat()
    except FileNotFoundError:
        if expected is None:
            return None
        raise _changed(path, "no longer exists") from None
    if stat.S_ISLNK(status.st_mode):
        raise PathRefused(f"{path}: is a symbolic link, which is never followed")
    if expected is None:
        raise _changed(path, "exists already")
    if not os.access(path, os.W_OK):
        raise PermissionError(errno.EACCES, "it is read-only")
    if path.read_bytes() != expected:
        raise _changed(path, "was changed by somebody else")
    return stat.S_IMODE(status.st_mode)


def _write_temporary(path: Path, data: bytes, mode: int | None) -> Path:
    temporary = path.with_name(f".{path.name[:80]}.{os.urandom(6).hex()}{_TEMPORARY}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666 if mode is None else 0o600)
    try:
        with os.fdopen(descriptor, "wb") as handle:
            handle.write(data)
            handle.flush()
            os.fsync(handle.fileno())
        if mode is not None:
            temporary.chmod(mode)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    return temporary


def _rename_into_place(temporary: Path, path: Path, *, is_new: bool) -> None:
    """Rename the temporary file; a new file never replaces another one."""
    if is_new:
        try:
            os.link(temporary, path)
            return
        except FileExistsError:
            raise _changed(path, "exists already") from None
        except OSError as error:
            if error.errno not in _NO_HARD_LINKS:
                raise
    temporary.replace(path)


def _flush_folder(folder: Path) -> None:
    """Make the new name survive a power failure, on systems that can open folders."""
    if os.name == "nt":
        return
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _changed(path: Path, what: str) -> ConcurrentEdit:
    return ConcurrentEdit(f"{path}: {what}; nothing was written", hint="run the command again")
