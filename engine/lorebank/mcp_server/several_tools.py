"""The tools that read several banks; there only where the server was told of them."""

from __future__ import annotations

from typing import Annotated

from mcp.server.mcpserver import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from lorebank.agent.texts import REVIEW_TOKENS, passage_text, within
from lorebank.mcp_server.banks import BankThreads
from lorebank.mcp_server.reading_tools import (
    RECALL_TOKENS,
    AsOf,
    Budget,
    Confidence,
    Count,
    Kinds,
    Lines,
    Names,
    Query,
    Since,
    StartLine,
    Until,
    answer_result,
)
from lorebank.mcp_server.results import READING, Delivered, recalled


def add_tools_for_several(server: MCPServer, banks: BankThreads) -> None:
    """Register recall_all, memory_search_all and memory_get_all."""

    @server.tool(title="Recall from all banks", annotations=READING)
    async def recall_all(
        query: Query,
        k: Count = 10,
        since: Since = None,
        until: Until = None,
        as_of: AsOf = None,
        entities: Names = [],  # noqa: B006
        kinds: Kinds = [],  # noqa: B006
        min_confidence: Confidence = None,
        token_budget: Budget = RECALL_TOKENS,
    ) -> Annotated[CallToolResult, Delivered]:
        """As recall, asked of several memories that know nothing of each other.

        Each hit is cited as bank:path#line; read on with memory_get_all. A bank that could not be
        asked is named in the notes.
        """
        answer = await banks.call_several(
            lambda several: several.recall(
                query,
                k=k,
                since=since,
                until=until,
                as_of=as_of,
                entities=entities,
                kinds=kinds,
                min_confidence=min_confidence,
            )
        )
        return answer_result(answer, token_budget)

    @server.tool(title="Search all banks", annotations=READING)
    async def memory_search_all(query: Query, k: Count = 6) -> Annotated[CallToolResult, Delivered]:
        """As memory_search, in the files of several memories; paths begin with the bank's name."""
        found = await banks.call_several(lambda several: several.memory_search(query, k=k))
        failed = [f"{part.bank}: {part.error}" for part in found.banks if part.error]
        text = "\n\n".join([passage_text(found.hits), *failed])
        return recalled(within(text, REVIEW_TOKENS, "ask for fewer"))

    @server.tool(title="Read a file of any bank", annotations=READING)
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
