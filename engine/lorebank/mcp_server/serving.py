"""The tools of `lorebank.tools`, served: run on the bank's threads, for the client that calls."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from inspect import Signature
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult, ToolAnnotations
from pydantic import Field

from lorebank.agent.texts import REVIEW_TOKENS, passage_text, within
from lorebank.app.bank import Bank
from lorebank.mcp_server.access import caller
from lorebank.mcp_server.banks import BankThreads
from lorebank.mcp_server.results import delivered, recalled
from lorebank.tools.toolset import (
    TOOLS,
    Count,
    Delivered,
    Effect,
    Lines,
    Query,
    StartLine,
    Toolset,
    parameters_of,
)

_HOST_TOOLS = ("memory_search", "memory_get")
_RECALL_ALL = """\
As recall, asked of several memories that know nothing of each other. Each hit is cited as
bank:path#line; read on with memory_get_all. A bank that could not be asked is named in the notes.
"""


def _annotations(effect: Effect) -> ToolAnnotations:
    """Of a tool whose world is closed: it reaches nothing but the workspace."""
    return ToolAnnotations(
        read_only_hint=effect is Effect.READS,
        destructive_hint=effect in (Effect.REWRITES, Effect.SETTLES),
        idempotent_hint=effect in (Effect.READS, Effect.SETTLES, Effect.REFLECTS),
        open_world_hint=False,
    )


def add_tools(server: MCPServer, banks: BankThreads, *, memory_tools: bool) -> None:
    """Register every tool; `memory_search` and `memory_get` only with `memory_tools`."""
    for name, (method, title, effect) in TOOLS.items():
        if memory_tools or name not in _HOST_TOOLS:
            run = banks.call if effect is Effect.READS else banks.call_writer
            tool = _served(method, run)
            server.add_tool(tool, name, title, method.__doc__, annotations=_annotations(effect))


def _served(method: Callable[..., Delivered], run: Callable[..., Awaitable[Any]]) -> Any:
    """The method as a coroutine with the signature that its schema is made of."""

    async def call(**arguments: Any) -> CallToolResult:
        access, author = caller().access, caller().author

        def job(bank: Bank) -> Delivered:
            tools = Toolset(bank, author, decides=access.decides, read_only=access.read_only)
            return method(tools, **arguments)

        return delivered(**await run(job))

    result = Annotated[CallToolResult, Delivered]
    call.__signature__ = Signature(  # type: ignore[attr-defined]
        parameters_of(method), return_annotation=result
    )
    return call


def add_tools_for_several(server: MCPServer, banks: BankThreads) -> None:
    """Register recall_all, memory_search_all and memory_get_all."""
    reads = _annotations(Effect.READS)
    recall_all = _served(Toolset.recall, banks.call_several)
    server.add_tool(
        recall_all, "recall_all", "Recall from all banks", _RECALL_ALL, annotations=reads
    )

    @server.tool(title="Search all banks", annotations=reads)
    async def memory_search_all(query: Query, k: Count = 6) -> Annotated[CallToolResult, Delivered]:
        """As memory_search, in the files of several memories; paths begin with the bank's name."""
        found = await banks.call_several(lambda several: several.memory_search(query, k=k))
        failed = [f"{part.bank}: {part.error}" for part in found.banks if part.error]
        text = "\n\n".join([passage_text(found.hits), *failed])
        return recalled(within(text, REVIEW_TOKENS, "ask for fewer"))

    @server.tool(title="Read a file of any bank", annotations=reads)
    async def memory_get_all(
        place: Annotated[
            str, Field(description="As cited: work:memory/2025-11-27.md, or with #L10-L20.")
        ],
        start_line: StartLine = None,
        lines: Lines = None,
    ) -> Annotated[CallToolResult, Delivered]:
        """Read a memory file of one of the banks. Paths outside their memory are refused."""
        text = await banks.call_several(
            lambda several: several.get(place, start_line=start_line, lines=lines, shared=True)
        )
        return recalled(within(text.text, REVIEW_TOKENS, "read on with start_line"))
