"""Settings as text: values as a command line takes them, origins beside them."""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.cli.render.look import Look

DEFAULT = "default"


def value_text(value: object) -> str:
    """A value as `config set` takes it: `true`, `0.7`, `a, b`, `[{path = "a"}]`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple | list) and any(isinstance(item, dict) for item in value):
        from lorebank.settings.toml_edit import toml_text

        return toml_text(tuple(value))
    if isinstance(value, tuple | list):
        return ", ".join(map(value_text, value))
    if isinstance(value, dict):
        return ", ".join(f"{name}={text}" for name, text in value.items())
    return str(value)


def setting_lines(look: Look, rows: Sequence[tuple[str, object, str]]) -> list[str]:
    """`key = value`, and where it comes from unless that is the default."""
    lines = []
    for key, value, origin in rows:
        shown = look.clean_line(f"{key} = {value_text(value)}".rstrip())
        origin = "" if origin == DEFAULT else f"  {look.dim(f'({look.clean_line(origin)})')}"
        lines.append(f"{shown}{origin}")
    return lines


def path_lines(look: Look, paths: Sequence[tuple[str, str, bool]]) -> list[str]:
    """The place's name, its path, and whether the file is there."""
    column = max((len(place) for place, _, _ in paths), default=0)
    return [
        f"{place:<{column}}  {look.clean_line(path)}{'' if exists else look.dim('  (not there)')}"
        for place, path, exists in paths
    ]
