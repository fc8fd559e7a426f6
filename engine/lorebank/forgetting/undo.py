"""The undo store: what was cut, kept in `.memory/forgotten/<run>.zip` until it is purged, and on
disk before the first file is written, so that a killed run can be finished."""

from __future__ import annotations

import json
import re
import zipfile
from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from itertools import accumulate
from pathlib import Path

from lorebank.domain.facts import Diagnostic
from lorebank.domain.reports import PurgeReport, UndoReport
from lorebank.errors import ConcurrentEdit, NotFound, PathRefused, WorkspaceError
from lorebank.forgetting.words import Finder, bytes_of, ends_words, text_of
from lorebank.nightly.run_record import load_run, undo_store
from lorebank.records import Record
from lorebank.workspace.atomic import read_if_exists, temporaries_below
from lorebank.workspace.layout import FORGOTTEN_PAGE
from lorebank.workspace.lock import append_lock
from lorebank.workspace.run_store import MANIFEST, Change, RunStore, check_restorable, unpack

_AREAS = ("forgotten", "undo", "undo/lint", "undo/retain")
_LETTER = re.compile(r"\w")


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
    order: str = ""
    """A digest of what was asked for."""
    purge: tuple[tuple[str, ...], str] | None = None
    """The names and the words that no copy may hold, where the order is to be purged as well."""

    def cut_lines(self) -> Iterator[str]:
        """The lines of notes that it cut."""
        for cut in (cut for cut in self.cuts.values() if not cut.derived):
            kept = {*text_of(cut.after or b"")[0].split("\n")}
            yield from (line for line in text_of(cut.before)[0].split("\n") if line not in kept)


def store_of(root: Path) -> RunStore:
    """The archives of a workspace's forgetting."""
    return RunStore(root, "forgotten")


def interrupted(root: Path) -> Iterator[tuple[RunStore, str, str, Diagnostic]]:
    """Runs and undos of any command that were not finished: store, name, command, problem."""
    for area in _AREAS:
        store = RunStore(root, area)
        command = "forget" if area == "forgotten" else area.partition("/")[2] or "reflect"
        for name in store.names():
            undo = store.is_undoing(name)
            if undo or store.is_pending(name):
                place = store.file(name).relative_to(root).as_posix()
                what = f"`lorebank {command}{' --undo' * undo}` (run {name})"
                message = f"{what} was interrupted: some files may be changed, others not yet"
                yield store, name, what, Diagnostic(place, 0, "interrupted", message)


def unreadable(root: Path) -> Iterator[tuple[RunStore, str, str]]:
    """Runs of any command whose record cannot be read: the store, the run's name, and why."""
    for area in _AREAS:
        store = RunStore(root, area)
        for name in store.names():
            try:
                if area == "forgotten":
                    read_run(root, name)
                else:
                    load_run(root, name, area.partition("/")[2])
            except (NotFound, PathRefused) as problem:
                yield store, name, problem.message
            except WorkspaceError:
                continue  # a page of it that cannot be read: its record can


def runs_of(root: Path, order: str) -> tuple[str, ...]:
    """The runs kept of an order, by its digest."""
    runs = (_read_if_sound(root, name) for name in store_of(root).names())
    return tuple(run.name for run in runs if run and run.order == order)


def keep(root: Path, run: KeptRun) -> None:
    """Write a run down, as begun where it is pending."""
    entries: dict[str, bytes] = {}
    files: dict[str, tuple[int, bool, bool]] = {}
    for number, (path, cut) in enumerate(sorted(run.cuts.items())):
        entries[f"{number}.before"] = cut.before
        if cut.after is not None:
            entries[f"{number}.after"] = cut.after
        files[path] = (number, cut.after is not None, cut.derived)
    known = {"texts": run.texts, "hashes": run.hashes, "order": run.order}
    manifest = json.dumps({**known, "purge": run.purge, "files": files}, ensure_ascii=False)
    entries[MANIFEST] = manifest.encode("utf-8", "surrogatepass")  # a note may hold any bytes
    store_of(root).write(run.name, entries, pending=run.pending)


def read_run(root: Path, name: str | None) -> KeptRun:
    """A run by its name, the last one for `None`; `NotFound` where nothing is kept of it."""
    store = store_of(root)
    name = store.find(
        name, none="nothing forgotten is kept", hint="a run is kept until lorebank forget --purge"
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
        words = manifest.get("purge")
        purge = None if words is None else (tuple(words[0]), str(words[1]))
    for path in cuts:
        check_restorable(root, path)
    known = tuple(manifest["texts"]), tuple(manifest["hashes"]), str(manifest.get("order", ""))
    return KeptRun(name, store.is_pending(name), cuts, *known, purge)


def restore(root: Path, name: str | None, *, force: bool = False) -> UndoReport:
    """Give every file of a run (the last where `None`) its lines back, byte for byte.

    What was appended since stays below them, and what another run cut stays cut. A page that
    reflect rewrote since is left to reflect.
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
    return store_of(root).put_back(run.name, changes, edited, stays=bool(edited))


def purge(root: Path, names: Sequence[str], finder: Finder) -> PurgeReport:
    """Drop what is kept of these runs, and the copies of reflect, lint and retain that hold a
    forgotten text or what `finder` knows; what other runs of forgetting keep loses those lines."""
    store = store_of(root)
    runs = {name: _read_if_sound(root, name) for name in store.names()}
    texts = {t for name in names if (run := runs[name]) is not None for t in run.texts}
    copies: list[str] = []
    mended: list[str] = []
    for area in ("", "lint", "retain"):
        copied = undo_store(root, area)
        for name in copied.names():
            if texts and _archive_holds(copied.file(name), texts, finder):
                copied.drop(name)
                copies += [] if area else [name]
    gone = []
    for name, run in runs.items():
        left = run and _without_lines(run, texts, finder)
        if name in names or left is None or all(c.before == c.after for c in left.cuts.values()):
            gone.append(name)
        elif left != run:
            keep(root, left)
            mended.append(name)
    with append_lock(root):  # a killed writer may have left a copy without its name
        for file in temporaries_below(root):
            file.unlink(missing_ok=True)
    for name in sorted(gone, key=store.is_pending):  # the one that a kill lets us go on from, last
        store.drop(name)
    return PurgeReport(tuple(gone), tuple(copies), tuple(mended))


def _read_if_sound(root: Path, name: str) -> KeptRun | None:
    """`None` where it could not be taken back anyway."""
    try:
        return read_run(root, name)
    except (NotFound, PathRefused):
        return None


def _without_lines(run: KeptRun, texts: Collection[str], finder: Finder) -> KeptRun:
    """A run with the lines empty that hold one of the texts or what is found, before and after."""

    def holding(lines: Sequence[str]) -> set[int]:
        ends = list(accumulate(len(line) + 1 for line in lines))
        held = {number - 1 for number, is_sure in finder.lines(lines).items() if is_sure}
        for start, end in _places_of(texts, "\n".join(lines)):
            held.update(range(bisect(ends, start), bisect(ends, end - 1) + 1))
        return held

    def blanked(data: bytes) -> bytes:
        text, encoding = text_of(data)
        lines = text.split("\n")
        for number in holding(lines):
            lines[number] = "\r" * lines[number].endswith("\r")
        return bytes_of("\n".join(lines), encoding)

    cuts = {
        path: replace(cut, before=blanked(cut.before), after=cut.after and blanked(cut.after))
        for path, cut in run.cuts.items()
    }
    gone = holding(run.texts)
    return replace(run, cuts=cuts, texts=tuple(t for n, t in enumerate(run.texts) if n not in gone))


def _places_of(texts: Iterable[str], data: str) -> Iterator[tuple[int, int]]:
    """Where some data holds one of the texts, but as a part of a word: `Ann` in "Planning"."""
    for text in filter(None, texts):
        start = data.find(text)
        while start >= 0:
            end = start + len(text)
            begins_inside = ends_words(text[0]) and _LETTER.match(data[start - 1 : start])
            if not begins_inside and not (ends_words(text[-1]) and _LETTER.match(data, end)):
                yield start, end
            start = data.find(text, end)


def _restored(path: str, cut: Cut, present: bytes | None) -> bytes | None:
    """What the file should hold, nothing where there was none; `None` where it was edited."""
    if path == FORGOTTEN_PAGE:  # which a run only adds to, whatever was done to it since
        added = {*(cut.after or b"").splitlines(), b""} - {*cut.before.splitlines()}
        lines = (present or b"").splitlines(keepends=True)
        kept = b"".join(line for line in lines if line.strip() not in added)
        return kept if kept.strip() else b""
    if cut.after is None:
        return cut.before if present in (None, cut.before) else None
    return carried(cut.after, cut.before, present)


def carried(old: bytes, new: bytes, present: bytes | None) -> bytes | None:
    """A file with the change from `old` to `new` made line by line; `None` where more was done to
    it meanwhile than to append, and to cut lines or put them back."""
    if present is None or present in (old, new):
        return None if present is None else new
    if old and present.startswith(old):
        return new + present[len(old) :]
    before, after, now = (data.split(b"\n") for data in (old, new, present))
    if len(before) != len(after) or len(now) < len(before):
        return None
    lines = []
    for was, becomes, found in zip(before, after, now, strict=False):
        stays = was == becomes
        is_cut = stays and not (was.strip() and found.strip())  # by another run, or put back
        if found not in (was, becomes) and not is_cut:
            return None
        lines.append(found if stays else becomes)
    return b"\n".join([*lines, *now[len(before) :]])


def _archive_holds(archive: Path, texts: Collection[str], finder: Finder) -> bool:
    """Whether any file of an archive holds any of the texts; one that cannot be read might."""
    try:
        entries = unpack(archive.read_bytes()).values()
    except (OSError, zipfile.BadZipFile):
        return True
    return any(
        any(_places_of(texts, text_of(data)[0])) or any(finder.places(data).values())
        for data in entries
    )
