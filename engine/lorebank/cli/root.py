"""Run a command line: lazy loading of commands, error reports, missed nights."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import click

from lorebank.cli.command import COMMANDS, CommandGroup
from lorebank.cli.session import ReaderGone, Session, discard, flush, write, write_json
from lorebank.errors import LorebankError, UsageError, remedy_on_disk
from lorebank.render.text import Look


def find_command(name: str) -> click.Command:
    """The command of that name, whose module is imported."""
    module = import_module(f"lorebank.cli.commands.{COMMANDS[name][0]}")
    command: click.Command = getattr(module, "import_notes" if name == "import" else name)
    return command


class LazyGroup(CommandGroup):
    """A group that imports a command's module when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return find_command(cmd_name) if cmd_name in COMMANDS else None

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        return [(name, summary) for name, (_, summary) in COMMANDS.items()]


@click.group("lorebank", cls=LazyGroup, invoke_without_command=True)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """An agent's memory over plain Markdown: retain, recall, reflect.

    Notes stay files you can read and edit. Every answer cites its source line.

    Examples:
        lorebank init ~/notes
        lorebank retain "O(c=0.9) @Peter: Prefers short replies."
        lorebank recall "what does Peter prefer?"
        lorebank reflect --dry-run --diff
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command line; reports errors and returns the exit code."""
    session = Session()
    session.read_ahead(arguments)
    try:
        code = _invoke(arguments, session)
        flush()
    except (KeyboardInterrupt, click.Abort):
        return 130
    except ReaderGone:
        discard()
        return 0
    except Exception as problem:
        return _report(problem, session)
    return code


def _invoke(arguments: Sequence[str], session: Session) -> int:
    for position, argument in enumerate(arguments, start=1):
        if not argument.isprintable() and any("\ud800" <= c <= "\udfff" for c in argument):
            raise UsageError(f"argument {position} is not valid UTF-8")
    try:
        result = cli.main(list(arguments), "lorebank", standalone_mode=False, obj=session)
        catch_up(session)
    except SystemExit as stop:  # after shell completion
        result = stop.code
    return result if isinstance(result, int) else 0


def _report(problem: Exception, session: Session) -> int:
    """Report an error as text or JSON; returns the exit code."""
    error = as_lorebank_error(problem)
    try:
        if session.verbose:
            import traceback

            write(traceback.format_exc().rstrip().split("\n"), sys.stderr)
        if session.json:
            write_json(error.to_dict())
        else:
            write(error_lines(error, session.error_look), sys.stderr)
        flush()
    except (OSError, ReaderGone):
        discard()
    return error.exit_code


_SENTENCE_START = re.compile(r"\A[A-Z](?=[a-z ])")


def as_lorebank_error(problem: Exception) -> LorebankError:
    """The error to report: our own as they are, click's and the system's translated."""
    if isinstance(problem, LorebankError):
        return problem
    if isinstance(problem, click.NoSuchOption):
        return UsageError(f"no option {problem.option_name}", hint=_usage_hint(problem))
    if isinstance(problem, click.UsageError):
        return UsageError(_as_clause(problem.format_message()), hint=_usage_hint(problem))
    if isinstance(problem, click.ClickException):
        return LorebankError(_as_clause(problem.format_message()))
    if isinstance(problem, OSError):
        reason = (problem.strerror or str(problem) or type(problem).__name__).lower()
        message = f"{problem.filename}: {reason}" if problem.filename else reason
        return LorebankError(message, hint=remedy_on_disk(problem))
    return LorebankError(
        f"internal error, {type(problem).__name__}: {problem}".rstrip(": "),
        hint="this is a bug in lorebank; --verbose shows where it happened",
    )


def error_lines(error: LorebankError, look: Look) -> list[str]:
    """`error: what, where`, further lines, and a `hint:`."""
    first, *further = error.message.split("\n")
    lines = [f"{look.bad('error:')} {look.clean_line(first)}"]
    lines += [f"       {look.clean_line(line)}" for line in further]
    if error.hint:
        lines.append(f"{look.dim('hint:')} {look.clean_line(error.hint)}")
    return lines


def _usage_hint(problem: click.UsageError) -> str:
    name = problem.ctx.command_path if problem.ctx else "lorebank"
    if isinstance(problem, click.NoSuchOption):
        import difflib

        # Click offers what shares three letters in five, the dashes counted.
        options = problem.possibilities or ()
        if near := difflib.get_close_matches(problem.option_name, options, n=1, cutoff=0.65):
            return f"did you mean {near[0]}?"
        return f"put -- before text that begins with a dash; {name} --help lists the options"
    return f"{name} --help shows how to call it"


def _as_clause(message: str) -> str:
    """A click message in our form: no capital, no full stop."""
    lowered = _SENTENCE_START.sub(lambda first: first.group().lower(), message.strip())
    return lowered.removesuffix(".")


def catch_up(session: Session) -> None:
    """Report, or run, a missed night of the command's workspace."""
    root = session.opened
    if root is None or session.reflected or not (root / ".memory" / "schedule.json").is_file():
        return
    from lorebank.schedule.job import is_damaged, missed_run, read_record

    record = read_record(root)
    if is_damaged(root):
        session.note(
            [
                session.error_look.warn("note: ") + "the record of nightly runs cannot be"
                " read; `lorebank schedule install` writes it anew"
            ]
        )
    missed = missed_run(record, session.moment) if record else None
    if record is None or missed is None:
        return
    from lorebank.settings.config import load_config

    wish = load_config(session.opened, os.environ, session.flags).reflect.catch_up
    if wish == "run" or (wish == "say" and record.catch_up):
        flush()
        _run(session, root)
    elif wish == "say":
        night = missed.isoformat(" ", "minutes")
        said = f"the reflection of {night} was missed; `lorebank reflect` catches up"
        session.note([session.error_look.warn("note: ") + said])


def _run(session: Session, root: Path) -> None:
    """Reflect now; the command itself has succeeded, so a failure is only a note."""
    from lorebank.render.reports import reflect_log_line
    from lorebank.schedule.job import note_run

    try:
        with session.bank() as bank:
            report = bank.reflect()
        note_run(root, session.moment)
    except (LorebankError, OSError) as problem:
        session.note([f"a missed reflection could not be caught up: {problem}"])
        return
    session.note([f"caught up: {reflect_log_line(report, session.moment)}"])
