"""A call as models make it, fitted to a tool's schema, and its result as hosts deliver it.

Models know other memories: they say `limit` for `k`, give one name where a list is wanted, write
numbers as words of text. What can only mean one thing is taken so; anything else is refused with
the name that is near, since an ignored filter would be an answer to another question.

Hosts forward the structured result to the model and drop the text beside it, so that both hold the
same lines: guarded, cited, inside their budget.
"""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Mapping
from typing import Any

from mcp.types import CallToolResult, TextContent
from pydantic import ValidationError

from lorebank.errors import LorebankError, UsageError
from lorebank.markdown.origin import as_recalled

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "query": ("q", "question", "search", "search_query", "text", "prompt", "input"),
    "k": (
        *("limit", "top_k", "topk", "n", "count", "max_results", "maxresults", "num_results"),
        *("max", "results"),
    ),
    "entities": ("entity", "names", "name", "about", "subject", "people"),
    "entity": ("name", "entities", "about", "subject"),
    "name": ("entity", "entities", "query", "q", "slug"),
    "text": (
        *("content", "fact", "memory", "note", "statement", "body", "query"),
        *("new", "to", "new_text", "replacement", "correction"),
    ),
    "since": ("from", "after", "start", "start_date", "date_from"),
    "until": ("to", "before", "end", "end_date", "date_to"),
    "as_of": ("asof", "on", "at"),
    "kinds": ("kind", "type", "types"),
    "kind": ("kinds", "type", "category"),
    "token_budget": ("max_tokens", "budget", "tokens", "budget_tokens"),
    "min_confidence": ("confidence", "threshold"),
    "path": ("file", "filename", "file_path", "source", "place", "uri"),
    "place": ("path", "file", "source"),
    "start_line": ("from", "offset", "line", "start"),
    "lines": ("limit", "count", "n"),
    "id": ("fact", "fact_id", "ids", "memory_id", "old", "from", "old_text", "wrong"),
    "ids": ("id", "fact", "facts", "fact_id"),
    "date": ("day", "when", "timestamp"),
    "dry_run": ("preview", "dryrun"),
    "page": ("offset", "cursor"),
    "verdicts": ("rulings", "decisions", "answers"),
    "match": ("text", "query"),
}
"""Argument → what models call it."""
_IGNORED = frozenset(
    {
        *("include", "fields", "format", "verbose", "reason", "explanation", "thought", "sort"),
        *("heading", "section", "user_id", "agent_id", "session_id", "namespace", "importance"),
    }
)
"""What changes no answer here: models send it for the record, to shape what they are given, or to
say who they are, which the connection says."""
_NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
TOOL_ALIASES: Mapping[str, str] = {
    **dict.fromkeys(("memory_recall", "search", "search_memory", "query_memory", "ask"), "recall"),
    **dict.fromkeys(("add_memory", "save_memory", "store", "store_memory", "memorize"), "retain"),
    **dict.fromkeys(("memory_read", "read_memory", "get_memory", "memory_read_file"), "memory_get"),
    **dict.fromkeys(("update_memory", "update_fact", "correct_memory"), "correct"),
    **dict.fromkeys(("delete_memory", "forget_memory"), "forget"),
}
"""What models call a tool, by the names that other memories give it."""
_WORDS = {
    **dict.fromkeys(("preference", "preferences", "belief", "opinions", "like"), "opinion"),
    **dict.fromkeys(("fact", "facts", "world_fact", "knowledge", "decision"), "world"),
    **dict.fromkeys(("event", "events", "experiences", "episode", "action"), "experience"),
    **dict.fromkeys(("summary", "observations", "insight"), "observation"),
    **dict.fromkeys(("notes", "prose"), "note"),
}
"""Kinds by the names that other memories give them."""
_NESTED = ("filter", "filters", "where", "options", "params")
_RANGES = ("date_range", "range", "period", "between", "dates", "time_range")
_WRAPPERS = ("arguments", "args", "params", "parameters", "input")
_NUMBER = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)\s*(%?)")


def fit(tool: str, schema: Mapping[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments under the schema's names, each of its type; raises `UsageError` for others."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    given = _flat(_unwrapped(given, properties), properties)
    fitted: dict[str, Any] = {}
    for key, value in given.items():
        if value is None or (value == "" and key not in schema.get("required", ())):
            continue
        name = _name(key, properties, {*given, *fitted})
        if name is not None:
            fitted[name] = _value(name, value, properties[name], schema)
        elif key == "days" and "since" in properties and (count := _as_number(value, {})):
            fitted["since"] = f"{count:g} days ago"
        elif value not in ("", [], {}, False) and key not in _IGNORED:
            known = sorted(properties)
            near = difflib.get_close_matches(key, known, n=1, cutoff=0.5)
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known) or 'none'}"
            raise UsageError(f"{tool} has no argument '{key}'", hint=hint)
    return fitted


def _unwrapped(given: Mapping[str, Any], properties: Mapping[str, Any]) -> Mapping[str, Any]:
    if len(given) == 1:
        [(key, value)] = given.items()
        if key in _WRAPPERS and key not in properties and isinstance(value, Mapping):
            return value
    return given


def _flat(given: Mapping[str, Any], properties: Mapping[str, Any]) -> dict[str, Any]:
    """Filters that were put into an object of their own, and both ends of a range in one."""
    flat: dict[str, Any] = {}
    for key, value in given.items():
        value = _as_json(value, value) if isinstance(value, str) else value
        if key in properties:
            flat[key] = given[key]
        elif key in _RANGES and isinstance(value, list) and len(value) == 2:
            flat |= {"since": value[0], "until": value[1]}
        elif key in (*_NESTED, *_RANGES) and isinstance(value, Mapping):
            flat |= value
        else:
            flat[key] = given[key]
    return flat


def _name(key: str, properties: Mapping[str, Any], taken: set[str]) -> str | None:
    if key in properties:
        return key
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).replace("-", "_").lower()
    if plain in properties:
        return plain
    for name in properties:
        if name not in taken and plain in _ALIASES.get(name, ()):
            return name
    return None


def _value(name: str, value: Any, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
    shapes = [_resolved(each, whole) for each in schema.get("anyOf", [schema])]
    shape = next((each for each in shapes if each.get("type") != "null"), {})
    kind = shape.get("type")
    if kind == "array":
        return [_word(name, each) for each in _as_list(value)]
    if kind in ("integer", "number"):
        return _as_number(value, shape)
    if isinstance(value, list) and kind == "string" and all(isinstance(v, str) for v in value):
        value = " ".join(value)
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind == "object" and isinstance(value, str):
        return _as_json(value, value)
    return _word(name, value)


def _resolved(schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Mapping[str, Any]:
    reference = schema.get("$ref", "")
    found: Mapping[str, Any] = whole.get("$defs", {}).get(reference.rpartition("/")[2], schema)
    return found


def _word(name: str, value: Any) -> Any:
    if name in ("kind", "kinds") and isinstance(value, str):
        return _WORDS.get(value.strip().lower(), value.strip())
    return value


def _as_list(value: Any) -> list[Any]:
    if isinstance(value, str):
        read = _as_json(value, None)
        if isinstance(read, list):
            return read
        return [part.strip() for part in value.split(",") if part.strip()]
    return list(value) if isinstance(value, list | tuple) else [value]


def _as_json(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] in ("[", "{") else otherwise
    except ValueError:
        return otherwise


def _as_number(value: Any, shape: Mapping[str, Any]) -> Any:
    """A number written as text, a share given in percent; a count beyond its limit is the limit."""
    percent = False
    if isinstance(value, str) and value.strip().lower() in _NUMBERS:
        value = 1 + _NUMBERS.index(value.strip().lower())
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        value, percent = float(found[1].replace(",", ".")), bool(found[2])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if shape.get("maximum") == 1 and (percent or 10 <= value <= 100):
        return value / 100
    if shape.get("type") == "integer":
        value = min(value, shape.get("maximum", value))
        return int(value) if math.isfinite(value) else value
    return value


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
