"""Where lorebank may keep derived files of this user, and the hashes of model files kept there."""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
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


_DIGITS = 16
"""64 bits: the handful of model files of one user will not collide."""
_REMEMBERED = 64
"""Files whose hash is kept; beyond them the oldest goes."""


def content_hash(file: Path) -> str:
    """Sixteen hexadecimal digits of the file's bytes. Raises `OSError` where it cannot be read.

    Reading 300 MB takes as long as several questions, so the hash is kept in the user's cache
    directory with the file's size and times; a file of other times is read again.
    """
    place = file.resolve()
    stat = place.stat()
    stamp = [stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino]
    known = _known()
    held = known.get(str(place))
    if isinstance(held, list) and held[:-1] == stamp and isinstance(held[-1], str):
        return held[-1]
    with place.open("rb") as opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()[:_DIGITS]
    known.pop(str(place), None)
    _remember(dict([*known.items(), (str(place), [*stamp, digest])][-_REMEMBERED:]))
    return digest


def _file() -> Path | None:
    directory = cache_directory()
    return directory / "model-hashes.json" if directory else None


def _known() -> dict[str, object]:
    file = _file()
    if file is None:
        return {}
    try:
        known = json.loads(file.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return known if isinstance(known, dict) else {}


def _remember(known: dict[str, object]) -> None:
    """Without a writable directory every process reads the file."""
    file = _file()
    if file is None:
        return
    fresh = file.with_name(f"{file.name}.{os.getpid()}")
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh.write_text(json.dumps(known), "utf-8")
        fresh.replace(file)
