"""Hooks in the settings of hosts: of Claude Code in its `settings.json`, of any other host as shell
functions in a block of a start-up file.

What Claude Code's SessionStart prints is put before the model, at a start and after a compaction;
what its PreCompact prints is not. So PreCompact only notes that a compaction came, and the words
that ask to store what lasts stand in what the SessionStart after it prints.
"""

from __future__ import annotations

import re
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

from lorebank.agent.hooks.json_splice import cut, put
from lorebank.errors import ConfigurationError, UsageError
from lorebank.records import Record
from lorebank.settings.openclaw import parse_json5
from lorebank.workspace.atomic import write_atomic

EVENTS = {"SessionStart": "session-start", "PreCompact": "pre-compact"}
"""Claude Code's event → what `lorebank hooks run` calls it."""
TIMEOUT_S = 30
_OWN = re.compile(r"\blorebank\b.* hooks run (?:session-start|pre-compact)\Z")
_BEGIN = "# >>> lorebank >>>"
_END = "# <<< lorebank <<<"
_BLOCK = re.compile(rf"^{_BEGIN}$.*?^{_END}$\n?", re.MULTILINE | re.DOTALL)


class HookChange(Record):
    host: str
    file: str
    changed: bool


def start_arguments(root: Path) -> list[str]:
    """How a program starts this lorebank in a workspace."""
    found = shutil.which("lorebank")
    start = [found] if found else [sys.executable, "-m", "lorebank"]
    return [*start, "-w", str(root)]


def start_command(root: Path) -> str:
    return shlex.join(start_arguments(root))


def change_hooks(
    host: str, *, file: Path | None, command: str | None, environ: Mapping[str, str]
) -> HookChange:
    """`command` is `None` to remove them; `ConfigurationError` leaves the file untouched."""

    def edit(text: str) -> str | None:
        after = with_hooks(host, text, command)
        return after if after or not text else None  # nothing else was ever in the file

    by_hand = f"what `lorebank hooks print {host}` prints"
    return edit_settings(host, file or _default_file(host, environ), edit, by_hand)


def edit_settings(
    host: str, file: Path, edit: Callable[[str], str | None], by_hand: str
) -> HookChange:
    """Write what `edit` makes of a host's settings; `None` takes the file away.

    `ConfigurationError` where the file cannot be read, or where `edit` raises `ValueError`; it is
    untouched then. `by_hand` says what is put in.
    """
    target = file.expanduser().resolve()
    try:
        before = target.read_bytes() if target.exists() else None
        text = (before or b"").decode("utf-8")
        after = edit(text)
    except OSError as error:
        raise ConfigurationError(f"{target}: cannot be read: {error.strerror}") from error
    except ValueError as problem:
        raise ConfigurationError(
            f"{target}: {problem}; nothing was changed",
            hint=f"mend it, or put in by hand {by_hand}",
        ) from problem
    if after is None:
        target.unlink(missing_ok=True)
    elif after != text:
        write_atomic(target, after.encode(), expected=before)
    return HookChange(host, str(target), before is not None if after is None else after != text)


def with_hooks(host: str, text: str, command: str | None) -> str:
    """Without hooks for `None`; `ValueError` where the text cannot take them."""
    if host == "claude-code":
        return _in_claude_code(text, command)
    if host == "shell":
        return _in_shell(text, command)
    raise UsageError(f"unknown host '{host}'", hint="use claude-code or shell")


def _in_claude_code(text: str, command: str | None) -> str:
    for event, name in EVENTS.items() if command else reversed(EVENTS.items()):
        wanted = f"{command} hooks run {name}"
        if command and [found for _, found in _own_commands(text, event)] == [wanted]:
            continue
        while found := _own_commands(text, event):
            text = cut(text, found[0][0])
        if command:
            entry = {"hooks": [{"type": "command", "command": wanted, "timeout": TIMEOUT_S}]}
            text = put(text, ["hooks", event], entry, into_list=True)
    return text


def _own_commands(text: str, event: str) -> list[tuple[list[str | int], str]]:
    """The commands of lorebank's that stand at an event, each with the path that leads to it."""
    settings = parse_json5(text) if text.strip() else {}
    hooks = settings.get("hooks") if isinstance(settings, dict) else None
    groups = hooks.get(event) if isinstance(hooks, dict) else None
    return [
        (["hooks", event, number, "hooks", place], hook["command"])
        for number, group in enumerate(groups if isinstance(groups, list) else [])
        if isinstance(group, dict) and isinstance(group.get("hooks"), list)
        for place, hook in enumerate(group["hooks"])
        if isinstance(hook, dict) and _OWN.search(str(hook.get("command")))
    ]


def _in_shell(text: str, command: str | None) -> str:
    if command is None:
        return _BLOCK.sub("", text)
    block = f"""{_BEGIN}
# lorebank_context: what an agent is told at its start; takes --budget-tokens N and --group.
lorebank_context() {{ {command} context "$@"; }}
# lorebank_flush --tokens N --context-window N: prints what to ask the agent before a compaction,
# nothing while there is time; lorebank_flush --reply TEXT prints what of its reply is for the user.
lorebank_flush() {{ {command} flush "$@"; }}
{_END}
"""
    if _BLOCK.search(text):
        return _BLOCK.sub(lambda found: block, text, count=1)
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}{block}"


def _default_file(host: str, environ: Mapping[str, str]) -> Path:
    home = Path(environ["HOME"]) if environ.get("HOME") else Path.home()
    if host == "claude-code":
        folder = environ.get("CLAUDE_CONFIG_DIR")
        return (Path(folder) if folder else home / ".claude") / "settings.json"
    is_zsh = Path(environ.get("SHELL", "")).name == "zsh"
    return home / (".zshrc" if is_zsh else ".bashrc")
