"""A call as clients send it, and its result as hosts deliver it.

Hosts forward the structured result to the model and drop the text beside it, so that both hold the
same lines: guarded, cited, inside their budget.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerRequestContext
from mcp.types import CallToolResult, TextContent

from lorebank.errors import LorebankError
from lorebank.markdown.origin import as_recalled
from lorebank.render.text import in_words_of_tools
from lorebank.tools.arguments import as_json, note_of

TOOL_ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("memory_recall", "search", "search_memory", "query_memory", "ask"), "recall"),
    **dict.fromkeys(("add_memory", "save_memory", "store", "store_memory", "memorize"), "retain"),
    **dict.fromkeys(("memory_store", "memory_add", "add_memories", "create_memory"), "retain"),
    **dict.fromkeys(("get_entity", "lookup_entity", "search_entity"), "entity"),
    **dict.fromkeys(("memory_read", "read_memory", "get_memory", "memory_read_file"), "memory_get"),
    **dict.fromkeys(("update_memory", "update_fact", "correct_memory"), "correct"),
    **dict.fromkeys(("delete_memory", "forget_memory"), "forget"),
}
"""What models call a tool, by the names that other memories give it."""


async def read_arguments(ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
    """A middleware that reads arguments which came as text, or as the one value that is meant."""
    given = (ctx.params or {}).get("arguments")
    if ctx.method == "tools/call" and given is not None and not isinstance(given, Mapping):
        given = as_json(given, given) if isinstance(given, str) else given
        if not isinstance(given, Mapping):
            given = {"facts" if isinstance(given, list) else "input": given}
        ctx = replace(ctx, params={**(ctx.params or {}), "arguments": given})
    return await call_next(ctx)


def delivered(text: str, **extra: Any) -> CallToolResult:
    """What a tool did, in a line or two."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content={"text": text, **extra}
    )


def joined(results: list[CallToolResult]) -> CallToolResult:
    """Several results as one; an error where one of them is."""
    content = [item for result in results for item in result.content]
    said = "\n".join(item.text for item in content if isinstance(item, TextContent))
    if any(result.is_error for result in results):
        return CallToolResult(content=[TextContent(type="text", text=said)], is_error=True)
    return delivered(said)


def with_note(result: Any, tool: str, left_out: list[str]) -> Any:
    """The result with the names of arguments that the tool does not have."""
    if not isinstance(result, CallToolResult) or result.is_error:
        return result
    content = result.structured_content or {}
    text = f"{content.get('text', '')}\n{note_of(tool, left_out)}"
    return delivered(**{**content, "text": text})


def recalled(text: str, **extra: Any) -> CallToolResult:
    """As `delivered`, marked as memory: not to be stored again, nor to be obeyed."""
    return delivered(as_recalled(text), **extra)


def error_result(error: LorebankError) -> CallToolResult:
    """An error as the model reads it: what happened, and what to do, in the words of tools.

    Nothing structured: clients hold that to the tool's output schema, in errors too.
    """
    text = f"error: {in_words_of_tools(error.message)}"
    if error.hint:
        text += f"\nhint: {in_words_of_tools(error.hint)}"
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)
