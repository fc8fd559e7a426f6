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
from dataclasses import field
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from lorebank.domain import Diagnostic
from lorebank.records import Record, dataclass
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
    walk = _Walk()
    for number, folder in enumerate(session_folders(root, config), start=1):
        walk.visit_root(folder, number)
    return FoundSessions(
        tuple(walk.files[path] for path in sorted(walk.files)),
        tuple(sorted(walk.problems, key=lambda p: (p.path, p.code))),
    )


@contextmanager
def open_session(place: Path) -> Iterator[FileIO]:
    """The file, open for reading; `OSError` if it is gone, a link, or no file by now."""
    descriptor = os.open(place, os.O_RDONLY | _NO_FOLLOW | _BINARY)
    with os.fdopen(descriptor, "rb", buffering=0) as handle:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", str(place))
        yield handle


@dataclass(slots=True)
class _Walk:
    files: dict[str, SessionFile] = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)
    places: set[Path] = field(default_factory=set)

    def visit_root(self, folder: Path, number: int) -> None:
        if _is_linked(folder):
            self._left_out(str(folder), "symlink-ignored", "is a link, which is not followed")
        elif not folder.is_dir():
            message = "is not there; it holds no transcripts yet"
            self._left_out(str(folder), "session-folder-missing", message)
        else:
            self._visit(folder, "", number, _DEEPEST)

    def _visit(self, folder: Path, within: str, number: int, depth: int) -> None:
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as problem:
            self._left_out(f"{SESSIONS_FOLDER}/{within}", "unreadable", _why(problem))
            return
        for entry in entries:
            if entry.name.startswith("."):
                continue
            path = within + entry.name
            if not path.isprintable():
                shown = ascii(path)[1:-1]
                self._left_out(
                    f"{SESSIONS_FOLDER}/{shown}", "name-not-utf8", "has a name that cannot be cited"
                )
            elif is_link(entry):
                if self._is_of_interest(entry):
                    cited = f"{SESSIONS_FOLDER}/{path}"
                    self._left_out(cited, "symlink-ignored", "is a link, which is not followed")
            elif entry.is_dir(follow_symlinks=False):
                if depth:
                    self._visit(Path(entry), f"{path}/", number, depth - 1)
            elif self._is_of_interest(entry) and entry.is_file(follow_symlinks=False):
                self._take(entry, path, number)

    def _is_of_interest(self, entry: os.DirEntry[str]) -> bool:
        return entry.name.lower().endswith(TRANSCRIPT_ENDING)

    def _take(self, entry: os.DirEntry[str], within: str, number: int) -> None:
        try:
            seen = entry.stat(follow_symlinks=False)
        except OSError as problem:
            self._left_out(f"{SESSIONS_FOLDER}/{within}", "unreadable", _why(problem))
            return
        if (place := Path(entry)) in self.places:
            return
        self.places.add(place)
        path = f"{SESSIONS_FOLDER}/{within}"
        while path in self.files:
            within = f"{number}/{within}"
            path = f"{SESSIONS_FOLDER}/{within}"
        self.files[path] = SessionFile(path, place, seen.st_size, seen.st_mtime_ns)

    def _left_out(self, path: str, code: str, message: str) -> None:
        self.problems.append(Diagnostic(path, 0, code, message))


def _is_linked(folder: Path) -> bool:
    """Whether the folder itself is a link."""
    try:
        return is_link(os.lstat(folder))
    except OSError:
        return False


def _why(problem: OSError) -> str:
    return f"cannot be read: {problem.strerror or problem}"
