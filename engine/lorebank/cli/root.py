"""The `lorebank` command: its subcommands, loaded when called, and the border errors stop at."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

import click

from lorebank.cli.catch_up import catch_up
from lorebank.cli.command import CommandGroup
from lorebank.cli.complaints import as_lorebank_error, error_lines
from lorebank.cli.session import Session
from lorebank.cli.streams import ReaderGone, discard, flush, write, write_json
from lorebank.errors import UsageError

COMMANDS = {
    "init": "Lay out a workspace.",
    "retain": "Write a fact into the log of a day.",
    "remember": "Write down what somebody asked to remember, where it belongs.",
    "lint": "Look for lines that are misread, or nearly.",
    "log": "Append a note to the log of a day.",
    "core": "Change the core memory, memory.md.",
    "index": "Bring the index up to date with the files.",
    "recall": "Answer a question from the notes, with citations.",
    "search": "Find passages in all notes.",
    "get": "Print a memory file, whole or by lines.",
    "entity": "Show all that is known of one entity, or list them; decide about names.",
    "opinions": "Show beliefs with their confidence and evidence.",
    "today": "Print the morning page: what is new, what is due, what waits.",
    "agenda": "List appointments, open tasks and promises, overdue ones first.",
    "timeline": "Show facts by when they happened.",
    "explain": "Tell the whole story of a fact or an opinion.",
    "rot": "Show what in the bank has gone off.",
    "calibration": "Show how often a confidence held up.",
    "reflect": "Bring the pages of the bank up to date from the facts.",
    "inbox": "Show what waits for a judgment, and settle it.",
    "evidence": "Settle what a fact says of an opinion.",
    "confirm": "Vouch for what is in quarantine.",
    "forget": "Cut lines out of notes, pages and index.",
    "proposals": "List the edits that wait for a decision, accept or reject them.",
    "import": "Bring in a vault, a graph, an export of a chat program, or JSONL.",
    "export": "Write facts, pages or the graph of entities for other programs.",
    "bank": "Name workspaces, to reach them from anywhere and to ask them together.",
    "template": "List, check, import and export bank templates.",
    "context": "Print what an agent should know at the start of a session.",
    "flush": "Say whether an agent should store what lasts before its context is compacted.",
    "connect": "Put lorebank into the settings of an agent host, as the MCP server `memory`.",
    "hooks": "Put lorebank into the settings of an agent host.",
    "watch": "Keep the index fresh while files change, until interrupted.",
    "mcp": "Serve the memory to agents over the Model Context Protocol.",
    "bench": "Measure recall on questions made of your own notes.",
    "schedule": "Reflect every night, by the system's own scheduler.",
    "status": "Show what is indexed, how fresh it is, and what is wrong.",
    "doctor": "Find what is wrong, and repair what is safe to repair.",
    "config": "Read and change settings.",
    "demo": "Walk through recall and reflect on a copy of a sample workspace.",
    "completion": "Print the script that completes commands in a shell.",
}
"""Each command's one-line summary, so that `--help` imports none of them."""

EXAMPLES = """
lorebank init ~/notes
lorebank retain "O(c=0.9) @Peter: Prefers short replies."
lorebank recall "what does Peter prefer?"
lorebank reflect --dry-run --diff
"""


class LazyGroup(CommandGroup):
    """A group that imports a command's module when that command is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"lorebank.cli.commands.{cmd_name}")
        command: click.Command = module.command
        return command

    def summaries(self, ctx: click.Context) -> list[tuple[str, str]]:
        return list(COMMANDS.items())


@click.group("lorebank", cls=LazyGroup, invoke_without_command=True, examples=EXAMPLES)
@click.pass_context
def cli(ctx: click.Context) -> None:
    """An agent's memory over plain Markdown: retain, recall, reflect.

    Notes stay files you can read and edit. Every answer names the line it stands on.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def run(arguments: Sequence[str]) -> int:
    """Run one command line; returns the exit code and lets no error of a user through."""
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
    except SystemExit as stop:  # click leaves this way after answering a shell's completion
        result = stop.code
    return result if isinstance(result, int) else 0


def _report(problem: Exception, session: Session) -> int:
    """Say what went wrong, once, where the caller looks for it; returns the exit code."""
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
