"""The settings as a JSON Schema, for editors, described by the docstrings below their fields."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Mapping
from dataclasses import Field, fields, is_dataclass
from itertools import pairwise
from typing import Any, cast

from lorebank.settings.rules import Rule
from lorebank.settings.tables import Config

_KINDS: Mapping[type, Mapping[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    list: {"type": "array", "items": {"type": "string"}},
    dict: {"type": "object", "additionalProperties": {"type": "string"}},
}


def settings_schema() -> dict[str, Any]:
    """A schema (draft 2020-12) of the user's file."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "lorebank settings",
        **_table(Config),
    }


def _table(cls: type) -> dict[str, Any]:
    notes = _field_docstrings(cls)
    entries = (e for e in fields(cls) if "rule" in e.metadata or is_dataclass(e.default_factory))
    return {
        "type": "object",
        "description": inspect.cleandoc(cls.__doc__ or ""),
        "additionalProperties": False,
        "properties": {
            entry.name.rstrip("_"): _property(entry, notes.get(entry.name, "")) for entry in entries
        },
    }


def _property(entry: Field[Any], note: str) -> dict[str, Any]:
    rule: Rule | None = entry.metadata.get("rule")
    if rule is None:
        return _table(cast(type, entry.default_factory))
    default = entry.default if entry.default_factory is not dict else {}
    return {
        **_KINDS[rule.kind],
        **rule.schema,
        "default": list(default) if isinstance(default, tuple) else default,
        "description": " ".join(f"{note} Expected: {rule.expects}.".split()),
    }


def _field_docstrings(cls: type) -> dict[str, str]:
    """The docstrings below the fields of a class; empty without its source."""
    try:
        tree = ast.parse(inspect.cleandoc(f"\n{inspect.getsource(cls)}"))
    except (OSError, TypeError, SyntaxError):
        return {}
    body = cast(ast.ClassDef, tree.body[0]).body
    return {
        field.target.id: text.value.value
        for field, text in pairwise(body)
        if isinstance(field, ast.AnnAssign)
        and isinstance(field.target, ast.Name)
        and isinstance(text, ast.Expr)
        and isinstance(text.value, ast.Constant)
        and isinstance(text.value.value, str)
    }
