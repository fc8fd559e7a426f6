"""The tools as plain functions, for frameworks that make a tool of any typed function;
`engine/docs/frameworks.md` shows each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import Signature
from pathlib import Path
from typing import Any, Self, TypeVar

from lorebank.app.bank import Bank
from lorebank.domain.facts import Author
from lorebank.errors import LorebankError, UsageError
from lorebank.tools.arguments import Arguments
from lorebank.tools.toolset import DEFAULT_TOOLS, TOOLS, Toolset

R = TypeVar("R")


class BankTools:
    """A bank as functions that an agent calls, from any thread.

    `root` and `options` are those of `Bank.open`; `agent` and `user` sign what is written.

    >>> with BankTools("~/notes", agent="planner") as tools:
    ...     [function.__name__ for function in tools.functions("recall", "retain")]
    ['recall', 'retain']
    """

    def __init__(
        self, root: str | Path, *, agent: str = "agent", user: str = "", **options: Any
    ) -> None:
        self._open: Callable[[], Bank] = partial(Bank.open, root, **options)
        self._author = Author(agent, user=user)
        self._bank: Bank | None = None
        self._has_undo = self._is_closed = False
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lorebank")  # a Bank's own thread

    def functions(self, *names: str) -> Sequence[Callable[..., str]]:
        """The tools of those names, or the default ones; each returns the text for the model.

        What a tool refuses is its text as well: a model reads it and calls again.
        """
        unknown = [name for name in names if name not in TOOLS]
        if unknown:
            raise UsageError(f"no tool '{unknown[0]}'", hint=f"some of {', '.join(TOOLS)}")
        self._has_undo |= "undo" in names
        return [self._function(name) for name in names or DEFAULT_TOOLS]

    def run(self, function: Callable[[Bank, Author], R]) -> R:
        """What a function makes of the bank, in the bank's own thread, and of who signs."""
        return self._thread.submit(lambda: function(self._opened(), self._author)).result()

    def close(self) -> None:
        """Wait for what is running, then close the bank; a second call does nothing."""
        if not self._is_closed:
            self._is_closed = True
            self._thread.submit(self._close).result()
            self._thread.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _opened(self) -> Bank:
        self._bank = self._bank or self._open()
        return self._bank

    def _close(self) -> None:
        if self._bank is not None:
            self._bank.close()

    def _function(self, name: str) -> Callable[..., str]:
        method = TOOLS[name][0]
        arguments = Arguments(name, method)
        parameters = arguments.parameters

        def function(*args: Any, **named: Any) -> str:
            given = dict(zip((p.name for p in parameters), args, strict=False)) | named
            return self._thread.submit(self._call, method, arguments, given).result()

        made: Any = function
        made.__name__ = made.__qualname__ = name
        made.__doc__ = method.__doc__
        made.__signature__ = Signature(parameters, return_annotation=str)
        made.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": str}
        return function

    def _call(self, method: Callable[..., Any], arguments: Arguments, given: Any) -> str:
        tools = Toolset(self._opened(), self._author, has_undo=self._has_undo)
        try:
            read, note = arguments.read(given)
            text: str = method(tools, **read)["text"]
        except LorebankError as refused:
            return "\n".join(filter(None, [f"error: {refused.message}", refused.hint]))
        return "\n".join(filter(None, [text, note]))
