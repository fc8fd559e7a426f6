"""Taking a run back: the bytes of each page before a run, kept in `.memory/undo/<run>.zip`.

Lint and retain keep theirs the same way, each in a folder of its own (`area`) and with any memory
file; a run of reflect is only ever taken back on pages of the bank.

They are on disk before the first page is written, so a run that was killed can be taken back as
well. They are derived: without them the pages are as good as before, only the way back is gone.
A page that is no longer what the run made of it is never overwritten. A secret that somebody wrote
on a page is not copied: it is masked in the copy, and taken from the page itself on the way back.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from lorebank.domain import UndoReport
from lorebank.errors import ConcurrentEdit, NotFound, PathRefused
from lorebank.language.secrets import find_secrets, redact
from lorebank.records import dataclass
from lorebank.workspace.atomic import remove_whole, write_atomic
from lorebank.workspace.layout import BANK_FOLDER, ensure_derived_folder
from lorebank.workspace.paths import is_linked

KEPT_RUNS = 30
"""Of so many runs the way back is kept."""
_RUN = re.compile(r"\A\d{4}-\d{2}-\d{2}-\d+\Z")
_MANIFEST = "manifest.json"
_MASKS = "masks.json"
Mask = tuple[list[tuple[int, int]], str | None]
"""Where the secrets of a page stood, in characters, and the digest of the page with them."""


@dataclass(frozen=True, slots=True)
class Change:
    """The bytes of one file before and after a run; `None` where it did not exist."""

    before: bytes | None
    after: bytes | None


@dataclass(frozen=True, slots=True)
class BegunRun:
    """A run that has changed files already."""

    name: str
    changes: Mapping[str, Change]


def runs(root: Path, area: str = "") -> tuple[str, ...]:
    """The runs that can be taken back, oldest first."""
    names = [file.stem for file in _folder(root, area).glob("*.zip") if _RUN.match(file.stem)]
    return tuple(sorted(names, key=_order))


def next_run(root: Path, day: str, journal: str = "", area: str = "") -> str:
    """A name for the run: the day and a number that neither a journal nor an undo file bears."""
    known = [int(run.rpartition("-")[2]) for run in runs(root, area) if run.startswith(day)]
    told = [int(number) for number in re.findall(r"^## Run (\d+)", journal, re.MULTILINE)]
    return f"{day}-{max([0, *known, *told]) + 1}"


def keep_for_undo(root: Path, run: str, changes: Mapping[str, Change], area: str = "") -> None:
    """Keep what the files held, under the name of the run; the oldest runs are forgotten."""
    buffer = io.BytesIO()
    manifest: dict[str, dict[str, str | None]] = {}
    masks: dict[str, Mask] = {}
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number, (path, change) in enumerate(sorted(changes.items())):
            blob = None if change.before is None else str(number)
            manifest[path] = {"before": blob, "after": _digest(change.after)}
            if blob is not None and change.before is not None:
                kept, mask = masked(change.before)
                archive.writestr(blob, kept)
                if mask is not None:
                    masks[path] = mask
        archive.writestr(_MANIFEST, json.dumps(manifest, ensure_ascii=False))
        archive.writestr(_MASKS, json.dumps(masks, ensure_ascii=False))
    ensure_derived_folder(root)
    file = _file(root, run, area)
    write_atomic(file, buffer.getvalue(), expected=file.read_bytes() if file.exists() else None)
    for old in runs(root, area)[:-KEPT_RUNS]:
        _file(root, old, area).unlink(missing_ok=True)


def drop_run(root: Path, run: str) -> None:
    """Forget what is kept of a run; there is no way back from it then."""
    _file(root, run).unlink(missing_ok=True)


def undo_run(root: Path, run: str | None, *, force: bool = False, area: str = "") -> UndoReport:
    """Give every file of a run (the last where `None`) the bytes it had before.

    Raises `NotFound` where nothing is kept of it, `ConcurrentEdit` where a page was changed since;
    with `force`, such pages are left alone and named.
    """
    name = _named(root, run, area)
    changes = _read(root, name, area)
    present = {path: _present(root / path) for path in changes}
    edited = [
        path for path, (before, after) in changes.items() if not _fits(present[path], before, after)
    ]
    if edited and not force:
        raise ConcurrentEdit(
            f"changed since run {name}: {', '.join(edited)}; nothing was undone",
            hint=f"undo later runs first, or restore the others with --undo {name} --force"
            if not area
            else "edit the file by hand",
        )
    restored = []
    for path, (before, _) in changes.items():
        if path in edited:
            continue
        if present[path] != before:
            if before is None:
                remove_whole(root / path, expected=present[path] or b"")
            else:
                write_atomic(root / path, before, expected=present[path])
        restored.append(path)
    _file(root, name, area).unlink(missing_ok=True)
    return UndoReport(name, tuple(sorted(restored)), tuple(sorted(edited)))


def _named(root: Path, run: str | None, area: str) -> str:
    known = runs(root, area)
    if run is None and known:
        return known[-1]
    if run is not None and run in known:
        return run
    near = f"runs that can be undone: {', '.join(known[-5:])}" if known else ""
    what = "no run can be undone" if run is None else f"nothing is kept to undo run '{run}'"
    raise NotFound(
        what, hint=near or f"runs are kept from the next `lorebank {area or 'reflect'}` on"
    )


def _read(root: Path, run: str, area: str) -> dict[str, tuple[bytes | None, str | None]]:
    """Path → the bytes before, and the digest of those after."""
    try:
        with zipfile.ZipFile(_file(root, run, area)) as archive:
            manifest = json.loads(archive.read(_MANIFEST))
            known = _MASKS in archive.namelist()
            masks = json.loads(archive.read(_MASKS)) if known else {}
            found: dict[str, tuple[bytes | None, str | None]] = {}
            for path, entry in manifest.items():
                check_place(root, path, bank_only=not area)
                kept = None if entry["before"] is None else archive.read(entry["before"])
                if kept is not None and path in masks:
                    kept = unmasked(kept, _present(root / path) or b"", masks[path])
                found[path] = (kept, entry["after"])
            return found
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as problem:
        raise NotFound(
            f"what was kept to undo run '{run}' cannot be read: {problem}",
            hint="version control may still hold the pages",
        ) from problem


def masked(data: bytes) -> tuple[bytes, Mask | None]:
    """A copy without the secrets that stand in it, and what brings them back."""
    found = redact(_text(data))
    kept = found.text.encode("utf-8", "surrogateescape")
    spans = [(secret.start, secret.end) for secret in found.secrets]
    return kept, (spans, _digest(data)) if spans else None


def unmasked(kept: bytes, present: bytes, mask: Mask) -> bytes:
    """A masked copy with the secrets that still stand on the page; `ValueError` where one is gone.

    A run never touches what a person wrote, so that they stand there in the same order.
    """
    page, text = _text(present), _text(kept)
    spans, whole = mask
    pieces: list[str] = []
    position = 0
    for (start, end), secret in zip(spans, find_secrets(page), strict=False):
        pieces += (text[position:start], page[secret.start : secret.end])
        position = end
    data = "".join([*pieces, text[position:]]).encode("utf-8", "surrogateescape")
    if _digest(data) != whole:
        raise ValueError("a secret that stood on a page is gone from it")
    return data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def check_place(root: Path, path: str, *, bank_only: bool = True) -> None:
    """Only pages of the bank, or notes, come back: the file in `.memory/` may be anybody's."""
    steps = PurePosixPath(path)
    folder = steps.parts[0] == BANK_FOLDER if bank_only else not steps.parts[0].startswith(".")
    inside = folder and ".." not in steps.parts and not steps.is_absolute()
    if not inside or steps.suffix != ".md" or "\\" in path or ":" in path:
        raise PathRefused(f"{path}: is no page of the bank, and was not restored")
    if is_linked(root, path):
        raise PathRefused(f"{path}: is reached by a symbolic link, and was not restored")


def _fits(present: bytes | None, before: bytes | None, after: str | None) -> bool:
    """As the run left it, or as it was: a run that was killed wrote only some of its pages."""
    return present == before or _digest(present) == after


def _present(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None


def _digest(data: bytes | None) -> str | None:
    return None if data is None else blake2b(data, digest_size=16).hexdigest()


def _order(run: str) -> tuple[str, int]:
    day, _, number = run.rpartition("-")
    return day, int(number)


def _folder(root: Path, area: str = "") -> Path:
    return root / ".memory" / "undo" / area


def _file(root: Path, run: str, area: str = "") -> Path:
    return _folder(root, area) / f"{run}.zip"
