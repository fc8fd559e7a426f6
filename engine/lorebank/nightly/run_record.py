"""Runs on record: `.memory/undo/<run>.zip` holds each page before and after a run.

The record is on disk, marked as pending, before a page is written. A run that was killed is taken
back from it, or taken over by the next one, which counts the pages it finds written as its own:
they are in its record, its journal and its report. So a run is: the record, the pages and the list
of rejections, the record with the journal, the journal; then the record is marked as done.

Lint and retain keep records the same way, each in a folder of its own (`area`) and with any memory
file; a run of reflect only ever writes pages of the bank. Records are derived: without them the
pages are as good, but the run cannot be undone. A page that is no longer what the run made of it is
never overwritten. A secret that somebody wrote on a page is not copied: it is masked in the record,
and taken from the page itself when a run is undone.
"""

from __future__ import annotations

import errno
import json
from collections.abc import Mapping, Sequence
from dataclasses import field, replace
from datetime import date
from hashlib import blake2b
from pathlib import Path

from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import UndoReport
from lorebank.errors import ConcurrentEdit, NotFound, PathRefused, WorkspaceError
from lorebank.language.secrets import find_secrets, redact
from lorebank.markdown.hidden import without_own_blocks
from lorebank.nightly.hunks import REJECTED_PATH
from lorebank.nightly.journal import journal_path, run_numbers, with_entry
from lorebank.pages.edits import PageEdit
from lorebank.records import Record
from lorebank.workspace.atomic import read_if_exists
from lorebank.workspace.layout import BANK_FOLDER
from lorebank.workspace.paths import is_linked
from lorebank.workspace.run_store import MANIFEST, Change, RunStore, apply_change, check_restorable

KEPT_RUNS = 30
"""Runs whose changes can be undone: a month of nights."""
_ATTEMPTS = 4
"""Retries for a journal that another process is writing."""
_OF_ONE_FILE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What says that one page cannot be written; anything else (a full disk) ends the run."""


_Mask = tuple[list[tuple[int, int]] | int, str]
"""In characters, where the secrets of a page stood, or how much of its beginning is not kept; and
the digest of the page with them."""


class RunRecord(Record):
    name: str
    changes: Mapping[str, Change]
    """Each page as it was read and as the run leaves it."""
    earlier: Mapping[str, Change] = field(default_factory=dict)
    """What was changed before the pages were read: pages that the ledger of names moved, and those
    of a run that was killed."""
    unrestorable: tuple[str, ...] = ()
    """Pages that cannot be restored: a masked secret on them was removed."""
    masked: dict[bytes, tuple[bytes, _Mask | None]] = field(default_factory=dict)
    """What was found to mask so far: a run is put on record again with its journal."""

    def from_start(self) -> dict[str, Change]:
        """Each file as it was before the run began, and as the run leaves it."""
        return chained(self.earlier, self.changes)

    def edits(self) -> list[PageEdit]:
        """The same as texts, by path, without the list of rejections."""
        whole = sorted(self.from_start().items())
        pages = ((path, change) for path, change in whole if path != REJECTED_PATH)
        return [PageEdit(path, _page_text(c.before), _page_text(c.after)) for path, c in pages]


def chained(first: Mapping[str, Change], then: Mapping[str, Change]) -> dict[str, Change]:
    """Both steps as one; a file that somebody edited between them counts from that edit on, so that
    undoing the run never takes the edit away."""
    whole = dict(first)
    for path, change in then.items():
        earlier = first.get(path, change)
        whole[path] = (
            replace(earlier, after=change.after) if earlier.after == change.before else change
        )
    return whole


class InterruptedRun(Record):
    """A run that was killed, and the pages it had changed by then."""

    name: str | None
    """`None` where its record cannot be read."""
    changes: Mapping[str, Change]
    problems: tuple[Diagnostic, ...] = ()
    journal: str | None = None
    """Path of the journal that records this run already."""


def undo_store(root: Path, area: str = "") -> RunStore:
    """The records of reflect, or of another command (`area`)."""
    return RunStore(root, f"undo/{area}" if area else "undo")


def next_run(root: Path, day: str, area: str = "") -> str:
    """A name for the run: the day and a number that neither a journal nor a record bears."""
    told = () if area else run_numbers(_journal_text(root, journal_path(day)))
    return undo_store(root, area).next_name(day, told)


def save_run(root: Path, run: RunRecord, *, area: str = "", pending: bool = False) -> None:
    """Put a run on record, in place of what is there of it; the oldest runs are dropped."""
    entries: dict[str, bytes] = {}
    manifest = {
        "changes": _stored(entries, "page", run.changes, run.masked),
        "earlier": _stored(entries, "earlier", run.earlier, run.masked),
    }
    entries[MANIFEST] = json.dumps(manifest, ensure_ascii=False).encode()
    store = undo_store(root, area)
    store.write(run.name, entries, pending=pending)
    for old in store.names()[:-KEPT_RUNS]:
        store.drop(old)


def load_run(root: Path, name: str, area: str = "") -> RunRecord:
    """A run on record; `NotFound` where it is damaged, `PathRefused` where it names a file that is
    no page of the bank: the record may be anybody's."""
    with undo_store(root, area).reading(name) as entries:
        manifest = json.loads(entries[MANIFEST])
        lost: list[str] = []
        below = "" if area else BANK_FOLDER
        changes, earlier = (
            _read(root, entries, manifest[key], lost, below) for key in ("changes", "earlier")
        )
        return RunRecord(name, changes, earlier, tuple(lost))


def undo_run(root: Path, run: str | None, *, force: bool = False, area: str = "") -> UndoReport:
    """As `Bank.undo_reflect`, for any area."""
    store = undo_store(root, area)
    name = store.find(
        run,
        none="no run can be undone",
        hint=f"runs are kept from the next `lorebank {area or 'reflect'}` on",
    )
    record = load_run(root, name, area)
    changes: dict[str, Change] = {}
    edited = list(record.unrestorable)
    for path, change in record.from_start().items():
        present = read_if_exists(root / path)
        # A run that was killed wrote only some of its pages.
        if present in (change.before, record.earlier.get(path, change).after, change.after):
            changes[path] = Change(present, change.before)
        else:
            edited.append(path)
    if edited and not force:
        raise ConcurrentEdit(
            f"changed since run {name}: {', '.join(edited)}; nothing was undone",
            hint=f"undo later runs first, or restore the others with --undo {name} --force"
            if not area
            else "edit the file by hand",
        )
    return store.put_back(name, changes, edited)


def killed_run(root: Path) -> InterruptedRun | None:
    store = undo_store(root)
    name = next((name for name in store.names() if store.is_pending(name)), None)
    if name is None:
        return None
    try:
        run = load_run(root, name)
    except (NotFound, PathRefused) as problem:
        store.finish(name)
        place = store.file(name).relative_to(root).as_posix()
        message = f"an interrupted run stays as it was left: {problem.message}"
        return InterruptedRun(None, {}, (Diagnostic(place, 0, "run-lost", message),))
    day, _, number = name.rpartition("-")
    journal = journal_path(day)
    if int(number) in run_numbers(_journal_text(root, journal)):
        store.finish(name)
        return InterruptedRun(name, {}, journal=journal)
    changes = {
        path: change
        for path, change in run.from_start().items()
        if path != journal and read_if_exists(root / path) != change.before
    }
    return InterruptedRun(name, changes)


def begin_run(
    root: Path, day: date, killed: InterruptedRun | None, moved: Sequence[PageEdit]
) -> RunRecord | None:
    """The run that takes over what a killed one wrote, or begins by moving pages: put on record
    before they are moved. `None` where it begins with its own pages."""
    old = killed.name if killed and not killed.journal else None
    if old is None and not moved:
        return None
    moves = {edit.path: Change.of_texts(edit.old, edit.new) for edit in moved}
    is_of_today = old is not None and old.startswith(f"{day.isoformat()}-")
    name = old if old and is_of_today else next_run(root, day.isoformat())
    run = RunRecord(name, {}, chained(killed.changes if killed else {}, moves))
    save_run(root, run, pending=True)
    if old and old != name:
        undo_store(root).drop(old)
    return run


class WriteOutcome(Record):
    """What became of the pages of a run."""

    written: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """No longer what was read: left alone."""
    problems: list[Diagnostic] = field(default_factory=list)
    """Pages that cannot be written."""


def write_pages(root: Path, run: RunRecord) -> WriteOutcome:
    """Put the run on record and write its pages, each only over what the run has read.

    Raises `WorkspaceError` where nothing more can be written at all; the next run goes on then.
    """
    save_run(root, run, pending=True)
    found = WriteOutcome()
    for path, change in run.changes.items():
        try:
            _write(root, path, change)
            found.written.append(path)
        except ConcurrentEdit:
            found.changed.append(path)
        except WorkspaceError as problem:
            cause = problem.__cause__
            refused = isinstance(cause, OSError) and cause.errno in _OF_ONE_FILE
            if not (refused or isinstance(problem, PathRefused)):
                raise
            message = problem.message.rpartition(f"{path}: ")[2]
            found.problems.append(Diagnostic(path, 0, "page-unwritable", message))
    return found


def complete_run(root: Path, run: RunRecord, entry: str | None) -> tuple[Diagnostic, ...]:
    """Write the journal of a run whose pages are written, and mark it as done; `entry` is `None`
    where no page changed."""
    problem: Diagnostic | None = None
    day = run.name.rpartition("-")[0]
    journal = journal_path(day)
    if entry is None:
        save_run(root, run, pending=True)
    elif is_linked(root, journal):
        save_run(root, run, pending=True)
        message = "is reached by a symbolic link; no journal was written"
        problem = Diagnostic(journal, 0, "page-skipped", message)
    else:
        for _ in range(_ATTEMPTS):
            before = read_if_exists(root / journal)
            old = _text(before or b"")
            change = Change(before, with_entry(old, day, entry).encode("utf-8"))
            # An entry is told of clean pages. What stood there may hold secrets, and stands there
            # still: of both sides only the rest is kept.
            stood = old.rstrip("\n")
            for data in filter(None, (change.before, change.after)):
                rest = data[len(stood.encode("utf-8", "surrogateescape")) :]
                run.masked[data] = rest, (len(stood), _digest(data))
            save_run(root, replace(run, changes={**run.changes, journal: change}), pending=True)
            try:
                _write(root, journal, change)
                break
            except ConcurrentEdit:
                continue
        else:
            message = "is being edited by another process; this run was not journaled"
            problem = Diagnostic(journal, 0, "page-busy", message)
    undo_store(root).finish(run.name)
    return (problem,) if problem else ()


def refuse_linked_bank(root: Path) -> None:
    """Raises `PathRefused` where the bank is somewhere else: none of its pages could be written."""
    if is_linked(root, BANK_FOLDER):
        raise PathRefused(
            f"{root / BANK_FOLDER}: is a symbolic link, which is never followed",
            hint="make bank/ a folder of the workspace; nothing was written",
        )


def _write(root: Path, path: str, change: Change) -> None:
    """Raises `ConcurrentEdit` where the file is no longer what was read."""
    if read_if_exists(root / path) == change.after:
        return  # written by an earlier attempt
    if is_linked(root, path):
        raise PathRefused(f"{path}: is reached by a symbolic link, which is never followed")
    apply_change(root / path, change)


class _SecretGone(Exception):
    """A secret that stood on a page is not there any more."""


_SIDES = ("before", "after")
_Side = tuple[str, _Mask | None]
"""The name in the archive, and what brings back the secrets that were masked."""


def _stored(
    entries: dict[str, bytes],
    prefix: str,
    changes: Mapping[str, Change],
    masked: dict[bytes, tuple[bytes, _Mask | None]],
) -> dict[str, list[_Side | None]]:
    stored: dict[str, list[_Side | None]] = {}
    for number, (path, change) in enumerate(changes.items()):
        stored[path] = []
        for side, data in zip(_SIDES, (change.before, change.after), strict=True):
            name = f"{prefix}-{number}-{side}"
            if data is None:
                stored[path].append(None)
                continue
            if data not in masked:
                masked[data] = _masked(data, side)
            entries[name], mask = masked[data]
            stored[path].append((name, mask))
    return stored


def _read(
    root: Path,
    entries: Mapping[str, bytes],
    stored: Mapping[str, list[_Side | None]],
    lost: list[str],
    below: str,
) -> dict[str, Change]:
    found: dict[str, Change] = {}
    for path, sides in stored.items():
        check_restorable(root, path, below=below)
        present = read_if_exists(root / path) or b""
        try:
            before, after = (
                _unmasked(entries, side, _text(present), name)
                for side, name in zip(sides, _SIDES, strict=True)
            )
            found[path] = Change(before, after)
        except _SecretGone:
            lost.append(path)
    return found


def _looked_at(text: str, side: str) -> str:
    """Where secrets are looked for: what a run wrote is clean, what it found may have been written
    before a line of it was called a secret."""
    return without_own_blocks(text) if side == "after" else text


def _masked(data: bytes, side: str) -> tuple[bytes, _Mask | None]:
    found = redact(_text(data), _looked_at(_text(data), side))
    kept = found.text.encode("utf-8", "surrogateescape")
    spans = [(secret.start, secret.end) for secret in found.secrets]
    return kept, (spans, _digest(data)) if spans else None


def _unmasked(
    entries: Mapping[str, bytes], side: _Side | None, page: str, name: str
) -> bytes | None:
    """The bytes of one side, with the secrets that still stand on the page: a run never touches
    what a person wrote, so that they are there in the same order."""
    if side is None or side[1] is None:
        return side and entries[side[0]]
    text = _text(entries[side[0]])
    spans, whole = side[1]
    stood, spans = (spans, []) if isinstance(spans, int) else (0, spans)
    pieces: list[str] = [page[:stood]]
    position = 0
    for (start, end), secret in zip(spans, find_secrets(_looked_at(page, name)), strict=False):
        pieces += (text[position:start], page[secret.start : secret.end])
        position = end
    data = "".join([*pieces, text[position:]]).encode("utf-8", "surrogateescape")
    if _digest(data) != whole:
        raise _SecretGone
    return data


def _journal_text(root: Path, path: str) -> str:
    return "" if is_linked(root, path) else _text(read_if_exists(root / path) or b"")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def _page_text(data: bytes | None) -> str | None:
    return None if data is None else data.decode("utf-8-sig", "replace")


def _digest(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
