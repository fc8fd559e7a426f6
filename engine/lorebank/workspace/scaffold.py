"""Laying out a workspace from a bank template; what is there already stays as it is."""

from __future__ import annotations

import os
from pathlib import Path

from lorebank.errors import ConcurrentEdit, PathRefused, WorkspaceError
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.derived import ensure_derived_folder
from lorebank.workspace.layout import (
    BANK_FOLDER,
    DERIVED_FOLDER,
    MEMORY_FOLDER,
    is_core,
)
from lorebank.workspace.templates import (
    DEFAULT_TEMPLATE,
    Template,
    load_template,
    template_files,
)

_FOLDERS = (MEMORY_FOLDER, BANK_FOLDER, f"{BANK_FOLDER}/entities")


def init_workspace(
    root: Path, template: str = DEFAULT_TEMPLATE, *, dry_run: bool = False
) -> list[str]:
    """Make what a workspace lacks; returns the workspace paths made, folders with a final `/`.

    Nothing is overwritten, so a second run makes nothing; `dry_run` only tells what a run would
    make. Raises `NotFound` for an unknown template, `PathRefused` where a folder of the layout is
    a link, `WorkspaceError` where the folder cannot be written.
    """
    files = missing_files(root, load_template(template))
    if dry_run:
        return [*_missing_folders(root), *files]
    made = _make_folders(root)
    for path, content in files.items():
        if _write_new(root, path, content):
            made.append(path)
    return made


def missing_files(root: Path, template: Template) -> dict[str, bytes]:
    """What the template brings and the workspace has not, by workspace path."""
    has_core = root.is_dir() and any(is_core(entry.name) for entry in root.iterdir())
    return {
        path: content
        for path, content in template_files(template).items()
        if not (has_core and is_core(path)) and not _is_taken(root, path)
    }


def _is_taken(root: Path, path: str) -> bool:
    """Whether anything is in the file's place; `PathRefused` where a link is on the way to it."""
    step = root
    for part in path.split("/")[:-1]:
        step /= part
        _refuse_link(step)
    return os.path.lexists(root / path)


def _missing_folders(root: Path) -> list[str]:
    return [f"{folder}/" for folder in (*_FOLDERS, DERIVED_FOLDER) if _is_missing(root, folder)]


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
    _refuse_link(path)
    return not path.is_dir()


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise PathRefused(
            f"{path}: is a symbolic link, which is never followed",
            hint="put a plain folder in its place",
        )


def _write_new(root: Path, path: str, content: bytes) -> bool:
    """Whether the file was made; anything in its place, a link too, is left alone."""
    try:
        write_atomic(root / path, content, expected=None)
    except (ConcurrentEdit, PathRefused):
        return False
    return True
