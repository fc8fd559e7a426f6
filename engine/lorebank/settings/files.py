"""Where settings are kept: the user's file and the workspace's, read and replaced whole."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lorebank.errors import ConfigurationError

_TOML_PLACE = r" \((?:at line (\d+), column (\d+)|at end of document)\)\Z"


def workspace_config_path(workspace: Path) -> Path:
    """Where a workspace keeps its own settings."""
    return workspace / ".memory" / "config.toml"


def user_config_path(environ: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """Where the user's settings are, whether or not the file exists.

    `LOREBANK_CONFIG` names the file itself, and a missing one sets nothing; else it is in
    `XDG_CONFIG_HOME`, where set, or the platform's folder. `None` where the environment names no
    home.
    """
    if named := environ.get("LOREBANK_CONFIG"):
        return Path(named).expanduser()
    folder = _config_home(environ, platform)
    return folder / "lorebank" / "config.toml" if folder else None


def _config_home(environ: Mapping[str, str], platform: str) -> Path | None:
    xdg = Path(environ.get("XDG_CONFIG_HOME", ""))
    if xdg.is_absolute():
        return xdg
    if platform == "win32":
        return Path(environ["APPDATA"]) if environ.get("APPDATA") else None
    if not environ.get("HOME"):
        return None
    home = Path(environ["HOME"])
    return home / "Library" / "Application Support" if platform == "darwin" else home / ".config"


def refuse_link(path: Path) -> None:
    """A workspace's file could be aimed at any other of the user's."""
    if path.is_symlink() or path.parent.is_symlink():
        raise ConfigurationError(
            f"{path}: is reached by a symbolic link, which is never followed in a workspace",
            hint="put a plain file in its place",
        )


def read_text(path: Path) -> str:
    if not path.is_file():
        raise ConfigurationError(f"{path}: is not a file")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: is not UTF-8 at byte {error.start}") from error


def parse_file(path: Path, text: str) -> dict[str, Any]:
    """The tables of a settings file. `ConfigurationError` names the line that is no TOML."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        what = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        found = re.search(_TOML_PLACE, what)
        line = (found[1] if found else None) or text.count("\n") + 1
        what = re.sub(_TOML_PLACE, f", column {found[2]}" if found and found[2] else "", what)
        what = what.replace("Cannot overwrite a value", "a key is set twice")
        raise ConfigurationError(
            f"{path}:{line}: is not valid TOML: {what[:1].lower()}{what[1:]}"
        ) from error


def replace_file(file: Path, text: str) -> None:
    """Write a settings file whole or not at all; a link in the user's own folder is followed."""
    import tempfile

    target = file.resolve()
    temporary = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as handle:
            temporary = Path(handle.name)
            handle.write(text.encode())
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except OSError as error:
        if temporary:
            temporary.unlink(missing_ok=True)
        raise ConfigurationError(f"{file}: cannot be written: {error.strerror}") from error
