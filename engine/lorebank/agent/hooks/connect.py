"""lorebank as an MCP server in the settings of hosts, and taken out again byte for byte.

In JSON an entry goes into the table of servers; a table that is made for it begins on a new line,
one that stood there empty is filled in place, so that removing can tell which to take away. In
TOML a block between two marks is appended.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from lorebank.agent.hooks.hosts import HookChange, edit_settings
from lorebank.agent.hooks.json_splice import cut, put
from lorebank.records import Record

NAME = "memory"
"""What the server is called there: tools read `mcp__memory__recall`."""
_BLOCK = re.compile(r"\n?# lorebank: begin\n.*?# lorebank: end\n", re.DOTALL)


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
    path = Path(known.get(platform, known[""]))
    if folder := environ.get(_FOLDERS.get(host, "")):
        return Path(folder) / path.name
    return (Path(environ["HOME"]) if environ.get("HOME") else Path.home()) / path


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
    without = cut(text, [*host.table, NAME]) if text.strip() else text
    if command is None:
        return None if without == "" else without
    entry: dict[str, Any] = {"type": "stdio"} if host.typed else {}
    return put(without, [*host.table, NAME], entry | _entry(command))


def _entry(command: list[str]) -> dict[str, Any]:
    return {"command": command[0], "args": command[1:]}


def _in_toml(text: str, host: Host, command: list[str] | None) -> str | None:
    without = _BLOCK.sub("", text)
    if command is None:
        return None if text and not without else without
    servers = tomllib.loads(without).get(host.table[0], {})
    if NAME in servers:
        raise ValueError(f"{host.table[0]}.{NAME} is another server")
    rows = [f"{key} = {json.dumps(value)}" for key, value in _entry(command).items()]
    block = ["# lorebank: begin", f"[{host.table[0]}.{NAME}]", *rows, "# lorebank: end", ""]
    return f"{without}{chr(10) * bool(without)}" + "\n".join(block)
