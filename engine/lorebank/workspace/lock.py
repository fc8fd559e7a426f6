"""One writer at a time in a workspace. The operating system releases the lock of a killed writer;
the file is never removed, as another process may be waiting on it."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import time
from pathlib import Path

from lorebank.errors import LockHeld, WorkspaceError
from lorebank.workspace.layout import ensure_derived_folder

_POLL_S = 0.02  # chosen by hand: short compared with a write, long compared with a check
_BUSY = frozenset({errno.EACCES, errno.EAGAIN, errno.EDEADLK})

if sys.platform == "win32":
    import msvcrt

    _LOCKED_BYTE = 1 << 30
    """Far after the text: a locked byte cannot be read on Windows."""

    def _try_lock(descriptor: int) -> None:
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _try_lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class WriterLock:
    """A context manager for `.memory/lock`, or the lock `file`; not reentrant.

    Raises `LockHeld` with the holder's name after `timeout_s` seconds, `WorkspaceError` if the
    workspace cannot be written.
    """

    def __init__(self, root: Path, *, timeout_s: float = 10.0, file: Path | None = None) -> None:
        self._root = root
        self._file = file
        self._timeout_s = timeout_s
        self._descriptor: int | None = None

    def __enter__(self) -> WriterLock:
        from socket import gethostname  # most commands take no lock

        path = self._file or ensure_derived_folder(self._root) / "lock"
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
        try:
            descriptor = os.open(path, flags, 0o666)
        except OSError as error:
            raise WorkspaceError.on_disk(path, error) from error
        try:
            self._wait(descriptor, path)
            _write_holder(descriptor, f"process {os.getpid()} on {gethostname()}")
        except BaseException:
            os.close(descriptor)
            raise
        self._descriptor = descriptor
        return self

    def __exit__(self, *failure: object) -> None:
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is not None:
            try:
                _write_holder(descriptor, "")
            finally:
                os.close(descriptor)

    def _wait(self, descriptor: int, path: Path) -> None:
        deadline = time.monotonic() + self._timeout_s
        while True:
            try:
                return _try_lock(descriptor)
            except OSError as error:
                if error.errno not in _BUSY:
                    message = f"{path}: cannot be locked: {error.strerror}"
                    raise WorkspaceError(message) from error
                if time.monotonic() >= deadline:
                    raise self._held_error(descriptor) from error
            time.sleep(_POLL_S)

    def _held_error(self, descriptor: int) -> LockHeld:
        os.lseek(descriptor, 0, os.SEEK_SET)
        holder = os.read(descriptor, 200).decode("utf-8", "replace").strip() or "another process"
        return LockHeld(
            f"{self._root}: {holder} is writing; gave up after {self._timeout_s:g} s",
            hint="wait until it is done, then run the command again",
        )


def _write_holder(descriptor: int, text: str) -> None:
    """Name the holder for error messages; best effort."""
    with contextlib.suppress(OSError):
        os.ftruncate(descriptor, 0)
        os.lseek(descriptor, 0, os.SEEK_SET)
        os.write(descriptor, text.encode())


def append_lock(root: Path) -> WriterLock:
    """For appending a line to a log without waiting for a night's or an import's writer lock."""
    return WriterLock(root, file=ensure_derived_folder(root) / "append.lock")
