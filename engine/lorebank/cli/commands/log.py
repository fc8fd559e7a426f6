"""`lorebank log`: append a note to the log of a day."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import text_argument
from lorebank.cli.session import Session, pass_session
from lorebank.errors import UsageError

EXAMPLES = """
lorebank log "Waiting for the carpenter's offer."
git log --oneline -3 | lorebank log
lorebank log "Arrived late." --date yesterday
"""


@command("log", examples=EXAMPLES)
@click.argument("text", nargs=-1)
@click.option("--date", "day", metavar="DAY", help="The log it goes to; today's without this.")
@pass_session
def log(session: Session, text: tuple[str, ...], day: str | None) -> None:
    """Append a note to the log of a day.

    For context of the day; what should last is retained as a fact. With - it is read from standard
    input, and so without TEXT where something is piped in; otherwise the log opens in $EDITOR.
    Prints where the note stands.
    """
    if not text and sys.stdin is not None and sys.stdin.isatty():
        _edit(session, day)
        return
    with session.bank() as bank:
        place = bank.log(text_argument(text, "log"), day=day)
    if session.json:
        session.show_json({"source": str(place)})
    else:
        session.show([str(place)])


def _edit(session: Session, day: str | None) -> None:
    """Open the log in the user's editor, laid out where it does not exist."""
    editor = shlex.split(os.environ.get("VISUAL") or os.environ.get("EDITOR") or "")
    if not editor:
        raise UsageError("nothing to log", hint="give a text, pipe one in, or set EDITOR")
    with session.bank() as bank:
        file = bank.log_file(day=day)
    code = subprocess.call([*editor, str(file)])
    if code:
        raise UsageError(f"{editor[0]} ended with {code}", hint="the log is as the editor left it")
    session.show([session.look.clean_line(str(file))])


command = log
