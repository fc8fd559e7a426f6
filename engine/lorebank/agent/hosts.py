"""lorebank in the settings of hosts, and taken out again byte for byte: hooks, and its MCP server.

Claude Code puts before the model what its SessionStart prints, not what PreCompact does; so that
only notes that a compaction came. Other hosts get shell functions; in TOML a block between two
marks is appended.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import sys
import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from lorebank.agent.json_splice import cut, put
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
_SHELL_BLOCK = re.compile(rf"^{_BEGIN}$.*?^{_END}$\n?", re.MULTILINE | re.DOTALL)


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
        # Nothing else was ever in the file; a shell's may well be empty.
        return after if after or not text or host == "shell" else None

    by_hand = f"what `lorebank hooks print {host}` prints"
    of_shell = ".zshrc" if Path(environ.get("SHELL", "")).name == "zsh" else ".bashrc"
    own = Path(".claude/settings.json" if host == "claude-code" else of_shell)
    return edit_settings(host, file or _in_home(own, host, environ), edit, by_hand)


def edit_settings(
    host: str, file: Path, edit: Callable[[str], str | None], by_hand: str
) -> HookChange:
    """Write what `edit` makes of a host's settings; `None` takes the file away.
    `ConfigurationError` leaves it untouched where it cannot be read, or where `edit` raises
    `ValueError`; `by_hand` says what is put in."""
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
    if host == "shell":
        return _in_shell(text, command)
    if host != "claude-code":
        raise UsageError(f"unknown host '{host}'", hint="use claude-code or shell")
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
        return _SHELL_BLOCK.sub("", text)
    block = f"""{_BEGIN}
# lorebank_context: what an agent is told at its start; takes --budget-tokens N and --group.
lorebank_context() {{ {command} context "$@"; }}
# lorebank_flush --tokens N --context-window N: prints what to ask the agent before a compaction,
# nothing while there is time; lorebank_flush --reply TEXT prints what of its reply is for the user.
lorebank_flush() {{ {command} flush "$@"; }}
{_END}
"""
    if _SHELL_BLOCK.search(text):
        return _SHELL_BLOCK.sub(lambda found: block, text, count=1)
    gap = "" if not text or text.endswith("\n") else "\n"
    return f"{text}{gap}{block}"


def _in_home(path: Path, host: str, environ: Mapping[str, str]) -> Path:
    """A path below the user's home, or below the folder that the host's variable names."""
    if folder := environ.get(_FOLDERS.get(host, "")):
        return Path(folder) / path.name
    return (Path(environ["HOME"]) if environ.get("HOME") else Path.home()) / path


NAME = "memory"
"""What the server is called in the settings of a host: tools read `mcp__memory__recall`."""
_TOML_BLOCK = re.compile(r"\n?# lorebank: begin\n.*?# lorebank: end\n", re.DOTALL)


class Host(Record):
    """Where a host keeps its servers."""

    file: Mapping[str, str]
    """Platform (`sys.platform`, "" for any other) → path below the home, `{…}` from the
    environment."""
    table: tuple[str, ...] = ("mcpServers",)
    """The keys that lead to the table; of TOML where the file is."""
    typed: bool = False
    """Whether an entry says that it is started over stdio."""


_CODE = "Code/User/mcp.json"
_DESKTOP = "Claude/claude_desktop_config.json"
_MAC = "Library/Application Support"
HOSTS: Mapping[str, Host] = {
    "claude-code": Host({"": ".claude.json"}, typed=True),
    "claude-desktop": Host(
        {
            "darwin": f"{_MAC}/{_DESKTOP}",
            "win32": f"AppData/Roaming/{_DESKTOP}",
            "": f".config/{_DESKTOP}",
        }
    ),
    "codex": Host({"": ".codex/config.toml"}, ("mcp_servers",)),
    "cursor": Host({"": ".cursor/mcp.json"}),
    "gemini": Host({"": ".gemini/settings.json"}),
    "openclaw": Host({"": ".openclaw/openclaw.json"}, ("mcp", "servers")),
    "vscode": Host(
        {"darwin": f"{_MAC}/{_CODE}", "win32": f"AppData/Roaming/{_CODE}", "": f".config/{_CODE}"},
        ("servers",),
        typed=True,
    ),
}
_FOLDERS = {"codex": "CODEX_HOME", "claude-code": "CLAUDE_CONFIG_DIR"}
"""Host → variable that names the folder of its settings."""


def settings_file(host: str, environ: Mapping[str, str], platform: str = sys.platform) -> Path:
    known = HOSTS[host].file
    return _in_home(Path(known.get(platform, known[""])), host, environ)


def connect(host: str, file: Path, command: Sequence[str] | None) -> HookChange:
    """`command` is `None` to take the server out; `ConfigurationError` leaves all untouched."""
    by_hand = f"these lines:\n{snippet(host, command)}" if command else "what is to stay"
    return edit_settings(host, file, lambda text: _edited(host, text, command), by_hand)


def snippet(host: str, command: Sequence[str]) -> str:
    return _edited(host, "", command) or ""


def _edited(host: str, text: str, command: Sequence[str] | None) -> str | None:
    """The settings with the server or without; `None` where nothing else was ever in the file."""
    edit = _in_toml if HOSTS[host].file[""].endswith(".toml") else _in_json
    return edit(text, HOSTS[host], None if command is None else list(command))


def _in_json(text: str, host: Host, command: list[str] | None) -> str | None:
    there: Any = parse_json5(text) if text.strip() else {}
    for key in (*host.table, NAME):
        there = there.get(key) if isinstance(there, dict) else None
    words = [there.get("command"), *(there.get("args") or ())] if isinstance(there, dict) else []
    is_own = "lorebank" in {Path(str(word)).stem for word in words}
    without = cut(text, [*host.table, NAME]) if is_own else text
    if command is None:
        return None if is_own and without == "" else without
    if there is not None and not is_own:
        raise _another_server(host)
    entry: dict[str, Any] = {"type": "stdio"} if host.typed else {}
    return put(without, [*host.table, NAME], entry | _entry(command))


def _another_server(host: Host) -> ValueError:
    return ValueError(f"{'.'.join(host.table)}.{NAME} is another server")


def _entry(command: list[str]) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:]}


def _in_toml(text: str, host: Host, command: list[str] | None) -> str | None:
    without = _TOML_BLOCK.sub("", text)
    if command is None:
        return None if text and not without else without
    servers = tomllib.loads(without).get(host.table[0], {})
    if NAME in servers:
        raise _another_server(host)
    rows = [f"{key} = {json.dumps(value)}" for key, value in _entry(command).items()]
    block = ["# lorebank: begin", f"[{host.table[0]}.{NAME}]", *rows, "# lorebank: end", ""]
    text = f"{without}{chr(10) * bool(without)}" + "\n".join(block)
    try:
        tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:  # an inline table takes no further entry
        raise ValueError(f"{host.table[0]} cannot be extended as written: {problem}") from None
    return text
