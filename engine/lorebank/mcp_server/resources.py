"""Resources: pages a client may attach, as Markdown."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from lorebank.agent.texts import REVIEW_TOKENS, entity_text, opinion_text, within
from lorebank.errors import LorebankError, NotFound
from lorebank.markdown.recalled import as_recalled
from lorebank.mcp_server.banks import BankThreads
from lorebank.mcp_server.results import in_words_of_tools
from lorebank.workspace.layout import LogPattern

if TYPE_CHECKING:
    from lorebank.app.bank import Bank

T = TypeVar("T")
MARKDOWN = "text/markdown"


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
        found = await read(lambda bank: bank.entity(slug, token_budget=REVIEW_TOKENS))
        return _page(entity_text(found))

    @server.resource(
        "lorebank://opinions",
        title="Opinions",
        description="All beliefs, those held and surest first.",
        mime_type=MARKDOWN,
    )
    async def opinions() -> str:
        found = await read(lambda bank: bank.opinions())
        return _page(opinion_text(found, len(found)))

    @server.resource(
        "lorebank://log/{date}",
        title="A daily log",
        description="The log of one day, such as lorebank://log/2025-11-27.",
        mime_type=MARKDOWN,
    )
    async def log(date: str) -> str:
        return _page(await read(lambda bank: _log(bank, date)))


def _log(bank: Bank, text: str) -> str:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise NotFound(f"'{text}' is not a day", hint="write it as 2025-11-27") from None
    path = LogPattern.compile(bank.config.workspace.log_pattern).path_for(day)
    return bank.get(path, shared=True).text


def _said(problem: LorebankError) -> str:
    said = f"{problem.message}; {problem.hint}" if problem.hint else problem.message
    return in_words_of_tools(said)


def _page(text: str) -> str:
    return as_recalled(within(text, REVIEW_TOKENS, "the rest is told by the tools"))
