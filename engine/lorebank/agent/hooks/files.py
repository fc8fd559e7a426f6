"""Where a host's settings are, and writing them: whole or not at all, only where they change."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

from lorebank.agent.hooks import claude_code, shell
from lorebank.errors import ConfigurationError, UsageError
from lorebank.records import Record
from lorebank.workspace.atomic import write_atomic

HOSTS = ("claude-code", "shell")
_MODULES: dict[str, ModuleType] = {"claude-code": claude_code, "shell": shell}


class HookChange(Record):
    """What installing or removing did to a host's file."""

    host: str
    file: str
    changed: bool


def start_arguments(root: Path) -> list[str]:
    """How a program starts this lorebank in a workspace."""
    found = shutil.which("lorebank")
    start = [found] if found else [sys.executable, "-m", "lorebank"]
    return [*start, "-w", str(root)]


def start_command(root: Path) -> str:
    """How a shell starts this lorebank in a workspace."""
    return shlex.join(start_arguments(root))


def hook_snippet(host: str, command: str) -> str:
    """What `install` would write into an empty file."""
    text: str = _module(host).snippet(command)
    return text


def change_hooks(
    host: str, *, file: Path | None, command: str | None, environ: Mapping[str, str]
) -> HookChange:
    """Install the hooks that start with `command`, or remove them where it is `None`.

    `ConfigurationError` where the file cannot be read or holds what the hooks cannot be put into;
    it is untouched then.
    """
    module = _module(host)
    target = (file.expanduser() if file else _default_file(host, environ)).resolve()
    before, text = read_settings(target)
    try:
        after: str = module.remove(text) if command is None else module.install(text, command)
    except ValueError as problem:
        raise ConfigurationError(
            f"{target}: {problem}; nothing was changed",
            hint=f"mend it, or put in by hand what `lorebank hooks print {host}` prints",
        ) from problem
    changed = after != text
    if changed:  # an empty file is no JSON
        kept = after if after or host != "claude-code" else "{}\n"
        write_atomic(target, kept.encode(), expected=before)
    return HookChange(host, str(target), changed)


def _module(host: str) -> ModuleType:
    if host not in _MODULES:
        raise UsageError(f"unknown host '{host}'", hint=f"use {', '.join(HOSTS)}")
    return _MODULES[host]


def _default_file(host: str, environ: Mapping[str, str]) -> Path:
    home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    if host == "claude-code":
        folder = environ.get("CLAUDE_CONFIG_DIR")
        return (Path(folder) if folder else home / ".claude") / "settings.json"
    is_zsh = Path(environ.get("SHELL", "")).name == "zsh"
    return home / (".zshrc" if is_zsh else ".bashrc")


def read_settings(file: Path) -> tuple[bytes | None, str]:
    """The bytes of a host's file, `None` where there is none, and its text."""
    try:
        before = file.read_bytes() if file.exists() else None
        return before, (before or b"").decode("utf-8")
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{file}: is not UTF-8 at byte {error.start}") from error
