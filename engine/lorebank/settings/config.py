"""Load and change settings, and know where each value came from.

Later sources win: defaults ← the user's file ← the workspace's `.memory/config.toml` ← environment
(`LOREBANK_RECALL__K=5`) ← flags (`--set recall.k=5`). A workspace may come from anybody, so its
file is held to an allow-list: it can tune a search, but never name a library to load or a path
outside itself. `tomllib` is imported only if there is a file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, cast

from lorebank.errors import ConfigurationError, UsageError
from lorebank.records import Record
from lorebank.settings import files
from lorebank.settings.rules import Rule
from lorebank.settings.tables import Config

HIDDEN = "(hidden)"
"""Shown in place of a secret."""
_PREFIX = "LOREBANK_"
_MAX_PROBLEMS = 20
"""Per source, in one error: finding the line of each takes time."""
_MAX_VALUE_CHARACTERS = 120
"""Of a wrong value in an error."""


class Change(Record):
    key: str
    value: Any
    origin: str
    """The file, the variable or the flag."""


def load_config(
    workspace: Path | None,
    environ: Mapping[str, str],
    flags: Sequence[Change] = (),
    defaults: Sequence[Change] = (),
) -> Config:
    """The settings in force for a workspace, or outside of one.

    `defaults` come before all sources, `flags` after; texts among the flags are parsed as on the
    command line. Raises one `ConfigurationError` listing every problem with its place.
    """
    variables = [
        Change(name.removeprefix(_PREFIX).lower().replace("__", "."), environ[name], name)
        for name in sorted(environ)
        if name.startswith(_PREFIX) and "__" in name
    ]
    places: tuple[Callable[[], list[Change]], ...] = (
        lambda: _file_changes(files.user_config_path(environ)),
        lambda: _file_changes(
            workspace and files.workspace_config_path(workspace), in_workspace=True
        ),
        lambda: _from_texts(variables),
        lambda: _from_texts(flags),
    )
    problems: list[ConfigurationError] = []
    changes = list(defaults)
    for read in places:
        try:
            changes += read()
        except ConfigurationError as problem:
            problems.append(problem)
    _raise_together(problems)
    return _check_together(_apply(changes)) if changes else Config()


def describe(config: Config) -> list[tuple[str, Any, str]]:
    """Every setting as `(key, value, origin)`, secrets hidden."""
    return [
        (key, shown(key, _value_at(config, key)), config.origins.get(key, "default"))
        for key in rules()
    ]


def shown(key: str, value: Any) -> Any:
    """The value to show: a secret only as the name of its variable."""
    rule = rules().get(key)
    if rule is None or not rule.secret:
        return value
    if isinstance(value, str):
        return value if not value or value.startswith("env:") else HIDDEN
    return {name: shown(key, text) for name, text in value.items()}


def get(config: Config, key: str) -> Any:
    """The value of a dotted key; raises `UsageError` with the nearest name."""
    if key not in rules():
        raise UsageError(f"no setting {key!r}", hint=_nearest_hint(key))
    return _value_at(config, key)


def check_value(key: str, value: object, *, in_workspace: bool = False) -> Any:
    """The validated value, as the user's file or a workspace's may have it;
    `ConfigurationError`."""
    rule = rules().get(key)
    if rule is None:
        raise _unknown_key(key)
    try:
        read = rule.read(value)
    except ValueError as error:
        raise _unexpected(key, str(error), value) from error
    if in_workspace and rule.user_only(read):
        raise ConfigurationError(
            f"{key}: a workspace's own file may not set this; expected it in the user's file",
            hint="a workspace never names a library, an endpoint, a key, a command or a path "
            "outside itself; move the setting to the file `lorebank config path` prints",
        )
    return read


def set_value(file: Path, key: str, value: object, *, in_workspace: bool = False) -> Any:
    """Validate one setting, write it into a TOML file, and return it.

    Texts are parsed as on the command line (`"5"`, `"true"`, `"a, b"`). Comments and order stay.
    `in_workspace` applies the allow-list.
    """
    if isinstance(value, str):
        value = _from_text(key, value)
    read = check_value(key, value, in_workspace=in_workspace)
    set_values(file, {key: read}, in_workspace=in_workspace)
    return read


def set_values(file: Path, values: Mapping[str, Any], *, in_workspace: bool = False) -> None:
    """Write validated values into a settings file, all or none."""
    changes = _file_changes(file, in_workspace=in_workspace)
    changes += [Change(key, value, str(file)) for key, value in values.items()]
    _check_together(_apply(changes))
    keys = {tuple(key.split(".")): value for key, value in values.items()}
    text = files.read_text(file) if file.exists() else ""
    files.replace_file(file, files.edited(text, file, keys))


def _from_texts(given: Iterable[Change]) -> list[Change]:
    """Parse the values of variables or flags."""

    def read(change: Change) -> Any:
        text = change.value
        value = _from_text(change.key, text) if isinstance(text, str) else text
        return check_value(change.key, value)

    return _read_each(given, read, lambda change: change.origin)


def _read_each(
    given: Iterable[Change], read: Callable[[Change], Any], place: Callable[[Change], str]
) -> list[Change]:
    """The changes with parsed values; raises one error for all problems."""
    changes: list[Change] = []
    problems: list[ConfigurationError] = []
    for change in given:
        if len(problems) == _MAX_PROBLEMS:
            break
        try:
            changes.append(replace(change, value=read(change)))
        except ConfigurationError as problem:
            message = f"{place(change)}: {problem.message}"
            problems.append(ConfigurationError(message, hint=problem.hint))
    _raise_together(problems)
    return changes


def _raise_together(problems: Sequence[ConfigurationError]) -> None:
    """Raise several errors as one, a line each, with separate hints if they differ."""
    hints = {problem.hint for problem in problems}
    if len(hints) == 1:
        raise ConfigurationError("\n".join(p.message for p in problems), hint=hints.pop())
    if problems:
        lines = [f"{p.message} ({p.hint})" if p.hint else p.message for p in problems]
        raise ConfigurationError("\n".join(lines))


def _from_text(key: str, text: str) -> object:
    """Parse a text for a setting, without validation."""
    rule = rules().get(key)
    if rule is None:
        raise _unknown_key(key)
    try:
        return rule.parse(text)
    except ValueError as error:
        raise _unexpected(key, rule.expects, text) from error


def _file_changes(path: Path | None, *, in_workspace: bool = False) -> list[Change]:
    """The validated values of a settings file."""
    if path is not None and in_workspace:
        files.refuse_link(path)
    if path is None or not path.exists():
        return []
    text = files.read_text(path)

    def place(change: Change) -> str:
        line = files.find_line(text, tuple(change.key.split(".")))
        return f"{path}:{line}" if line else str(path)

    return _read_each(
        (Change(key, value, str(path)) for key, value in _leaves(files.parse_file(path, text))),
        lambda change: check_value(change.key, change.value, in_workspace=in_workspace),
        place,
    )


def _leaves(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    for name, value in table.items():
        key = prefix + name
        if isinstance(value, dict) and key in _sections():
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


@cache
def rules() -> Mapping[str, Rule]:
    """Every setting's rule by its key, in the order of the classes."""
    return dict(_walk_rules(Config))


@cache
def _sections() -> frozenset[str]:
    names = [key.split(".") for key in rules()]
    return frozenset(".".join(parts[:depth]) for parts in names for depth in range(1, len(parts)))


def _walk_rules(cls: type, prefix: str = "") -> Iterator[tuple[str, Rule]]:
    for entry in fields(cls):
        key = prefix + entry.name.rstrip("_")
        if rule := entry.metadata.get("rule"):
            yield key, rule
        elif is_dataclass(entry.default_factory):
            yield from _walk_rules(cast(type, entry.default_factory), f"{key}.")


def _apply(changes: list[Change]) -> Config:
    config = Config(origins={change.key: change.origin for change in changes})
    for change in changes:
        config = _with_value(config, change.key.split("."), change.value)
    return config


def _with_value(node: Any, names: list[str], value: Any) -> Any:
    attribute = _field_of(node, names[0]).name
    if len(names) > 1:
        value = _with_value(getattr(node, attribute), names[1:], value)
    return replace(node, **{attribute: value})


def _value_at(config: Config, key: str) -> Any:
    node: Any = config
    for name in key.split("."):
        node = getattr(node, _field_of(node, name).name)
    return node


def _field_of(node: Any, name: str) -> Field[Any]:
    return next(entry for entry in fields(node) if entry.name.rstrip("_") == name)


def _check_together(config: Config) -> Config:
    """Validate settings against each other, and normalise the two recall weights."""
    index, recall = config.index, config.recall
    if index.chunk_overlap >= index.chunk_tokens:
        origin = config.origins.get("index.chunk_overlap") or config.origins["index.chunk_tokens"]
        raise ConfigurationError(
            f"{origin}: index.chunk_overlap: expected less than index.chunk_tokens "
            f"({index.chunk_tokens}), not {index.chunk_overlap}"
        )
    total = recall.vector_weight + recall.text_weight
    if total == 0:
        origin = config.origins["recall.text_weight"]
        raise ConfigurationError(
            f"{origin}: recall.text_weight: expected more than 0 where recall.vector_weight is 0"
        )
    if math.isclose(total, 1.0):
        return config
    weighed = replace(
        recall, vector_weight=recall.vector_weight / total, text_weight=recall.text_weight / total
    )
    return replace(config, recall=weighed)


def _unexpected(key: str, expected: str, value: object) -> ConfigurationError:
    got = HIDDEN if rules()[key].secret else repr(value)
    got = got if len(got) <= _MAX_VALUE_CHARACTERS else f"{got[:_MAX_VALUE_CHARACTERS]}…"
    return ConfigurationError(f"{key}: expected {expected}, not {got}")


def _unknown_key(key: str) -> ConfigurationError:
    if key in _sections():
        return ConfigurationError(f"{key}: expected a table of settings")
    return ConfigurationError(f"no setting {key!r}", hint=_nearest_hint(key))


def _nearest_hint(key: str) -> str:
    import difflib  # for errors only

    near = difflib.get_close_matches(key, [*rules(), *sorted(_sections())], n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else "`lorebank config list` shows all settings"
