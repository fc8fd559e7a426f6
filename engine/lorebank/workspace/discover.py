"""Finding the workspace a command is meant for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lorebank.errors import WorkspaceError
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER, MEMORY_FOLDER

__all__ = ["find_workspace"]

_MARKS = (DERIVED_FOLDER, MEMORY_FOLDER, BANK_FOLDER)
_HINT = "`lorebank init DIR` makes a workspace; `--workspace DIR` names one"


def find_workspace(path: Path | None, environ: Mapping[str, str]) -> Path:
    """The workspace folder, absolute and with links on the way to it resolved.

    `path` and then `LOREBANK_WORKSPACE` name it outright. Without either it is the nearest folder,
    from the current one upwards, that holds `.memory/`, `memory/` or `bank/`. `WorkspaceError`
    where there is none.
    """
    if path is not None:
        return _named(path, "")
    if named := environ.get("LOREBANK_WORKSPACE"):
        return _named(Path(named), " (from LOREBANK_WORKSPACE)")
    return _nearest(_current_folder())


def _named(path: Path, origin: str) -> Path:
    try:
        root = path.expanduser().resolve()
        is_folder = root.is_dir()
    except (OSError, RuntimeError, ValueError) as error:
        raise WorkspaceError(f"{path}{origin}: cannot be opened: {error}", hint=_HINT) from error
    if not is_folder:
        what = "is not a folder" if root.exists() else "no such folder"
        raise WorkspaceError(f"{path}{origin}: {what}", hint=_HINT)
    return root


def _current_folder() -> Path:
    try:
        return Path.cwd()
    except OSError as error:
        raise WorkspaceError("the current folder no longer exists", hint=_HINT) from error


def _nearest(start: Path) -> Path:
    for folder in (start, *start.parents):
        if any((folder / mark).is_dir() for mark in _MARKS):
            return folder.resolve()
    raise WorkspaceError(f"no workspace in {start} or any folder above it", hint=_HINT)
