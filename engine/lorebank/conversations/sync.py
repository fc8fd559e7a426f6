"""Find transcripts, `.jsonl` files of the configured folders, and read what is new into the store.

`{agent_id}` in a folder is the current agent. Links are not followed. A file is cited as
`sessions/<path within its folder>`.

A file is continued from its last offset, in pieces of a few megabytes with offset and content in
one transaction, so that a kill loses and repeats nothing. It is read from the start if its
beginning changed. Files that grew little wait, so that a running conversation is not read line by
line.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from enum import Enum
from pathlib import Path
from typing import BinaryIO, NamedTuple

from lorebank.conversations import store as rows
from lorebank.conversations.store import KnownSession, chunk_turns
from lorebank.conversations.turns import TranscriptOffset, Turn, lines_of, read_line, turns_of
from lorebank.database.connection import (
    Connection,
    read_meta,
    transaction,
    vacuum_if_worthwhile,
    write_meta,
)
from lorebank.domain.facts import Diagnostic, SyncReport
from lorebank.markdown.forgotten import NOTHING, Forgotten
from lorebank.records import Record
from lorebank.settings.tables import Config
from lorebank.workspace.files import content_hash, entries_below, open_regular
from lorebank.workspace.layout import SESSIONS_FOLDER, TRANSCRIPT_ENDING


class SessionFile(NamedTuple):
    """One transcript as the walk saw it."""

    path: str  # as it is cited: `sessions/….jsonl`
    place: Path
    size: int  # bytes
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


Progress = Callable[[str, int, int], None]

_PIECE_BYTES = 8 * 2**20  # per transaction, plus the rest of the last line
_MARK_BYTES = 4096  # at the start and the end of the part read: a hash of them recognises the file
_UNFINISHED = 0  # the time stamp while a file is being read, and after a kill
_PARTIAL_LINE = "session-line-half"
_CHARACTERS_A_TOKEN = 4  # of English prose in tokenizers of large models


class SyncScope(Enum):
    """How much of the transcripts a sync reads."""

    DUE = "due"  # files that grew enough
    ADDED = "added"
    FROM_START = "from start"  # every file from the start


class SessionRules(Record):
    """Chunk size, thresholds for reading, and retention."""

    chunk_tokens: int = 400
    delta_bytes: int = 100_000
    delta_lines: int = 50
    retention_days: int = 0
    forgotten: Forgotten = NOTHING

    def fingerprint(self) -> str:
        """Changes if the same files would give other rows."""
        rules = f"{self.chunk_tokens} {self.retention_days} {self.forgotten.fingerprint()}"
        return rules.rstrip()


def read_session(place: Path) -> Iterator[Turn]:
    """The turns of a transcript as they may be kept, with constant memory. Raises `OSError`."""
    with open_regular(place) as handle:
        yield from turns_of(handle)


def sync_sessions(
    connection: Connection,
    found: FoundSessions,
    rules: SessionRules,
    *,
    today: date,
    reach: SyncScope = SyncScope.DUE,
    progress: Progress | None = None,
    is_over: Callable[[], bool] = lambda: False,
) -> SyncReport:
    """Update the store from these files; once `is_over`, the rest waits for the next time."""
    days = rules.retention_days
    oldest = today - timedelta(days=days) if days else date.min
    files = [file for file in found.files if file.day >= oldest]
    known, removed = _drop_removed(connection, files, rules, reach)
    added, changed, problems = list[str](), list[str](), list[Diagnostic]()
    for done, file in enumerate(files, start=1):
        before = known.get(file.path)
        try:
            if _sync_file(connection, rules, file, before, reach, is_over):
                (added if before is None else changed).append(file.path)
        except OSError as problem:
            message = f"cannot be read: {problem.strerror or problem}"
            problems.append(Diagnostic(file.path, 0, "unreadable", message))
        if progress is not None:
            progress("sessions", done, len(files))
    if days:
        with transaction(connection):
            rows.forget_before(connection, oldest)
    if added or changed or removed:
        with transaction(connection):
            now = datetime.now().astimezone()
            write_meta(connection, "synced_at", now.isoformat(timespec="seconds"))
        vacuum_if_worthwhile(connection)
    return SyncReport(
        added=tuple(added),
        changed=tuple(changed),
        removed=tuple(removed),
        problems=(*found.problems, *problems, *rows.session_problems(connection)),
        files=len(files),
    )


def _drop_removed(
    connection: Connection, files: list[SessionFile], rules: SessionRules, reach: SyncScope
) -> tuple[dict[str, KnownSession], list[str]]:
    """The known sessions by path, and the paths deleted: the missing, or all under new rules."""
    places = {file.path: str(file.place) for file in files}
    known = rows.known_sessions(connection)
    other_rules = read_meta(connection, "rules") != rules.fingerprint()
    from_start = other_rules or reach is SyncScope.FROM_START
    gone = [k for k in known.values() if from_start or places.get(k.path) != k.place]
    if gone or from_start:
        with transaction(connection):
            for each in gone:
                rows.delete_session(connection, each.session)
                del known[each.path]
            write_meta(connection, "rules", rules.fingerprint())
    return known, sorted(k.path for k in gone if k.path not in places)


def _sync_file(
    connection: Connection,
    rules: SessionRules,
    file: SessionFile,
    known: KnownSession | None,
    reach: SyncScope,
    is_over: Callable[[], bool],
) -> bool:
    """Continue one file if it is due, one transaction per piece; returns whether it was."""
    if known is not None and (known.size, known.mtime_ns) == (file.size, file.mtime_ns):
        return False
    with open_regular(file.place) as handle:
        # What is written from now on waits, so that size and time stamp stay correct.
        seen = os.fstat(handle.fileno())
        file = file._replace(size=seen.st_size, mtime_ns=seen.st_mtime_ns)
        from_start = known is None or _was_replaced(known, file, handle)
        may_wait = reach is SyncScope.DUE and not from_start
        if known is not None and may_wait and not _is_due(known, file, rules, handle):
            return False
        has_more = True
        while has_more and not is_over():
            with transaction(connection):
                stored = rows.known_sessions(connection, file.path).get(file.path)
                if stored != known or read_meta(connection, "rules") != rules.fingerprint():
                    break  # another process has read it, or some of it was forgotten meanwhile
                if from_start or known is None:
                    known = _begin(connection, file, known, handle)
                    from_start = False
                known, has_more = _read_piece(connection, rules, known, file, handle)
    return True


def _was_replaced(known: KnownSession, file: SessionFile, handle: BinaryIO) -> bool:
    """Whether the file is not simply a continuation of what was read."""
    touched = file.size == known.size and known.mtime_ns != _UNFINISHED
    replaced = touched or _mark(handle, known.read.offset) != known.mark
    return replaced or _last_line_grew(handle, known.read)


def _is_due(known: KnownSession, file: SessionFile, rules: SessionRules, handle: BinaryIO) -> bool:
    """Whether enough was added to be read now."""
    added = file.size - known.read.offset
    if known.mtime_ns == _UNFINISHED or added >= rules.delta_bytes:
        return True
    handle.seek(known.read.offset)
    return handle.read(added).count(b"\n") >= rules.delta_lines


def _begin(
    connection: Connection, file: SessionFile, known: KnownSession | None, handle: BinaryIO
) -> KnownSession:
    """A new row for a file, replacing an old one."""
    if known is not None:
        rows.delete_session(connection, known.session)
    new = rows.save_session(connection, KnownSession(None, file.path, str(file.place)))
    if known is not None and _mark(handle, known.read.offset) != known.mark:
        rows.add_problems(connection, new.session, [("session-replaced", 0)])
    return new


def _read_piece(
    connection: Connection,
    rules: SessionRules,
    known: KnownSession,
    file: SessionFile,
    handle: BinaryIO,
) -> tuple[KnownSession, bool]:
    """Read one piece in the caller's transaction; returns whether more follows."""
    rows.drop_problem(connection, known.session, _PARTIAL_LINE)
    place, turns, odd, has_more = known.read, list[Turn](), list[tuple[str, int]](), False
    for line in lines_of(handle, place):
        read = read_line(line)
        odd += [(code, line.number) for code in read.odd]
        if not read.whole:
            break
        place = line.end
        for turn in read.turns:
            if rules.forgotten.holds(known.path, turn.line, turn.day, turn.text):
                continue
            if rows.record_if_new(connection, known.session, turn):
                turns.append(turn)
            else:
                odd.append(("session-turn-repeated", line.number))
        if place.offset - known.read.offset >= _PIECE_BYTES:
            has_more = place.offset < file.size
            break
    if turns:
        before = rows.take_last_chunk(connection, known.session)
        longest = rules.chunk_tokens * _CHARACTERS_A_TOKEN
        rows.add_chunks(connection, known.session, chunk_turns(turns, longest, before))
    rows.add_problems(connection, known.session, odd)
    read_on = replace(
        known,
        size=file.size,
        mtime_ns=_UNFINISHED if has_more else file.mtime_ns,
        day=file.day.isoformat(),
        read=place,
        mark=_mark(handle, place.offset),
        turns=known.turns + len(turns),
    )
    return rows.save_session(connection, read_on), has_more


def _last_line_grew(handle: BinaryIO, read: TranscriptOffset) -> bool:
    """Whether the last line read was incomplete, and was continued."""
    if not read.offset:
        return False
    handle.seek(read.offset - 1)
    around = handle.read(2)
    return len(around) == 2 and b"\n" not in around


def _mark(handle: BinaryIO, offset: int) -> str:
    """A hash of both ends of the first `offset` bytes of a file."""
    handle.seek(0)
    first = handle.read(min(_MARK_BYTES, offset))
    handle.seek(max(0, offset - _MARK_BYTES))
    return content_hash(first + handle.read(min(_MARK_BYTES, offset)))
