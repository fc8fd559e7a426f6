"""What a client may do: set by whoever starts the server, never by an argument of a tool.

Over stdio there is one client and the flags of `lorebank mcp` are its rights. Over HTTP each token
has its own, from `mcp-clients.toml` beside the user's settings:

    [laptop]
    token = "at least sixteen characters"
    agent = "claude-code"
    group = true
    read_only = true
    tools = "all"
    banks = ["home"]
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from contextvars import ContextVar
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from lorebank.domain.facts import Author
from lorebank.errors import ConfigurationError, UsageError
from lorebank.records import Record
from lorebank.settings.files import parse_file, read_text
from lorebank.tools.toolset import DEFAULT_TOOLS, TOOLS, Effect

TOOLS_FOR_SEVERAL = ("recall_all", "memory_search_all", "memory_get_all")
"""Served besides the others where several banks are: each for whom the tool for one bank is."""
CLIENTS_FILE = "mcp-clients.toml"
LEAST_TOKEN = 16


class Access(Record):
    """The rights of one client."""

    agent: str = ""
    """The name its lines bear; that of the client itself where empty."""
    user: str = ""
    """On whose behalf it writes, where several do."""
    session: str = ""
    """Its conversation, where the connection does not tell one."""
    group: bool = False
    """Whether others read along: nothing of the core memory, nothing said in conversations."""
    read_only: bool = False
    decides: bool = False
    """Whether it may rule in the owner's name: accept proposals, confirm what is in quarantine."""
    tools: str = "default"
    """`default`, `all`, or names with commas."""
    banks: tuple[str, ...] | None = None
    """Which of several banks it may ask; all that the server serves where `None`."""

    def permits(self, tool: str, registered: Collection[str]) -> bool:
        """Whether it sees and may call a tool."""
        writes = tool in TOOLS and TOOLS[tool][2] is not Effect.READS
        if self.read_only and writes and tool != "inbox":
            return False
        if self.group and tool in ("inbox", "rule", "confirm", "undo", "forget", "reflect"):
            return False
        one = tool.removesuffix("_all")
        if self.tools == "all" or (self.tools == "default" and tool != one):
            return tool in registered
        named = DEFAULT_TOOLS if self.tools == "default" else _names(self.tools)
        return tool in named or one in named

    def shows(self, tool: str) -> bool:
        """Whether it may read a resource or prompt of a tool: all, unless its tools are named."""
        return self.tools in ("default", "all") or tool in _names(self.tools)


def _names(tools: str) -> list[str]:
    return [name.strip() for name in tools.split(",")]


def check_tools(tools: str, registered: Iterable[str]) -> None:
    """Raise `UsageError` for a name that no tool has."""
    if tools in ("default", "all"):
        return
    known = sorted(registered)
    unknown = [name for name in _names(tools) if name not in known]
    if unknown:
        raise UsageError(
            f"no tool '{unknown[0]}'", hint=f"default, all, or some of {', '.join(known)}"
        )


class Caller(Record):
    """Who is asking now, and what it may do."""

    access: Access
    client: str = ""
    session: str = ""

    @property
    def author(self) -> Author:
        """As whom it writes."""
        agent = self.access.agent or self.client or "agent"
        client = self.client if self.client != agent else ""
        return Author(agent, client, self.session or self.access.session, self.access.user)


_UNKNOWN = Caller(Access())
_caller: ContextVar[Caller] = ContextVar("caller", default=_UNKNOWN)


def caller() -> Caller:
    """The client whose request is being answered."""
    return _caller.get()


def ask_as(client: Caller) -> None:
    """What this task does from now on, that client asked for."""
    _caller.set(client)


def load_clients(folder: Path, default: Access) -> Mapping[str, Access]:
    """Token → rights, as `mcp-clients.toml` says; rights that it does not name are `default`'s."""
    file = folder / CLIENTS_FILE
    if not file.exists():
        return {}
    if os.name != "nt" and file.stat().st_mode & 0o077:
        raise ConfigurationError(f"{file}: others can read the tokens", hint=f"chmod 600 {file}")
    tables = parse_file(file, read_text(file))
    found: dict[str, Access] = {}
    owners: dict[str, str] = {}
    for name, table in tables.items():
        where = f"{file}: [{name}]"
        token, access = _client(where, table, replace(default, agent=name))
        if token in found:
            raise ConfigurationError(f"{where}: [{owners[token]}] has the same token")
        found[token], owners[token] = access, name
    return found


def checked_token(token: Any, where: str) -> str:
    """The token, in what a header can hold as it is; `ConfigurationError` for any other."""
    if isinstance(token, str) and re.fullmatch(rf"(?! )[ -~]{{{LEAST_TOKEN},}}(?<! )", token):
        return token
    raise ConfigurationError(f"{where}: expected at least {LEAST_TOKEN} printable ASCII characters")


def _client(where: str, table: Any, default: Access) -> tuple[str, Access]:
    if not isinstance(table, dict):
        raise ConfigurationError(f"{where}: expected a table of rights")
    rights = dict(table)
    token = checked_token(rights.pop("token", ""), f"{where}: token")
    banks = rights.get("banks")
    if isinstance(banks, list) and all(isinstance(bank, str) for bank in banks):
        rights["banks"] = tuple(banks)
    kinds = {field.name: type(getattr(default, field.name)) for field in fields(Access)}
    kinds["banks"] = tuple
    for key, value in rights.items():
        if not isinstance(value, kinds.get(key, ())):
            raise ConfigurationError(f"{where}: {key} = {value!r} is not a valid client permission")
    try:
        check_tools(rights.get("tools", "all"), [*TOOLS, *TOOLS_FOR_SEVERAL])
    except UsageError as problem:
        raise ConfigurationError(f"{where}: {problem.message}", hint=problem.hint) from problem
    return token, replace(default, **rights)
