"""A run under way: all that it is going to write is on disk before its first page is.

`.memory/run.zip` holds each page before and after the run, secrets masked, and what the journal
will say of it. The
run itself and the one that completes it after a kill take the same steps, in this order: that
record, the way back (`undo`), the pages, the way back with the notes, the list of rejections, the
journal; the record goes last. Each step may be taken twice: a page that is as the run leaves it is
done, one that is as the run found it is written, and any other is somebody else's by now and left
alone.
"""

from __future__ import annotations

import contextlib
import errno
import json
import zipfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import field, replace
from pathlib import Path

from lorebank.domain import Diagnostic, ReflectReport
from lorebank.errors import ConcurrentEdit, PathRefused, WorkspaceError
from lorebank.markdown.blocks import find_blocks
from lorebank.nightly.commit import REJECTED_PATH
from lorebank.nightly.journal import JOURNAL_FOLDER, JournalEntry, journal_path
from lorebank.nightly.undo import Mask, keep_for_undo, masked, unmasked
from lorebank.records import dataclass
from lorebank.workspace.atomic import read_if_exists, remove_temporaries, write_atomic
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER, ensure_derived_folder
from lorebank.workspace.paths import is_linked
from lorebank.workspace.run_store import (
    MANIFEST,
    Change,
    apply_change,
    check_restorable,
    pack,
    unpack,
)

RECORD = f"{DERIVED_FOLDER}/run.zip"
_FOLDERS = (
    DERIVED_FOLDER,
    f"{DERIVED_FOLDER}/undo",
    BANK_FOLDER,
    f"{BANK_FOLDER}/entities",
    JOURNAL_FOLDER,
)
_ATTEMPTS = 4
"""So often a journal that somebody else is writing is read again."""
_OF_ONE_FILE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What says that one page cannot be written; anything else (a full disk) ends the run."""


_UNREADABLE = (PathRefused, KeyError, TypeError, ValueError, zipfile.BadZipFile)


@dataclass(frozen=True, slots=True)
class RunUnderWay:
    """All that a run is going to write."""

    name: str
    pages: Mapping[str, Change]
    entry: JournalEntry
    rejections: Change
    """The list of rejected hunks; `before` and `after` are equal where it stays as it is."""
    moved: Mapping[str, Change] = field(default_factory=dict)
    """What the run changed before this record: pages that the ledger moved."""

    def way_back(self, changes: Mapping[str, Change]) -> dict[str, Change]:
        """What takes these changes back, and the moves before them."""
        from_start = {
            path: replace(change, before=self.moved[path].before) if path in self.moved else change
            for path, change in changes.items()
        }
        return {**self.moved, **from_start}


@dataclass(slots=True)
class WrittenPages:
    """What became of the pages of a run."""

    written: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """No longer what was read: left alone."""
    problems: list[Diagnostic] = field(default_factory=list)
    """Pages that cannot be written."""


@dataclass(frozen=True, slots=True)
class Resumed:
    """A run that was killed, and is complete now."""

    name: str | None
    """`None` where its record cannot be read."""
    changed: tuple[str, ...]
    journal: str | None
    problems: tuple[Diagnostic, ...]

    def merged_into(self, report: ReflectReport) -> ReflectReport:
        """The report of the run that follows, with what this one wrote."""
        pages = {*self.changed, *report.changed}
        if report.journal and self.journal and self.journal != report.journal:
            pages.add(self.journal)
        return replace(
            report,
            changed=tuple(sorted(pages)),
            journal=report.journal or self.journal,
            run=report.run or self.name,
            resumed=self.name,
            problems=(*self.problems, *report.problems),
        )


def write_pages(root: Path, run: RunUnderWay) -> WrittenPages:
    """Put the run on record and write its pages, each only over what the run has read.

    Raises `WorkspaceError` where nothing more can be written at all; the run is completed later.
    """
    for folder in _FOLDERS:
        remove_temporaries(root / folder)
    _save(root, run)
    keep_for_undo(root, run.name, run.way_back(run.pages))
    found = WrittenPages()
    for path, change in run.pages.items():
        try:
            if read_if_exists(root / path) != change.after:
                _put(root, path, change)
            found.written.append(path)
        except ConcurrentEdit:
            done = _took_place(root, path, change)
            (found.written if done else found.changed).append(path)
        except WorkspaceError as problem:
            if not _is_of_one_file(problem):
                raise
            found.problems.append(Diagnostic(path, 0, "page-unwritable", _said(problem, path)))
    return found


def complete(root: Path, run: RunUnderWay, written: Collection[str]) -> tuple[Diagnostic, ...]:
    """Write the list of rejections and the journal of the pages written; the run is over then."""
    problems = tuple(_write_notes(root, run, written))
    (root / RECORD).unlink(missing_ok=True)
    return problems


def resume_run(root: Path) -> Resumed | None:
    """Complete the run that was killed, if there is one; the caller holds the workspace's lock."""
    try:
        run = _load(root)
    except _UNREADABLE as problem:
        (root / RECORD).unlink(missing_ok=True)
        message = f"the record of an interrupted run cannot be read: {problem}"
        return Resumed(None, (), None, (Diagnostic(RECORD, 0, "run-lost", message),))
    if run is None:
        return None
    refuse_linked_bank(root)
    journal = journal_path(run.entry.day)
    if run.entry.is_in(_text(read_if_exists(root / journal))):  # only its record was left
        (root / RECORD).unlink()
        return Resumed(run.name, (), journal, ())
    found = write_pages(root, run)
    problems = complete(root, run, found.written)
    told = journal if found.written and not is_linked(root, journal) else None
    return Resumed(run.name, tuple(sorted(found.written)), told, (*found.problems, *problems))


def forget_run(root: Path, name: str) -> None:
    """Drop the record of a run that was taken back before it was complete."""
    try:
        run = _load(root)
    except _UNREADABLE:
        return
    if run is not None and run.name == name:
        (root / RECORD).unlink(missing_ok=True)


def refuse_linked_bank(root: Path) -> None:
    """Raises `PathRefused` where the bank is somewhere else: none of its pages could be written."""
    if is_linked(root, BANK_FOLDER):
        raise PathRefused(
            f"{root / BANK_FOLDER}: is a symbolic link, which is never followed",
            hint="make bank/ a folder of the workspace; nothing was written",
        )


def _put(root: Path, path: str, change: Change) -> None:
    """Raises `ConcurrentEdit` where the file is no longer what was read."""
    if is_linked(root, path):
        raise PathRefused(f"{path}: is reached by a symbolic link, which is never followed")
    apply_change(root / path, change)


def _write_notes(root: Path, run: RunUnderWay, written: Collection[str]) -> Iterator[Diagnostic]:
    pages = {path: change for path, change in run.pages.items() if path in written}
    notes: dict[str, Change] = {}
    if run.rejections.before != run.rejections.after:
        notes[REJECTED_PATH] = run.rejections
    path = journal_path(run.entry.day)
    if written and is_linked(root, path):
        message = "is reached by a symbolic link; no journal was written"
        yield Diagnostic(path, 0, "page-skipped", message)
    elif written:
        notes[path] = _journal_change(root, run, written)
    keep_for_undo(root, run.name, run.way_back(pages | notes))
    for attempt in range(_ATTEMPTS):
        busy = [note for note, change in notes.items() if not _is_written(root, note, change)]
        if path in busy and attempt < _ATTEMPTS - 1:
            notes[path] = _journal_change(root, run, written)
            keep_for_undo(root, run.name, run.way_back(pages | notes))
            continue
        for note in busy:
            message = "is being changed by somebody else; the run is not told there"
            yield Diagnostic(note, 0, "page-busy", message)
        return


def _journal_change(root: Path, run: RunUnderWay, written: Collection[str]) -> Change:
    before = read_if_exists(root / journal_path(run.entry.day))
    return Change(before, run.entry.added_to(_text(before), written).encode("utf-8"))


def _is_written(root: Path, path: str, change: Change) -> bool:
    try:
        if read_if_exists(root / path) != change.after:
            _put(root, path, change)
    except ConcurrentEdit:
        return False
    return True


def _took_place(root: Path, path: str, change: Change) -> bool:
    """Whether a page that somebody edited since holds what the run wrote into it."""
    present = read_if_exists(root / path)
    if present is None or change.after is None:
        return False
    before, now, after = (_bodies(data) for data in (change.before, present, change.after))
    return bool(after - before) and after - before <= now


def _bodies(data: bytes | None) -> set[tuple[str, str]]:
    return {(block.name, block.body) for block in find_blocks(_text(data))[0]}


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _is_of_one_file(problem: WorkspaceError) -> bool:
    cause = problem.__cause__
    refused = isinstance(cause, OSError) and cause.errno in _OF_ONE_FILE
    return refused or isinstance(problem, PathRefused)


def _said(problem: WorkspaceError, path: str) -> str:
    """The message without the path, which stands beside it."""
    return problem.message.rpartition(f"{path}: ")[2]


def _save(root: Path, run: RunUnderWay) -> None:
    entries: dict[str, bytes] = {}
    told = {
        "run": run.name,
        "changes": _stored(entries, "page", {**run.pages, REJECTED_PATH: run.rejections}),
        "moved": _stored(entries, "moved", run.moved),
        "entry": run.entry.to_dict(),
    }
    entries[MANIFEST] = json.dumps(told, ensure_ascii=False).encode()
    ensure_derived_folder(root)
    write_atomic(root / RECORD, pack(entries), expected=read_if_exists(root / RECORD))


_Side = tuple[str, Mask | None]
"""The name in the archive, and what brings back the secrets that were masked."""


def _stored(
    entries: dict[str, bytes], prefix: str, changes: Mapping[str, Change]
) -> dict[str, list[_Side | None]]:
    """Add the bytes before and after to `entries`; path → their names."""
    stored: dict[str, list[_Side | None]] = {}
    for number, (path, change) in enumerate(changes.items()):
        stored[path] = []
        for side, data in (("before", change.before), ("after", change.after)):
            name = f"{prefix}-{number}-{side}"
            kept, mask = (None, None) if data is None else masked(data)
            if kept is not None:
                entries[name] = kept
            stored[path].append(None if kept is None else (name, mask))
    return stored


def _load(root: Path) -> RunUnderWay | None:
    """The run on record; only pages of the bank, since the file may be anybody's."""
    data = read_if_exists(root / RECORD)
    if data is None or is_linked(root, RECORD):
        return None
    entries = unpack(data)
    told = json.loads(entries[MANIFEST])
    changes, moved = (_read(root, entries, told[key]) for key in ("changes", "moved"))
    rejections = changes.pop(REJECTED_PATH)
    entry = JournalEntry.from_dict(told["entry"])
    return RunUnderWay(told["run"], changes, entry, rejections, moved)


def _read(
    root: Path, entries: Mapping[str, bytes], stored: Mapping[str, list[_Side | None]]
) -> dict[str, Change]:
    """The changes; a page whose secrets cannot be brought back stays masked, and is no page of the
    run any more: what stands there is neither of the two."""
    found: dict[str, Change] = {}
    for path, sides in stored.items():
        check_restorable(root, path, below=BANK_FOLDER)
        present = read_if_exists(root / path) or b""
        before, after = (_side(entries, side, present) for side in sides)
        found[path] = Change(before, after)
    return found


def _side(entries: Mapping[str, bytes], side: _Side | None, present: bytes) -> bytes | None:
    if side is None:
        return None
    name, mask = side
    kept = entries[name]
    if mask is None:
        return kept
    with contextlib.suppress(ValueError):
        return unmasked(kept, present, mask)
    return kept
