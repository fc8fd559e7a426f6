"""Finding the workspace a command is meant for.

What names it, the first that does: a folder or a registered bank given outright, the variable
`LOREBANK_WORKSPACE`, the nearest folder upwards that is a workspace, the user's default bank.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from lorebank.errors import UsageError, WorkspaceError
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER, MEMORY_FOLDER

_MARKS = (DERIVED_FOLDER, MEMORY_FOLDER, BANK_FOLDER, ".obsidian", "logseq")
_HINT = "`lorebank init DIR` makes a workspace; `--workspace DIR` or `--bank NAME` names one"


def find_workspace(
    path: Path | None, environ: Mapping[str, str], *, bank: str | None = None
) -> Path:
    """The workspace folder, absolute and with links on the way to it resolved.

    `path` or `bank` (a registered name), and then `LOREBANK_WORKSPACE`, name it outright. Without
    any it is the nearest folder, from the current one upwards, that holds `.memory/`, `memory/` or
    `bank/`, or is a vault or graph; else the current one where it holds dated notes, else the
    user's default bank. `WorkspaceError` where there is none.
    """
    if bank is not None:
        if path is not None:
            raise UsageError("a folder and a bank are both named", hint="give one of them")
        from lorebank.workspace.registry import load_registry  # where a bank is named

        return load_registry(environ).root(bank)
    if path is not None:
        return _named(path, "")
    if named := environ.get("LOREBANK_WORKSPACE"):
        return _named(Path(named), " (from LOREBANK_WORKSPACE)")
    return _nearest(_current_folder(), environ)


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


def _nearest(start: Path, environ: Mapping[str, str]) -> Path:
    for folder in (start, *start.parents):
        if any((folder / mark).is_dir() for mark in _MARKS):
            return folder.resolve()
    from lorebank.workspace.recognise import recognise
    from lorebank.workspace.registry import default_bank  # where no workspace is near

    if recognise(start):
        return start.resolve()
    if default := default_bank(environ):
        return default
    raise WorkspaceError(f"no workspace in {start} or any folder above it", hint=_HINT)
