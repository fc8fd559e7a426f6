"""The undo store: what was cut, kept in `.memory/forgotten/<run>.zip` until it is purged.

It is on disk before the first file is written, under a name that says so (`….pending.zip`): a run
that was killed is finished by the next one, whatever that is asked to do.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import field
from pathlib import Path

from lorebank.domain.reports import PurgeReport, UndoReport
from lorebank.errors import ConcurrentEdit
from lorebank.nightly.run_record import undo_store
from lorebank.records import Record
from lorebank.workspace.atomic import read_if_exists, temporaries_below
from lorebank.workspace.layout import FORGOTTEN_PAGE
from lorebank.workspace.lock import append_lock
from lorebank.workspace.run_store import (
    MANIFEST,
    Change,
    RunStore,
    check_restorable,
    put_back,
    unpack,
)


class Cut(Record):
    """The bytes of one file before and after; `after` is `None` where the file goes."""

    before: bytes
    """Empty where there was no such file."""
    after: bytes | None
    derived: bool = False
    """Whether only what is made of other lines was cut: a page that reflect rewrites."""


class KeptRun(Record):
    """One run as it is kept."""

    name: str
    pending: bool
    """Whether it was begun and not finished."""
    cuts: Mapping[str, Cut]
    texts: tuple[str, ...]
    """What was forgotten, as notes and pages write it."""
    hashes: tuple[str, ...] = field(default=())
    """Keys of texts that were embedded, from the files that were cut."""


def store_of(root: Path) -> RunStore:
    """The archives of a workspace's forgetting."""
    return RunStore(root, "forgotten")


def keep(
    root: Path, name: str, cuts: Mapping[str, Cut], texts: Sequence[str], hashes: Sequence[str]
) -> None:
    """Write a run down as begun."""
    entries: dict[str, bytes] = {}
    files: dict[str, tuple[int, bool, bool]] = {}
    for number, (path, cut) in enumerate(sorted(cuts.items())):
        entries[f"{number}.before"] = cut.before
        if cut.after is not None:
            entries[f"{number}.after"] = cut.after
        files[path] = (number, cut.after is not None, cut.derived)
    manifest = {"texts": list(texts), "hashes": list(hashes), "files": files}
    entries[MANIFEST] = json.dumps(manifest, ensure_ascii=False).encode()
    store_of(root).write(name, entries, pending=True)


def read_run(root: Path, name: str | None) -> KeptRun:
    """A run by its name, the last one for `None`; `NotFound` where nothing is kept of it."""
    store = store_of(root)
    name = store.find(
        name,
        none="nothing forgotten is kept",
        hint="a run is kept until lorebank forget --purge",
    )
    with store.reading(name) as entries:
        manifest = json.loads(entries[MANIFEST])
        cuts = {
            path: Cut(
                entries[f"{number}.before"],
                entries[f"{number}.after"] if stays else None,
                bool(derived),
            )
            for path, (number, stays, derived) in manifest["files"].items()
        }
        texts, hashes = tuple(manifest["texts"]), tuple(manifest["hashes"])
    for path in cuts:
        check_restorable(root, path)
    return KeptRun(name, store.is_pending(name), cuts, texts, hashes)


def restore(root: Path, name: str | None, *, force: bool = False) -> UndoReport:
    """Give every file of a run (the last where `None`) its lines back, byte for byte.

    What was appended since stays below them. A page that reflect rewrote since is left to reflect.
    Raises `ConcurrentEdit` where a note was changed otherwise; with `force`, such notes are left
    alone and named.
    """
    run = read_run(root, name)
    changes: dict[str, Change] = {}
    edited: list[str] = []
    for path, cut in run.cuts.items():
        present = read_if_exists(root / path)
        data = _restored(path, cut, present)
        if data is not None:
            changes[path] = Change(present, data or None)
        elif not cut.derived:
            edited.append(path)
    if edited and not force:
        raise ConcurrentEdit(
            f"changed since run {run.name}: {', '.join(edited)}; nothing was restored",
            hint=f"restore the others with --undo {run.name} --force",
        )
    report = put_back(root, run.name, changes, edited)
    if not edited:
        store_of(root).drop(run.name)
    return report


def purge(root: Path, name: str | None = None) -> PurgeReport:
    """Drop what is kept of a run, of all where `None`, and the copies that reflect, lint and retain
    keep for their own undo where they hold a forgotten text."""
    store = store_of(root)
    names = store.names() if name is None else (read_run(root, name).name,)
    copies: list[str] = []
    for each in names:
        texts = [text.encode("utf-8", "surrogatepass") for text in read_run(root, each).texts]
        for area in ("", "lint", "retain"):
            copied = undo_store(root, area)
            for run in copied.names():
                if _holds(copied.file(run, pending=copied.is_pending(run)), texts):
                    copied.drop(run)
                    copies += [] if area else [run]
        store.drop(each)
    with append_lock(root):  # a killed writer may have left a copy without its name
        for left in temporaries_below(root):
            left.unlink(missing_ok=True)
    return PurgeReport(tuple(names), tuple(copies))


def _restored(path: str, cut: Cut, present: bytes | None) -> bytes | None:
    """What the file should hold, nothing where there was none; `None` where it is neither as it was
    cut nor only longer."""
    if path == FORGOTTEN_PAGE:
        return _without_added(cut, present or b"")
    if present in (cut.before, cut.after):
        return cut.before
    if cut.after and present is not None and present.startswith(cut.after):
        return cut.before + present[len(cut.after) :]
    return None


def _without_added(cut: Cut, present: bytes) -> bytes:
    """A page that a run only added lines to, whatever was done to it since."""
    added = {*(cut.after or b"").splitlines(), b""} - {*cut.before.splitlines()}
    kept = [line for line in present.splitlines(keepends=True) if line.strip() not in added]
    return b"".join(kept) if b"".join(kept).strip() else b""


def _holds(archive: Path, texts: Sequence[bytes]) -> bool:
    """Whether any file of an archive holds any of the texts; one that cannot be read might."""
    try:
        entries = unpack(archive.read_bytes())
        return any(text in data for data in entries.values() for text in texts)
    except (OSError, zipfile.BadZipFile):
        return True
