"""Sync: make the index say what the files say, reading only what changed.

Files are compared by size and time stamp, then by hash. Everything is read and parsed before the
one IMMEDIATE transaction that writes it, so the lock is held for the writing alone. A file whose
time stamp is so fresh that another edit could bear the same one is read again next time.
"""

from __future__ import annotations

import gc
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from lorebank.database.connection import (
    Connection,
    generation,
    give_back_room,
    read_meta,
    select,
    transaction,
    write_meta,
)
from lorebank.domain.facts import Diagnostic, SyncReport
from lorebank.names.entities import identity_problems
from lorebank.records import dataclass
from lorebank.workspace.files import SourceFile, WalkResult, content_hash, read_bytes

if TYPE_CHECKING:
    from lorebank.index.reading import ReadFile


@dataclass(frozen=True, slots=True)
class ReadSettings:
    """The settings that change what is read out of a file; a change re-reads every file."""

    retain_headings: tuple[str, ...]
    chunk_tokens: int
    chunk_overlap: int
    plain_mentions: bool = True
    """Whether known names are found in running text."""
    not_mentions: tuple[str, ...] = ()
    """Names that are not looked for there."""
    origins: tuple[tuple[str, str], ...] = ()
    """`(folder or file, origin)`: whose word what lies there is."""

    def fingerprint(self) -> str:
        """Eight digits, whatever the settings: a value that fills pages of its own could be damaged
        without SQLite's checks seeing it."""
        return f"{zlib.crc32(repr(self).encode()):08x}"


def hashes_outside_bank(connection: Connection) -> tuple[tuple[str, str], ...]:
    """`(path, hash)` of every file that reflect does not write, by path."""
    query = "SELECT path, hash FROM files WHERE role <> 'bank' ORDER BY path"
    return tuple((str(path), str(hash)) for path, hash in select(connection, query))


def known_hash(connection: Connection, path: str) -> str | None:
    """The hash of what a file held at the last sync; `None` where there was none."""
    found = select(connection, "SELECT hash FROM files WHERE path = ?", (path,))
    return str(found[0][0]) if found else None


@contextmanager
def collector_at_rest() -> Iterator[None]:
    """No search for cycles inside; where the caller has it off it stays so. Also a decorator.

    What is read of files and rows has no cycles, yet each value made counts towards another walk
    over all that live: with a long ledger that is half of the work of reading it.
    """
    running = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if running:
            gc.enable()


DECIDING_PAGES = frozenset({"bank/opinions.md", "bank/evidence.md"})
OPINIONS_DUE = "opinions_due"
"""Set with the facts, unset with the opinions formed from them: a kill in between is noticed."""
SEALED_TABLES = ("files", "items", "mentions", "chunks")
"""Tables whose row counts are noted with each sync: a file that lost pages shows by them, where
SQLite itself finds nothing wrong."""
_WALK_CODES = "walk:"
"""Before the code of each row of `diagnostics` that belongs to no file."""
RACY_NS = 2_000_000_000
"""A change this young may be followed by another under the same time stamp."""
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class SyncResult:
    """A sync's report, and what its caller has to bring up to date."""

    report: SyncReport
    entities: frozenset[str]
    """Entities whose facts changed; "" stands for facts that mention nobody."""
    all_opinions: bool
    """Whether something changed that bears on the opinions of everybody."""
    decisions: bool = False
    """Whether a page changed on which a person decides about opinions."""


class _Known(NamedTuple):
    size: int
    mtime_ns: int
    hash: str
    role: str
    recorded: str | None


@dataclass(frozen=True, slots=True)
class _Plan:
    """What changed between the files and the index."""

    read: tuple[ReadFile, ...]
    touched: tuple[SourceFile, ...]
    removed: tuple[str, ...]
    known: frozenset[str]
    problems: tuple[Diagnostic, ...]


def sync_files(
    connection: Connection,
    root: Path,
    walk: Callable[[], WalkResult],
    settings: ReadSettings,
    *,
    full: bool = False,
    progress: Progress | None = None,
) -> SyncResult:
    """Bring files, facts, passages, chunks, names and entities up to date.

    When another process wrote while this one was reading, its reading may be the newer one: the
    files are read again, with the lock held, before anything is written.
    """
    if read_meta(connection, "reading") != settings.fingerprint():
        full = True
    due = read_meta(connection, OPINIONS_DUE) == "1"
    seen = generation(connection)
    plan = _plan(connection, root, walk(), settings, full=full, progress=progress)
    if _is_idle(connection, plan):
        return SyncResult(_report(connection, plan), frozenset(), all_opinions=due)
    with transaction(connection):
        if generation(connection) != seen:
            plan = _plan(connection, root, walk(), settings, full=full, progress=progress)
        result = _write_all(connection, plan, settings, full=full or due)
    give_back_room(connection)
    return result


def has_all_rows(connection: Connection) -> bool:
    """Whether the tables hold as many rows as the last sync wrote; true before the first."""
    counted = read_meta(connection, "rows")
    return counted is None or counted == _row_counts(connection)


def _row_counts(connection: Connection) -> str:
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in SEALED_TABLES)
    return " ".join(map(str, select(connection, f"SELECT {counts}")[0]))


def _write_all(
    connection: Connection,
    plan: _Plan,
    settings: ReadSettings,
    *,
    full: bool,
) -> SyncResult:
    """Write a plan; inside the caller's transaction."""
    from lorebank.index.writing import marked_lines  # imported late: most syncs write nothing

    marked = marked_lines(connection)
    entities = _write(connection, plan, settings, full=full)
    write_meta(connection, "reading", settings.fingerprint())
    now = datetime.now().astimezone()
    write_meta(connection, "synced_at", now.isoformat(timespec="seconds"))
    write_meta(connection, "rows", _row_counts(connection))
    every = full or marked != marked_lines(connection)
    changed = {read.source.path for read in plan.read} | set(plan.removed)
    decisions = not changed.isdisjoint(DECIDING_PAGES)
    if entities or every or decisions:
        write_meta(connection, OPINIONS_DUE, "1")
    report = _report(connection, plan)
    problems = (*report.problems, *identity_problems(connection))
    return SyncResult(replace(report, problems=problems), frozenset(entities), every, decisions)


def stale_paths(connection: Connection, root: Path, walk: WalkResult) -> tuple[str, ...]:
    """Paths whose content is not what the index knows, and removed ones."""
    known = _known_files(connection)
    stale = known.keys() - {source.path for source in walk.files}
    for source in walk.files:
        before = known.get(source.path)
        digest = None
        if before is not None and not before.mtime_ns:  # its stamp was too fresh to be trusted
            with suppress(OSError):
                digest = content_hash(read_bytes(root, source))
        if not _is_known(before, source, digest):
            stale.add(source.path)
    return tuple(sorted(stale))


def _plan(
    connection: Connection,
    root: Path,
    walk: WalkResult,
    settings: ReadSettings,
    *,
    full: bool,
    progress: Progress | None,
) -> _Plan:
    known = _known_files(connection)
    read: list[ReadFile] = []
    touched: list[SourceFile] = []
    problems = list(walk.problems)
    suspects = [s for s in walk.files if full or not _is_known(known.get(s.path), s)]
    for done, source in enumerate(suspects, start=1):
        try:
            data = read_bytes(root, source)
        except OSError as problem:
            # The rows of its last good reading stay; it is named until it can be read.
            message = f"cannot be read: {problem.strerror or problem}"
            problems.append(Diagnostic(source.path, 0, "unreadable", message))
            continue
        digest = content_hash(data)
        before = known.get(source.path)
        if not full and _is_known(before, source, digest):
            touched.append(source)
        else:
            from lorebank.index.reading import read_file  # the parsers cost more than a look

            read.append(read_file(data, digest, source, settings))
        if progress is not None:
            progress("reading", done, len(suspects))
    present = {source.path for source in walk.files}
    removed = tuple(sorted(known.keys() - present))
    return _Plan(tuple(read), tuple(touched), removed, frozenset(known), tuple(problems))


def _write(connection: Connection, plan: _Plan, settings: ReadSettings, *, full: bool) -> set[str]:
    from lorebank.index.writing import (
        delete_file,
        holders_of_file,
        insert_diagnostics,
        insert_file,
        touch_file,
    )
    from lorebank.names.entity_rows import names_in_files, refresh_entities
    from lorebank.names.plain_mentions import refresh_plain_mentions
    from lorebank.trust.quarantine import refresh_quarantine

    paths = [*plan.removed, *(read.source.path for read in plan.read)]
    names = names_in_files(connection, paths)
    entities: set[str] = set()
    for path in paths:
        entities |= holders_of_file(connection, path)
        delete_file(connection, path)
    now_ns = time.time_ns()
    for read in plan.read:
        insert_file(connection, read, _trusted(read.source.mtime_ns, now_ns))
    for source in plan.touched:
        touch_file(connection, source.path, source.size, _trusted(source.mtime_ns, now_ns))
    # Problems of the walk belong to no file that was read; they are replaced as a whole.
    connection.execute("DELETE FROM diagnostics WHERE substr(code, 1, 5) = ?", (_WALK_CODES,))
    insert_diagnostics(connection, plan.problems, _WALK_CODES)
    moved_by_trust, named = refresh_quarantine(connection)
    entities |= moved_by_trust
    names |= names_in_files(connection, paths) | named
    moved = refresh_entities(connection, None if full else names)
    refresh_plain_mentions(
        connection,
        [read.source.path for read in plan.read],
        enabled=settings.plain_mentions,
        excluded=settings.not_mentions,
    )
    for read in plan.read:
        entities |= holders_of_file(connection, read.source.path)
    return entities | moved


def _is_idle(connection: Connection, plan: _Plan) -> bool:
    """Nothing to write; time stamps alone are not worth a transaction when they stay untrusted."""
    if plan.read or plan.removed:
        return False
    now_ns = time.time_ns()
    if any(_trusted(source.mtime_ns, now_ns) for source in plan.touched):
        return False
    return _walk_problems(connection) == sorted(plan.problems, key=str)


def _trusted(mtime_ns: int, now_ns: int) -> int:
    return 0 if now_ns - mtime_ns < RACY_NS else mtime_ns


def _is_known(known: _Known | None, source: SourceFile, digest: str | None = None) -> bool:
    """Whether the index holds what a file says: by its stamp, or by its bytes where they were read.

    A setting may give the same bytes another role or day.
    """
    if known is None:
        return False
    stamp = (known.size, known.mtime_ns) == (source.size, source.mtime_ns)
    day = source.recorded.isoformat() if source.recorded else None
    same = known.hash == digest if digest else stamp
    return same and (known.role, known.recorded) == (source.role, day)


def _known_files(connection: Connection) -> dict[str, _Known]:
    return {
        path: _Known._make(row)
        for path, *row in select(
            connection, "SELECT path, size, mtime_ns, hash, role, recorded FROM files"
        )
    }


def _walk_problems(connection: Connection) -> list[Diagnostic]:
    rows = select(
        connection,
        "SELECT path, line, substr(code, 6), message FROM diagnostics WHERE substr(code, 1, 5) = ?",
        (_WALK_CODES,),
    )
    return sorted((Diagnostic(*row) for row in rows), key=str)


def _report(connection: Connection, plan: _Plan) -> SyncReport:
    read = sorted(read.source.path for read in plan.read)
    problems = [*plan.problems, *(d for r in plan.read for d in r.diagnostics)]
    [(files, facts)] = select(
        connection,
        "SELECT (SELECT count(*) FROM files), (SELECT count(*) FROM items WHERE kind <> 'note')",
    )
    return SyncReport(
        added=tuple(path for path in read if path not in plan.known),
        changed=tuple(path for path in read if path in plan.known),
        removed=plan.removed,
        problems=tuple(sorted(problems, key=lambda p: (p.path, p.line, p.code, p.message))),
        files=files,
        facts=facts,
    )
