"""Templates by name, and creating the missing files of a workspace.

The built-in packs are in `bank_templates/`; files that a pack lacks come from the pack `default`.
"""

from __future__ import annotations

import difflib
import os
import shutil
from dataclasses import replace
from pathlib import Path

from lorebank.errors import ConcurrentEdit, NotFound, PathRefused, WorkspaceError
from lorebank.templates.pack import MANIFEST, Template, check_manifest, read_manifest, read_pack
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import (
    BANK_FOLDER,
    DERIVED_FOLDER,
    MEMORY_FOLDER,
    ensure_derived_folder,
    is_core,
)
from lorebank.workspace.standing import standing_page_text

DEFAULT_TEMPLATE = "default"


def templates_root() -> Path:
    return _shipped("bank_templates", "bank_templates")


def list_templates() -> tuple[Template, ...]:
    return tuple(map(load_template, _names()))


def load_template(source: str) -> Template:
    """A built-in pack by name, or any pack by path."""
    place = _place(source)
    manifest, files = read_pack(place)
    return replace(read_manifest(manifest, f"{place}/{MANIFEST}"), files=files)


def check_template(source: str) -> tuple[str, ...]:
    """Every problem in a pack's manifest; raises if it cannot be read."""
    manifest, files = read_pack(_place(source))
    template, problems = check_manifest(manifest)
    # The page of the manifest would replace a file of the same name.
    return problems or tuple(
        f"pages.{number}.path: expected a page that workspace/ does not hold as well, not {p.path}"
        for number, p in enumerate(template.pages if template else (), start=1)
        if p.path in files
    )


def _place(source: str) -> Path:
    """The path of a pack; raises `NotFound` with suggestions."""
    names = _names()
    if source in names:
        return templates_root() / source
    is_path = "/" in source or "\\" in source or source.startswith((".", "~"))
    if is_path or source.lower().endswith(".zip") or Path(source).is_dir():
        return Path(source).expanduser()
    near = difflib.get_close_matches(source, names, n=1)
    hint = f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"
    raise NotFound(f"no template {source!r}", hint=hint)


def template_files(template: Template) -> dict[str, bytes]:
    """Workspace path → content of every file of the pack and the default one, sorted."""
    own = {path.casefold() for path in template.files}
    _, plain = read_pack(templates_root() / DEFAULT_TEMPLATE)
    files = {path: content for path, content in plain.items() if path.casefold() not in own}
    files |= template.files
    frame = page_frame("standing")
    files |= {page.path: standing_page_text(page, frame).encode() for page in template.pages}
    return dict(sorted(files.items()))


def page_frame(kind: str) -> str:
    """The initial text of a page (`entity`, `standing`), with placeholders like `{{name}}`."""
    path = templates_root() / DEFAULT_TEMPLATE / "pages" / f"{kind}.md"
    return path.read_text(encoding="utf-8")


def _names() -> list[str]:
    names = [manifest.parent.name for manifest in templates_root().glob(f"*/{MANIFEST}")]
    return sorted(names, key=lambda name: (name != DEFAULT_TEMPLATE, name))


_FOLDERS = (MEMORY_FOLDER, BANK_FOLDER, f"{BANK_FOLDER}/entities", DERIVED_FOLDER)


def init_workspace(
    root: Path, template: str = DEFAULT_TEMPLATE, *, dry_run: bool = False
) -> list[str]:
    """Create what a workspace lacks; returns the created paths, folders with a final `/`.

    Nothing is overwritten. Raises `NotFound` for an unknown template, `PathRefused` if a folder is
    a link, `WorkspaceError` if the folder cannot be written.
    """
    files = missing_files(root, load_template(template))
    for folder in _FOLDERS:
        _refuse_link(root / folder)
    missing = [f"{folder}/" for folder in _FOLDERS if not (root / folder).is_dir()]
    if dry_run:
        return [*missing, *files]
    try:
        root.mkdir(parents=True, exist_ok=True)
        for folder in missing:
            (root / folder).mkdir(exist_ok=True)
    except OSError as error:
        raise WorkspaceError.on_disk(root, error, "cannot be created") from error
    ensure_derived_folder(root)
    return [*missing, *(path for path, data in files.items() if _write_new(root, path, data))]


def missing_files(root: Path, template: Template) -> dict[str, bytes]:
    has_core = root.is_dir() and any(is_core(entry.name) for entry in root.iterdir())
    return {
        path: content
        for path, content in template_files(template).items()
        if not (has_core and is_core(path)) and not _exists(root, path)
    }


def _exists(root: Path, path: str) -> bool:
    """Whether the path exists; raises `PathRefused` if a parent folder is a link."""
    step = root
    for part in path.split("/")[:-1]:
        step /= part
        _refuse_link(step)
    return os.path.lexists(root / path)


def _refuse_link(path: Path) -> None:
    if path.is_symlink():
        raise PathRefused(
            f"{path}: is a symbolic link, which is never followed",
            hint="put a plain folder in its place",
        )


def _write_new(root: Path, path: str, content: bytes) -> bool:
    try:
        write_atomic(root / path, content, expected=None)
    except (ConcurrentEdit, PathRefused):
        return False
    return True


SAMPLE_TODAY = "2025-12-10"
"""The day after the sample's last log, so that "last week" has answers."""


def copy_sample(folder: Path) -> Path:
    """Raises `WorkspaceError` unless the folder is empty or missing."""
    if folder.exists() and any(folder.iterdir()):
        raise WorkspaceError(
            f"{folder} is not empty; nothing was copied", hint="name a new folder for the sample"
        )
    return Path(shutil.copytree(_shipped("sample", "fixtures/harbour"), folder, dirs_exist_ok=True))


def _shipped(name: str, in_checkout: str) -> Path:
    """A folder of the installed package, or of the checkout."""
    from importlib import resources

    package = Path(str(resources.files("lorebank")))
    installed = package / name
    return installed if installed.is_dir() else package.parents[1] / in_checkout
