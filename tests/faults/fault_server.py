"""A process under `faults.c` that forks one child for each command to be killed or to fail.

Reads one JSON object a line: `{"root", "command", "fault", "at"}`; answers with the number of
calls that changed the disk below `root`, and how the command ended.
"""

import ctypes
import importlib
import json
import os
import pkgutil
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import date
from pathlib import Path

import lorebank
from lorebank import Bank
from lorebank.errors import LorebankError
from support import WORDS_ONLY

DAY = date(2025, 12, 20)
NOTES = Path(__file__).parent / "notes.jsonl"
FAULTS = ("none", "kill", "ENOSPC", "EIO", "EACCES", "short write")


def _forget(bank: Bank) -> None:
    bank.forget(match="Marrakech", now=DAY)


def _rule(bank: Bank) -> None:
    item = bank.inbox(now=DAY).items[0]
    bank.rule({item.id: "both"}, by="Ines", now=DAY)


COMMANDS: dict[str, tuple[Callable[[Bank], object], ...]] = {
    "retain": (lambda bank: bank.retain("W @Peter: Bought a canoe.", now=DAY),),
    "log": (lambda bank: bank.log("The ferry was late again.", now=DAY),),
    "remember": (lambda bank: bank.remember("Peter is allergic to nuts.", now=DAY),),
    "core": (lambda bank: bank.memory_write("append", "- The harbour office has a spare key."),),
    "index": (lambda bank: bank.sync(full=True, embed=False),),
    "recall": (lambda bank: bank.recall("who prefers concise replies?").hits[0],),
    "reflect": (lambda bank: bank.reflect(now=DAY),),
    "undo": (lambda bank: bank.reflect(now=DAY), lambda bank: bank.undo_reflect()),
    "forget": (_forget,),
    "undo forget": (_forget, lambda bank: bank.undo_forget()),
    "forget and purge": (lambda bank: bank.forget(match="Marrakech", purge=True, now=DAY),),
    "rule": (_rule,),
    "merge": (lambda bank: bank.decide("merge", "Andy", "Peter", now=DAY),),
    "import": (lambda bank: bank.import_notes(NOTES),),
    "commit": (lambda bank: bank.reflect(now=DAY, commit=True),),
}


def _run(root: str, command: str, fault: str, at: int) -> dict[str, object]:
    """Run a command in this process, which a fault may end."""
    library = ctypes.CDLL(os.environ["LD_PRELOAD"])
    ended = "done"
    library.faults_arm(os.fsencode(root), FAULTS.index(fault), ctypes.c_long(at))
    try:
        with Bank.open(Path(root), environ=WORDS_ONLY) as bank:
            for step in COMMANDS[command]:
                step(bank)
    except LorebankError as error:
        ended = f"{error.code}: {error}"
        if fault != "none" and not error.hint:
            ended = f"bug: no word of what to do: {error}"
    except Exception as error:  # the very thing a test looks for
        ended = f"bug: {error!r}"
    return {"calls": int(library.faults_disarm()), "ended": ended}


def _import_all() -> None:
    """Import what commands would import one by one, so that every child runs the code this process
    began with, whatever becomes of the files meanwhile."""
    for found in pkgutil.walk_packages(lorebank.__path__, "lorebank."):
        if found.name.split(".")[1] not in ("__main__", "cli", "mcp_server", "providers"):
            with suppress(ModuleNotFoundError):  # of a framework that is not installed
                importlib.import_module(found.name)


def main() -> None:
    _import_all()
    for line in sys.stdin:
        order = json.loads(line)
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            answer = _run(order["root"], order["command"], order["fault"], order["at"])
            os.write(writing, json.dumps(answer).encode())
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading, "rb") as pipe:
            answered = pipe.read()
        os.waitpid(child, 0)
        killed = json.dumps({"calls": order["at"], "ended": "killed"})
        sys.stdout.write((answered.decode() or killed) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
