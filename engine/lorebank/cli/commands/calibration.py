"""`lorebank calibration`: how often a confidence held up."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import as_of_option, complete_entity
from lorebank.cli.render.lookback import calibration_lines
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank calibration
lorebank calibration Peter --as-of 2025-12-01
"""


@command("calibration", examples=EXAMPLES)
@click.argument("entity", nargs=-1, shell_complete=complete_entity)
@as_of_option
@pass_session
def calibration(session: Session, entity: tuple[str, ...], as_of: str | None) -> None:
    """Show how often a confidence held up.

    Of the opinions that stood at about 0.8 on some day, how often did the next day that spoke of
    them speak for them? The same for every other confidence that was tried.
    """
    with session.bank() as bank:
        found = bank.calibration(" ".join(entity) or None, as_of=as_of)
    if session.json:
        session.show_json(found.to_dict())
    else:
        session.show(calibration_lines(session.look, found))


command = calibration
