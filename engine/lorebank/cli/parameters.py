"""Options and arguments that several commands share."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.session import Session
from lorebank.domain.facts import FactKind, Origin
from lorebank.errors import LorebankError, UsageError

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Confidence(click.FloatRange):
    """0 to 1; click's own range lets "nan" pass, which is neither below nor above anything."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number from 0 to 1", param, ctx)
        return number


CONFIDENCE = _Confidence(0, 1)
KIND = click.Choice(
    [*(kind.value for kind in FactKind), *(kind.letter for kind in FactKind)],
    case_sensitive=False,
)
"""A kind of fact, by its word or by the letter that stands for it in a log."""
ITEM_KIND = click.Choice([*KIND.choices, "note"], case_sensitive=False)
"""A kind of hit: a kind of fact, or a passage of prose."""

ORIGIN = click.Choice([origin.value for origin in Origin], case_sensitive=False)
"""Whose word something is."""


def complete_entity(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The names of entities that begin like what is typed; none where no workspace is found."""
    from click.shell_completion import CompletionItem

    start = incomplete.casefold()
    return [CompletionItem(name) for name in _names(ctx) if name.casefold().startswith(start)]


def _names(ctx: click.Context) -> list[str]:
    try:
        with ctx.ensure_object(Session).bank() as bank:
            return [name for e in bank.entities() for name in (e.name, *e.aliases)]
    except (LorebankError, OSError):
        return []


def text_argument(words: tuple[str, ...], verb: str, what: str = "a text") -> str:
    """The words of a command line as a text; without any, or for `-`, standard input."""
    if words and words != ("-",):
        return " ".join(words)
    if not words and (sys.stdin is None or sys.stdin.isatty()):
        raise UsageError(f"nothing to {verb}", hint=f"give {what}, or pipe one in")
    piped = sys.stdin.buffer.read()
    try:
        return piped.decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as problem:
        raise UsageError(
            f"standard input is not valid UTF-8 at byte {problem.start}; nothing written"
        ) from problem


def _joined(ctx: click.Context, param: click.Parameter, words: tuple[str, ...]) -> str | None:
    return " ".join(words) or ("" if param.required else None)


query_argument = click.argument("query", nargs=-1, required=True, callback=_joined)
entity_argument = click.argument(
    "entity", nargs=-1, shell_complete=complete_entity, callback=_joined
)
all_option = click.option(
    "--all", "every_bank", is_flag=True, help="Ask every named bank (lorebank bank list)."
)
as_of_option = click.option(
    "--as-of", metavar="DAY", help="Answer as on that day: later lines are left out."
)
min_confidence_option = click.option(
    "--min-confidence", type=CONFIDENCE, metavar="C", help="Leave out what is less sure."
)


def _keep_fail_empty(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    ctx.ensure_object(Session).fail_empty = value


fail_empty_option = click.option(
    "--fail-empty",
    is_flag=True,
    expose_value=False,
    callback=_keep_fail_empty,
    help="Exit with 1 where nothing was found.",
)


def entity_options(help_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add `-e/--entity`, which may be given several times."""
    return click.option(
        "-e",
        "--entity",
        "entities",
        multiple=True,
        metavar="NAME",
        shell_complete=complete_entity,
        help=help_text,
    )


def interval_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add `--since` and `--until`."""
    until = click.option("--until", metavar="DAY", help="Up to that day, included.")
    since = click.option(
        "--since", metavar="DAY", help="From that day on: 2025-11-27, 30d, “last week”."
    )
    return since(until(command))
