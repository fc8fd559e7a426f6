"""A run under way: all that it is going to write is on record before its first page is.

The run itself and the one that completes it after a kill take the same steps, in this order: the
record (`undo`), the pages and the list of rejections, the record with the journal, the journal;
then the record is marked as done. Each step may be taken twice: a page that is as the run leaves it
is done, one that is as the run found it is written, and any other is somebody else's by now and
left alone.
"""

from __future__ import annotations

import errno
from collections.abc import Collection
from dataclasses import field, replace
from pathlib import Path

from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import ReflectReport
from lorebank.errors import ConcurrentEdit, NotFound, PathRefused, WorkspaceError
from lorebank.markdown.blocks import find_blocks
from lorebank.nightly.hunks import REJECTED_PATH
from lorebank.nightly.journal import journal_path
from lorebank.nightly.undo import RunRecord, load_run, save_run, undo_store
from lorebank.records import Record, dataclass
from lorebank.workspace.atomic import read_if_exists
from lorebank.workspace.layout import BANK_FOLDER
from lorebank.workspace.paths import is_linked
from lorebank.workspace.run_store import Change, apply_change

_ATTEMPTS = 4
"""So often a journal that somebody else is writing is read again."""
_OF_ONE_FILE = frozenset({errno.EACCES, errno.EPERM, errno.EROFS})
"""What says that one page cannot be written; anything else (a full disk) ends the run."""


@dataclass(slots=True)
class WrittenPages:
    """What became of the pages of a run."""

    written: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """No longer what was read: left alone."""
    problems: list[Diagnostic] = field(default_factory=list)
    """Pages that cannot be written."""


class Resumed(Record):
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


def write_pages(root: Path, run: RunRecord) -> WrittenPages:
    """Put the run on record and write its pages, each only over what the run has read.

    Raises `WorkspaceError` where nothing more can be written at all; the run is completed later.
    """
    save_run(root, run, pending=True)
    found = WrittenPages()
    for path, change in run.changes.items():
        try:
            _write(root, path, change)
            found.written.append(path)
        except ConcurrentEdit:
            done = _took_place(root, path, change)
            (found.written if done else found.changed).append(path)
        except WorkspaceError as problem:
            cause = problem.__cause__
            refused = isinstance(cause, OSError) and cause.errno in _OF_ONE_FILE
            if not (refused or isinstance(problem, PathRefused)):
                raise
            message = problem.message.rpartition(f"{path}: ")[2]
            found.problems.append(Diagnostic(path, 0, "page-unwritable", message))
    return found


def complete(root: Path, run: RunRecord, written: Collection[str]) -> tuple[Diagnostic, ...]:
    """Write the journal of the pages written; the run is over then."""
    assert run.entry is not None
    done = replace(run, changes={p: c for p, c in run.changes.items() if p in written})
    journal = journal_path(run.entry.day)
    problems = []
    if not set(written) - {REJECTED_PATH}:
        save_run(root, done, pending=True)
    elif is_linked(root, journal):
        save_run(root, done, pending=True)
        message = "is reached by a symbolic link; no journal was written"
        problems.append(Diagnostic(journal, 0, "page-skipped", message))
    else:
        for _ in range(_ATTEMPTS):
            before = read_if_exists(root / journal)
            change = Change(before, run.entry.added_to(_text(before), written).encode("utf-8"))
            save_run(root, replace(done, changes={**done.changes, journal: change}), pending=True)
            try:
                _write(root, journal, change)
                break
            except ConcurrentEdit:
                continue
        else:
            message = "is being changed by somebody else; the run is not told there"
            problems.append(Diagnostic(journal, 0, "page-busy", message))
    undo_store(root).finish(run.name)
    return tuple(problems)


def pending_run(root: Path) -> str | None:
    """The name of a run that was begun and not completed."""
    store = undo_store(root)
    return next((name for name in store.names() if store.is_pending(name)), None)


def resume_run(root: Path) -> Resumed | None:
    """Complete the run that was killed, if there is one; the caller holds the workspace's lock."""
    name = pending_run(root)
    if name is None:
        return None
    store = undo_store(root)
    try:
        run = load_run(root, name)
    except (NotFound, PathRefused) as problem:
        place = store.file(name, pending=True).relative_to(root).as_posix()
        store.drop(name)
        message = f"the record of an interrupted run cannot be read: {problem.message}"
        return Resumed(None, (), None, (Diagnostic(place, 0, "run-lost", message),))
    refuse_linked_bank(root)
    if run.entry is None:  # it moved pages of merged names and went no further
        store.finish(name)
        return None
    journal = journal_path(run.entry.day)
    if run.entry.is_in(_text(read_if_exists(root / journal))):  # all was written
        store.finish(name)
        return Resumed(name, (), journal, ())
    run = replace(run, changes={p: c for p, c in run.changes.items() if p != journal})
    found = write_pages(root, run)
    problems = complete(root, run, found.written)
    pages = sorted(set(found.written) - {REJECTED_PATH})
    told = journal if pages and not is_linked(root, journal) else None
    return Resumed(name, tuple(pages), told, (*found.problems, *problems))


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
        return
    if is_linked(root, path):
        raise PathRefused(f"{path}: is reached by a symbolic link, which is never followed")
    apply_change(root / path, change)


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
