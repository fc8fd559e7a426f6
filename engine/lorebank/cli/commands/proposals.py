"""`lorebank proposals`: edits that wait for a decision."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from lorebank.cli.command import Command, CommandGroup
from lorebank.cli.render.proposals import decision_lines, proposal_lines
from lorebank.cli.session import Session, pass_session

if TYPE_CHECKING:
    from lorebank.domain import ProposalDecision

EXAMPLES = """
lorebank proposals
lorebank proposals accept p-3f2a
lorebank proposals reject p-3f2a --reason "only for the journey"
"""


@click.group("proposals", cls=CommandGroup, examples=EXAMPLES, invoke_without_command=True)
@click.pass_context
def proposals(ctx: click.Context) -> None:
    """List the edits that wait for a decision, accept or reject them.

    Reflect writes them to bank/proposals/: lines for the core memory, and with --infer lines for
    logs without a retain section. What you change there before accepting is what is accepted.
    """
    if ctx.invoked_subcommand is None:
        _list(ctx.ensure_object(Session))


def _list(session: Session) -> None:
    with session.bank() as bank:
        found = bank.proposals()
    if session.json:
        session.show_json({"proposals": [each.to_dict() for each in found]})
    else:
        session.show(proposal_lines(session.look, found))


@proposals.command("accept", cls=Command, examples="lorebank proposals accept p-3f2a p-91bc")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@pass_session
def accept(session: Session, ids: tuple[str, ...]) -> None:
    """Make the edits that these proposals describe."""
    with session.bank() as bank:
        _decide(session, ids, bank.accept_proposal)


@proposals.command("reject", cls=Command, examples="lorebank proposals reject p-3f2a")
@click.argument("ids", nargs=-1, required=True, metavar="ID…")
@click.option("--reason", default="", metavar="TEXT", help="Why; it stands beside the decision.")
@pass_session
def reject(session: Session, ids: tuple[str, ...], reason: str) -> None:
    """Drop these proposals; they come back only with new evidence."""
    with session.bank() as bank:
        _decide(session, ids, lambda id: bank.reject_proposal(id, reason=reason))


def _decide(
    session: Session, ids: tuple[str, ...], decide: Callable[[str], ProposalDecision]
) -> None:
    """One after the other; what was decided is shown before a later one fails."""
    decisions: list[ProposalDecision] = []
    for id in ids:
        decisions.append(decide(id))
        if not session.json:
            session.show(decision_lines(session.look, decisions[-1]))
    if session.json:
        session.show_json({"decisions": [each.to_dict() for each in decisions]})
