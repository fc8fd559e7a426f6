"""Find transcripts: the `.jsonl` files of the configured folders.

`{agent_id}` in a folder is the current agent. Links are not followed. A file is cited as
`sessions/<path within its folder>`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import NamedTuple

from lorebank.domain.facts import Diagnostic
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.files import entries_below
from lorebank.workspace.layout import SESSIONS_FOLDER, TRANSCRIPT_ENDING


class SessionFile(NamedTuple):
    """One transcript as the walk saw it."""

    path: str
    """As it is cited: `sessions/….jsonl`."""
    place: Path
    size: int
    """Bytes."""
    mtime_ns: int

    @property
    def day(self) -> date:
        """The local day of its time stamp, for turns without one."""
        return datetime.fromtimestamp(self.mtime_ns / 1e9).astimezone().date()


class FoundSessions(Record):
    """The transcripts by path, and what was left out."""

    files: tuple[SessionFile, ...]
    problems: tuple[Diagnostic, ...]


def session_folders(root: Path, config: Config) -> tuple[Path, ...]:
    """The transcript folders of the current agent."""
    agent = config.index.agent_id
    named = (p.replace("{agent_id}", agent) for p in config.memory_search.sessions.paths)
    return tuple(dict.fromkeys(root / Path(path).expanduser() for path in named))


def find_sessions(root: Path, config: Config) -> FoundSessions:
    """Every transcript in or below those folders."""
    problems: list[Diagnostic] = []
    files: dict[str, SessionFile] = {}
    places: set[Path] = set()

    def report(found: Diagnostic) -> None:
        folder_or_transcript = found.code == "unreadable" or _is_transcript(found.path)
        if folder_or_transcript and not _is_hidden(found.path):
            problems.append(replace(found, path=f"{SESSIONS_FOLDER}/{found.path}"))

    def note(path: str, code: str, message: str) -> None:
        problems.append(Diagnostic(path, 0, code, message))

    for number, folder in enumerate(session_folders(root, config), start=1):
        if folder.is_symlink():
            note(str(folder), "symlink-ignored", "is a symbolic link, which is never followed")
            continue
        if not folder.is_dir():
            missing = "does not exist; there are no transcripts yet"
            note(str(folder), "session-folder-missing", missing)
            continue
        for within, entry in entries_below(folder, report):
            place, path = Path(entry), f"{SESSIONS_FOLDER}/{within}"
            if not _is_transcript(within) or _is_hidden(within) or place in places:
                continue
            if not path.isprintable():
                note(ascii(path)[1:-1], "name-not-utf8", "has a name that cannot be cited")
                continue
            try:
                seen = entry.stat(follow_symlinks=False)
            except OSError as problem:
                note(path, "unreadable", f"cannot be read: {problem.strerror or problem}")
                continue
            places.add(place)
            while path in files:
                within = f"{number}/{within}"
                path = f"{SESSIONS_FOLDER}/{within}"
            files[path] = SessionFile(path, place, seen.st_size, seen.st_mtime_ns)
    return FoundSessions(
        tuple(files[path] for path in sorted(files)),
        tuple(sorted(problems, key=lambda p: (p.path, p.code))),
    )


def _is_transcript(path: str) -> bool:
    return path.lower().endswith(TRANSCRIPT_ENDING)


def _is_hidden(path: str) -> bool:
    return any(part.startswith(".") for part in path.split("/"))
