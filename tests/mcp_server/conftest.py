"""A server over a copy of the small workspace, and calling it as a client does."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from mcp.client import Client
from mcp.types import CallToolResult

from lorebank import Bank
from lorebank.mcp_server.access import Access
from lorebank.mcp_server.server import LorebankServer, build_server
from mcp_client import client_of
from support import WORDS_ONLY

TODAY = date(2025, 12, 10)
Call = Callable[..., CallToolResult]
Ask = Callable[[Callable[[Client], Awaitable[Any]]], Any]


@pytest.fixture
def workspace(copy_fixture: Callable[[str], Path]) -> Path:
    return copy_fixture("harbour")


@pytest.fixture
def opens(workspace: Path) -> Callable[..., Bank]:
    """What opens a Bank of the workspace, for a group where it is asked to."""

    def open_bank(*, group: bool = False) -> Bank:
        return Bank.open(workspace, now=TODAY, environ=WORDS_ONLY, group=group)

    return open_bank


@pytest.fixture
def server(opens: Callable[..., Bank]) -> Iterator[LorebankServer]:
    made, banks = build_server(opens, access=Access(tools="all"))
    yield made
    banks.close()


@pytest.fixture
def ask(server: LorebankServer) -> Ask:
    """`ask(lambda client: client.list_tools())`."""

    def run(question: Callable[[Client], Awaitable[Any]]) -> Any:
        async def session() -> Any:
            async with client_of(server) as client:
                return await question(client)

        return asyncio.run(session())

    return run


@pytest.fixture
def call(ask: Ask) -> Call:
    """`call("recall", query="…")`, checked by the client against the tool's output schema."""

    def run(tool: str, **arguments: Any) -> CallToolResult:
        async def question(client: Client) -> Any:
            await client.list_tools()
            return await client.call_tool(tool, arguments)

        found = ask(question)
        assert isinstance(found, CallToolResult)
        return found

    return run
