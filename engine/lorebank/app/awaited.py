"""class AsyncBank: a Bank for code that runs in an event loop, on one thread of its own.

Every method is that of `Bank`, awaited. Calls run one after the other in the order they were made;
meanwhile the loop is free.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from types import TracebackType
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from lorebank.app.bank import Bank

P = ParamSpec("P")
R = TypeVar("R")


def _awaited(
    method: Callable[Concatenate[Bank, P], R],
) -> Callable[Concatenate[AsyncBank, P], Coroutine[Any, Any, R]]:
    """The method of a Bank as a coroutine with the same arguments and result."""

    @wraps(method)
    async def run(self: AsyncBank, /, *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.call(lambda bank: method(bank, *args, **kwargs))

    return run


def _awaited_all(
    method: Callable[Concatenate[Bank, P], Iterator[R]],
) -> Callable[Concatenate[AsyncBank, P], Coroutine[Any, Any, tuple[R, ...]]]:
    """The same of a method that gives one after the other: all of them, read on the thread."""

    @wraps(method)
    async def run(self: AsyncBank, /, *args: P.args, **kwargs: P.kwargs) -> tuple[R, ...]:
        return await self.call(lambda bank: tuple(method(bank, *args, **kwargs)))

    return run


def _opening(opening: Callable[P, Bank]) -> Callable[Concatenate[type[AsyncBank], P], AsyncBank]:
    """A way to open a Bank as a way to have one opened by its thread."""

    @wraps(opening)
    def prepare(cls: type[AsyncBank], /, *args: P.args, **kwargs: P.kwargs) -> AsyncBank:
        return cls(partial(opening, *args, **kwargs))

    return prepare


class AsyncBank:
    """A Bank whose methods are awaited.

    >>> import asyncio
    >>> async def preferred(name):
    ...     async with AsyncBank.init("~/notes") as bank:
    ...         await bank.retain(f"O(c=0.9) @{name}: Prefers tea in the afternoon.")
    ...         answer = await bank.recall(f"what does {name} prefer?", k=1)
    ...         return answer.hits[0].content
    >>> asyncio.run(preferred("Peter"))
    'Prefers tea in the afternoon.'

    `open` and `init` take what those of `Bank` take and return at once; the workspace is opened,
    and what is wrong with it raised, by `async with`, or by the first call. A call that has
    begun is carried through even if its task is cancelled: a write is never left half done.
    """

    def __init__(self, open_bank: Callable[[], Bank]) -> None:
        self._open_bank = open_bank
        self._bank: Bank | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lorebank")

    open = classmethod(_opening(Bank.open))
    init = classmethod(_opening(Bank.init))

    async def call(self, job: Callable[[Bank], R]) -> R:
        """The result of `job(bank)` on the Bank's thread: several calls in one step, or an
        attribute, as in `await bank.call(lambda bank: bank.root)`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: job(self._opened()))

    async def close(self) -> None:
        """Close the Bank once what was asked for is done; it cannot be used again."""
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self._thread, self._close)
        self._thread.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        await self.call(lambda bank: None)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    def _opened(self) -> Bank:
        if self._bank is None:
            self._bank = self._open_bank()
        return self._bank

    def _close(self) -> None:
        if self._bank is not None:
            self._bank.close()

    accept_proposal = _awaited(Bank.accept_proposal)
    add = _awaited(Bank.add)
    audit = _awaited(Bank.audit)
    begin_serving = _awaited(Bank.begin_serving)
    belief_changes = _awaited(Bank.belief_changes)
    bench = _awaited(Bank.bench)
    calibration = _awaited(Bank.calibration)
    catch_up = _awaited(Bank.catch_up)
    check = _awaited(Bank.check)
    confirm = _awaited(Bank.confirm)
    context = _awaited(Bank.context)
    decide = _awaited(Bank.decide)
    decisions = _awaited(Bank.decisions)
    directives = _awaited(Bank.directives)
    doctor = _awaited(Bank.doctor)
    entities = _awaited(Bank.entities)
    entity = _awaited(Bank.entity)
    explain = _awaited(Bank.explain)
    export = _awaited(Bank.export)
    export_graph = _awaited(Bank.export_graph)
    export_template = _awaited(Bank.export_template)
    export_transcripts = _awaited(Bank.export_transcripts)
    flush = _awaited(Bank.flush)
    forget = _awaited(Bank.forget)
    get = _awaited(Bank.get)
    graph = _awaited(Bank.graph)
    import_notes = _awaited(Bank.import_notes)
    import_template = _awaited(Bank.import_template)
    inbox = _awaited(Bank.inbox)
    judge = _awaited(Bank.judge)
    lint = _awaited(Bank.lint)
    log = _awaited(Bank.log)
    log_file = _awaited(Bank.log_file)
    memory_search = _awaited(Bank.memory_search)
    memory_write = _awaited(Bank.memory_write)
    opinions = _awaited(Bank.opinions)
    proposals = _awaited(Bank.proposals)
    purge_forgotten = _awaited(Bank.purge_forgotten)
    recall = _awaited(Bank.recall)
    reflect = _awaited(Bank.reflect)
    reject_proposal = _awaited(Bank.reject_proposal)
    remember = _awaited(Bank.remember)
    resolve = _awaited(Bank.resolve)
    retain = _awaited(Bank.retain)
    rot = _awaited(Bank.rot)
    rule = _awaited(Bank.rule)
    search = _awaited(Bank.search)
    session_hook = _awaited(Bank.session_hook)
    session_turns = _awaited_all(Bank.session_turns)
    settle = _awaited(Bank.settle)
    status = _awaited(Bank.status)
    sync = _awaited(Bank.sync)
    sync_sessions = _awaited(Bank.sync_sessions)
    agenda = _awaited(Bank.agenda)
    today = _awaited(Bank.today)
    timeline = _awaited(Bank.timeline)
    transcripts = _awaited_all(Bank.transcripts)
    undo_forget = _awaited(Bank.undo_forget)
    undo_lint = _awaited(Bank.undo_lint)
    undo_reflect = _awaited(Bank.undo_reflect)
    undo_retain = _awaited(Bank.undo_retain)
    unrule = _awaited(Bank.unrule)
    unsettle = _awaited(Bank.unsettle)
    unsure = _awaited(Bank.unsure)
