"""Tools over several banks: there only where the server was told of them, and reading only."""

import asyncio
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from lorebank import Bank, Banks
from lorebank.mcp_server.access import Access
from lorebank.mcp_server.server import LorebankServer, build_server
from lorebank.workspace.registry import add_bank
from mcp_client import client_of
from support import WORDS_ONLY

TOOLS = {"recall_all", "memory_search_all", "memory_get_all"}


@pytest.fixture
def environ(copy_fixture: Callable[[str], Path], tmp_path: Path) -> dict[str, str]:
    found = WORDS_ONLY | {"LOREBANK_CONFIG": str(tmp_path / "config.toml")}
    add_bank(found, "home", copy_fixture("harbour"))
    log = tmp_path / "work" / "memory" / "2025-12-01.md"
    log.parent.mkdir(parents=True)
    log.write_text("---\ncontext: Ledgers.\n---\n## Retain\n- W @Ada: Audits zeppelins.\n")
    add_bank(found, "work", tmp_path / "work")
    return found


@pytest.fixture
def server(environ: dict[str, str]) -> Iterator[LorebankServer]:
    made, banks = build_server(
        lambda group=False: Bank.open(bank="home", environ=environ, group=group),
        open_banks=lambda group=False: Banks.open(environ=environ, group=group),
        access=Access(tools="all"),
    )
    yield made
    banks.close()


def call(server: LorebankServer, tool: str, **arguments: Any) -> Any:
    async def session() -> Any:
        async with client_of(server) as client:
            await client.list_tools()
            return await client.call_tool(tool, arguments)

    return asyncio.run(session())


def tool_names(server: LorebankServer) -> set[str]:
    return set(server.tools)


def test_without_several_banks_no_tool_reaches_another(environ: dict[str, str]) -> None:
    alone, banks = build_server(
        lambda group=False: Bank.open(bank="home", environ=environ, group=group)
    )
    try:
        assert not tool_names(alone) & TOOLS
        found = call(alone, "recall", query="who audits zeppelins?")
        assert "zeppelins" not in found.content[0].text
        assert call(alone, "memory_get", path="work:memory/2025-12-01.md").is_error
    finally:
        banks.close()


def test_hits_of_several_banks_are_cited_so_that_they_can_be_read(server: LorebankServer) -> None:
    assert tool_names(server) >= TOOLS
    found = call(server, "recall_all", query="who audits zeppelins?")
    text = found.content[0].text
    assert text.startswith("<recalled-from-memory>") and "[work:memory/2025-12-01.md#L5]" in text
    assert "   context: Ledgers." in text
    read = call(server, "memory_get_all", place="work:memory/2025-12-01.md#L5")
    assert "\n- W @Ada: Audits zeppelins.\n" in read.structured_content["text"]
    searched = call(server, "memory_search_all", query="zeppelins")
    passages = searched.structured_content["text"]
    assert passages.startswith("<recalled-from-memory>\nwork:memory/2025-12-01.md#L")
    refused = call(server, "memory_get_all", place="work:../harbour/memory.md")
    assert refused.is_error


def test_what_is_private_or_secret_in_any_bank_stays_there(
    server: LorebankServer, tmp_path: Path
) -> None:
    log = tmp_path / "work" / "memory" / "2025-12-02.md"
    log.write_text(
        "# Day\n\nThe wifi password is hunter2secret99.\n\n<private>\nOwes Ada.\n</private>\n"
    )
    read = call(server, "memory_get_all", place="work:memory/2025-12-02.md")
    text = read.content[0].text + str(read.structured_content)
    assert "The wifi password is" in text
    assert "hunter2secret99" not in text
    assert "Owes Ada" not in text
