"""`lorebank today`: the morning page."""

from __future__ import annotations

import re

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank today
"""
_LINK = re.compile(r"\[((?:\\.|[^\]\\])*)\]\([^)]*\)")


@command("today", examples=EXAMPLES)
@pass_session
def today(session: Session) -> None:
    """Print the morning page: what is new, what is due, what waits.

    At most twenty lines, each with its source. `lorebank reflect` keeps the same as bank/today.md.
    """
    with session.bank() as bank:
        page = bank.today()
    if session.json:
        session.show_json({"page": page})
        return
    session.show(session.look.clean_line(_plain(line)) for line in page.split("\n"))
    if not page:
        session.note(["nothing is new, and nothing is due"])


def _plain(line: str) -> str:
    """Markdown as a terminal shows it best: bare citations, no emphasis, no escapes."""
    return re.sub(r"\\(.)", r"\1", _LINK.sub(r"\1", line).replace("**", ""))
