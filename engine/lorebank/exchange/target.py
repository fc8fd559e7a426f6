"""Where an export goes: a file or a folder, whole or not at all, over nothing unless told to.

A new folder is filled beside its place and takes it in one step. With `force`, files of an earlier
export are written over one by one, those it no longer has are removed by the list it left, and
whatever else lies there stays.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from lorebank.errors import WorkspaceError
from lorebank.exchange.names import safe_path
from lorebank.workspace.atomic import write_atomic

LIST = "export.json"
"""Names the files of the export beside it."""


def write_target_file(target: Path, text: str, *, force: bool) -> None:
    """Write one file; `WorkspaceError` where there is one with something in it."""
    if target.is_dir():
        raise WorkspaceError(f"{target}: is a folder", hint="name a file")
    before = target.read_bytes() if target.exists() else None
    if before and not force:
        raise _taken(target)
    write_atomic(target, text.encode("utf-8"), expected=before)


def write_target_folder(target: Path, files: Mapping[str, str], *, force: bool) -> None:
    """Write the files below a folder; `WorkspaceError` where something lies there already."""
    listed = {LIST: json.dumps({"files": sorted(files)}, ensure_ascii=False, indent=1) + "\n"}
    if os.path.lexists(target) and (target.is_symlink() or not target.is_dir()):
        raise WorkspaceError(f"{target}: is no folder", hint="name another place")
    if target.is_dir() and any(target.iterdir()):
        if not force:
            raise _taken(target)
        _write_over(target, {**files, **listed})
        return
    _fill_and_move(target, {**files, **listed})


def _fill_and_move(target: Path, files: Mapping[str, str]) -> None:
    fresh = target.with_name(f".{target.name}.{os.urandom(6).hex()}.lorebank-tmp")
    try:
        for path, text in files.items():
            file = fresh / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, "utf-8", newline="")
        if target.is_dir():
            target.rmdir()
        fresh.rename(target)
    except OSError as error:
        raise WorkspaceError(f"{target}: cannot be written: {error.strerror}") from error
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write_over(target: Path, files: Mapping[str, str]) -> None:
    for path in _earlier(target) - files.keys():
        (target / path).unlink(missing_ok=True)
    for path, text in files.items():
        file = target / path
        before = file.read_bytes() if file.exists() else None
        if before != text.encode("utf-8"):
            write_atomic(file, text.encode("utf-8"), expected=before)


def _earlier(target: Path) -> set[str]:
    """What an earlier export wrote here, of names that an export can have."""
    try:
        said = json.loads((target / LIST).read_bytes())["files"]
        return {path for path in said if isinstance(path, str) and safe_path(path) == path}
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return set()


def _taken(target: Path) -> WorkspaceError:
    return WorkspaceError(
        f"{target}: is there already and not empty",
        hint="name another place, or write over it with --force",
    )
