"""A call's arguments as models make them, fitted to a tool's schema.

Models know other memories: they say `limit` for `k`, give one name where a list is wanted, write
numbers as text. What a tool does not have is left out and named in the result, unless something is
rewritten or it is near a name that the tool has: an ignored filter would answer another question.
"""

from __future__ import annotations

import difflib
import json
import re
import sys
from collections.abc import Callable, Collection, Mapping
from functools import cached_property
from inspect import Parameter, signature
from types import MappingProxyType
from typing import Any, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ValidationError, create_model

from lorebank.errors import UsageError
from lorebank.tools.toolset import SELECTING, OtherNames

_IGNORED = frozenset(
    {
        *("include", "fields", "format", "verbose", "reason", "explanation", "thought", "sort"),
        *("heading", "section", "user_id", "agent_id", "session_id", "namespace", "importance"),
        *("user", "agent", "session"),
    }
)
"""What changes no answer here: models send it for the record, to shape what they are given, or to
say who they are, which the connection says."""
_DAYS = ("date", "day", "when", "timestamp")
_RANGES = ("date_range", "time_range", "line_range", "range", "period", "between", "dates")
_STARTS = ("start", "from_line", "first_line", "begin_line")
_ENDS = ("end", "end_line", "to", "to_line", "last_line")
_SPAN = re.compile(r"\W*L?(\d+)(?:-L?|, )(\d+)\W*")
"""Lines as `2-4`, `#L2-L4` or a pair."""
_RULED = (("item", "item_id", "id"), ("verdict", "decision", "ruling", "choice", "answer"))
_MOST = 100
"""Arguments; no tool has twenty."""
_TOLD = 5
"""Errors of one call: a list may have one in each of a million elements."""
_NEAR = 0.75
"""Of a name with one wrong letter (`sinze`); other words are no slip (`user` is not `query`)."""
_ENDINGS = re.compile(r"_(?:slug|name|id|ids|list|text)\Z")
_NOTHING = ("", "null", "none", "undefined")
_ANY = ("all", "any", "every")
"""Of a choice: no choice."""
_JOINED = frozenset({"query", "text"})
"""What a list of texts is joined for; any other argument of a text is one name or place."""
_NUMBERS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]
_NUMBER = re.compile(r"\s*(-?\d+(?:[.,]\d+)?)\s*(%|k?)", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d)[,. ](?=\d{3}(?!\d))")
"""What parts the thousands of a whole number: `1,500`."""
Aliases = Mapping[str, Collection[str]]
"""Argument → what models call it."""


def fit(
    tool: str, schema: Mapping[str, Any], given: Mapping[str, Any], aliases: Aliases, lenient: bool
) -> tuple[dict[str, Any], list[str]]:
    """The arguments under the schema's names, each of its type, and the names of those left out.

    `UsageError` for an argument that the tool does not have; where `lenient`, only for one that is
    near a name it has.
    """
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = schema.get("required", ())
    given = _flat(given, properties, aliases)
    if len(given) > _MOST:
        raise UsageError(f"{tool} was given {len(given)} arguments", hint=f"at most {_MOST}")
    given = _combined(given, properties)
    taken = set(given)
    fitted: dict[str, Any] = {}
    unknown: dict[str, Any] = {}
    for key, value in given.items():
        name = _name(key, properties, aliases, taken)
        if name is None:
            unknown[key] = value
        elif value is not None and (name in required or not _says_nothing(value)):
            fitted[name] = _value(value, properties[name], schema)
            taken.add(name)
            is_several = isinstance(value, list) and len(value) > 1 and name not in _JOINED
            if is_several and isinstance(fitted[name], str):
                raise UsageError(f"{tool} takes one {name}", hint="call it once for each")
    unknown = {
        key: value
        for key, value in unknown.items()
        if value not in (None, [], {}, False) and not _says_nothing(value) and key not in _IGNORED
    }
    if "query" in required and "query" not in fitted and (named := fitted.get("entities")):
        fitted["query"] = ", ".join(map(str, named))  # all that is known of them
    missing = [name for name in required if name not in fitted]
    if len(missing) == len(unknown) == 1:
        [(key, value)] = unknown.items()
        shape = properties[missing[0]]
        if isinstance(value, str) and shape.get("type") == "string":
            return fitted | {missing[0]: _value(value, shape, schema)}, []
    for key in unknown:
        known = sorted(properties)
        near = difflib.get_close_matches(key, known, n=1, cutoff=_NEAR)
        if near or not lenient:
            hint = f"did you mean {near[0]}?" if near else f"it takes {', '.join(known) or 'none'}"
            raise UsageError(f"{tool} has no argument '{key}'", hint=hint)
    return fitted, list(unknown)


def _says_nothing(value: Any) -> bool:
    return isinstance(value, str) and value.strip().lower() in _NOTHING


def _flat(
    given: Mapping[str, Any], properties: Mapping[str, Any], aliases: Aliases
) -> dict[str, Any]:
    """Arguments that were put into an object of their own, whatever that is called."""
    flat: dict[str, Any] = {}
    for key, value in given.items():
        inner = as_json(value, value) if isinstance(value, str) else value
        is_object = key not in properties and isinstance(inner, Mapping)
        is_opened = is_object and all(_name(each, properties, aliases, set()) for each in inner)
        flat |= inner if is_opened else {key: value}
    return flat


def _combined(given: Mapping[str, Any], properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """One value that stands for two arguments, and two that are one here."""
    combined = dict(given)
    for key, value in given.items():
        value = as_json(value, value) if isinstance(value, str) else value
        if key == "verdicts" and isinstance(value, list):  # of objects, an item each
            rows = [row for row in value if isinstance(row, Mapping)]
            ruled = [[row[k] for names in _RULED for k in names if k in row][:2] for row in rows]
            if all(len(pair) == 2 for pair in ruled):
                combined["verdicts"] = {str(item): verdict for item, verdict in ruled}
        span = _SPAN.fullmatch(str(value))
        if span and "start_line" in properties and key in ("lines", *_RANGES):
            del combined[key]
            first, last = map(int, span.groups())
            combined |= {"start_line": first, "lines": last - first + 1}
            continue
        if key in properties:
            continue
        if "since" in properties and key == "days":
            days = _as_number(value, _COUNT)
            if not isinstance(days, int) or not days:
                continue
            combined["since"] = f"{days} days ago"
        elif {"since", "until"} <= properties.keys() and key in (*_DAYS, *_RANGES):
            first, last = value if isinstance(value, list) and len(value) == 2 else (value, value)
            combined |= {"since": first, "until": last}
        elif "start_line" in properties and key in _STARTS:
            combined["start_line"] = value
        elif "start_line" in properties and key in _ENDS:
            first = next((given[k] for k in ("start_line", "from", *_STARTS) if k in given), 1)
            first, last = _as_number(first, _COUNT), _as_number(value, _COUNT)
            if not isinstance(first, int) or not isinstance(last, int):
                continue
            combined["lines"] = last - first + 1
        elif "verdicts" in properties and key in _RULED[0]:
            verdict = next((given[k] for k in _RULED[1] if k in given), None)
            if not isinstance(value, str) or not isinstance(verdict, str):
                continue
            combined["verdicts"] = {value: verdict.lower()}
            for each in _RULED[1]:
                combined.pop(each, None)
        else:
            continue
        del combined[key]
    return combined


def _name(key: str, properties: Mapping[str, Any], aliases: Aliases, taken: set[str]) -> str | None:
    """The argument that a key means: however spelt, in the singular or plural, or by an alias."""
    plain = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).replace("-", "_").lower()
    bare = _ENDINGS.sub("", plain)
    spelt = (plain, bare, f"{bare}s", f"{bare.removesuffix('y')}ies", bare.removesuffix("s"))
    for name in (key, *spelt, f"{bare.removesuffix('ies')}y"):
        if name in properties and (name == key or name not in taken):
            return name
    free = [name for name in properties if name not in taken]
    return next((n for n in free if not {plain, bare}.isdisjoint(aliases.get(n, ()))), None)


def _value(value: Any, schema: Mapping[str, Any], whole: Mapping[str, Any]) -> Any:
    named = whole.get("$defs", {})
    shapes: list[Mapping[str, Any]] = [
        named.get(each.get("$ref", "").rpartition("/")[2], each)
        for each in schema.get("anyOf", [schema])
    ]
    shape = next((each for each in shapes if each.get("type") != "null"), {})
    kind = shape.get("type")
    if kind == "array":
        read = as_json(value, None) if isinstance(value, str) else value
        if isinstance(value, str) and not isinstance(read, list):
            return [part.strip() for part in value.split(",") if part.strip()]
        items = read if isinstance(read, list | tuple) else [value]
        return [_value(item, shape.get("items", {}), whole) for item in items]
    if kind in ("integer", "number"):
        return _as_number(value, shape)
    if isinstance(value, Mapping) and kind == "string" and len(value) == 1:
        [value] = value.values()
    if isinstance(value, list) and kind == "string" and all(isinstance(v, str) for v in value):
        value = " ".join(value)
    if isinstance(value, str) and "enum" in shape:
        low = value.strip().lower()
        alike = (each for each in shape["enum"] if each.lower() in (low, low.removesuffix("s")))
        return next(alike, None if low in _ANY and shape is not schema else value)
    if kind == "string" and isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    if kind == "object" and isinstance(value, str):
        return as_json(value, value)
    return value


def as_json(text: str, otherwise: Any) -> Any:
    try:
        return json.loads(text) if text.lstrip()[:1] in ("[", "{") else otherwise
    except ValueError:
        return otherwise


_COUNT = MappingProxyType({"type": "integer"})


def _as_number(value: Any, shape: Mapping[str, Any]) -> Any:
    """A number written as text, a share given in percent; a count beyond a limit is the limit."""
    percent = False
    if isinstance(value, str) and shape.get("type") == "integer":
        value = _THOUSANDS.sub("", value).strip().lower().removeprefix("top ")
        value = 1 if value == "first" else value
    if isinstance(value, str) and value.strip().lower() in _NUMBERS:
        value = 1 + _NUMBERS.index(value.strip().lower())
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        value, percent = float(found[1].replace(",", ".")), found[2] == "%"
        value *= 1000 if found[2].lower() == "k" else 1
    if value in ("all", "max") and "maximum" in shape:
        return shape["maximum"]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if shape.get("maximum") == 1 and (percent or 10 <= value <= 100):
        return value / 100
    if shape.get("type") == "integer":
        value = min(value, shape.get("maximum", sys.maxsize))
        value = max(value, shape.get("minimum", value))
        return int(value) if isinstance(value, int) or value.is_integer() else value
    return value


class Arguments:
    """What a tool takes; nothing is made of its method's signature before it is asked for."""

    def __init__(self, tool: str, method: Callable[..., Any]) -> None:
        self.tool = tool
        self.method = method

    @cached_property
    def parameters(self) -> list[Parameter]:
        """The parameters but `self`, annotations resolved, those of a `TypedDict` one by one."""
        found: list[Parameter] = []
        for parameter in signature(self.method, eval_str=True).parameters.values():
            if parameter.kind is not Parameter.VAR_KEYWORD:
                found += [parameter] if parameter.name != "self" else []
                continue
            [typed] = get_args(parameter.annotation)
            for key, hint in get_type_hints(typed, include_extras=True).items():
                plain = getattr(hint, "__origin__", hint)
                empty = None if type(None) in get_args(plain) else (get_origin(plain) or plain)()
                found.append(Parameter(key, Parameter.KEYWORD_ONLY, annotation=hint, default=empty))
        return found

    @cached_property
    def _model(self) -> type[BaseModel]:
        shapes: dict[str, Any] = {
            each.name: (each.annotation, ... if each.default is Parameter.empty else each.default)
            for each in self.parameters
        }
        return create_model(self.tool, **shapes)

    @cached_property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema of the parameters."""
        return self._model.model_json_schema()

    @cached_property
    def _aliases(self) -> Aliases:
        return {
            parameter.name: note
            for parameter in self.parameters
            for field in getattr(parameter.annotation, "__metadata__", ())
            for note in getattr(field, "metadata", ())
            if isinstance(note, OtherNames)
        }

    def read(self, given: Mapping[str, Any]) -> tuple[dict[str, Any], str]:
        """The arguments under the names of the parameters, each of its type, and a note of those
        that the tool does not have; `UsageError` where they do not fit."""
        lenient = self.tool not in SELECTING
        fitted, left_out = fit(self.tool, self.schema, given, self._aliases, lenient)
        try:
            read = self._model.model_validate(fitted)
        except ValidationError as problem:
            said = [
                f"{'.'.join(str(part) for part in row['loc'])}: {row['msg'].lower()}"
                for row in problem.errors(include_url=False, include_input=False)[:_TOLD]
            ]
            if (more := problem.error_count() - len(said)) > 0:
                said.append(f"{more} more")
            hint = "see the tool's input schema"
            raise UsageError(f"{self.tool}: {'; '.join(said)}", hint=hint) from problem
        unknown = f"note: ignored unknown argument {', '.join(left_out)} of {self.tool}"
        return {name: getattr(read, name) for name in fitted}, unknown if left_out else ""
