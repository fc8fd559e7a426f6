"""Opening a workspace, and laying one out."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Unpack

from lorebank.app.workspace import RECOGNISED, OpenWorkspace, Resources
from lorebank.settings.config import Change, load_config
from lorebank.workspace.discover import find_workspace, recognise
from lorebank.workspace.layout import BANK_FOLDER, DERIVED_FOLDER, ensure_derived_folder


def open_workspace(
    path: str | Path | None = None,
    *,
    bank: str | None = None,
    environ: Mapping[str, str] | None = None,
    offline: bool = False,
    flags: Sequence[Change] = (),
    **how: Unpack[Resources],
) -> OpenWorkspace:
    """See `Bank.open`."""
    environment = os.environ if environ is None else environ
    root = find_workspace(None if path is None else Path(path), environment, bank=bank)
    if offline:
        flags = (*flags, Change("embedder.offline", True, "offline"))
    config = load_config(root, environment, flags, _recognised(root))
    return OpenWorkspace(root, config, environ=environment, **how)


def init_workspace(
    path: str | Path,
    *,
    template: str = "default",
    now: date | None = None,
    environ: Mapping[str, str] | None = None,
) -> OpenWorkspace:
    """See `Bank.init`."""
    from lorebank.templates.scaffold import init_workspace as lay_out

    root = Path(path).expanduser().resolve()
    created = _adopted(root) if recognise(root) else lay_out(root, template)
    environment = os.environ if environ is None else environ
    config = load_config(root, environment, defaults=_recognised(root))
    return OpenWorkspace(root, config, now=now, created=created, environ=environment)


def plan_init(path: str | Path, *, template: str = "default") -> tuple[str, ...]:
    """What `init` would make, as workspace paths; nothing is written."""
    from lorebank.templates.scaffold import init_workspace as lay_out

    root = Path(path).expanduser().resolve()
    if recognise(root):
        return tuple(f"{name}/" for name in _OWN_FOLDERS if not (root / name).is_dir())
    return tuple(lay_out(root, template, dry_run=True))


_OWN_FOLDERS = (BANK_FOLDER, DERIVED_FOLDER)
"""What is written in the folder of another program: nothing else there is touched."""


def _adopted(root: Path) -> list[str]:
    """Make room in a folder of another program; what was made."""
    made = [f"{name}/" for name in _OWN_FOLDERS if not (root / name).is_dir()]
    ensure_derived_folder(root)
    (root / BANK_FOLDER).mkdir(exist_ok=True)
    return made


def _recognised(root: Path) -> list[Change]:
    """Settings for a folder of another program, read where it lies.

    Until something is written for it, its index is kept in the user's cache: commands that only
    read leave the folder as it is.
    """
    form = recognise(root)
    if form is None:
        return []
    from lorebank.settings.files import cache_directory

    origin = f"{RECOGNISED}{form.name}"
    found = [
        Change("workspace.log_pattern", form.log_pattern, origin),
        Change("workspace.extra_paths", (".",), origin),
        Change("workspace.exclude", form.exclude, origin),
    ]
    cache = cache_directory()
    if cache is not None and not (root / DERIVED_FOLDER).is_dir():
        index = str(cache / "indexes" / "{workspace}.sqlite")
        found.append(Change("index.path", index, origin))
        found.append(Change("embedder.cache.shared", True, origin))
    return found
