"""What starting the command costs, and what it promises before any command runs."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pytest

from lorebank.cli.root import cli

HEAVY = ("apsw", "dateparser", "httpx", "markdown_it", "mcp", "networkx", "numpy", "pydantic")
PROBE = """
import sys
from lorebank.cli.root import run
code = run(sys.argv[1:])
loaded = [name for name in {heavy} if name in sys.modules]
sys.stderr.write(" ".join([str(code), *loaded]))
"""


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], [], ["recall", "--help"]])
def test_help_imports_nothing_heavy(arguments: list[str], environment: dict[str, str]) -> None:
    heavy = (*HEAVY, "rich", "lorebank.app", "lorebank.index")
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(heavy=heavy), *arguments],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stderr == "0"


def test_a_recall_by_words_imports_no_model_and_no_parser(
    environment: dict[str, str], copy_fixture: Callable[[str], Path], lorebank: Callable[..., Any]
) -> None:
    folder = copy_fixture("harbour")
    lorebank("index", cwd=folder)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            PROBE.format(heavy=tuple(name for name in HEAVY if name != "apsw")),
            *("recall", "goose", "--quiet"),
        ],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stderr == "0"


def test_a_server_is_ready_before_anything_heavy_is_imported(
    environment: dict[str, str], copy_fixture: Callable[[str], Path]
) -> None:
    """A host waits for it: no SDK, no HTTP, no model, until a call needs one."""
    heavy = (*(set(HEAVY) - {"apsw", "pydantic"}), "anyio", "starlette", "uvicorn")
    done = subprocess.run(
        [sys.executable, "-c", PROBE.format(heavy=heavy), "mcp"],
        cwd=copy_fixture("harbour"),
        env=environment,
        input="",
        capture_output=True,
        text=True,
    )
    assert done.stderr == "0"


def test_a_named_question_parses_no_table_again(
    environment: dict[str, str], copy_fixture: Callable[[str], Path], lorebank: Callable[..., Any]
) -> None:
    """Two readers that keep their tables under one name would undo each other's each time."""
    folder = copy_fixture("harbour")
    lorebank("recall", "where does Peter live?", cwd=folder)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            PROBE.format(heavy=("tomllib",)),
            *("recall", "where does Peter live?", "--quiet"),
        ],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.stderr == "0"


@pytest.mark.parametrize(
    ("arguments", "most"),
    [
        (["--help"], 12),
        (["get", "memory.md"], 52),  # the model, by subject, is three modules of them
        (["recall", "who looks after the goose?"], 77),
        (["retain", "W @Ana: Sings in the harbour choir."], 146),
    ],
    ids=["help", "get", "recall", "retain"],
)
def test_a_command_imports_no_more_modules_than_it_needs(
    arguments: list[str],
    most: int,
    environment: dict[str, str],
    copy_fixture: Callable[[str], Path],
    lorebank: Callable[..., Any],
) -> None:
    """`most` is what was counted when this was written, and a little: raise it with a reason."""
    folder = copy_fixture("harbour")
    lorebank("index", cwd=folder)
    count = "sum(name.startswith('lorebank') for name in sys.modules)"
    probe = f"import sys\nfrom lorebank.cli.root import run\nrun(sys.argv[1:])\nprint({count})"
    done = subprocess.run(
        [sys.executable, "-c", probe, *arguments, "--quiet"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    assert int(done.stdout.split()[-1]) <= most


def _walk(group: click.Group) -> list[click.Command]:
    context = click.Context(group)
    found = []
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        found += [command, *(_walk(command) if isinstance(command, click.Group) else [])]
    return found


@pytest.mark.parametrize("command", _walk(cli), ids=lambda command: command.name)
def test_each_command_shows_examples_of_itself(command: click.Command) -> None:
    text = command.get_help(click.Context(command))
    examples = text.partition("Examples:\n")[2]
    assert f" {command.name}" in examples
