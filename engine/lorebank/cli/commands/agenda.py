"""`lorebank agenda`: what is to come and what is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lorebank.domain import AgendaItem

EXAMPLES = """
lorebank agenda
lorebank agenda --days 60
"""


@command("agenda", examples=EXAMPLES)
@click.option("--days", default=14, metavar="N", type=click.IntRange(0), help="How far ahead; 14.")
@pass_session
def agenda(session: Session, days: int) -> None:
    """List appointments, open tasks and promises, overdue ones first.

    What newer lines moved, called off or ticked off is left out.
    """
    with session.bank() as bank:
        found = bank.agenda(days=days)
    if session.json:
        session.show_json({"items": [item.to_dict() for item in found.items]})
        return
    look = session.look
    for item in found.items:
        late = look.warn("overdue ") if item.overdue else ""
        session.show([f"{_when(item):12} {late}{look.clean_line(item.text)}"])
        session.show([look.dim(f"             {item.kind.value} · {item.source}")])
    if not found.items:
        session.note([f"nothing is open, and nothing is due within {days} days"])


def _when(item: AgendaItem) -> str:
    if item.when is None:
        return "open"
    day = item.when.start or item.when.end
    by = "by " if item.when.start is None else ""
    return f"{by}{day}"
