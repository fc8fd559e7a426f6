"""Laying out a workspace from a bank template; what is there already stays as it is."""

from __future__ import annotations

from pathlib import Path

from lorebank.errors import ConcurrentEdit, PathRefused, WorkspaceError
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.derived import ensure_derived_folder
from lorebank.workspace.layout import (
    BANK_FOLDER,
    CORE_FILE,
    DERIVED_FOLDER,
    MEMORY_FOLDER,
    is_core,
)
from lorebank.workspace.templates import DEFAULT_TEMPLATE, load_template, template_files

__all__ = ["init_workspace"]

_FOLDERS = (MEMORY_FOLDER, BANK_FOLDER, f"{BANK_FOLDER}/entities")


def init_workspace(root: Path, template: str = DEFAULT_TEMPLATE) -> list[str]:
    """Make what a workspace lacks; returns the workspace paths made, folders with a final `/`.

    Nothing is overwritten, so a second run makes nothing. Raises `NotFound` for an unknown
    template, `PathRefused` where a folder of the layout is a link, `WorkspaceError` where the
    folder cannot be written.
    """
    files = template_files(load_template(template))
    made = _make_folders(root)
    if _has_core(root):
        files.pop(CORE_FILE, None)
    for path, content in files.items():
        if _write_new(root, path, content):
            made.append(path)
    return made


def _make_folders(root: Path) -> list[str]:
    made = []
    try:
        root.mkdir(parents=True, exist_ok=True)
        for folder in _FOLDERS:
            if _is_missing(root, folder):
                (root / folder).mkdir()
                made.append(f"{folder}/")
    except OSError as error:
        raise WorkspaceError(f"{root}: cannot be laid out: {error.strerror}") from error
    if _is_missing(root, DERIVED_FOLDER):
        made.append(f"{DERIVED_FOLDER}/")
    ensure_derived_folder(root)
    return made


def _is_missing(root: Path, folder: str) -> bool:
    path = root / folder
    if path.is_symlink():
        raise PathRefused(
            f"{path}: is a symbolic link, which is never followed",
            hint="put a plain folder in its place",
        )
    return not path.is_dir()


def _has_core(root: Path) -> bool:
    return any(is_core(entry.name) for entry in root.iterdir())


def _write_new(root: Path, path: str, content: bytes) -> bool:
    """Whether the file was made; anything in its place, a link too, is left alone."""
    folder = path.rpartition("/")[0]
    if folder:
        _is_missing(root, folder)
    try:
        write_atomic(root / path, content, expected=None)
    except (ConcurrentEdit, PathRefused):
        return False
    return True
