"""`lorebank explain`: the whole story of a fact or an opinion."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.render.facts import explanation_lines
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank explain o-3f2a
lorebank explain f-91c04d22aa
"""


@command("explain", examples=EXAMPLES)
@click.argument("id_", metavar="ID")
@pass_session
def explain(session: Session, id_: str) -> None:
    """Tell the whole story of a fact or an opinion.

    A fact: its lines as written, and the opinions it moved. An opinion: each step of its
    confidence with the line behind it. The beginning of an ID is enough.
    """
    with session.bank() as bank:
        story = bank.explain(id_)
    if session.json:
        session.show_json(story.to_dict())
    else:
        session.show(explanation_lines(session.look, story))


command = explain
