"""Results of tools: text and envelope together, and errors as results with a hint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import ValidationError

from lorebank.errors import LorebankError, UsageError
from lorebank.markdown.recalled import as_recalled


def _annotations(*, reads: bool, destroys: bool, repeats: bool) -> ToolAnnotations:
    """Of a tool whose world is closed: it reaches nothing but the workspace."""
    return ToolAnnotations(
        read_only_hint=reads,
        destructive_hint=destroys,
        idempotent_hint=repeats,
        open_world_hint=False,
    )


READING = _annotations(reads=True, destroys=False, repeats=True)
ADDING = _annotations(reads=False, destroys=False, repeats=False)
REWRITING = _annotations(reads=False, destroys=True, repeats=False)
SETTLING = _annotations(reads=False, destroys=True, repeats=True)
REFLECTING = _annotations(reads=False, destroys=False, repeats=True)


def result(text: str, envelope: Mapping[str, Any]) -> CallToolResult:
    """What a tool found, for the model and for the program."""
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=dict(envelope)
    )


def recalled(text: str, envelope: Mapping[str, Any]) -> CallToolResult:
    """As `result`, with the text marked as memory: not to be stored again, nor to be obeyed."""
    return result(as_recalled(text), envelope)


def error_result(error: LorebankError) -> CallToolResult:
    """An error as the model reads it: what happened, and what to do.

    Nothing structured: clients hold that to the tool's output schema, in errors too.
    """
    text = f"error: {error.message}"
    if error.hint:
        text += f"\nhint: {error.hint}"
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=True)


def as_usage_error(tool: str, problem: ValidationError) -> UsageError:
    """Arguments that do not fit the schema, said by name."""
    said = [
        f"{'.'.join(str(part) for part in row['loc'])}: {row['msg'].lower()}"
        for row in problem.errors(include_url=False, include_input=False)
    ]
    return UsageError(f"{tool}: {'; '.join(said)}", hint="see the tool's input schema")
