"""Whoever notes a line never waits for a night, and no line of many writers is lost."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from lorebank import Bank
from lorebank.workspace.lock import WriterLock
from support import WORDS_ONLY

WRITER = """
import sys
from lorebank import Bank
with Bank.open(sys.argv[1]) as bank:
    for number in range(8):
        bank.retain(f"W @Peter: Writer {sys.argv[2]} saw ship number {number}.")
"""


def test_a_line_is_written_while_another_process_holds_the_workspace(
    copy_fixture: Callable[[str], Path],
) -> None:
    root = copy_fixture("harbour")
    with WriterLock(root), Bank.open(root, environ=WORDS_ONLY) as bank:
        fact = bank.retain("W @Peter: Bought a canoe.")
        assert "Bought a canoe." in bank.get(str(fact.citation)).text
        noted = bank.log("The ferry was late.")
        assert "ferry" in bank.get(str(noted)).text
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.recall("who bought a canoe?").hits[0].content == "Bought a canoe."


def test_four_writers_at_once_lose_nothing(copy_fixture: Callable[[str], Path]) -> None:
    root = copy_fixture("harbour")
    environ = os.environ | WORDS_ONLY
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(root), str(n)], env=environ)
        for n in range(4)
    ]
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
        assert [writer.wait() for writer in writers] == [0] * len(writers)
        bank.sync()
        assert bank.check() == ()
    text = "".join(log.read_text("utf-8") for log in (root / "memory").glob("*.md"))
    said = [f"Writer {w} saw ship number {n}." for w in range(4) for n in range(8)]
    assert [text.count(each) for each in said] == [1] * len(said)
