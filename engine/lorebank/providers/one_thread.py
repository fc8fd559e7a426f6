"""Run matrix products on one thread: numpy's OpenBLAS wakes every core even for one sentence.

Its threads spin while waiting: a question takes three times as long with two threads as with one,
and a hundred times as long while another program keeps a core busy. With another library
(Accelerate, MKL) nothing is changed.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from threading import Lock

import numpy as np

_SUFFIXES = ("64_", "")
_lock = Lock()
_users = 0
_threads_before = 1


@contextmanager
def one_thread() -> Iterator[None]:
    """Matrix products inside run on the calling thread; the last to leave restores the setting."""
    global _users, _threads_before
    setting = _openblas()
    if setting is None:
        yield
        return
    read, write = setting
    with _lock:
        if not _users:
            _threads_before = read()
            write(1)
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if not _users:
                write(_threads_before)


@cache
def _openblas() -> tuple[Callable[[], int], Callable[[int], object]] | None:
    """Getter and setter of the thread count of the OpenBLAS in numpy's wheel, if any."""
    package = Path(np.__file__).parent
    for folder in (package.parent / "numpy.libs", package / ".dylibs"):
        for path in folder.glob("*openblas*"):
            try:
                library = ctypes.CDLL(str(path))  # numpy loaded it: this is the same one
            except OSError:
                continue
            for suffix in _SUFFIXES:
                read = getattr(library, f"scipy_openblas_get_num_threads{suffix}", None)
                write = getattr(library, f"scipy_openblas_set_num_threads{suffix}", None)
                if read and write:
                    return read, write
    return None
