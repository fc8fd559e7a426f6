"""Results as hosts deliver them: one compact form for every tool, and errors with a hint.

Hosts forward the structured result to the model and drop the text beside it, so that both hold the
same lines: guarded, cited, inside their budget.
"""

from __future__ import annotations

import re
from typing import Any

from mcp.types import CallToolResult, TextContent
from pydantic import ValidationError

from lorebank.errors import LorebankError, UsageError
from lorebank.markdown.origin import as_recalled

_COMMAND = re.compile(r"`?\blorebank (?P<tool>[a-z-]+)(?: --?[a-z-]+)*`?")
_FLAG = re.compile(r" --json\b|--(?P<flag>[a-z][a-z-]*)")


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


def in_words_of_tools(text: str) -> str:
    """Commands and flags of the shell as the tools and arguments that they are here."""
    text = _COMMAND.sub(lambda found: f"`{found['tool'].replace('-', '_')}`", text)
    return _FLAG.sub(lambda found: (found["flag"] or "").replace("-", "_"), text)


def as_usage_error(tool: str, problem: ValidationError) -> UsageError:
    """Arguments that do not fit the schema, said by name."""
    said = [
        f"{'.'.join(str(part) for part in row['loc'])}: {row['msg'].lower()}"
        for row in problem.errors(include_url=False, include_input=False)
    ]
    return UsageError(f"{tool}: {'; '.join(said)}", hint="see the tool's input schema")
