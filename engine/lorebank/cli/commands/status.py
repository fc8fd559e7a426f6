"""`lorebank status`: what is indexed, how fresh it is, and what is wrong."""

from __future__ import annotations

from lorebank.cli.command import command
from lorebank.cli.render.reports import status_lines
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank status
lorebank status --json
"""


@command("status", examples=EXAMPLES)
@pass_session
def status(session: Session) -> None:
    """Show what is indexed, how fresh it is, and what is wrong.

    Every problem comes with its place and what to do about it.
    """
    with session.bank() as bank:
        found = bank.status()
    if session.json:
        session.show_json(found.to_dict())
    else:
        session.show(status_lines(session.look, found))


command = status
