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

from lorebank.errors import NotFound, PathRefused
from lorebank.records import dataclass
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.derived import ensure_derived_folder
from lorebank.workspace.layout import is_markdown
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
