"""A kill or a failing disk before any call that changes a file: old or new, never half.

Commands run in a process below which `faults/faults.c` counts every such call, SQLite's included,
and kills the process or lets the call fail. Every note must then be whole, a command that reported
success must have done its work, what is half done must be said, and the next command, whatever it
is, must finish it and need no repair.
"""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import cast

import pytest

from faults.fault_server import COMMANDS, DAY, FAULTS
from lorebank import Bank
from support import WORDS_ONLY

KILLS = int(os.environ.get("LOREBANK_TEST_KILLS", "12"))
"""For each command, spread over its calls; 60 make 600 in a run."""
ERRORS = int(os.environ.get("LOREBANK_TEST_FAULTS", "4"))
"""For each command and kind of failure; 8 make 320 in a run."""
HALF_AS_MANY = ("forget and purge", "rule", "merge", "import", "commit")
"""Commands tried at half as many calls: they write a page or two, or what another command does."""
FOLDER = Path(__file__).parent.parent / "faults"
NOTED = {"retain": "canoe", "log": "ferry was late again", "remember": "nuts", "core": "spare key"}
Run = Callable[[Path, str, str, int], dict[str, object]]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    """Run one of `COMMANDS` in a workspace, with a fault at its n-th call that changes the disk."""
    if not sys.platform.startswith("linux") or not shutil.which("cc"):
        pytest.skip("needs Linux and a C compiler")
    library = tmp_path_factory.mktemp("faults") / "faults.so"
    compile_library = ["cc", "-shared", "-fPIC", "-o", library, FOLDER / "faults.c", "-ldl"]
    subprocess.run(compile_library, check=True)
    path = os.pathsep.join([str(FOLDER.parent), *sys.path])
    server = subprocess.Popen(
        [sys.executable, str(FOLDER / "fault_server.py")],
        env={**os.environ, "LD_PRELOAD": str(library), "PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert server.stdin and server.stdout
    orders, answers = server.stdin, server.stdout

    def ask(root: Path, command: str, fault: str, at: int) -> dict[str, object]:
        order = {"root": str(root), "command": command, "fault": fault, "at": at}
        print(json.dumps(order), file=orders, flush=True)
        return cast("dict[str, object]", json.loads(answers.readline()))

    with server:
        yield ask
        orders.close()


def notes(root: Path) -> dict[str, bytes]:
    files = [*(root / "memory").glob("*.md"), root / "memory.md"]
    return {file.name: file.read_bytes() for file in files if file.exists()}


def pages(root: Path) -> dict[str, bytes]:
    """All that is written for people: notes and pages, none half written."""
    files = [*root.glob("*.md"), *(root / "memory").rglob("*.md"), *(root / "bank").rglob("*.md")]
    return {str(file.relative_to(root)): file.read_bytes() for file in files}


def bytes_left(root: Path, word: bytes) -> list[str]:
    """The files that hold a word, in an archive or as they are."""
    found = []
    for file in filter(Path.is_file, root.rglob("*")):
        held = [file.read_bytes()]
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as archive:
                held = [archive.read(name) for name in archive.namelist()]
        found += [str(file.relative_to(root))] * (word in b"".join(held))
    return found


def calls_and_states(
    run: Run, name: str, start: Path, scratch: Path
) -> tuple[int, list[dict[str, bytes]]]:
    """How many calls the command makes, and all pages before, between its steps and after it."""
    undone = name.removeprefix("undo ") if name != "undo" else "reflect"
    states = [pages(start)]
    for command in dict.fromkeys((undone, name)):
        whole = scratch / "whole" / command.replace(" ", "-")
        shutil.copytree(start, whole)
        done = run(whole, command, "none", 0)
        assert done["ended"] == "done"
        states.append(pages(whole))
    return cast("int", done["calls"]), states


def assert_said_and_finished(root: Path, states: list[dict[str, bytes]], where: str) -> None:
    """What is half done is named by `status` and `doctor`, and finished by an ordinary command."""
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        said = [problem for problem in bank.status().problems if problem.code == "interrupted"]
        assert said or pages(root) in states, f"half done, and not said, {where}"
        found = [each for each in bank.doctor() if each.check == "interrupted"]
        assert [problem.path for problem in said] == [
            each.source for each in found if each.source.endswith(".zip")
        ], where
        if not any(
            "lorebank reflect` " in problem.message for problem in said
        ):  # its own to finish
            bank.sync(embed=False)
            assert pages(root) in states, f"not finished, {where}"
            assert all(problem.code != "interrupted" for problem in bank.status().problems), where


def assert_no_repair_needed(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.recall("who prefers concise replies?").hits
        bank.reflect(now=DAY)
        left = [each for each in bank.doctor() if each.check in ("interrupted", "index", "pages")]
        assert left == []


@pytest.mark.parametrize("name", COMMANDS)
def test_a_fault_at_any_call(
    name: str, run: Run, copy_fixture: Callable[[str], Path], tmp_path: Path
) -> None:
    start = copy_fixture("harbour")
    if name == "commit":
        subprocess.run(["git", "init", "-q", str(start)], check=True)
    with Bank.open(start, environ=WORDS_ONLY) as bank:
        bank.sync(embed=False)
    calls, states = calls_and_states(run, name, start, tmp_path)
    for fault in FAULTS[1:]:
        count = (KILLS if fault == "kill" else ERRORS) // (1 + (name in HALF_AS_MANY))
        for at in sorted({1 + number * calls // count for number in range(count)}):
            where = f"{fault} at call {at} of {calls}"
            root = tmp_path / "faulty"
            shutil.copytree(start, root)
            ended = cast("str", run(root, name, fault, at)["ended"])
            assert not ended.startswith("bug"), f"{where}: {ended}"
            left = notes(root)
            for file, data in left.items():
                assert data in [state.get(f"memory/{file}", state.get(file)) for state in states], (
                    f"{file}, {where}"
                )
            if ended == "done" and name in NOTED:
                assert NOTED[name] in b"".join(left.values()).decode(), f"lost, {where}"
            if name == "forget and purge" and pages(root) != states[0]:
                with Bank.open(root, environ=WORDS_ONLY) as bank:
                    bank.sync(embed=False)
                    assert bytes_left(root, b"Marrakech") == [], where
            if name in ("rule", "merge"):
                assert pages(root) in states, where
            if name == "import":
                run(root, name, "none", 0)
                assert pages(root) == states[-1], where
            if "forget" in name or (fault == "kill" and name in ("reflect", "undo", "commit")):
                assert_said_and_finished(root, states, where)
            assert_no_repair_needed(root)
            shutil.rmtree(root)
