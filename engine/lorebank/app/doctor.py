"""`doctor`: what is wrong with a workspace and all derived from it, and the repairs that lose
nothing of anybody's: an index rebuilt, a killed run completed, temporary files of dead writers
removed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from lorebank.app.bank import Bank
from lorebank.app.workspace import OpenWorkspace
from lorebank.domain.reports import HealthFinding, RotKind
from lorebank.errors import NotWritable
from lorebank.forgetting.undo import interrupted, unreadable
from lorebank.generation.writing import KeptAnswers
from lorebank.markdown.blocks import find_blocks
from lorebank.markdown.source import decode
from lorebank.render.reports import remedy as remedy_of
from lorebank.schedule.job import SCHEDULE_FILE, is_damaged, missed_run, read_record
from lorebank.workspace.atomic import temporaries_below
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER
from lorebank.workspace.lock import WriterLock, append_lock
from lorebank.workspace.recalled import read_recalled
from lorebank.workspace.run_store import has_interrupted


def examine(
    ws: OpenWorkspace, *, fix: bool = False, moment: datetime | None = None
) -> tuple[HealthFinding, ...]:
    """What is wrong with the workspace, its index and its schedule, worst first.

    With `fix`, what can be repaired without losing anything is (`HealthFinding.fixed`). A night was
    missed if it was due by `moment`, local time, now unless said otherwise.
    """
    bank, root = Bank(ws), ws.root
    found = [*_permissions(root), *_interrupted(bank, fix=fix), *_records(root)]
    found += [*_index(bank, fix=fix), *_pages(root)]
    if not any(f.check == "index" and not f.fixed for f in found):  # the rest asks the index
        found += [*_status(bank), *_links(bank)]
    now = moment or datetime.now().astimezone().replace(tzinfo=None)
    return (*found, *_schedule(root, now))


def _permissions(root: Path) -> Iterator[HealthFinding]:
    for name in ("", "memory", BANK_FOLDER, DERIVED_FOLDER):
        folder = root / name
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            yield HealthFinding("permissions", str(folder), "is not writable", "make it writable")


def _interrupted(bank: Bank, *, fix: bool) -> Iterator[HealthFinding]:
    """What killed processes left: a run to be completed, files that never got their name."""
    root = bank.root
    left = temporaries_below(root)
    half_done = list(interrupted(root))
    unread = {(store.area, name) for store, name, _ in unreadable(root)}
    if fix and half_done:
        bank.reflect()
    if fix and left:
        with WriterLock(root), append_lock(root):
            for file in temporaries_below(root):
                file.unlink(missing_ok=True)
    for store, name, _, found in half_done:
        if (store.area, name) not in unread:
            remedy = "`lorebank reflect` completes it"
            yield HealthFinding("interrupted", found.path, found.message, remedy, fix)
    for store, name, message in unreadable(root):
        place = store.file(name).relative_to(root).as_posix()
        remedy = "look at the files of that day; delete the record once they are as you want them"
        yield HealthFinding("interrupted", place, message, remedy)
    for file in left:
        place = file.relative_to(root).as_posix()
        message, remedy = "was left by a killed writer", "the next `lorebank reflect` removes it"
        yield HealthFinding("interrupted", place, message, remedy, fix)


def _records(root: Path) -> Iterator[HealthFinding]:
    """Files that no rebuild of the index brings back."""
    log = root / DERIVED_FOLDER / "recalled.log"
    if log.is_file() and log.stat().st_size and read_recalled(root) is None:
        remedy = "delete it; what is recalled is counted from then on"
        yield HealthFinding("records", f"{DERIVED_FOLDER}/{log.name}", "cannot be read", remedy)
    if is_damaged(root):
        remedy = "`lorebank schedule install` writes it anew"
        yield HealthFinding(
            "records", f"{DERIVED_FOLDER}/{SCHEDULE_FILE}", "cannot be read", remedy
        )
    for problem in KeptAnswers.open(root).problems:
        yield HealthFinding("records", problem.path, problem.message, remedy_of(problem.code))


def _index(bank: Bank, *, fix: bool) -> Iterator[HealthFinding]:
    place = f"{DERIVED_FOLDER}/index.sqlite"
    remedy = "`lorebank index --full` rebuilds it"
    try:
        if has_interrupted(bank.root):  # which the whole sync would finish
            bank.workspace.sync_files()
        else:
            bank.sync(embed=False)
        differences = bank.check()
        if differences and fix:
            bank.sync(full=True, embed=False)
    except NotWritable as problem:
        yield HealthFinding("index", place, str(problem), problem.hint or remedy)
        return
    for line in differences:
        yield HealthFinding("index", place, line, remedy, fix)


def _pages(root: Path) -> Iterator[HealthFinding]:
    """Marks of managed blocks that do not match: reflect leaves such a page alone."""
    for file in sorted(root.glob(f"{BANK_FOLDER}/**/*.md")):
        path = file.relative_to(root).as_posix()
        try:
            text, _ = decode(file.read_bytes(), path)
        except OSError as problem:
            yield HealthFinding(
                "pages", path, f"cannot be read: {problem.strerror}", "make it a file"
            )
            continue
        for odd in find_blocks(text, path)[1]:
            place = f"{path}#L{odd.line}"
            yield HealthFinding("pages", place, odd.message, "mend or delete the marks by hand")


def _status(bank: Bank) -> Iterator[HealthFinding]:
    """Problems of notes and ledgers that the last sync found, and of the embedder."""
    status = bank.status()
    for problem in status.problems:
        if problem.code == "interrupted":
            continue  # named by itself
        place = f"{problem.path}#L{problem.line}" if problem.line else problem.path
        yield HealthFinding("notes", place, problem.message, remedy_of(problem.code))
    embedder = status.embedder
    if embedder.get("reason") and embedder.get("provider") != "none":  # the owner's own choice
        name = str(embedder.get("provider", ""))
        remedy = str(embedder.get("remedy") or "recall goes on by words; see `lorebank status`")
        yield HealthFinding("embedder", name, str(embedder["reason"]), remedy)


def _links(bank: Bank) -> Iterator[HealthFinding]:
    for finding in bank.rot().findings:
        if finding.kind is RotKind.DANGLING:
            message = f"{finding.text}: {finding.reason}"
            yield HealthFinding("links", str(finding.source), message, "correct or delete it")


def _schedule(root: Path, now: datetime) -> Iterator[HealthFinding]:
    record = read_record(root)
    missed = missed_run(record, now) if record else None
    if missed is not None:
        message = f"the night of {missed:%Y-%m-%d} was missed"
        yield HealthFinding("schedule", "", message, "`lorebank reflect` makes up for it")
