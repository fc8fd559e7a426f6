"""`lorebank context`: the boot pack for an agent's prompt."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session
from lorebank.cli.streams import write_raw

EXAMPLES = """
lorebank context
lorebank context --budget-tokens 1000
lorebank context --group
"""


@command("context", examples=EXAMPLES)
@click.option(
    "--budget-tokens", type=click.IntRange(50), metavar="N", help="At most so many tokens."
)
@click.option("--group", is_flag=True, help="For a group chat: leave out what is the owner's.")
@pass_session
def context(session: Session, budget_tokens: int | None, group: bool) -> None:
    """Print what an agent should know at the start of a session.

    The owner's directives (bank/directives.md), the core memory, today's and yesterday's log, the
    opinions most sure and the open proposals, inside a budget. With --group the core memory and
    the proposals for it are left out.
    """
    with session.bank() as bank:
        pack = bank.context(token_budget=budget_tokens, group=group)
    if session.json:
        session.show_json(pack.to_dict())
        return
    write_raw(pack.text)
    if pack.left_out:
        session.note([f"no room for {', '.join(pack.left_out)}: raise --budget-tokens"])


command = context
