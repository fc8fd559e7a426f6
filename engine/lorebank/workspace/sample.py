"""The sample workspace: eight days of an assistant's log, shipped to try things out on."""

from __future__ import annotations

import shutil
from pathlib import Path

from lorebank.errors import WorkspaceError

SAMPLE_TODAY = "2025-12-10"
"""The day after its last log; questions about "last week" are asked on it."""


def copy_sample(folder: Path) -> Path:
    """Copy the sample into a folder that must be empty or missing; returns it."""
    if folder.exists() and any(folder.iterdir()):
        raise WorkspaceError(
            f"{folder} is not empty; nothing was copied", hint="name a new folder for the sample"
        )
    return Path(shutil.copytree(_sample_root(), folder, dirs_exist_ok=True))


def _sample_root() -> Path:
    """Inside the installed package, or among the fixtures of a checkout."""
    from importlib import resources

    package = Path(str(resources.files("lorebank")))
    installed = package / "sample"
    return installed if installed.is_dir() else package.parents[1] / "fixtures" / "harbour"
