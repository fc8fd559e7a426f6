"""The pages of `engine/docs` that are made from code; `python tests/reference.py` writes them.

`tests/cli/test_docs.py` fails where a page is not what the code says.
"""

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from lorebank import Bank
from lorebank.cli.root import COMMANDS, find_command
from lorebank.mcp_server.server import build_server
from lorebank.settings.schema import settings_schema
from lorebank.tools.toolset import DEFAULT_TOOLS

DOCS = Path(__file__).parent.parent / "engine" / "docs"
_MADE = "<!-- Made by tests/reference.py; change the code, not this page. -->"


def commands_page() -> str:
    """Every command with its help and its options."""
    common = find_command("status")
    shared = {option.name for option in common.params if isinstance(option, click.Option)}
    lines = ["# Commands", "", _MADE, ""]
    lines += ["Exit codes: 0 success, 1 error, 2 usage, 3 workspace or settings, 4 index unusable,"]
    lines += ["5 locked, 6 a check found something, 7 answered, but not by the embedder or the qmd"]
    lines += ["that is set (`recall`, `search`, `status`). Every command takes these options:", ""]
    lines += ["| option | |", "|---|---|", *_options(common, set())]
    for name in COMMANDS:
        command = find_command(name)
        sections = _sections(f"lorebank {name}", command, shared)
        lines += [line for section in sections for line in section]
    return "\n".join(lines) + "\n"


def _sections(path: str, command: click.Command, shared: set[str | None]) -> Iterator[list[str]]:
    context = click.Context(command, info_name=path)
    level = "#" * len(path.split())
    usage = " ".join(command.collect_usage_pieces(context)).replace("[OPTIONS]", "").strip()
    described = inspect.cleandoc(command.help or "").replace("\b", "")
    rows = _options(command, shared)
    table = ["", "| option | |", "|---|---|", *rows] if rows else []
    yield ["", f"{level} {path} {usage}".rstrip(), "", described, *table]
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _sections(f"{path} {name}", below, shared)


def _options(command: click.Command, left_out: set[str | None]) -> list[str]:
    return [
        _row(option)
        for option in command.params
        if isinstance(option, click.Option) and not option.hidden and option.name not in left_out
    ]


def _row(option: click.Option) -> str:
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    value = "" if option.is_flag else f" {option.metavar or option.type.name.upper()}"
    return f"| {_cell(names + value)} | {_cell(option.help or '')} |"


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def settings_page() -> str:
    """Every setting with its default and meaning."""
    lines = ["# Settings", "", _MADE, ""]
    lines += [
        "`lorebank config list` prints those in force, each with its origin; `lorebank config"
    ]
    lines += ["set KEY VALUE --user` writes your own file, without `--user` the workspace's, which"]
    lines += [
        "may not say what is marked *yours only*. `LOREBANK_RECALL__K=5` sets one for a process."
    ]
    lines += ["", "| setting | default | |", "|---|---|---|"]
    for key, value in _leaves(settings_schema(), ""):
        meaning = _cell(str(value.get("description", "")))
        default = value.get("default")
        shown = "" if default in (None, "") else f"`{_cell(str(default))}`"
        lines.append(f"| `{key}` | {shown} | {meaning} |")
    return "\n".join(lines) + "\n"


def _leaves(schema: Mapping[str, Any], before: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    for name, value in schema.get("properties", {}).items():
        if value.get("properties"):
            yield from _leaves(value, f"{before}{name}.")
        else:
            yield f"{before}{name}", value


def openclaw_tools() -> str:
    """The tools that the plugin for OpenClaw offers, as the server describes them.

    A plugin registers its tools before any server runs, hence this copy. The host must let other
    arguments through: the server takes them by their other names.
    """
    server, banks = build_server(_no_bank)
    banks.close()
    rows = [
        {"name": name, "label": tool["title"], "description": tool["description"]}
        | {"parameters": {**tool["inputSchema"], "additionalProperties": True}}
        for name in ("memory_search", *DEFAULT_TOOLS)
        for tool in [server.tools[name].listed()]
    ]
    return json.dumps(rows, indent=1, ensure_ascii=False) + "\n"


def _no_bank() -> Bank:
    raise AssertionError("listing tools opens no bank")


PAGES: Mapping[str, Callable[[], str]] = {
    "commands.md": commands_page,
    "settings.md": settings_page,
    "../openclaw/tools.json": openclaw_tools,
}

if __name__ == "__main__":
    for name, page in PAGES.items():
        (DOCS / name).write_text(page(), encoding="utf-8")
