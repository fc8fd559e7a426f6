"""Taking a forgetting back while its lines are kept, and dropping what is kept for good."""

from __future__ import annotations

import zipfile
from pathlib import Path

from lorebank.custody.forget import texts_of
from lorebank.custody.forgotten import Cut, discard, kept_runs, read_run
from lorebank.domain import PurgeReport, UndoReport
from lorebank.errors import ConcurrentEdit
from lorebank.reflect.under_way import RECORD
from lorebank.reflect.undo import drop_run, runs
from lorebank.workspace.atomic import remove_whole, write_atomic
from lorebank.workspace.layout import FORGOTTEN_PAGE


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
        texts = texts_of(read_run(root, each))
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
