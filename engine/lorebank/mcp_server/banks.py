"""Banks for many clients at once: a thread that answers, one that writes, each with its own Bank.

A Bank belongs to one thread. Answering is work of the processor, which one thread does fastest: a
second one would only halve what its caches know. Where a question waits for a service that embeds
it, more threads answer. What may take seconds (a reflection) has a thread to itself, so that no
question waits for it. A Bank is opened by the first call that its thread runs: the server is ready
before any index is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, local
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from lorebank.app import Bank
    from lorebank.app.several import Banks

T = TypeVar("T")
B = TypeVar("B", "Bank", "Banks")
_WAITING = 4
"""Threads that answer where most of an answer is waiting for a service."""


class BankThreads:
    """Runs calls on Banks in threads; `open_bank` is called once a thread, and so is `open_banks`,
    which opens those that are asked together. `waits`: a question waits for a service."""

    def __init__(
        self,
        open_bank: Callable[[], Bank],
        open_banks: Callable[[], Banks] | None = None,
        *,
        waits: bool = False,
    ) -> None:
        self._open_bank = open_bank
        self._open_banks = open_banks
        self._own = local()
        self._opened: list[Bank | Banks] = []
        self._lock = Lock()
        answering = _WAITING if waits else 1
        self._answering = ThreadPoolExecutor(answering, thread_name_prefix="lorebank-answers")
        self._writing = ThreadPoolExecutor(1, thread_name_prefix="lorebank-writes")

    async def call(self, job: Callable[[Bank], T]) -> T:
        """The result of `job(bank)`, a question."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._answering, lambda: job(self._bank()))

    async def call_writer(self, job: Callable[[Bank], T]) -> T:
        """The result of `job(bank)`, which writes or may take seconds."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._writing, lambda: job(self._bank()))

    @property
    def has_several(self) -> bool:
        """Whether the server was told to ask several banks."""
        return self._open_banks is not None

    async def call_several(self, job: Callable[[Banks], T]) -> T:
        """The result of `job(banks)`, a question to several banks."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._answering, lambda: job(self._banks()))

    def close(self) -> None:
        """Wait for what is running, then close every Bank."""
        for threads in (self._answering, self._writing):
            threads.shutdown(wait=True, cancel_futures=True)
        with self._lock:
            while self._opened:
                self._opened.pop().close()

    def _bank(self) -> Bank:
        bank: Bank | None = getattr(self._own, "bank", None)
        if bank is None:
            bank = self._own.bank = self._kept(self._open_bank())
        return bank

    def _banks(self) -> Banks:
        banks: Banks | None = getattr(self._own, "banks", None)
        if banks is None:
            assert self._open_banks is not None
            banks = self._own.banks = self._kept(self._open_banks())
        return banks

    def _kept(self, opened: B) -> B:
        with self._lock:
            self._opened.append(opened)
        return opened
