"""Whoever notes a line never waits for a night, and no line of many writers is lost."""

import multiprocessing
from collections.abc import Callable
from pathlib import Path

from lorebank import Bank
from lorebank.workspace.lock import WriterLock
from support import WORDS_ONLY


def write_lines(root: str, writer: int, count: int) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        for number in range(count):
            bank.retain(f"W @Peter: Writer {writer} saw ship number {number}.")


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
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=write_lines, args=(str(root), n, 8)) for n in range(4)]
    for writer in writers:
        writer.start()
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
    for writer in writers:
        writer.join()
        assert writer.exitcode == 0
    text = "".join(log.read_text("utf-8") for log in (root / "memory").glob("*.md"))
    said = [f"Writer {w} saw ship number {n}." for w in range(4) for n in range(8)]
    assert [text.count(each) for each in said] == [1] * len(said)
