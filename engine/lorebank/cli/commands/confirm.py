"""`lorebank confirm`: vouch for what is in quarantine."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.render.custody import confirm_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import Origin

EXAMPLES = """
lorebank confirm f-1a2b3c4d5e
lorebank confirm --source memory/imported/ana.md#L12
lorebank confirm --all-from imported --reason "my own old vault"
lorebank confirm --source memory/imported/ana.md --undo
"""
_SUSPECT = click.Choice([origin.value for origin in Origin if not origin.trusted])


@command("confirm", examples=EXAMPLES)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option("--source", default="", metavar="PATH[#L10[-L20]]", help="A file, or lines of it.")
@click.option("--all-from", type=_SUSPECT, help="All of an origin.")
@click.option("--reason", default="", metavar="TEXT", help="Why; it stands on the line.")
@click.option("--undo", is_flag=True, help="Take it back: the line is taken off.")
@pass_session
def confirm(
    session: Session,
    ids: tuple[str, ...],
    source: str,
    all_from: str | None,
    reason: str,
    undo: bool,
) -> None:
    """Vouch for what is in quarantine.

    What is imported, said in a session or marked untrusted is recalled only marked, moves no
    opinion and reaches no page. What you confirm counts like your own word from then on: a line of
    bank/confirmed.md says so, and deleting it undoes it.
    """
    with session.bank() as bank:
        report = bank.confirm(
            *ids, source=source, all_from=all_from or "", reason=reason, undo=undo
        )
    if session.json:
        session.show_json(report.to_dict())
    else:
        session.show(confirm_lines(session.look, report))


command = confirm
