"""Resources: pages a client may attach, as Markdown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from lorebank.errors import LorebankError, NotFound
from lorebank.mcp_server.banks import BankThreads
from lorebank.mcp_server.entity_text import entity_text
from lorebank.mcp_server.texts import opinion_text
from lorebank.workspace.layout import LogPattern

if TYPE_CHECKING:
    from lorebank.app import Bank

T = TypeVar("T")
MARKDOWN = "text/markdown"
_PAGE_TOKENS = 4000


def add_resources(server: MCPServer, banks: BankThreads) -> None:
    """Register `lorebank://entity/{slug}`, `lorebank://opinions` and `lorebank://log/{date}`."""

    async def read(job: Callable[[Bank], T]) -> T:
        try:
            return await banks.call(job)
        except NotFound as problem:
            raise ResourceNotFoundError(_said(problem)) from problem
        except LorebankError as problem:
            raise ResourceError(_said(problem)) from problem

    @server.resource(
        "lorebank://entity/{slug}",
        title="An entity",
        description="What is known of one entity: opinions, facts, neighbours.",
        mime_type=MARKDOWN,
    )
    async def entity(slug: str) -> str:
        return entity_text(await read(lambda bank: bank.entity(slug, token_budget=_PAGE_TOKENS)))

    @server.resource(
        "lorebank://opinions",
        title="Opinions",
        description="All beliefs, those held and surest first.",
        mime_type=MARKDOWN,
    )
    async def opinions() -> str:
        found = await read(lambda bank: bank.opinions())
        return opinion_text(found, len(found))

    @server.resource(
        "lorebank://log/{date}",
        title="A daily log",
        description="The log of one day, such as lorebank://log/2025-11-27.",
        mime_type=MARKDOWN,
    )
    async def log(date: str) -> str:
        return await read(lambda bank: _log(bank, date))


def _log(bank: Bank, text: str) -> str:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise NotFound(f"'{text}' is not a day", hint="write it as 2025-11-27") from None
    path = LogPattern.compile(bank.config.workspace.log_pattern).path_for(day)
    return bank.get(path, shared=True).text


def _said(problem: LorebankError) -> str:
    return f"{problem.message}; {problem.hint}" if problem.hint else problem.message
