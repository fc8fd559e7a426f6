"""When lines were last recalled: `.memory/recalled.log`, with days and ids, never questions. Each
answer appends one short line, which is atomic, so no lock is needed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Mapping
from datetime import date
from pathlib import Path

from lorebank.errors import WorkspaceError
from lorebank.records import Record
from lorebank.workspace.layout import DERIVED_FOLDER

_LOG = "recalled.log"
_SINCE = "since"
_COMPACT_FROM_BYTES = 1_000_000  # chosen by hand: read in some hundredths of a second
_MAX_BYTES = 64_000_000  # chosen by hand: the log is compacted long before
_FLAGS = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Recalled(Record):
    since: date  # the first day recorded
    last: Mapping[str, date]  # fact id → last day recalled


def note_recalled(root: Path, ids: Iterable[str], day: date) -> None:
    """Best effort; called by every answer, takes some hundredths of a ms."""
    line = " ".join((day.isoformat(), *ids))
    path = root / DERIVED_FOLDER / _LOG
    with contextlib.suppress(OSError):
        try:
            file = os.open(path, _FLAGS)
        except FileNotFoundError:
            file = os.open(path, _FLAGS | os.O_CREAT, 0o600)
            line = f"{_SINCE} {day.isoformat()}\n{line}"
        try:
            os.write(file, f"{line}\n".encode())
        finally:
            os.close(file)


def read_recalled(root: Path) -> Recalled | None:
    path = root / DERIVED_FOLDER / _LOG
    with contextlib.suppress(OSError):
        if not path.is_symlink() and path.stat().st_size <= _MAX_BYTES:
            return _parsed(path.read_bytes())
    return None


def compact_recalled(root: Path) -> None:
    """An answer during the rename may go unrecorded."""
    path = root / DERIVED_FOLDER / _LOG
    with contextlib.suppress(OSError, WorkspaceError):
        if path.is_symlink() or not _COMPACT_FROM_BYTES < path.stat().st_size <= _MAX_BYTES:
            return
        before = path.read_bytes()
        if record := _parsed(before):
            from lorebank.workspace.atomic import write_atomic  # rarely needed

            by_day: dict[date, list[str]] = {}
            for each, day in sorted(record.last.items()):
                by_day.setdefault(day, []).append(each)
            lines = [" ".join((day.isoformat(), *ids)) for day, ids in sorted(by_day.items())]
            text = "\n".join([f"{_SINCE} {record.since.isoformat()}", *lines, ""])
            write_atomic(path, text.encode(), expected=before)


def _parsed(data: bytes) -> Recalled | None:
    last: dict[str, date] = {}
    begun: list[date] = []
    for line in data.decode("utf-8", errors="replace").split("\n"):
        head, *rest = line.split() or [""]
        if head == _SINCE:
            begun += [day for day in map(_day, rest) if day]
        elif day := _day(head):
            begun.append(day)
            last |= {each: max(day, last.get(each, day)) for each in rest}
        elif head:
            begun.clear()  # what a damaged line named is not known
    return Recalled(min(begun), last) if begun else None


def _day(text: str) -> date | None:
    with contextlib.suppress(ValueError):
        return date.fromisoformat(text)
    return None
