"""`lorebank remember`: write down what one was asked to remember, where it belongs."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import text_argument
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank remember "Remember that Peter prefers tea"
lorebank remember "Always answer in Spanish"
lorebank remember "Working on the parser today" --to log
"""


@command("remember", examples=EXAMPLES)
@click.argument("text", nargs=-1)
@click.option(
    "--to",
    type=click.Choice(["auto", "core", "fact", "log"]),
    default="auto",
    help="Where it goes, in place of what the text says.",
)
@pass_session
def remember(session: Session, text: tuple[str, ...], to: str) -> None:
    """Write down what somebody asked to remember, where it belongs.

    Orders that hold in every conversation go into the core memory; decisions, preferences and
    durable facts into today's log as facts; context of the day into the log as a note.
    """
    with session.bank() as bank:
        done = bank.remember(text_argument(text, "remember"), to=to)
    if session.json:
        session.show_json(done.to_dict())
        return
    session.show([" ".join(filter(None, [str(done.source), done.fact_id]))])
    session.note([session.error_look.dim(f"{done.place}: {done.reason}")])
    if done.warning:
        session.note(session.error_look.paragraph(f"warning: {done.warning}"))


command = remember
