"""Banks for many clients at once: a thread that answers, one that writes, each with its own Banks.

Answering is work of the processor, which one thread does fastest; where a question waits for a
service that embeds it, more threads answer. What may take seconds has a thread to itself. A Bank is
opened by the first call of its thread; clients that speak for a group have Banks of their own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock, Thread, local
from typing import TYPE_CHECKING, Any, TypeVar

from lorebank.app.watching import Watcher, keep_up
from lorebank.mcp_server.access import caller

if TYPE_CHECKING:
    from lorebank.app.bank import Bank
    from lorebank.app.several import Banks

T = TypeVar("T")
_WAITING = 4  # threads that answer where most of an answer is waiting for a service


OpensBank = Callable[..., "Bank"]
"""Opens the Bank served for the calling thread; `group=True` for a client that speaks for a
group."""
OpensBanks = Callable[..., "Banks"]  # the same for the banks that are asked together


class BankThreads:
    """Runs calls on Banks in threads, each opened once a thread and kind of client.

    `waits`: a question waits for a service."""

    def __init__(
        self, open_bank: OpensBank, open_banks: OpensBanks | None = None, *, waits: bool = False
    ) -> None:
        self._open_bank = open_bank
        self._open_banks = open_banks
        self._own = local()
        self._opened: list[Bank | Banks] = []
        self._lock = Lock()
        self._watcher: Watcher | None = None
        self._keeper: Thread | None = None
        answering = _WAITING if waits else 1
        self._answering = ThreadPoolExecutor(answering, thread_name_prefix="lorebank-answers")
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="lorebank-writes")

    async def call(self, job: Callable[[Bank], T]) -> T:
        """The result of `job(bank)`, a question."""
        return await self._run(self._answering, self._open_bank, job)

    async def call_writer(self, job: Callable[[Bank], T]) -> T:
        """The result of `job(bank)`, which writes or may take seconds."""
        return await self._run(self._writing, self._open_bank, job)

    async def call_several(self, job: Callable[[Banks], T]) -> T:
        """The result of `job(banks)`, a question to the banks that the client may ask."""
        assert self._open_banks is not None
        allowed = caller().access.banks

        def ask(banks: Banks) -> T:
            return job(banks if allowed is None else banks.only(allowed))

        return await self._run(self._answering, self._open_banks, ask)

    @property
    def has_several(self) -> bool:
        """Whether the server serves several banks."""
        return self._open_banks is not None

    def close(self) -> None:
        """Wait for what is running, then close every Bank."""
        if self._watcher is not None:
            self._watcher.stop()
        if self._keeper is not None:
            self._keeper.join()
        for threads in (self._answering, self._writing):
            threads.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            while self._opened:
                self._opened.pop().close()

    async def _run(
        self, threads: ThreadPoolExecutor, opens: Callable[..., Any], job: Callable[[Any], T]
    ) -> T:
        group = caller().access.group
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(threads, lambda: job(self._of_thread(opens, group)))

    def _of_thread(self, opens: Callable[..., Any], group: bool) -> Any:
        known: dict[tuple[Any, bool], Any] = self._own.__dict__.setdefault("opened", {})
        if (opens, group) not in known:
            opened = known[opens, group] = opens(group=group) if group else opens()
            with self._lock:
                self._opened.append(opened)
                if opens is self._open_bank:
                    opened.workspace.watcher = self._watch(opened.root)
        return known[opens, group]

    def _watch(self, root: Path) -> Watcher:
        """The watcher of the bank that is served, started with what keeps the index up to date."""
        if self._watcher is None:
            self._watcher = Watcher(root)
            self._watcher.start()
            self._keeper = Thread(target=self._keep, args=(self._watcher,), daemon=True)
            self._keeper.start()
        return self._watcher

    def _keep(self, watcher: Watcher) -> None:
        with self._open_bank() as bank:
            keep_up(bank.catch_up, watcher)
