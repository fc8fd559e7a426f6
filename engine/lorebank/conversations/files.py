"""Which transcripts are there: the `.jsonl` files of the folders that the settings name.

An agent's folders are its own: `{agent_id}` in a path stands for the agent that asks. Links are
not followed, neither files nor folders. A file is cited as `sessions/` and its path within its
folder, wherever that folder is.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from lorebank.domain.facts import Diagnostic
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.files import is_link
from lorebank.workspace.layout import SESSIONS_FOLDER, TRANSCRIPT_ENDING

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_DEEPEST = 8
"""Folders below one another; chosen by hand, well above what hosts nest."""


class SessionFile(NamedTuple):
    """One transcript as the walk saw it."""

    path: str
    """As it is cited: `sessions/….jsonl`."""
    place: Path
    size: int
    """Bytes."""
    mtime_ns: int


class FoundSessions(Record):
    """The transcripts by path, and what was left out."""

    files: tuple[SessionFile, ...]
    problems: tuple[Diagnostic, ...]


def session_folders(root: Path, config: Config) -> tuple[Path, ...]:
    """The folders that hold the transcripts of the agent that asks."""
    agent = config.index.agent_id
    named = (p.replace("{agent_id}", agent) for p in config.memory_search.sessions.paths)
    return tuple(dict.fromkeys(root / Path(path).expanduser() for path in named))


def find_sessions(root: Path, config: Config) -> FoundSessions:
    """Every transcript of those folders and what lies below them."""
    problems: list[Diagnostic] = []
    files: dict[str, SessionFile] = {}
    places: set[Path] = set()
    for number, folder in enumerate(session_folders(root, config), start=1):
        if _is_linked(folder):
            problems.append(_linked(str(folder)))
            continue
        if not folder.is_dir():
            message = "is not there; it holds no transcripts yet"
            problems.append(Diagnostic(str(folder), 0, "session-folder-missing", message))
            continue
        for within, entry in _transcripts_below(folder, "", _DEEPEST, problems):
            path = f"{SESSIONS_FOLDER}/{within}"
            try:
                seen = entry.stat(follow_symlinks=False)
            except OSError as problem:
                problems.append(_unreadable(path, problem))
                continue
            place = Path(entry)
            if place not in places:
                places.add(place)
                while path in files:
                    within = f"{number}/{within}"
                    path = f"{SESSIONS_FOLDER}/{within}"
                files[path] = SessionFile(path, place, seen.st_size, seen.st_mtime_ns)
    return FoundSessions(
        tuple(files[path] for path in sorted(files)),
        tuple(sorted(problems, key=lambda p: (p.path, p.code))),
    )


def _transcripts_below(
    folder: Path, within: str, depth: int, problems: list[Diagnostic]
) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The transcripts of a folder, each with its path within the outermost one."""
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as problem:
        problems.append(_unreadable(f"{SESSIONS_FOLDER}/{within}", problem))
        return
    for entry in entries:
        path = within + entry.name
        is_transcript = entry.name.lower().endswith(TRANSCRIPT_ENDING)
        if entry.name.startswith("."):
            continue
        if not path.isprintable():
            shown = f"{SESSIONS_FOLDER}/{ascii(path)[1:-1]}"
            message = "has a name that cannot be cited"
            problems.append(Diagnostic(shown, 0, "name-not-utf8", message))
        elif is_link(entry):
            problems += [_linked(f"{SESSIONS_FOLDER}/{path}")] if is_transcript else []
        elif entry.is_dir(follow_symlinks=False):
            if depth:
                yield from _transcripts_below(Path(entry), f"{path}/", depth - 1, problems)
        elif is_transcript and entry.is_file(follow_symlinks=False):
            yield path, entry


@contextmanager
def open_session(place: Path) -> Iterator[BinaryIO]:
    """The file, open for reading; `OSError` if it is gone, a link, or no file by now."""
    descriptor = os.open(place, os.O_RDONLY | _NO_FOLLOW | _BINARY)
    with os.fdopen(descriptor, "rb") as handle:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(place))
        yield handle


def _is_linked(folder: Path) -> bool:
    """Whether the folder itself is a link."""
    try:
        return is_link(os.lstat(folder))
    except OSError:
        return False


def _linked(path: str) -> Diagnostic:
    return Diagnostic(path, 0, "symlink-ignored", "is a link, which is not followed")


def _unreadable(path: str, problem: OSError) -> Diagnostic:
    return Diagnostic(path, 0, "unreadable", f"cannot be read: {problem.strerror or problem}")
