"""A `qmd` of a few lines, for what the real one does rarely: fail, hang, print junk.

It is a program of its own that is started, timed and read like the real one; what it prints for a
command stands in `plan.json`, and what it was asked, with which homes, in `calls.jsonl`.
"""

import json
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lorebank import Bank

__all__ = ["Opener", "Program", "write_program"]

SCRIPT = """#!{python} -S
import json, os, sys, time
folder = {folder!r}
told = sys.argv[1:]
if told[:1] == ["--version"]:
    sys.exit(0)
with open(folder + "/calls.jsonl", "a") as log:
    homes = [os.environ.get(n) for n in ("XDG_CONFIG_HOME", "XDG_CACHE_HOME", "INDEX_PATH")]
    log.write(json.dumps([told, homes, os.getcwd()]) + "\\n")
with open(folder + "/plan.json") as file:
    step = json.load(file).get(told[0], {{}})
time.sleep(step.get("sleep", 0))
sys.stdout.write(step.get("out", "") * step.get("times", 1))
sys.stdout.flush()
sys.stderr.write(step.get("err", ""))
sys.exit(step.get("code", 0))
"""


@dataclass(frozen=True)
class Program:
    """The program, what it is to do, and what it was asked."""

    folder: Path

    @property
    def path(self) -> Path:
        return self.folder / "qmd"

    def plan(self, **steps: Mapping[str, Any]) -> None:
        """What it does for each command; nothing, successfully, for those not named."""
        (self.folder / "plan.json").write_text(json.dumps(steps))

    def finds(self, *rows: Mapping[str, Any], mode: str = "search") -> None:
        """What a search finds."""
        self.plan(**{mode: {"out": json.dumps(rows)}})

    @property
    def calls(self) -> list[list[str]]:
        """The arguments of each call, oldest first."""
        return [call[0] for call in self.records]

    @property
    def records(self) -> list[Any]:
        log = self.folder / "calls.jsonl"
        return [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []

    def wait_for(self, command: str) -> None:
        """Until it was called with a command, by whomever."""
        deadline = time.monotonic() + 20
        while not any(call[0] == command for call in self.calls):
            assert time.monotonic() < deadline, f"{command} was never called: {self.calls}"
            time.sleep(0.02)


def write_program(folder: Path) -> Program:
    """The program in a folder of its own, which does nothing but succeed."""
    folder.mkdir()
    program = Program(folder)
    program.path.write_text(SCRIPT.format(python=sys.executable, folder=str(folder)))
    program.path.chmod(0o755)
    program.plan()
    return program


@dataclass
class Opener:
    """Opens a workspace with the sidecar; settings of `memory` as `qmd__search_mode="query"`."""

    workspace: Path
    environ: Mapping[str, str]
    warned: list[str] = field(default_factory=list)
    """What the Banks warned of."""
    opened: list[Bank] = field(default_factory=list)

    def __call__(self, *, offline: bool = False, **settings: str) -> Bank:
        said = {f"LOREBANK_MEMORY__{key.upper()}": value for key, value in settings.items()}
        bank = Bank.open(
            self.workspace,
            environ={**self.environ, **said},
            offline=offline,
            say=self.warned.append,
        )
        self.opened.append(bank)
        return bank
