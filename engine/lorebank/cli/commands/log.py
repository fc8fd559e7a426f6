"""`lorebank log`: append a note to the log of a day."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import text_argument
from lorebank.cli.session import Session, pass_session

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

    For context of the day; what should last is retained as a fact. Without TEXT, or with -, it is
    read from standard input. Prints where the note stands.
    """
    with session.bank() as bank:
        place = bank.log(text_argument(text, "log"), day=day)
    if session.json:
        session.show_json({"source": str(place)})
    else:
        session.show([str(place)])


command = log
