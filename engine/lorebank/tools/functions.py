"""The tools as plain functions, for frameworks that make a tool of any typed function.

LangGraph, LlamaIndex, the OpenAI Agents SDK and Pydantic AI read a function's name, docstring and
annotations; `engine/docs/frameworks.md` shows each.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from inspect import Signature
from pathlib import Path
from typing import Any, Self

from lorebank.app.bank import Bank
from lorebank.domain.facts import Author
from lorebank.errors import LorebankError, UsageError
from lorebank.tools.toolset import DEFAULT_TOOLS, TOOLS, Toolset, parameters_of


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
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="lorebank")  # a Bank's own thread

    def functions(self, *names: str) -> Sequence[Callable[..., str]]:
        """The tools of those names, or the default ones; each returns the text for the model.

        What a tool refuses is its text as well: a model reads it and calls again.
        """
        unknown = [name for name in names if name not in TOOLS]
        if unknown:
            raise UsageError(f"no tool '{unknown[0]}'", hint=f"some of {', '.join(TOOLS)}")
        return [self._function(name) for name in names or DEFAULT_TOOLS]

    def close(self) -> None:
        """Wait for what is running, then close the bank."""
        if self._bank is not None:
            self._thread.submit(self._bank.close).result()
        self._thread.shutdown()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def _function(self, name: str) -> Callable[..., str]:
        method = TOOLS[name][0]

        def function(*args: Any, **arguments: Any) -> str:
            return self._thread.submit(self._call, method, args, arguments).result()

        parameters = parameters_of(method)
        made: Any = function
        made.__name__ = made.__qualname__ = name
        made.__doc__ = method.__doc__
        made.__signature__ = Signature(parameters, return_annotation=str)
        made.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": str}
        return function

    def _call(self, method: Callable[..., Any], args: Any, arguments: dict[str, Any]) -> str:
        self._bank = self._bank or self._open()
        try:
            text: str = method(Toolset(self._bank, self._author), *args, **arguments)["text"]
        except LorebankError as refused:
            return "\n".join(filter(None, [f"error: {refused.message}", refused.hint]))
        return text
