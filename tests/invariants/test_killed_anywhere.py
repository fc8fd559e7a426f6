"""SIGKILL before any call that changes the disk: old or new, never half, and nothing to repair.

Each command runs in a forked process that kills itself before its n-th such call. Every note must
then be whole, and the next command must find or make an index that is what a rebuild would give.
"""

import os
import shutil
import signal
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from support import WORDS_ONLY

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

CALLS = ("write", "replace", "rename", "link", "unlink", "fsync", "ftruncate", "mkdir", "open")
KILLS = int(os.environ.get("LOREBANK_TEST_KILLS", "12"))
"""For each of the commands, spread over its calls; a hundred a run in all."""
DAY = date(2025, 12, 20)
Action = Callable[[Bank], object]


def forget(bank: Bank) -> None:
    bank.forget(match="Marrakech", now=DAY)


COMMANDS: dict[str, tuple[Action, ...]] = {
    "retain": (lambda bank: bank.retain("W @Peter: Bought a canoe.", now=DAY),),
    "log": (lambda bank: bank.log("The ferry was late again.", now=DAY),),
    "remember": (lambda bank: bank.remember("Peter is allergic to nuts.", now=DAY),),
    "core": (lambda bank: bank.memory_write("append", "- The harbour office has a spare key."),),
    "index": (lambda bank: bank.sync(full=True, embed=False),),
    "reflect": (lambda bank: bank.reflect(now=DAY),),
    "undo": (lambda bank: bank.reflect(now=DAY), lambda bank: bank.undo_reflect()),
    "forget": (forget,),
    "undo forget": (forget, lambda bank: bank.undo_forget()),
}


def run(root: Path, steps: tuple[Action, ...], kill_at: int = 0) -> int | None:
    """How many calls the command made; `None` where it was killed before its `kill_at`-th."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        write = os.write
        made = 0

        def counted(call: Callable[..., object]) -> Callable[..., object]:
            def counting(*arguments: object, **keywords: object) -> object:
                nonlocal made
                made += 1
                if made == kill_at:
                    os.kill(os.getpid(), signal.SIGKILL)
                return call(*arguments, **keywords)

            return counting

        try:
            for name in CALLS:
                setattr(os, name, counted(getattr(os, name)))
            with Bank.open(root, environ=WORDS_ONLY) as bank:
                for step in steps:
                    step(bank)
            write(writing, str(made).encode())
        finally:
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read()
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return None
    assert said, "the command failed"
    return int(said)


def notes(root: Path) -> dict[str, bytes]:
    files = [*(root / "memory").glob("*.md"), root / "memory.md"]
    return {file.name: file.read_bytes() for file in files if file.exists()}


@pytest.mark.parametrize("name", COMMANDS)
def test_killed_before_any_call(
    name: str, copy_fixture: Callable[[str], Path], tmp_path: Path
) -> None:
    steps, start = COMMANDS[name], copy_fixture("harbour")
    with Bank.open(start, environ=WORDS_ONLY) as bank:
        bank.sync(embed=False)
    states = [notes(start)]
    for done in range(1, len(steps) + 1):
        whole = tmp_path / f"whole-{done}"
        shutil.copytree(start, whole)
        calls = run(whole, steps[:done])
        states.append(notes(whole))
    assert calls is not None
    for kill_at in sorted({1 + number * calls // KILLS for number in range(KILLS)}):
        root = tmp_path / f"killed-{kill_at}"
        shutil.copytree(start, root)
        run(root, steps, kill_at)
        for file, data in notes(root).items():
            assert data in [state.get(file) for state in states], f"{file}, killed at {kill_at}"
        with Bank.open(root, environ=WORDS_ONLY) as bank:
            assert bank.recall("who prefers concise replies?").hits
            bank.reflect(now=DAY)
            left = [f for f in bank.doctor() if f.check in ("interrupted", "index", "pages")]
            assert left == [], f"killed at {kill_at}"
        shutil.rmtree(root)
