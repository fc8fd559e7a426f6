"""What a setting accepts: its kind, its bounds, and whether a workspace's own file may set it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

__all__ = [
    "EXTRA_PATHS",
    "FLAG",
    "FRACTION",
    "HEADINGS",
    "LIBRARY",
    "LOG_PATTERN",
    "Rule",
    "number",
    "one_of",
    "whole_number",
]

_TRUE = frozenset({"true", "yes", "on", "1"})
_FALSE = frozenset({"false", "no", "off", "0"})


@dataclass(frozen=True, slots=True)
class Rule:
    """What one setting accepts."""

    expects: str
    """The end of the sentence "expected …"."""
    accepts: Callable[[Any], bool]
    """Called with a value of `kind`."""
    kind: type
    user_only: Callable[[Any], bool] = lambda value: False
    """Whether this value is refused in a workspace's file."""

    def read(self, value: object) -> Any:
        """The setting's value from one parsed TOML value; `ValueError` where it does not fit."""
        if self.kind is float and type(value) is int:
            value = float(value)
        if type(value) is not self.kind or not self.accepts(value):
            raise ValueError(self.expects)
        return tuple(value) if isinstance(value, list) else value

    def parse(self, text: str) -> object:
        """What a variable or a command line says, in the setting's kind; not yet checked."""
        return _parse_text(text, self.kind)


def _parse_text(text: str, kind: type) -> object:
    if kind is str:
        return text
    if kind is bool:
        return _parse_flag(text.strip().lower())
    if kind is list:
        return _parse_list(text.strip())
    return kind(text)


def _parse_flag(word: str) -> bool:
    if word in _TRUE:
        return True
    if word in _FALSE:
        return False
    raise ValueError(word)


def _parse_list(text: str) -> object:
    """A TOML array, or texts between commas."""
    if not text.startswith("["):
        return [part.strip() for part in text.split(",") if part.strip()]
    import tomllib

    return tomllib.loads(f"value = {text}")["value"]


def whole_number(low: int, high: int) -> Rule:
    return Rule(f"a whole number from {low} to {high}", lambda n: low <= n <= high, int)


def number(low: float, high: float) -> Rule:
    def accepts(number: float) -> bool:
        return math.isfinite(number) and low <= number <= high

    return Rule(f"a number from {low:g} to {high:g}", accepts, float)


def one_of(*choices: str) -> Rule:
    return Rule(" or ".join(f'"{choice}"' for choice in choices), choices.__contains__, str)


def _is_text_list(values: list[object]) -> bool:
    return all(isinstance(value, str) and value.strip() for value in values)


def _is_inside_path(path: str) -> bool:
    """Whether a path written in a setting is relative and stays below its folder."""
    return (
        not path.startswith(("/", "~"))
        and not PureWindowsPath(path).drive
        and "\\" not in path
        and "\0" not in path
        and ".." not in PurePosixPath(path).parts
    )


def _is_log_pattern(pattern: str) -> bool:
    bare = pattern
    for placeholder in ("{YYYY}", "{MM}", "{DD}"):
        if placeholder not in pattern:
            return False
        bare = bare.replace(placeholder, "")
    parts = pattern.split("/")
    return (
        _is_inside_path(pattern)
        and "{" not in bare
        and "}" not in bare
        and pattern.endswith(".md")
        and all(part and not part.startswith(".") for part in parts)
        and parts[0] != "bank"
    )


def _is_extra_paths(paths: list[object]) -> bool:
    return _is_text_list(paths) and all(
        _is_inside_path(str(path)) or _is_absolute(str(path)) for path in paths
    )


def _is_absolute(path: str) -> bool:
    """Whether a path written in a setting is absolute, once a home folder `~` is filled in."""
    try:
        return "\0" not in path and Path(path).expanduser().is_absolute()
    except RuntimeError:  # `~somebody`, who has no home here
        return False


def _reaches_outside(paths: tuple[str, ...]) -> bool:
    return not all(_is_inside_path(path) for path in paths)


FLAG = Rule("true or false", lambda value: True, bool)
FRACTION = number(0, 1)
HEADINGS = Rule("a list of non-empty texts", _is_text_list, list)
LOG_PATTERN = Rule(
    "a relative path that ends in .md and holds {YYYY}, {MM} and {DD}, outside bank/",
    _is_log_pattern,
    str,
)
EXTRA_PATHS = Rule(
    "a list of paths: relative to the workspace without '..', or absolute in the user's file",
    _is_extra_paths,
    list,
    user_only=_reaches_outside,
)
LIBRARY = Rule(
    "an absolute path, or nothing",
    lambda path: path == "" or _is_absolute(path),
    str,
    user_only=lambda path: True,
)
