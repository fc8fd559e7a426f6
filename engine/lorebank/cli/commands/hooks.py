"""`lorebank hooks`: lorebank in the settings of an agent host."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import click

from lorebank.cli.command import Command, CommandGroup
from lorebank.cli.session import Session, pass_session
from lorebank.cli.streams import write_raw

EXAMPLES = """
lorebank hooks print claude-code
lorebank hooks install claude-code
lorebank hooks remove claude-code
lorebank hooks install shell --file ~/.bashrc
"""
HOST = click.Choice(["claude-code", "shell"])


@click.group("hooks", cls=CommandGroup, examples=EXAMPLES)
def hooks() -> None:
    """Put lorebank into the settings of an agent host.

    claude-code: the boot pack at the start of a session, and after a compaction the words that ask
    to store what lasts. shell: functions for any other host.
    """


@hooks.command("print", cls=Command, examples="lorebank hooks print claude-code")
@click.argument("host", type=HOST)
@pass_session
def print_hooks(session: Session, host: str) -> None:
    """Print what install would write into an empty file."""
    from lorebank.agent.hooks.files import hook_snippet, start_command

    root, _ = session.settings()
    text = hook_snippet(host, start_command(root))
    if session.json:
        session.show_json({"host": host, "text": text})
    else:
        write_raw(text)


@hooks.command("install", cls=Command, examples="lorebank hooks install claude-code")
@click.argument("host", type=HOST)
@click.option("--file", type=click.Path(path_type=Path), help="In place of the host's own file.")
@pass_session
def install(session: Session, host: str, file: Path | None) -> None:
    """Put the hooks into the host's settings; all else there stays byte for byte."""
    from lorebank.agent.hooks.files import start_command

    root, _ = session.settings()
    _change(session, host, file, start_command(root))


@hooks.command("remove", cls=Command, examples="lorebank hooks remove claude-code")
@click.argument("host", type=HOST)
@click.option("--file", type=click.Path(path_type=Path), help="In place of the host's own file.")
@pass_session
def remove(session: Session, host: str, file: Path | None) -> None:
    """Take the hooks out of the host's settings again."""
    _change(session, host, file, None)


@hooks.command("run", cls=Command, examples="lorebank hooks run session-start < event.json")
@click.argument(
    "event", type=click.Choice(["session-start", "prompt", "pre-compact", "session-end"])
)
@pass_session
def run_hook(session: Session, event: str) -> None:
    """What the host calls at an event; reads its JSON from standard input."""
    told = _told()
    with session.bank() as bank:
        text = bank.session_hook(
            event,
            session=str(told.get("session_id") or "main"),
            source=str(told.get("source") or ""),
            prompt=str(told.get("prompt") or ""),
            transcript=str(told.get("transcript_path") or ""),
        )
    if session.json:
        session.show_json({"event": event, "text": text})
    else:
        write_raw(text)


def _change(session: Session, host: str, file: Path | None, command: str | None) -> None:
    from lorebank.agent.hooks.files import change_hooks

    done = change_hooks(host, file=file, command=command, environ=os.environ)
    if session.json:
        session.show_json(done.to_dict())
    else:
        session.show([f"{'changed' if done.changed else 'unchanged'} {done.file}"])


def _told() -> dict[str, Any]:
    """What the host says of the event; nothing where it says nothing."""
    if sys.stdin is None or sys.stdin.isatty():
        return {}
    try:
        found = json.loads(sys.stdin.buffer.read() or b"{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


command = hooks
