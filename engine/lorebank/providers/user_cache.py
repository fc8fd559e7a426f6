"""Where lorebank may keep derived files of this user."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path


def cache_directory(environ: Mapping[str, str] = os.environ) -> Path | None:
    """The directory, which need not exist yet; None if the user has no home.

    `XDG_CACHE_HOME` wins on every platform; a relative one is ignored, as its standard says.
    """
    chosen = Path(environ.get("XDG_CACHE_HOME", ""))
    if chosen.is_absolute():
        return chosen / "lorebank"
    try:
        home = Path.home()
    except RuntimeError:
        return None
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "lorebank"
    if sys.platform == "win32":
        return Path(environ.get("LOCALAPPDATA") or home / "AppData" / "Local", "lorebank", "cache")
    return home / ".cache" / "lorebank"
