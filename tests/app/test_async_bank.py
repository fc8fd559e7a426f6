"""AsyncBank: the methods of a Bank, awaited, one after the other on one thread."""

import asyncio
import inspect
import threading
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import AsyncBank, Bank, NotFound, WorkspaceError
from support import WORDS_ONLY

TODAY = date(2025, 12, 10)
OWN = {"open", "init", "close", "plan_init"}
"""Written for AsyncBank, or (`plan_init`) needing no bank."""


@pytest.fixture
def workspace(copy_fixture: Callable[[str], Path]) -> Path:
    return copy_fixture("harbour")


def test_every_method_of_a_bank_is_there_with_its_signature() -> None:
    public = {
        name
        for name, value in inspect.getmembers(Bank, inspect.isfunction)
        if not name.startswith("_")
    }
    for name in public - OWN:
        method = getattr(AsyncBank, name)
        assert inspect.iscoroutinefunction(method), name
        assert inspect.signature(method) == inspect.signature(getattr(Bank, name)), name
        assert method.__doc__ == getattr(Bank, name).__doc__, name


def test_answers_are_those_of_a_bank(workspace: Path) -> None:
    async def ask() -> list[str]:
        async with AsyncBank.open(workspace, now=TODAY, environ=WORDS_ONLY) as bank:
            answer = await bank.recall("what does Peter prefer?", k=3)
            await bank.close()  # as `async with` does once more
            return [str(hit.source) for hit in answer.hits]

    with Bank.open(workspace, now=TODAY, environ=WORDS_ONLY) as bank:
        expected = [str(hit.source) for hit in bank.recall("what does Peter prefer?", k=3).hits]
    assert asyncio.run(ask()) == expected


def test_calls_made_together_run_in_their_order_on_one_thread(workspace: Path) -> None:
    async def work() -> tuple[set[int], list[str]]:
        async with AsyncBank.open(workspace, now=TODAY, environ=WORDS_ONLY) as bank:
            threads = await asyncio.gather(
                *(bank.call(lambda bank: threading.get_ident()) for _ in range(8))
            )
            facts = await asyncio.gather(
                *(bank.retain(f"Boat {number} is painted red.") for number in range(5))
            )
            return set(threads), [str(fact.citation) for fact in facts]

    threads, places = asyncio.run(work())
    assert len(threads) == 1 and threads != {threading.get_ident()}
    assert places == [f"memory/2025-12-10.md#L{line}" for line in range(4, 9)]


def test_the_loop_is_free_while_a_call_runs(workspace: Path) -> None:
    async def work() -> bool:
        free = asyncio.Event()
        begun = threading.Event()
        async with AsyncBank.open(workspace, environ=WORDS_ONLY) as bank:
            call = asyncio.create_task(bank.call(lambda bank: begun.wait(10)))
            asyncio.get_running_loop().call_soon(free.set)
            await free.wait()
            begun.set()
            return await call

    assert asyncio.run(work())


def test_a_write_that_has_begun_is_carried_through_though_its_task_is_cancelled(
    workspace: Path,
) -> None:
    begun, may_end = threading.Event(), threading.Event()

    def write(bank: Bank) -> None:
        begun.set()
        may_end.wait(10)
        bank.retain("The ketch lies in berth nine.")

    async def work() -> str:
        async with AsyncBank.open(workspace, now=TODAY, environ=WORDS_ONLY) as bank:
            writing = asyncio.create_task(bank.call(write))
            while not begun.is_set():
                await asyncio.sleep(0.001)
            writing.cancel()
            may_end.set()
            answer = await bank.recall("where is the ketch?", k=1)
            return answer.hits[0].content

    assert asyncio.run(work()) == "The ketch lies in berth nine."


def test_errors_come_to_the_caller(workspace: Path, tmp_path: Path) -> None:
    async def unknown() -> None:
        async with AsyncBank.open(workspace, environ=WORDS_ONLY) as bank:
            await bank.entity("Petr")

    async def nowhere() -> None:
        async with AsyncBank.open(tmp_path / "nowhere", environ=WORDS_ONLY):
            pass

    with pytest.raises(NotFound, match="Petr"):
        asyncio.run(unknown())
    with pytest.raises(WorkspaceError):
        asyncio.run(nowhere())


def test_init_lays_out_a_workspace(tmp_path: Path) -> None:
    async def work() -> tuple[str, ...]:
        async with AsyncBank.init(tmp_path / "new", environ=WORDS_ONLY) as bank:
            return await bank.call(lambda bank: bank.created)

    assert "memory.md" in asyncio.run(work())
