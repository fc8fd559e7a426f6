"""Sync: make the index say what the files say, reading only what changed.

Files are compared by size and time stamp, then by hash. They are read and parsed in batches, each
before the IMMEDIATE transaction that writes it, so that the lock is held for the writing alone and
memory for one batch; what depends on all files is brought up to date with the last one. A file
whose time stamp is so fresh that another edit could bear the same one is read again next time.
"""

from __future__ import annotations

import gc
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import field, replace
from datetime import datetime
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, NamedTuple

from lorebank.database.connection import (
    Connection,
    read_meta,
    select,
    transaction,
    vacuum_if_worthwhile,
    write_meta,
)
from lorebank.domain.facts import Diagnostic, Fact, SyncReport
from lorebank.names.entities import identity_problems
from lorebank.records import Mutable, Record
from lorebank.workspace.files import SourceFile, WalkResult, content_hash, read_bytes

if TYPE_CHECKING:
    from lorebank.index.reading import ReadFile


class ReadSettings(Record):
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


_collector = Lock()
_resting: list[bool] = []
"""Whether it ran, for each that asked for rest: all but the first find it off."""


@contextmanager
def gc_paused() -> Iterator[None]:
    """No search for cycles inside, in any thread, until the last of those that ask for it is
    through; where the caller has it off it stays so. Also a decorator.

    What is read of files and rows has no cycles, yet each value made counts towards another walk
    over all that live: with a long ledger that is half of the work of reading it.
    """
    with _collector:
        _resting.append(gc.isenabled())
        gc.disable()
    try:
        yield
    finally:
        with _collector:
            if _resting.pop() and not _resting:
                gc.enable()


DECIDING_PAGES = frozenset({"bank/opinions.md", "bank/evidence.md"})
OPINIONS_DUE = "opinions_due"
"""Set with the facts, unset with the opinions formed from them, which come last: after a kill in
between, the next sync brings up to date whatever is derived from facts."""
COUNTED_TABLES = ("files", "items", "mentions", "chunks")
"""Tables whose row counts are noted with each sync: a file that lost pages shows by them, where
SQLite itself finds nothing wrong."""
_WALK_CODES = "walk:"  # before the code of each row of `diagnostics` that belongs to no file
RACY_NS = 2_000_000_000  # a change this young may be followed by another under the same time stamp
BATCH_BYTES = 2_000_000
"""Of Markdown, parsed at a time: its facts take some 60 MB, and are written in a second or two."""
Progress = Callable[[str, int, int], None]


class SyncResult(Record):
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

    A sync that is killed between two batches is completed by the next one.
    """
    full = full or read_meta(connection, "reading") != settings.fingerprint()
    due = read_meta(connection, OPINIONS_DUE) == "1"
    looked_ns = time.time_ns()
    walked, known = walk(), _known_files(connection)
    removed = tuple(sorted(known.keys() - {source.path for source in walked.files}))
    is_new = full or due or not known
    run = _Run(connection, root, settings, known, removed, list(walked.problems), looked_ns, is_new)
    suspects = [s for s in walked.files if full or not _is_known(known.get(s.path), s)]
    *earlier, last = _batches(suspects)
    report = (lambda done: progress("reading", done, len(suspects))) if progress else None
    for sources in earlier:
        batch = run.read(sources, full, report)
        with transaction(connection):
            if run.paths:
                write_meta(connection, OPINIONS_DUE, "1")
            run.write(batch)
    batch = run.read(last, full, report)
    if not earlier and run.is_idle():
        run.touch(batch)
        return SyncResult(run.report(), frozenset(), all_opinions=due)
    with transaction(connection):
        result = run.finish(batch)
    vacuum_if_worthwhile(connection)
    return result


def _batches(sources: Sequence[SourceFile]) -> list[list[SourceFile]]:
    """The files in order, in as few batches of `BATCH_BYTES` at most as may be; one at least."""
    batches: list[list[SourceFile]] = [[]]
    size = 0
    for source in sources:
        size += source.size
        if size > BATCH_BYTES and batches[-1]:
            batches.append([])
            size = source.size
        batches[-1].append(source)
    return batches


class _Run(Mutable):
    """One sync: what it found so far, and the writing of it."""

    connection: Connection
    root: Path
    settings: ReadSettings
    known: dict[str, _Known]
    """What the index held before, by path."""
    removed: tuple[str, ...]
    problems: list[Diagnostic]
    """Of the walk, and files that cannot be read."""
    looked_ns: int
    """When the walk began: what was changed shortly before may have been changed since."""
    full: bool = False
    """Whether all that depends on the facts is made again."""
    looked_at: int = 0
    """How many files were read or could not be."""
    odd: list[Diagnostic] = field(default_factory=list)
    """What is odd in the files that were read."""
    paths: list[str] = field(default_factory=list)
    """Of the files that were read."""
    before: set[Fact] = field(default_factory=set)
    """What stood in files that were read or are gone."""
    marked: frozenset[tuple[str, str, str, int]] | None = None
    """The marked lines before anything was written."""
    names: set[str] = field(default_factory=set)
    """Names mentioned in added or removed files."""

    def read(
        self, sources: Sequence[SourceFile], full: bool, report: Callable[[int], None] | None
    ) -> list[ReadFile | SourceFile]:
        """The files as parsed; as the walk saw them where only their time stamp is new.

        Those that cannot be read are problems, and the rows of their last good reading stay.
        """
        found: list[ReadFile | SourceFile] = []
        for source in sources:
            self.looked_at += 1
            try:
                data = read_bytes(self.root, source)
            except OSError as problem:
                message = f"cannot be read: {problem.strerror or problem}"
                self.problems.append(Diagnostic(source.path, 0, "unreadable", message))
                continue
            digest = content_hash(data)
            if not full and _is_known(self.known.get(source.path), source, digest):
                found.append(source)
            else:
                from lorebank.index.reading import read_file  # the parsers cost more than a look

                parsed = read_file(data, digest, source, self.settings)
                self.paths.append(source.path)
                self.odd += parsed.diagnostics
                found.append(parsed)
            if report is not None:
                report(self.looked_at)
        return found

    def is_idle(self) -> bool:
        """Whether no file says anything else than the index."""
        rows = select(
            self.connection,
            "SELECT path, line, substr(code, 6), message FROM diagnostics"
            " WHERE substr(code, 1, 5) = ?",
            (_WALK_CODES,),
        )
        known, found = (
            sorted(map(str, self.problems)),
            sorted(str(Diagnostic(*row)) for row in rows),
        )
        return not (self.paths or self.removed) and known == found

    def touch(self, batch: Sequence[ReadFile | SourceFile]) -> None:
        """Note the new time stamps of files whose bytes are the same; one that stays untrusted is
        not worth a write."""
        sources = (source for source in batch if isinstance(source, SourceFile))
        stamps = [(s.size, stamp, s.path) for s in sources if (stamp := self._trusted(s))]
        if stamps:
            with transaction(self.connection):
                self.connection.executemany(
                    "UPDATE files SET size = ?, mtime_ns = ? WHERE path = ?", stamps
                )

    def write(self, batch: Sequence[ReadFile | SourceFile]) -> None:
        """Replace the rows of these files; inside the caller's transaction."""
        from lorebank.index.writing import insert_files, marked_lines

        if self.marked is None:
            self.marked = marked_lines(self.connection)
        read = [each for each in batch if not isinstance(each, SourceFile)]
        self._delete([each.source.path for each in read])
        insert_files(self.connection, [(each, self._trusted(each.source)) for each in read])
        self._note_names([each.source.path for each in read])
        self.touch(batch)
        write_meta(self.connection, "rows", _row_counts(self.connection))

    def finish(self, batch: Sequence[ReadFile | SourceFile]) -> SyncResult:
        """Write the last files, then what depends on all; inside the caller's transaction."""
        from lorebank.index.items import facts_of_files
        from lorebank.index.writing import insert_diagnostics, marked_lines
        from lorebank.names.entity_rows import refresh_entities
        from lorebank.names.plain_mentions import refresh_plain_mentions
        from lorebank.trust.quarantine import refresh_quarantine

        connection, settings, full = self.connection, self.settings, self.full
        if self.marked is None:
            self.marked = marked_lines(connection)
        self._delete(self.removed)
        self.write(batch)
        # Problems of the walk belong to no file that was read; they are replaced as a whole.
        connection.execute("DELETE FROM diagnostics WHERE substr(code, 1, 5) = ?", (_WALK_CODES,))
        insert_diagnostics(connection, self.problems, _WALK_CODES)
        holders, names = refresh_quarantine(connection)
        moved = refresh_entities(connection, None if full else frozenset(names | self.names))
        refresh_plain_mentions(
            connection,
            list(_known_files(connection)) if full else self.paths,
            enabled=settings.plain_mentions,
            excluded=settings.not_mentions,
        )
        write_meta(connection, "reading", settings.fingerprint())
        write_meta(
            connection, "synced_at", datetime.now().astimezone().isoformat(timespec="seconds")
        )
        changed = set() if full else self.before ^ {*facts_of_files(connection, self.paths)}
        entities = {slug for fact in changed for slug in fact.slugs or ("",)} | holders | moved
        every = full or self.marked != marked_lines(connection)
        decisions = not DECIDING_PAGES.isdisjoint((*self.paths, *self.removed))
        write_meta(connection, OPINIONS_DUE, "1" if entities or every or decisions else "0")
        report = self.report()
        problems = (*report.problems, *identity_problems(connection))
        return SyncResult(replace(report, problems=problems), frozenset(entities), every, decisions)

    def report(self) -> SyncReport:
        read = sorted(self.paths)
        [(files, facts)] = select(
            self.connection,
            "SELECT (SELECT count(*) FROM files),"
            " (SELECT count(*) FROM items WHERE kind <> 'note')",
        )
        problems = sorted(
            [*self.problems, *self.odd], key=lambda p: (p.path, p.line, p.code, p.message)
        )
        return SyncReport(
            added=tuple(path for path in read if path not in self.known),
            changed=tuple(path for path in read if path in self.known),
            removed=self.removed,
            problems=tuple(problems),
            files=files,
            facts=facts,
        )

    def _delete(self, paths: Sequence[str]) -> None:
        from lorebank.index.items import facts_of_files
        from lorebank.index.writing import delete_files

        self._note_names(paths)
        if not self.full:
            self.before.update(facts_of_files(self.connection, paths))
        delete_files(self.connection, paths)

    def _note_names(self, paths: Sequence[str]) -> None:
        from lorebank.names.entity_rows import names_in_files

        self.names |= names_in_files(self.connection, paths)

    def _trusted(self, source: SourceFile) -> int:
        """The time stamp as it is kept: 0 where another edit may bear the same one."""
        return 0 if self.looked_ns - source.mtime_ns < RACY_NS else source.mtime_ns


def has_all_rows(connection: Connection) -> bool:
    """Whether the tables hold as many rows as the last sync wrote; true before the first."""
    counted = read_meta(connection, "rows")
    return counted is None or counted == _row_counts(connection)


def _row_counts(connection: Connection) -> str:
    counts = ", ".join(f"(SELECT count(*) FROM {table})" for table in COUNTED_TABLES)
    return " ".join(map(str, select(connection, f"SELECT {counts}")[0]))


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
