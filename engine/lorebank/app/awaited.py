"""class AsyncBank: a Bank for code that runs in an event loop, on one thread of its own."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial, wraps
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Self, TypeVar

from lorebank.app.bank import Bank

P = ParamSpec("P")
R = TypeVar("R")


def _awaited(method: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    """The method of a Bank as a coroutine; of a generator, all of its values."""
    gives_several = inspect.isgeneratorfunction(inspect.unwrap(method))

    @wraps(method)
    async def run(self: AsyncBank, /, *args: Any, **kwargs: Any) -> Any:
        if gives_several:
            return await self.call(lambda bank: tuple(method(bank, *args, **kwargs)))
        return await self.call(lambda bank: method(bank, *args, **kwargs))

    return run


def _opening(opening: Callable[P, Bank]) -> Callable[Concatenate[type[AsyncBank], P], AsyncBank]:
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
        self._is_closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lorebank")

    open = classmethod(_opening(Bank.open))
    init = classmethod(_opening(Bank.init))
    plan_init = staticmethod(Bank.plan_init)

    async def call(self, job: Callable[[Bank], R]) -> R:
        """The result of `job(bank)` on the Bank's thread: `await bank.call(lambda bank:
        bank.root)`."""
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, lambda: job(self._opened()))

    async def close(self) -> None:
        """Close the Bank, for good, once what was asked for is done; twice is no error."""
        if not self._is_closed:
            self._is_closed = True
            await asyncio.get_running_loop().run_in_executor(self._thread, self._close)
            self._thread.shutdown(wait=False)

    async def __aenter__(self) -> Self:
        await self.call(lambda bank: None)
        return self

    async def __aexit__(self, *raised: object) -> None:
        await self.close()

    def _opened(self) -> Bank:
        self._bank = self._bank or self._open_bank()
        return self._bank

    def _close(self) -> None:
        if self._bank is not None:
            self._bank.close()

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Callable[..., Coroutine[Any, Any, Any]]: ...


for _name, _method in inspect.getmembers(Bank, inspect.isfunction):
    if not _name.startswith("_") and _name not in vars(AsyncBank):
        setattr(AsyncBank, _name, _awaited(_method))
