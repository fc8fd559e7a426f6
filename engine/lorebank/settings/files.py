"""Settings files and the user's folders: locate, read, edit in place by `tomlkit`, verify."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from lorebank.errors import ConfigurationError

_TOML_PLACE = r" \((?:at line (\d+), column (\d+)|at end of document)\)\Z"
MAX_BYTES = 64 * 1024
"""Of a TOML file: a workspace may come from anybody, and settings are read by every command."""
MAX_LINES = 2_000
_DEEP_KEY = re.compile(r"""(?<![\w"'-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){50}""")
"""A key with absurdly many parts: parsing takes quadratic time."""


def workspace_config_path(workspace: Path) -> Path:
    return workspace / ".memory" / "config.toml"


def user_config_path(environ: Mapping[str, str], platform: str = sys.platform) -> Path | None:
    """The user's settings file, existing or not; `None` without a home directory.

    `LOREBANK_CONFIG` names it; otherwise it is in `XDG_CONFIG_HOME` or the platform's folder.
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
    """A link in a workspace could point to any file of the user's."""
    if path.is_symlink() or path.parent.is_symlink():
        raise ConfigurationError(
            f"{path}: is reached by a symbolic link, which is never followed in a workspace",
            hint="put a plain file in its place",
        )


def read_text(path: Path) -> str:
    if not path.is_file():
        raise ConfigurationError(f"{path}: is not a file")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise ConfigurationError(
                f"{path}: is larger than {MAX_BYTES // 1024} kB, and is not read",
                hint="settings take a few lines; shorten the file or move it away",
            )
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ConfigurationError(f"{path}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: is not UTF-8 at byte {error.start}") from error


def parse_toml(text: str) -> dict[str, Any]:
    """Parse TOML; raises `ValueError` if it is invalid or unreasonably large."""
    import tomllib

    if len(text) > MAX_BYTES or text.count("\n") > MAX_LINES:
        size = f"{MAX_BYTES // 1024} kB or {MAX_LINES:,} lines"
        raise ValueError(f"it is longer than {size} (at end of document)")
    if deep := _DEEP_KEY.search(text):
        line = text.count("\n", 0, deep.start()) + 1
        raise ValueError(f"a key has too many parts (at line {line}, column 1)")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def parse_file(path: Path, text: str) -> dict[str, Any]:
    """Parse a settings file; raises `ConfigurationError` with the line of an error."""
    try:
        return parse_toml(text)
    except ValueError as error:
        what = str(error)
        found = re.search(_TOML_PLACE, what)
        line = (found[1] if found else None) or text.count("\n") + 1
        what = re.sub(_TOML_PLACE, f", column {found[2]}" if found and found[2] else "", what)
        what = what.replace("Cannot overwrite a value", "a key is set twice")
        raise ConfigurationError(
            f"{path}:{line}: is not valid TOML: {what[:1].lower()}{what[1:]}"
        ) from error


def replace_file(file: Path, text: str) -> None:
    """Write a settings file atomically; links in the user's own folder are followed."""
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
        raise ConfigurationError.on_disk(file, error) from error


Key = tuple[str, ...]
_MAX_VALUE_LINES = 200
"""Of one value, when looking for its key."""
Value = bool | int | float | str | tuple[Any, ...] | dict[str, Any]


def edited(text: str, file: Path, changes: Mapping[Key, Value | None]) -> str:
    """The text of a settings file with these keys set, or removed for `None`."""
    for key, value in changes.items():
        try:
            text = set_key(text, key, value)
        except ValueError as error:
            hint = f"set {'.'.join(key)} in an editor"
            raise ConfigurationError(f"{file}: {error}", hint=hint) from error
    return text


def find_line(text: str, key: Key) -> int | None:
    """The 1-based line of a key or its table, for errors."""
    lines = text.split("\n")
    best, found, start, header = 0, None, 0, ""
    for end in range(1, len(lines) + 1):
        if end - start > _MAX_VALUE_LINES:
            break
        statement = "\n".join(lines[start:end])
        is_header = statement.lstrip().startswith("[")
        document = _parse(statement if is_header else f"{header}\n{statement}")
        if document is None:
            continue  # inside a value of several lines
        header = statement if is_header else header
        depth = _depth(document, key)
        if depth > best:
            best, found = depth, start + 1
        start = end
    return found


def set_key(text: str, key: Key, value: Value | None) -> str:
    """Set or (for `None`) remove a key; raises `ValueError` if that cannot be done in place."""
    import tomllib

    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    is_crlf = text.count("\r\n") == text.count("\n") > 0
    document = tomlkit.parse(text.replace("\r\n", "\n") if is_crlf else text)
    table: Any = document
    expected = tomllib.loads(text)
    inner = expected
    try:
        for name in key[:-1]:
            if name not in table:
                table[name] = tomlkit.table(is_super_table=name != key[-2])
            table, inner = table[name], inner.setdefault(name, {})
        if value is None:
            del table[key[-1]], inner[key[-1]]
        else:
            # A comment at the end of a table usually belongs to the next one: insert before it.
            body = [] if key[-1] in table or table is document else table.value.body
            trailing: list[Any] = []
            while body and body[-1][0] is None:
                trailing.insert(0, body.pop())
            table[key[-1]] = _item(value)
            body += trailing
            inner[key[-1]] = list(value) if isinstance(value, tuple) else value
    except (TOMLKitError, KeyError, TypeError, AttributeError) as problem:
        raise _uneditable(key) from problem
    edited = document.as_string()
    edited = edited.replace("\n", "\r\n") if is_crlf else edited
    if _parse(edited) != expected:
        raise _uneditable(key)
    return edited


def toml_text(value: object) -> str:
    return str(_item(value).as_string())


def _item(value: Any) -> Any:
    import tomlkit

    if isinstance(value, dict):
        table = tomlkit.inline_table()
        table.update({name: _item(each) for name, each in value.items()})
        return table
    if isinstance(value, tuple | list):
        array = tomlkit.array()
        array.extend([_item(each) for each in value])
        return array
    return tomlkit.item(value)


def _depth(document: Any, key: Key) -> int:
    for depth, name in enumerate(key):
        if not isinstance(document, dict) or name not in document:
            return depth
        document = document[name]
    return len(key)


def _parse(text: str) -> dict[str, Any] | None:
    import tomllib

    try:
        return tomllib.loads(f"{text}\n")  # a CR at the end is only valid before an LF
    except tomllib.TOMLDecodeError:
        return None


def _uneditable(key: Key) -> ValueError:
    return ValueError(f"{'.'.join(key)} is written in a form that cannot be edited in place")


def cache_directory(environ: Mapping[str, str] = os.environ) -> Path | None:
    """Existing or not; `None` without a home directory."""
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
