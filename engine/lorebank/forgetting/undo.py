"""The undo store: what was cut, kept in `.memory/forgotten/<run>.zip` until it is purged.

It is on disk before the first file is written, under a name that says so (`….pending.zip`): a run
that was killed is finished by the next one, whatever that is asked to do.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import date
from pathlib import Path, PurePosixPath
from typing import Any

from lorebank.domain import PurgeReport, UndoReport
from lorebank.errors import ConcurrentEdit, NotFound, PathRefused
from lorebank.nightly.under_way import RECORD
from lorebank.nightly.undo import drop_run, runs
from lorebank.records import dataclass
from lorebank.workspace.atomic import remove_whole, write_atomic
from lorebank.workspace.layout import FORGOTTEN_PAGE, ensure_derived_folder, is_markdown
from lorebank.workspace.paths import is_linked

_RUN = re.compile(r"\A\d{4}-\d{2}-\d{2}-\d+\Z")
_PENDING = ".pending"
_MANIFEST = "manifest.json"


@dataclass(frozen=True, slots=True)
class Cut:
    """The bytes of one file before and after; `after` is `None` where the file goes."""

    before: bytes
    """Empty where there was no such file."""
    after: bytes | None
    derived: bool = False
    """Whether only what is made of other lines was cut: a page that reflect writes anew."""


@dataclass(frozen=True, slots=True)
class KeptRun:
    """One run as it is kept."""

    name: str
    pending: bool
    """Whether it was begun and not finished."""
    cuts: Mapping[str, Cut]
    texts: tuple[str, ...]
    """What was forgotten, as notes and pages write it."""
    hashes: tuple[str, ...] = field(default=())
    """Keys of texts that were embedded, from the files that were cut."""

    @property
    def needles(self) -> tuple[bytes, ...]:
        """What was forgotten, as bytes to look for."""
        return tuple(text.encode("utf-8", "surrogatepass") for text in self.texts)


def kept_runs(root: Path) -> tuple[str, ...]:
    """The names of the runs that are kept, oldest first, pending ones included."""
    stems = {file.stem.removesuffix(_PENDING) for file in _folder(root).glob("*.zip")}
    return tuple(sorted((s for s in stems if _RUN.match(s)), key=_order))


def next_run(root: Path, day: date) -> str:
    """A name that no kept run bears."""
    known = [int(n.rpartition("-")[2]) for n in kept_runs(root) if n.startswith(day.isoformat())]
    return f"{day.isoformat()}-{max([0, *known]) + 1}"


def keep(
    root: Path, name: str, cuts: Mapping[str, Cut], texts: Sequence[str], hashes: Sequence[str]
) -> None:
    """Write a run down as begun."""
    buffer = io.BytesIO()
    manifest: dict[str, Any] = {"texts": list(texts), "hashes": list(hashes), "files": {}}
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (path, cut) in enumerate(sorted(cuts.items())):
            archive.writestr(f"{number}.before", cut.before)
            if cut.after is not None:
                archive.writestr(f"{number}.after", cut.after)
            manifest["files"][path] = [number, cut.after is not None, cut.derived]
        archive.writestr(_MANIFEST, json.dumps(manifest, ensure_ascii=False))
    ensure_derived_folder(root)
    file = _file(root, name + _PENDING)
    write_atomic(file, buffer.getvalue(), expected=file.read_bytes() if file.exists() else None)


def finish(root: Path, name: str) -> None:
    """Say that a run is done."""
    _file(root, name + _PENDING).replace(_file(root, name))


def discard(root: Path, name: str) -> None:
    """Drop what is kept of a run."""
    for ending in ("", _PENDING):
        _file(root, name + ending).unlink(missing_ok=True)


def read_run(root: Path, name: str | None) -> KeptRun:
    """A run by its name, the last one for `None`; `NotFound` where nothing is kept of it."""
    known = kept_runs(root)
    if name is None and known:
        name = known[-1]
    if name is None or name not in known:
        near = f"runs that are kept: {', '.join(known[-5:])}" if known else ""
        what = "nothing forgotten is kept" if name is None else f"nothing is kept of run '{name}'"
        raise NotFound(what, hint=near or "a run is kept until lorebank forget --purge")
    pending = not _file(root, name).exists()
    file = _file(root, name + _PENDING if pending else name)
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = json.loads(archive.read(_MANIFEST))
            cuts = {
                path: Cut(
                    archive.read(f"{number}.before"),
                    archive.read(f"{number}.after") if stays else None,
                    bool(derived),
                )
                for path, (number, stays, derived) in manifest["files"].items()
            }
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as problem:
        raise NotFound(
            f"what was kept of run '{name}' cannot be read: {problem}",
            hint="version control may still hold the lines",
        ) from problem
    for path in cuts:
        _check_place(root, path)
    return KeptRun(name, pending, cuts, tuple(manifest["texts"]), tuple(manifest["hashes"]))


def _check_place(root: Path, path: str) -> None:
    """Only notes come back: the file in `.memory/` may be anybody's."""
    steps = PurePosixPath(path)
    odd = steps.is_absolute() or ".." in steps.parts or any(p.startswith(".") for p in steps.parts)
    if odd or not is_markdown(steps.name) or "\\" in path or ":" in path or is_linked(root, path):
        raise PathRefused(f"{path}: is no note of this workspace, and was not restored")


def _order(run: str) -> tuple[str, int]:
    day, _, number = run.rpartition("-")
    return day, int(number)


def _folder(root: Path) -> Path:
    return root / ".memory" / "forgotten"


def _file(root: Path, stem: str) -> Path:
    return _folder(root) / f"{stem}.zip"


def restore(root: Path, name: str | None, *, force: bool = False) -> UndoReport:
    """Give every file of a run (the last where `None`) its lines back, byte for byte.

    What was appended since stays below them. A page that reflect wrote anew since is left to
    reflect. Raises `ConcurrentEdit` where a note was changed otherwise; with `force`, such notes
    are left alone and named.
    """
    run = read_run(root, name)
    present = {path: _present(root / path) for path in run.cuts}
    wanted = {path: _restored(path, cut, present[path]) for path, cut in run.cuts.items()}
    edited = [path for path, data in wanted.items() if data is None and not run.cuts[path].derived]
    if edited and not force:
        raise ConcurrentEdit(
            f"changed since run {run.name}: {', '.join(edited)}; nothing was restored",
            hint=f"restore the others with --undo {run.name} --force",
        )
    restored = []
    for path, data in wanted.items():
        if data is None:
            continue
        if not data:
            if (left := present[path]) is not None:
                remove_whole(root / path, expected=left)
        elif present[path] != data:
            write_atomic(root / path, data, expected=present[path])
        restored.append(path)
    if not edited:
        discard(root, run.name)
    return UndoReport(run.name, tuple(sorted(restored)), tuple(sorted(edited)))


def purge(root: Path, name: str | None = None) -> PurgeReport:
    """Drop what is kept of a run, of all where `None`, and the copies of pages that reflect keeps
    for its own undo where they hold a forgotten text."""
    names = kept_runs(root) if name is None else (read_run(root, name).name,)
    copies: list[str] = []
    for each in names:
        texts = read_run(root, each).needles
        for run in runs(root):
            if _holds(root / ".memory" / "undo" / f"{run}.zip", texts):
                drop_run(root, run)
                copies.append(run)
        if (root / RECORD).exists() and _holds(root / RECORD, texts):
            (root / RECORD).unlink()
        discard(root, each)
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


def _holds(archive: Path, texts: tuple[bytes, ...]) -> bool:
    """Whether any file of an archive holds any of the texts; one that cannot be read might."""
    try:
        with zipfile.ZipFile(archive) as opened:
            return any(
                text in data for data in map(opened.read, opened.namelist()) for text in texts
            )
    except (OSError, zipfile.BadZipFile):
        return True


def _present(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
