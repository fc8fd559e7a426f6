"""Validation of settings: type, bounds, and whether a workspace's own file may set them. Every
command imports this, so patterns are compiled on first use."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from lorebank.records import Record

_FLAG_WORDS = dict.fromkeys(("true", "yes", "on", "1"), True)
_FLAG_WORDS |= dict.fromkeys(("false", "no", "off", "0"), False)


class Rule(Record):
    """What one setting accepts."""

    expects: str
    """The end of the sentence "expected …"."""
    accepts: Callable[[Any], bool]
    """Called with a value of `kind`."""
    kind: type
    user_only: Callable[[Any], bool] = lambda value: False
    """Whether this value is refused in a workspace's file."""
    secret: bool = False
    """Whether a value that names no variable is hidden where settings are shown."""
    schema: Mapping[str, Any] = field(default_factory=dict)
    """JSON Schema beyond the type."""

    def read(self, value: object) -> Any:
        """Validate a parsed TOML value; raises `ValueError`."""
        if self.kind is float and type(value) is int:
            value = float(value)
        if type(value) is not self.kind or not self.accepts(value):
            raise ValueError(self.expects)
        return tuple(value) if isinstance(value, list) else value

    def parse(self, text: str) -> object:
        """Parse without validation. Lists and tables as in TOML, or `a, b` and `name=value, …`."""
        bare = text.strip()
        if self.kind is bool:
            if bare.lower() not in _FLAG_WORDS:
                raise ValueError(text)
            return _FLAG_WORDS[bare.lower()]
        if (self.kind, bare[:1]) in ((list, "["), (dict, "{")):
            from lorebank.settings.files import parse_toml

            return parse_toml(f"value = {bare}")["value"]
        parts = [part.strip() for part in bare.split(",") if part.strip()]
        if self.kind is list:
            return parts
        if self.kind is dict:
            if not all("=" in part for part in parts):
                raise ValueError(text)
            pairs = (part.partition("=") for part in parts)
            return {name.strip(): value.strip() for name, _, value in pairs}
        return self.kind(text)


def setting(default: Any, rule: Rule) -> Any:
    return field(default=default, metadata={"rule": rule})


def user_only(rule: Rule, which: Callable[[Any], bool] = lambda value: True) -> Rule:
    """The rule, refusing values of `which` (all, by default) in a workspace's own file."""
    return replace(rule, user_only=which)


def text(expects: str, accepts: Callable[[str], bool] = lambda text: True, **how: Any) -> Rule:
    return Rule(expects, accepts, str, **how)


def user_only_text(*rule: Any, **how: Any) -> Rule:
    return user_only(text(*rule, **how))


def whole_number(low: int, high: int) -> Rule:
    limits = {"minimum": low, "maximum": high}
    return Rule(
        f"a whole number from {low} to {high}", lambda n: low <= n <= high, int, schema=limits
    )


def number(low: float, high: float) -> Rule:
    """NaN is never in range."""
    limits = {"minimum": low, "maximum": high}
    return Rule(
        f"a number from {low:g} to {high:g}", lambda n: low <= n <= high, float, schema=limits
    )


def one_of(*choices: str) -> Rule:
    expects = " or ".join(f'"{choice}"' for choice in choices)
    return text(expects, choices.__contains__, schema={"enum": list(choices)})


_DURATION = r"0|(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+"
_DURATION_PART = r"(\d+(?:\.\d+)?)(ms|s|m|h|d)"
_UNIT_S = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}


def duration() -> Rule:
    """A length of time, parsed by `seconds`."""
    return text(
        'a time such as "30s", "5m" or "1h30m", or "0"',
        lambda value: bool(re.fullmatch(_DURATION, value)),
        schema={"pattern": f"^(?:{_DURATION})$"},
    )


def seconds(text: str) -> float:
    """How long a `duration` is.

    >>> seconds("1h30m")
    5400.0
    """
    return sum(float(count) * _UNIT_S[unit] for count, unit in re.findall(_DURATION_PART, text))


def tables(
    expects: str,
    *,
    required: Mapping[str, type],
    optional: Mapping[str, type],
    accepts: Callable[[Any], bool],
) -> Rule:
    """A list of tables with these entries and no others; `accepts` sees only such lists."""
    kinds = {**required, **optional}

    def is_row(row: object) -> bool:
        return (
            isinstance(row, dict)
            and required.keys() <= row.keys() <= kinds.keys()
            and all(type(value) is kinds[name] for name, value in row.items())
        )

    items = {
        "type": "object",
        "required": sorted(required),
        "additionalProperties": False,
        "properties": {
            name: {"type": "string" if kind is str else "object"} for name, kind in kinds.items()
        },
    }
    return Rule(
        expects,
        lambda rows: all(map(is_row, rows)) and accepts(rows),
        list,
        schema={"items": items},
    )


def _is_text_list(values: list[object]) -> bool:
    return all(isinstance(value, str) and value.strip() for value in values)


def _is_inside_path(path: str) -> bool:
    """Whether a path is relative and stays below its folder."""
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


def is_location(path: str) -> bool:
    """Whether a text is a path inside the workspace, or absolute."""
    return bool(path.strip()) and (_is_inside_path(path) or is_absolute(path))


def is_absolute(path: str) -> bool:
    """Whether a path is absolute after expanding `~`."""
    try:
        return "\0" not in path and Path(path).expanduser().is_absolute()
    except RuntimeError:  # `~somebody` without a home directory
        return False


FLAG = Rule("true or false", lambda value: True, bool)
FRACTION = number(0, 1)
HEADINGS = Rule("a list of non-empty texts", _is_text_list, list)
LOG_PATTERN = text(
    "a relative path that ends in .md and holds {YYYY}, {MM} and {DD}, outside bank/",
    _is_log_pattern,
)
EXTRA_PATHS = Rule(
    "a list of paths: relative to the workspace without '..', or absolute in the user's file",
    lambda paths: _is_text_list(paths) and all(map(is_location, paths)),
    list,
    user_only=lambda paths: not all(map(_is_inside_path, paths)),
)


def _is_endpoint(url: str) -> bool:
    from urllib.parse import urlsplit

    try:
        parts = urlsplit(url)
        return (
            parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and parts.username is None
            and not (parts.query or parts.fragment)
            and parts.port != 0
            and url.isascii()
            and url.isprintable()
            and " " not in url
        )
    except ValueError:
        return False


def _is_header_table(table: dict[object, object]) -> bool:
    texts = [each for row in table.items() for each in row if isinstance(each, str)]
    names = (name.replace("-", "").replace("_", "") for name in texts[::2])
    are_plain = all(each.isascii() and each.isprintable() for each in texts)
    return len(texts) == 2 * len(table) and are_plain and all(map(str.isalnum, names))


def _is_index_path(path: str) -> bool:
    tokens = ("{workspace}", "{agent_id}")
    return path == "" or (
        is_absolute(path) and any(token in path for token in tokens) and path.endswith(".sqlite")
    )


COMMAND = text(
    "a command's name or its absolute path",
    lambda command: (
        is_absolute(command)
        or not (set(command) & set("/\\\0") or command.strip() in ("", ".", ".."))
    ),
)
PATH = user_only_text("an absolute path, or nothing", lambda path: path == "" or is_absolute(path))
MODEL_PATH = user_only_text(
    "an absolute path, hf:owner/repository/file.gguf, or nothing",
    lambda path: not path or path.startswith("hf:") or is_absolute(path),
)
INDEX_PATH = user_only_text(
    "an absolute path that holds {workspace} or {agent_id} and ends in .sqlite, or nothing",
    _is_index_path,
)
AGENT_ID = user_only_text(
    "up to 64 ASCII letters, digits, '-', '_' and '.', beginning with a letter or digit",
    lambda name: bool(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,63}", name)),
)
ENDPOINT = user_only_text(
    "an http:// or https:// address without a password or a query, or nothing",
    lambda url: url == "" or _is_endpoint(url),
)
SECRET = user_only_text(
    "env:VARIABLE or a key, printable ASCII without spaces",
    lambda key: key.isascii() and key.isprintable() and key == key.strip(),
    secret=True,
)
MODEL = user_only_text("a model's name")
TEXTS = Rule("a table of header names and texts", _is_header_table, dict, secret=True)
