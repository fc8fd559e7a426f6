"""The README's examples, run as they stand there."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

README = (Path(__file__).parent.parent.parent / "README.md").read_text("utf-8")
Run = Callable[..., Any]


def fenced(language: str) -> str:
    """The text of the first block of that language."""
    found = re.search(rf"^```{language}\n(.*?)^```$", README, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def test_the_commands_work_in_the_order_given(lorebank: Run, tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    commands = [line.removeprefix("$ lorebank ") for line in fenced("console").splitlines()]
    outputs = []
    for command in commands:
        arguments = [part.replace("~", str(home), 1) for part in shlex.split(command)]
        outcome = lorebank(*arguments)
        assert (outcome.code, outcome.err if outcome.code else "") == (0, "")
        outputs.append(outcome.out)
    assert "Prefers tea in the afternoon." in outputs[2]
    assert "+++ b/bank/opinions.md" in outputs[3]


def test_the_python_example_prints_fact_confidence_and_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    log = tmp_path / "notes" / "memory" / "2025-11-27.md"
    log.parent.mkdir(parents=True)
    log.write_text("## Retain\n- O(c=0.95) @Peter: Prefers concise replies.\n")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("LOREBANK_EMBEDDER__PROVIDER", "none")
    if os.name == "nt":
        monkeypatch.setenv("USERPROFILE", str(tmp_path))
    exec(compile(fenced("python"), "README.md", "exec"), {})
    assert capsys.readouterr().out == "Prefers concise replies. 0.95 memory/2025-11-27.md#L2\n"


def test_every_command_is_listed() -> None:
    from lorebank.cli.root import COMMANDS

    listed = set(re.findall(r"`([a-z]+)[ `]", "\n".join(re.findall(r"^\| .*", README, re.M))))
    assert set(COMMANDS) <= listed
