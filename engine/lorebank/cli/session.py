"""What holds for a whole command line: the global options, and where a command writes.

The global options are accepted before and after the subcommand; the last one given wins.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.render.look import Look
from lorebank.cli.streams import write, write_json
from lorebank.errors import ConfigurationError
from lorebank.version import __version__

if TYPE_CHECKING:
    from lorebank.app import Bank

__all__ = ["Command", "CommandGroup", "Session", "command", "pass_session"]

SCHEMA_VERSION = 1
PIPE_WIDTH = 100
WIDEST = 120
"""Longer lines are hard to read, however wide the terminal."""


@dataclass
class Session:
    """One run of the command line."""

    workspace: str | None = None
    json: bool = False
    quiet: bool = False
    verbose: bool = False

    def read_ahead(self, arguments: Sequence[str]) -> None:
        """Know how to report an error even where the arguments cannot be parsed."""
        before_text = list(arguments)[: _index(arguments, "--")]
        self.json = "--json" in before_text
        self.verbose = "--verbose" in before_text

    def bank(self) -> Bank:
        """The workspace the options and the environment point at, opened."""
        from lorebank.app import Bank

        return Bank.open(self.workspace, now=self.now)

    @property
    def now(self) -> date | None:
        """The day `LOREBANK_NOW` names; `None` where it is unset."""
        text = os.environ.get("LOREBANK_NOW", "").strip()
        if not text:
            return None
        try:
            return date.fromisoformat(text[:10])
        except ValueError:
            raise ConfigurationError(
                f"LOREBANK_NOW is not a day: {text!r}", hint="write it as 2025-11-27"
            ) from None

    @property
    def look(self) -> Look:
        """How data is shown on stdout."""
        return _look_of(sys.stdout)

    @property
    def error_look(self) -> Look:
        """How notes are shown on stderr."""
        return _look_of(sys.stderr)

    def show(self, lines: Iterable[str]) -> None:
        """Write data."""
        write(lines)

    def show_json(self, payload: Mapping[str, Any]) -> None:
        """Write one object of the published schema."""
        write_json({"schema_version": SCHEMA_VERSION, **payload})

    def note(self, lines: Iterable[str]) -> None:
        """Write what is no data: notes, advice, problems. Nothing under `--quiet`."""
        if not self.quiet:
            write(lines, sys.stderr)


pass_session = click.make_pass_decorator(Session, ensure=True)


class GlobalOption(click.Option):
    """An option of every command, kept in the `Session` and listed apart in the help."""

    def __init__(self, flags: Sequence[str], field: str, **settings: Any) -> None:
        def remember(ctx: click.Context, parameter: click.Parameter, value: Any) -> None:
            source = ctx.get_parameter_source(parameter.name or "")
            if source is click.core.ParameterSource.COMMANDLINE:
                setattr(ctx.ensure_object(Session), field, value)

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
            help="The workspace; else LOREBANK_WORKSPACE, else the nearest folder upwards.",
        ),
        GlobalOption(["--json"], "json", is_flag=True, help="Print one JSON object."),
        GlobalOption(["--quiet"], "quiet", is_flag=True, help="No notes, no progress."),
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


def _print_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"lorebank {__version__}")
        ctx.exit()


class Command(click.Command):
    """A command with the global options and examples at the foot of its help."""

    def __init__(self, *arguments: Any, examples: str = "", **settings: Any) -> None:
        settings.setdefault(
            "context_settings", {"help_option_names": ["-h", "--help"], "max_content_width": 100}
        )
        super().__init__(*arguments, **settings)
        self.examples = examples.strip()
        self.shared = _global_options()
        self.params = [*self.params, *self.shared]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, [_without_bullet(argument) for argument in args])

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        everywhere = [*self.shared, self.get_help_option(ctx)]
        own = [
            each
            for each in self.get_params(ctx)
            if isinstance(each, click.Option) and each not in everywhere
        ]
        for title, options in (("Options", own), ("Everywhere", everywhere)):
            records = [each.get_help_record(ctx) for each in options if each is not None]
            if any(records):
                with formatter.section(title):
                    formatter.write_dl([record for record in records if record])

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if not self.examples:
            return
        with formatter.section("Examples"):
            for line in self.examples.split("\n"):
                formatter.write(f"  {line}\n")


class CommandGroup(Command, click.Group):
    """A command with subcommands; an unknown one is met with the nearest name."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(self.summaries(ctx))
        super().format_options(ctx, formatter)

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        """Each subcommand with its one-line summary."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        return [(name, each.get_short_help_str(100)) for name, each in found if each is not None]

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None:
            raise _unknown_command(args[0], ctx, self.list_commands(ctx))
        return super().resolve_command(ctx, args)


def command(name: str, *, examples: str) -> Callable[[Callable[..., Any]], Command]:
    """Declare a command; its function returns the exit code, or `None` for success."""
    return click.command(name, cls=Command, examples=examples)


def _unknown_command(name: str, ctx: click.Context, known: Sequence[str]) -> Exception:
    import difflib

    from lorebank.errors import UsageError

    near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
    path = ctx.command_path
    hint = f"did you mean {path} {near[0]}?" if near else f"{path} --help lists the commands"
    return UsageError(f"no command {name!r}", hint=hint)


def _without_bullet(argument: str) -> str:
    """A pasted list item is text: `- W @Peter: …` is not an option."""
    return argument[2:] if argument.startswith("- ") else argument


def _look_of(stream: Any) -> Look:
    if stream is None or not stream.isatty():
        return Look(width=PIPE_WIDTH)
    import shutil

    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    width = shutil.get_terminal_size((PIPE_WIDTH, 24)).columns
    return Look(width=min(width, WIDEST), colour=not plain, terminal=True)


def _index(arguments: Sequence[str], wanted: str) -> int:
    return list(arguments).index(wanted) if wanted in arguments else len(arguments)
