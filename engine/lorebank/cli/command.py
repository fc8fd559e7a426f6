"""Commands and groups: global options, shared options, examples, help.

A command is a function of the `Session` and its own options that returns its exit code or `None`;
its docstring may end with `Examples:`. Global options are accepted before and after the subcommand;
the last one wins.
"""

from __future__ import annotations

import inspect
import math
import os
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.session import Session, pass_session
from lorebank.domain.facts import FactKind, Origin
from lorebank.errors import LorebankError, UsageError
from lorebank.version import __version__

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


COMMANDS = {
    "init": ("workspaces", "Set up a workspace."),
    "retain": ("write", "Write a fact into the log of a day."),
    "remember": ("write", "Write down what you were asked to remember, where it belongs."),
    "lint": ("write", "Find lines that are, or may be, misread."),
    "log": ("write", "Append a note to the log of a day."),
    "core": ("write", "Change the core memory, memory.md."),
    "index": ("index", "Bring the index up to date with the files."),
    "recall": ("ask", "Answer a question from the notes, with citations."),
    "search": ("ask", "Find passages in all notes."),
    "get": ("ask", "Print a memory file, whole or by lines."),
    "entity": ("entity", "Show all that is known of one entity, or list them; decide about names."),
    "opinions": ("beliefs", "Show beliefs with their confidence and evidence."),
    "today": ("beliefs", "Print the morning page: what is new, due or waiting."),
    "agenda": ("beliefs", "List appointments, open tasks and promises, overdue ones first."),
    "timeline": ("beliefs", "Show facts by when they happened."),
    "explain": ("beliefs", "Show the history of a fact or an opinion."),
    "rot": ("beliefs", "Show what in the bank may no longer be true."),
    "calibration": ("beliefs", "Show how well confidences were calibrated."),
    "reflect": ("reflect", "Bring the pages of the bank up to date from the facts."),
    "inbox": ("judgments", "List what waits for a decision, and decide."),
    "evidence": ("judgments", "Rule on whether a fact supports an opinion."),
    "confirm": ("judgments", "Vouch for what is in quarantine."),
    "forget": ("judgments", "Cut lines out of notes, pages and index."),
    "proposals": ("judgments", "List the edits that wait for a decision, accept or reject them."),
    "import": ("exchange", "Bring in a vault, a graph, an export of a chat program, or JSONL."),
    "export": ("exchange", "Write facts, pages or the graph of entities for other programs."),
    "bank": (
        "workspaces",
        "Name workspaces, to reach them from anywhere and to ask them together.",
    ),
    "template": ("workspaces", "List, check, import and export bank templates."),
    "context": ("hosts", "Print what an agent should know at the start of a session."),
    "flush": (
        "hosts",
        "Tell an agent whether to store lasting facts before its context is compacted.",
    ),
    "connect": (
        "hosts",
        "Add lorebank to the settings of an agent host, as the MCP server `memory`.",
    ),
    "hooks": ("hosts", "Add hooks for lorebank to the settings of an agent host."),
    "watch": ("index", "Keep the index fresh while files change, until interrupted."),
    "mcp": ("hosts", "Serve the memory to agents over the Model Context Protocol."),
    "bench": ("index", "Measure recall on questions made of your own notes."),
    "schedule": ("schedule", "Reflect every night, by the system's own scheduler."),
    "status": ("index", "Show what is indexed, how fresh it is, and what is wrong."),
    "doctor": ("index", "Find what is wrong, and repair what is safe to repair."),
    "config": ("settings", "Read and change settings."),
    "demo": ("workspaces", "Walk through recall and reflect on a copy of a sample workspace."),
    "completion": ("settings", "Print the script that completes commands in a shell."),
}
"""Each command's module and the first line of its help, so that `--help` imports no commands."""


class GlobalOption(click.Option):
    """An option of every command, stored in the `Session` and listed separately in the help."""

    def __init__(self, flags: Sequence[str], field: str, **settings: Any) -> None:
        def remember(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
            source = ctx.get_parameter_source(parameter.name or "")
            if source is click.core.ParameterSource.COMMANDLINE:
                session = ctx.ensure_object(Session)
                before = getattr(session, field) if self.multiple else ()
                setattr(session, field, (*before, *value) if self.multiple else value)

        super().__init__(
            [*flags, f"global_{field}"], expose_value=False, callback=remember, **settings
        )


def _global_options() -> list[click.Parameter]:
    return [
        GlobalOption(
            ["-w", "--workspace"],
            "workspace",
            metavar="DIR",
            type=click.Path(file_okay=False),
            help="The workspace; default: LOREBANK_WORKSPACE, or the nearest parent folder.",
        ),
        GlobalOption(
            ["--bank"],
            "bank_name",
            metavar="NAME",
            shell_complete=_complete_bank,
            help="The workspace of that name (lorebank bank list).",
        ),
        GlobalOption(["--json"], "json", is_flag=True, help="Print one JSON object."),
        GlobalOption(["--quiet"], "quiet", is_flag=True, help="No notes, no progress."),
        GlobalOption(
            ["--offline"], "offline", is_flag=True, help="Send nothing to another machine."
        ),
        GlobalOption(
            ["--set"],
            "overrides",
            multiple=True,
            metavar="KEY=VALUE",
            help="A setting for this run; lorebank config list shows all.",
        ),
        GlobalOption(["--verbose"], "verbose", is_flag=True, help="More detail; tracebacks."),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version.",
        ),
    ]


def _complete_bank(
    ctx: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The registered names with this prefix; none if the file cannot be read."""
    from click.shell_completion import CompletionItem

    from lorebank.workspace.registry import load_registry

    try:
        names = [bank.name for bank in load_registry(os.environ).banks]
    except LorebankError:
        return []
    return [CompletionItem(name) for name in names if name.startswith(incomplete)]


def _print_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"lorebank {__version__}")
        ctx.exit()


class Command(click.Command):
    """A command with the global options, and examples at the end of its help."""

    def __init__(
        self, *arguments: Any, is_markdown: bool = False, summary: str = "", **settings: Any
    ) -> None:
        """`is_markdown` keeps the bullet of an argument as text; `summary` precedes the help."""
        self.is_markdown = is_markdown
        settings.setdefault(
            "context_settings", {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        )
        super().__init__(*arguments, **settings)
        text, _, examples = inspect.cleandoc(self.help or "").partition("Examples:\n")
        self.help = f"{summary}\n\n{text}".strip()
        self.examples = inspect.cleandoc(examples)
        self.shared = _global_options()
        self.params = [*self.params, *self.shared]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if isinstance(self, click.Group):  # a subcommand reads its own
            return super().parse_args(ctx, args)
        # A pasted list item is text: `- W @Peter: …` is not an option.
        bullet = f"{_BULLET} " if self.is_markdown else ""
        texts = [f"{bullet}{arg[2:]}" if arg.startswith("- ") else arg for arg in args]
        rest = super().parse_args(ctx, texts)
        ctx.params = {name: _restore_bullet(value) for name, value in ctx.params.items()}
        return rest

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        everywhere = [*self.shared, self.get_help_option(ctx)]
        own = [each for each in self.get_params(ctx) if each not in everywhere]
        for title, options in (("Options", own), ("Everywhere", everywhere)):
            records = (each.get_help_record(ctx) for each in options if each is not None)
            if rows := list(filter(None, records)):
                with formatter.section(title):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.examples:
            with formatter.section("Examples"):
                formatter.write("".join(f"  {line}\n" for line in self.examples.split("\n")))


class CommandGroup(Command, click.Group):
    """A command with subcommands; suggests the nearest name for an unknown one."""

    def subcommand(
        self, name: str, *, examples: str = "", **settings: Any
    ) -> Callable[[Callable[..., Any]], Command]:
        """Declare a subcommand; by default its examples are those of the group that use it."""
        own = [e for e in self.examples.split("\n") if f"lorebank {self.name} {name}" in e]

        def declare(function: Callable[..., Any]) -> Command:
            made = click.command(name, cls=Command, **settings)(pass_session(function))
            made.examples = examples or "\n".join(own)
            self.add_command(made)
            return made

        return declare

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self.summaries(ctx))
        super().format_options(ctx, formatter)

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        return [(name, each.get_short_help_str(100)) for name, each in found if each is not None]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            import difflib

            known, path = self.list_commands(ctx), ctx.command_path
            near = difflib.get_close_matches(args[0], known, n=1, cutoff=0.5)
            hint = (
                f"did you mean {path} {near[0]}?" if near else f"{path} --help lists the commands"
            )
            raise UsageError(f"no command {args[0]!r}", hint=hint)
        return super().resolve_command(ctx, args)


def command(name: str) -> Callable[[Callable[..., Any]], Command]:
    """Declare a command; its docstring follows the summary in the help."""
    summary = COMMANDS[name][1]
    return lambda function: click.command(name, cls=Command, summary=summary)(
        pass_session(function)
    )


def group(name: str, **settings: Any) -> Callable[[Callable[..., Any]], CommandGroup]:
    settings = {"cls": CommandGroup, "summary": COMMANDS[name][1], **settings}
    return click.group(name, **settings)


def option(*described: str, **settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option from its names and help text."""
    *names, text = described
    return click.option(*names, help=text, **settings)


def flag(*described: str, **settings: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """An option without a value."""
    return option(*described, is_flag=True, **settings)


_BULLET = "\0"
"""Replaces the dash while options are parsed; arguments cannot contain NUL."""


def _restore_bullet(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(map(_restore_bullet, value))
    return value.replace(_BULLET, "-") if isinstance(value, str) else value


class _Confidence(click.FloatRange):
    """0 to 1; click's own range accepts NaN."""

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"{value!r} is not a number from 0 to 1", param, ctx)
        return number


CONFIDENCE = _Confidence(0, 1)
KIND = click.Choice(
    [*(kind.value for kind in FactKind), *(kind.letter for kind in FactKind)], case_sensitive=False
)
"""A kind of fact, as a word or letter."""
ITEM_KIND = click.Choice([*KIND.choices, "note"], case_sensitive=False)
"""A kind of hit: a kind of fact, or a passage of prose."""
ORIGIN = click.Choice([origin.value for origin in Origin], case_sensitive=False)


def complete_entity(
    ctx: click.Context, param: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """The entity names with this prefix; none without a workspace."""
    from click.shell_completion import CompletionItem

    try:
        with ctx.ensure_object(Session).bank() as bank:
            names = [name for e in bank.entities() for name in (e.name, *e.aliases)]
    except (LorebankError, OSError):
        return []
    start = incomplete.casefold()
    return [CompletionItem(name) for name in names if name.casefold().startswith(start)]


def text_argument(words: tuple[str, ...], verb: str, what: str = "a text") -> str:
    """The words of a command line as a text; standard input without any, or for `-`."""
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
all_option = flag("--all", "every_bank", "Ask every named bank (lorebank bank list).")
as_of_option = option("--as-of", "Answer as of that day, ignoring later lines.", metavar="DAY")
min_confidence_option = option(
    "--min-confidence", "Leave out what is less certain.", type=CONFIDENCE, metavar="C"
)


def _keep(field: str) -> Callable[[click.Context, click.Parameter, Any], None]:
    return lambda ctx, param, value: setattr(ctx.ensure_object(Session), field, value)


_AS_IF = "Act as if today were that day."
date_option = option("--date", _AS_IF, metavar="DAY", expose_value=False, callback=_keep("day"))
_FAILS = "Exit with 1 if nothing was found."
fail_empty_option = flag("--fail-empty", _FAILS, expose_value=False, callback=_keep("fail_empty"))


def budget_option(text: str, least: int = 1) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add `--budget-tokens`."""
    name, type_ = "token_budget", click.IntRange(least)
    return option("--budget-tokens", name, text, type=type_, metavar="N")


def entity_options(help_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    how: dict[str, Any] = {"multiple": True, "shell_complete": complete_entity}
    return option("-e", "--entity", "entities", help_text, metavar="NAME", **how)


def interval_options(command: Callable[..., Any]) -> Callable[..., Any]:
    until = option("--until", "Up to and including that day.", metavar="DAY")
    since = option("--since", "From that day on: 2025-11-27, 30d, “last week”.", metavar="DAY")
    return since(until(command))
