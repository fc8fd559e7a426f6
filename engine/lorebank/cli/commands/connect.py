"""`lorebank connect`: lorebank as an MCP server in the settings of an agent host."""

from __future__ import annotations

import os
from pathlib import Path

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session
from lorebank.cli.streams import write_raw

EXAMPLES = """
lorebank connect claude-code
lorebank connect codex --print
lorebank connect cursor --remove
lorebank connect vscode --file .vscode/mcp.json
"""
HOSTS = ("claude-code", "claude-desktop", "codex", "cursor", "gemini", "openclaw", "vscode")


@command("connect", examples=EXAMPLES)
@click.argument("host", type=click.Choice(HOSTS))
@click.option("--remove", is_flag=True, help="Take lorebank out again.")
@click.option("--print", "prints", is_flag=True, help="Print the entry, and write nothing.")
@click.option("--file", type=click.Path(path_type=Path), help="In place of the host's own file.")
@click.option("--read-only", is_flag=True, help="No tool that writes.")
@click.option("--check/--no-check", default=True, help="Start the server as the host would.")
@pass_session
def connect(
    session: Session,
    /,
    host: str,
    remove: bool,
    prints: bool,
    file: Path | None,
    read_only: bool,
    check: bool,
) -> None:
    """Put lorebank into the settings of an agent host, as the MCP server `memory`.

    All else in the file stays byte for byte, and --remove restores it. For claude-code the hooks
    are installed as well: the boot pack at the start of a session, and after a compaction the
    words that ask to store what lasts.
    """
    from lorebank.agent.hooks import connect as hosts
    from lorebank.agent.hooks.files import change_hooks, start_arguments, start_command

    target = file or hosts.settings_file(host, os.environ)
    root = None if remove else session.settings()[0]
    started = [] if root is None else [*start_arguments(root), "mcp", "--agent", host]
    started += ["--read-only"] * (read_only and root is not None)
    if prints and root is not None:
        write_raw(hosts.snippet(host, started))
        return
    tools = hosts.check(started) if check and root is not None else ()
    done = [hosts.connect(host, target, started if root is not None else None)]
    if host == "claude-code" and file is None:
        starts = None if root is None else start_command(root)
        done.append(change_hooks(host, file=None, command=starts, environ=os.environ))
    if session.json:
        session.show_json({"changes": [each.to_dict() for each in done], "tools": list(tools)})
        return
    session.show(f"{'changed' if each.changed else 'unchanged'} {each.file}" for each in done)
    if tools:
        session.note([f"the server answers with {len(tools)} tools: {', '.join(tools)}"])


command = connect
