"""`template.toml`: what a template says of itself, held to a schema; every mistake is named.

name = "deadlines"
title = "Deadlines"
description = "One sentence for the list."

[[pages]]
path = "bank/pages/deadlines.md"
title = "Deadlines"
question = "What is due, to whom, and when?"
words = ["due", "deadline*"]
"""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError
from pydantic import field_validator as check

from lorebank.errors import ConfigurationError, PathRefused
from lorebank.workspace.paths import refuse_outside_memory
from lorebank.workspace.standing import STANDING_LINES, StandingPage, is_standing_path

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

_SHOWN = 5
"""Problems named in one message."""
_Line = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=400, pattern=r"^[^\r\n]*$"),
]
_Word = Annotated[
    str, StringConstraints(strip_whitespace=True, max_length=60, pattern=r"^[^*\r\n]+\*?$")
]
_Letter = Literal["W", "B", "O", "S"]
_EXPECTED = {
    "missing": "a value",
    "extra_forbidden": "no key of that name",
    "string_type": "a text",
    "string_too_short": "a text that is not empty",
    "int_type": "a whole number",
    "bool_type": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_type": "a table",
    "dict_type": "a table",
}
"""What was expected, by the sort of mistake."""


class _Table(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class _Page(_Table):
    path: str
    title: _Line
    question: _Line
    words: Annotated[tuple[_Word, ...], Field(max_length=100, strict=False)] = ()
    kinds: Annotated[
        tuple[Literal["W", "B", "O", "S"], ...], Field(max_length=4, strict=False)
    ] = ()
    entity: Annotated[str, StringConstraints(strip_whitespace=True, max_length=200)] = ""
    since: Annotated[str, StringConstraints(strip_whitespace=True, max_length=60)] = ""
    ahead: bool = False
    moved: bool = False
    k: Annotated[int, Field(ge=1, le=100)] = STANDING_LINES

    @check("path")
    @classmethod
    def _is_page(cls, path: str) -> str:
        try:
            refuse_outside_memory(path)
        except PathRefused:
            raise ValueError("a Markdown file below bank/") from None
        if not is_standing_path(path):
            raise ValueError("a Markdown file below bank/ that has no other use")
        return path

    def value(self) -> StandingPage:
        return StandingPage(**self.model_dump())


class Manifest(_Table):
    """A template's own description, checked."""

    name: Annotated[str, StringConstraints(max_length=60, pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
    title: _Line
    description: _Line
    pages: Annotated[list[_Page], Field(max_length=100)] = []

    @check("pages")
    @classmethod
    def _are_distinct(cls, pages: list[_Page]) -> list[_Page]:
        paths = [page.path.casefold() for page in pages]
        twice = next((path for path in paths if paths.count(path) > 1), "")
        if twice:
            raise ValueError(f"each path once; {twice} stands twice")
        return pages

    @property
    def standing(self) -> tuple[StandingPage, ...]:
        return tuple(page.value() for page in self.pages)


def read_manifest(data: bytes, origin: str) -> Manifest:
    """The manifest; `ConfigurationError` names file, key and what was expected."""
    found, problems = _read(data)
    if found is not None:
        return found
    more = f" (and {len(problems) - _SHOWN} more)" if len(problems) > _SHOWN else ""
    raise ConfigurationError(f"{origin}: {'; '.join(problems[:_SHOWN])}{more}")


def manifest_problems(data: bytes) -> tuple[str, ...]:
    """Every mistake of a manifest as `key: expected …, not …`; empty where there is none."""
    return _read(data)[1]


def _read(data: bytes) -> tuple[Manifest | None, tuple[str, ...]]:
    try:
        return Manifest.model_validate(tomllib.loads(data.decode("utf-8-sig"))), ()
    except ValidationError as error:
        return None, tuple(map(_mistake, error.errors(include_url=False)))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as error:
        return None, (f"is not TOML: {error}",)


def _mistake(error: ErrorDetails) -> str:
    key = ".".join(str(part + 1) if isinstance(part, int) else part for part in error["loc"])
    sort = error["type"]
    if sort == "value_error":
        expected = error["msg"].removeprefix("Value error, ")
    elif sort == "string_pattern_mismatch" and key == "name":
        expected = "small letters and digits with single hyphens between, such as my-template"
    elif sort == "string_pattern_mismatch":
        expected = "one line of text"
    else:
        expected = _EXPECTED.get(sort) or error["msg"].removeprefix("Input should be ")
    shown = repr(error.get("input"))
    shown = shown if len(shown) <= 60 else f"{shown[:57]}…"
    given = "" if sort == "missing" else f", not {shown}"
    return f"{key}: expected {expected}{given}"
