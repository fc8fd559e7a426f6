"""Settings: what they are, where they may come from, and which place said what.

Later places win: shipped defaults ← the user's file ← the workspace's `.memory/config.toml` ←
the environment (`LOREBANK_RECALL__K=5`) ← flags (`--set recall.k=5`). A workspace may come from
anybody, so its file is held to an allow-list: it can tune a search, and can never name a library
to load or a path outside itself.

A field of a settings class is the one home of a setting: name, default, rule, and what it means.
Where no file and no variable exists nothing is parsed: `tomllib` is imported only to read a file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass, replace
from pathlib import Path
from typing import Any, cast

from lorebank.errors import ConfigurationError, UsageError
from lorebank.records import dataclass
from lorebank.settings.files import (
    parse_file,
    read_text,
    refuse_link,
    replace_file,
    user_config_path,
    workspace_config_path,
)
from lorebank.settings.rules import Rule
from lorebank.settings.tables import Config

HIDDEN = "(hidden)"
"""What stands for a key where settings are shown."""
_PREFIX = "LOREBANK_"
_SHOWN = 120
"""Characters of a wrong value that its error shows."""


@dataclass(frozen=True, slots=True)
class Change:
    """One value that a place sets."""

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
    """The settings in force for a workspace folder, or outside of one where it is `None`.

    `defaults` give way to all places, `flags` win over them; a text among the flags is read as one
    of a command line. Raises `ConfigurationError` that names place, key and expectation of
    everything that is wrong.
    """
    places: tuple[Callable[[], list[Change]], ...] = (
        lambda: list(defaults),
        lambda: _user_changes(environ),
        lambda: _workspace_changes(workspace),
        lambda: _from_texts(_variables(environ)),
        lambda: _from_texts(flags),
    )
    problems: list[ConfigurationError] = []
    changes: list[Change] = []
    for said in places:
        try:
            changes += said()
        except ConfigurationError as problem:
            problems.append(problem)
    if problems:
        raise _together(problems)
    return _check_together(_apply(changes)) if changes else Config()


def describe(config: Config) -> list[tuple[str, Any, str]]:
    """Every setting as `(key, value, origin)`, in the order of the dataclasses; keys hidden."""
    return [
        (key, shown(key, _value_at(config, key)), config.origins.get(key, "default"))
        for key in rules()
    ]


def shown(key: str, value: Any) -> Any:
    """A setting's value as it may be shown: a secret only by the variable that holds it."""
    rule = rules().get(key)
    if rule is None or not rule.secret:
        return value
    if isinstance(value, str):
        return _hidden(value)
    return {name: _hidden(text) for name, text in value.items()}


def _hidden(text: str) -> str:
    return text if not text or text.startswith("env:") else HIDDEN


def get(config: Config, key: str) -> Any:
    """The value of one dotted key; `UsageError` with the nearest name if there is none."""
    if key not in rules():
        raise UsageError(f"no setting {key!r}", hint=_nearest_hint(key))
    return _value_at(config, key)


def check_value(key: str, value: object) -> Any:
    """The value as the settings take it from the user's file; `ConfigurationError` otherwise."""
    return _checked(key, value, in_workspace=False)


def set_value(file: Path, key: str, value: object, *, in_workspace: bool = False) -> Any:
    """Write one setting into a TOML file and return the value as it was read.

    A text is read as from a command line (`"5"`, `"true"`, `"a, b"`). Comments, order and all
    other values of the file stay; the value is checked before anything is written. With
    `in_workspace` the allow-list for a workspace's own file holds.
    """
    if isinstance(value, str):
        value = _from_text(key, value)
    read = _checked(key, value, in_workspace=in_workspace)
    _write(file, {key: read}, in_workspace=in_workspace)
    return read


def set_values(file: Path, values: Mapping[str, Any]) -> None:
    """Write checked values (see `check_value`) into the user's file, all or none."""
    _write(file, values, in_workspace=False)


def _write(file: Path, values: Mapping[str, Any], *, in_workspace: bool) -> None:
    from lorebank.settings import toml_edit

    if in_workspace:
        refuse_link(file)
    text = read_text(file) if file.exists() else ""
    changes = _file_changes(file, text, in_workspace=in_workspace)
    changes += [Change(key, value, str(file)) for key, value in values.items()]
    _check_together(_apply(changes))
    for key, value in values.items():
        try:
            text = toml_edit.set_key(text, tuple(key.split(".")), value)
        except ValueError as error:
            raise ConfigurationError(f"{file}: {error}", hint=f"set {key} in an editor") from error
    replace_file(file, text)


def _user_changes(environ: Mapping[str, str]) -> list[Change]:
    path = user_config_path(environ)
    if path is None or not path.exists():
        return []
    return _file_changes(path, read_text(path), in_workspace=False)


def _workspace_changes(workspace: Path | None) -> list[Change]:
    if workspace is None:
        return []
    path = workspace_config_path(workspace)
    refuse_link(path)
    if not path.exists():
        return []
    return _file_changes(path, read_text(path), in_workspace=True)


def _variables(environ: Mapping[str, str]) -> Iterator[Change]:
    for name in sorted(environ):
        if name.startswith(_PREFIX) and "__" in name:
            key = name.removeprefix(_PREFIX).lower().replace("__", ".")
            yield Change(key, environ[name], name)


def _from_texts(said: Iterable[Change]) -> list[Change]:
    """What variables and flags say, each in the kind of its setting."""

    def read(change: Change) -> Change:
        text = change.value
        value = _from_text(change.key, text) if isinstance(text, str) else text
        return replace(change, value=_checked(change.key, value, in_workspace=False))

    return _each(said, read, lambda change: change.origin)


def _each(
    said: Iterable[Change], read: Callable[[Change], Change], place: Callable[[Change], str]
) -> list[Change]:
    """All that is said, read; one error that tells all that is wrong, and where."""
    changes, problems = [], []
    for change in said:
        try:
            changes.append(read(change))
        except ConfigurationError as problem:
            message = f"{place(change)}: {problem.message}"
            problems.append(ConfigurationError(message, hint=problem.hint))
    if problems:
        raise _together(problems)
    return changes


def _together(problems: Sequence[ConfigurationError]) -> ConfigurationError:
    """Several errors as one, a line each; with its own hint where they differ."""
    hints = {problem.hint for problem in problems}
    if len(hints) == 1:
        return ConfigurationError("\n".join(p.message for p in problems), hint=hints.pop())
    lines = [f"{p.message} ({p.hint})" if p.hint else p.message for p in problems]
    return ConfigurationError("\n".join(lines))


def _from_text(key: str, text: str) -> object:
    """What a variable or a command line says for a setting, not yet checked against its rule."""
    rule = rules().get(key)
    if rule is None:
        raise _unknown_key(key)
    try:
        return rule.parse(text)
    except ValueError as error:
        raise _unexpected(key, rule.expects, text) from error


def _file_changes(path: Path, text: str, *, in_workspace: bool) -> list[Change]:
    """The values a settings file sets, each checked against its rule and the allow-list."""
    from lorebank.settings import toml_edit

    def read(change: Change) -> Change:
        value = _checked(change.key, change.value, in_workspace=in_workspace)
        return replace(change, value=value)

    def place(change: Change) -> str:
        line = toml_edit.find_line(text, tuple(change.key.split(".")))
        return f"{path}:{line}" if line else str(path)

    leaves = _leaves(parse_file(path, text))
    return _each((Change(key, value, str(path)) for key, value in leaves), read, place)


def _checked(key: str, value: object, *, in_workspace: bool) -> Any:
    """The value a setting takes from a file, held to its rule and, there, to the allow-list."""
    rule = rules().get(key)
    if rule is None:
        raise _unknown_key(key)
    try:
        read = rule.read(value)
    except ValueError as error:
        raise _unexpected(key, str(error), value) from error
    if in_workspace and rule.user_only(read):
        raise _refusal(key)
    return read


def _leaves(table: Mapping[str, object], prefix: str = "") -> Iterator[tuple[str, object]]:
    """The dotted keys of a parsed file down to the settings; what is no section is a leaf."""
    for name, value in table.items():
        key = prefix + name
        if isinstance(value, dict) and key in _sections():
            yield from _leaves(value, f"{key}.")
        else:
            yield key, value


def rules() -> dict[str, Rule]:
    """Every setting's rule by its key, in the order of the classes."""
    if not _RULES:
        _RULES.update((key, rule) for key, rule in _walk_rules(Config) if rule is not None)
    return _RULES


def _sections() -> set[str]:
    names = [key.split(".") for key in rules()]
    return {".".join(parts[:depth]) for parts in names for depth in range(1, len(parts))}


def _walk_rules(cls: type, prefix: str = "") -> Iterator[tuple[str, Rule | None]]:
    for entry in fields(cls):
        key = prefix + entry.name.rstrip("_")
        if rule := entry.metadata.get("rule"):
            yield key, rule
        elif is_dataclass(entry.default_factory):
            yield from _walk_rules(cast(type, entry.default_factory), f"{key}.")


_RULES: dict[str, Rule] = {}


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
    """What only holds between settings; the two recall weights come out with a sum of one."""
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
        recall,
        vector_weight=recall.vector_weight / total,
        text_weight=recall.text_weight / total,
    )
    return replace(config, recall=weighed)


def _unexpected(key: str, expected: str, value: object) -> ConfigurationError:
    got = HIDDEN if rules()[key].secret else repr(value)
    got = got if len(got) <= _SHOWN else f"{got[:_SHOWN]}…"
    return ConfigurationError(f"{key}: expected {expected}, not {got}")


def _unknown_key(key: str) -> ConfigurationError:
    if key in _sections():
        return ConfigurationError(f"{key}: expected a table of settings")
    return ConfigurationError(f"no setting {key!r}", hint=_nearest_hint(key))


def _nearest_hint(key: str) -> str:
    import difflib  # asked for in errors only

    near = difflib.get_close_matches(key, [*rules(), *sorted(_sections())], n=1, cutoff=0.5)
    return f"did you mean {near[0]}?" if near else "`lorebank config list` shows all settings"


def _refusal(key: str) -> ConfigurationError:
    return ConfigurationError(
        f"{key}: a workspace's own file may not set this; expected it in the user's file",
        hint="a workspace never names a library, an endpoint, a key, a command or a path outside "
        "itself; move the setting to the file `lorebank config path` prints",
    )
