"""Banks for many clients at once: a few threads, each with a Bank of its own.

A Bank belongs to one thread. It is opened by the first call that its thread runs, so that the
server is ready before any index is.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Lock, local
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from lorebank.app import Bank
    from lorebank.app.several import Banks

__all__ = ["BankThreads"]

T = TypeVar("T")
B = TypeVar("B", "Bank", "Banks")
_FEWEST, _MOST = 2, 4


class BankThreads:
    """Runs calls on Banks in threads; `open_bank` is called once a thread, and so is `open_banks`,
    which opens those that are asked together."""

    def __init__(
        self, open_bank: Callable[[], Bank], open_banks: Callable[[], Banks] | None = None
    ) -> None:
        self._open_bank = open_bank
        self._open_banks = open_banks
        self._own = local()
        self._opened: list[Bank | Banks] = []
        self._lock = Lock()
        count = max(_FEWEST, min(_MOST, os.cpu_count() or _FEWEST))
        self._threads = ThreadPoolExecutor(count, thread_name_prefix="lorebank-mcp")

    async def call(self, job: Callable[[Bank], T]) -> T:
        """The result of `job(bank)`, run in one of the threads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: job(self._bank()))

    @property
    def has_several(self) -> bool:
        """Whether the server was told to ask several banks."""
        return self._open_banks is not None

    async def call_several(self, job: Callable[[Banks], T]) -> T:
        """The result of `job(banks)`, run in one of the threads."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: job(self._banks()))

    def close(self) -> None:
        """Wait for what is running, then close every Bank."""
        self._threads.shutdown(wait=True, cancel_futures=True)
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
