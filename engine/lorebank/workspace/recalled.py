"""When a line was last given as an answer: `.memory/recalled.log`, local, optional, derived.

Days and ids, never a question. An answer appends one short line, which systems do in one piece, so
that several processes need no lock; a reflect run, which holds the writer's lock, compacts them
into `recalled.txt`. Both survive a rebuild of the index. Deleting them loses only this knowledge:
where there is no record, whether a line was ever recalled is not known, and nothing is claimed.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from datetime import date
from pathlib import Path

from lorebank.errors import WorkspaceError
from lorebank.records import dataclass
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import DERIVED_FOLDER

_LOG, _MOVED, _COMPACTED = "recalled.log", "recalled.moved", "recalled.txt"
_SINCE = "since"
_WORTH_SETTLING = 64_000
"""Bytes of the log above which a run compacts it."""
_LARGEST = 64_000_000
"""Bytes; chosen by hand: the record is trimmed long before it grows so large."""
_FLAGS = os.O_WRONLY | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


@dataclass(frozen=True, slots=True)
class Recalled:
    """What is known of recalls in a workspace."""

    since: date
    """The day from which on answers were noted."""
    last: Mapping[str, date]
    """Id of a fact → the last day that it was given as an answer."""


def note_recalled(root: Path, ids: Iterable[str], day: date) -> None:
    """Add to the record that these were given as an answer; where it cannot be written, nothing.

    `.memory/` must exist. Takes some hundredths of a millisecond: it runs with every answer.
    """
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
    """The whole record; `None` where there is none."""
    last: dict[str, date] = {}
    begun: list[date] = []
    for line in _lines(root):
        head, *rest = line.split()
        if head == _SINCE:
            begun += [day for day in map(_day, rest) if day]
        elif day := _day(head):
            begun.append(day)
            for each in rest:
                last[each] = max(day, last.get(each, day))
    return Recalled(min(begun), last) if begun else None


def compact_recalled(root: Path) -> None:
    """Fold a log that has grown long into the compacted record; the caller holds the writer's lock.

    Killed in between, it leaves lines that are read twice, which changes nothing.
    """
    folder = root / DERIVED_FOLDER
    log, moved, compacted = folder / _LOG, folder / _MOVED, folder / _COMPACTED
    with contextlib.suppress(OSError, WorkspaceError):
        if not moved.exists():
            if log.stat().st_size < _WORTH_SETTLING:
                return
            log.rename(moved)
        record = read_recalled(root)
        if record is not None:
            before = compacted.read_bytes() if compacted.exists() else None
            write_atomic(compacted, _text(record).encode(), expected=before)
        moved.unlink()


def _text(record: Recalled) -> str:
    by_day: dict[date, list[str]] = {}
    for each, day in sorted(record.last.items()):
        by_day.setdefault(day, []).append(each)
    lines = [" ".join((day.isoformat(), *ids)) for day, ids in sorted(by_day.items())]
    return "\n".join([f"{_SINCE} {record.since.isoformat()}", *lines, ""])


def _lines(root: Path) -> Iterator[str]:
    for name in (_COMPACTED, _MOVED, _LOG):
        path = root / DERIVED_FOLDER / name
        with contextlib.suppress(OSError):
            if not path.is_symlink() and path.stat().st_size <= _LARGEST:
                text = path.read_text("utf-8", errors="replace")
                yield from (line for line in text.split("\n") if line.strip())


def _day(text: str) -> date | None:
    with contextlib.suppress(ValueError):
        return date.fromisoformat(text)
    return None
