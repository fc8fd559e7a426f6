"""`lorebank rot`: what in the bank has gone off."""

from __future__ import annotations

from lorebank.cli.command import command
from lorebank.cli.render.lookback import rot_lines
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank rot
lorebank rot --json
"""


@command("rot", examples=EXAMPLES)
@pass_session
def rot(session: Session) -> None:
    """Show what in the bank has gone off.

    Opinions that are contradicted, held up by superseded facts, thin or stale; old lines that were
    never recalled; and links, citations and marks that lead nowhere. Nothing is changed.
    """
    with session.bank() as bank:
        report = bank.rot()
    if session.json:
        session.show_json(report.to_dict())
    else:
        session.show(rot_lines(session.look, report, everything=session.verbose))


command = rot
