"""`lorebank evidence`: settle what a fact says of an opinion."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.render.rulings import ruling_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import Stance
from lorebank.errors import UsageError

EXAMPLES = """
lorebank reflect --unsure
lorebank evidence f-1a2b3c4d5e against
lorebank evidence f-1a2b unrelated o-3f2a --reason "another relay"
lorebank evidence f-1a2b o-3f2a --undo
"""
STANCES = tuple(stance.value for stance in Stance)


@command("evidence", examples=EXAMPLES)
@click.argument("fact", metavar="FACT")
@click.argument("rest", nargs=-1, metavar="for|against|unrelated [OPINION]")
@click.option("--reason", default="", metavar="TEXT", help="Why; it stands on the line.")
@click.option("--undo", is_flag=True, help="Take the ruling on the pair back.")
@pass_session
def evidence(session: Session, fact: str, rest: tuple[str, ...], reason: str, undo: bool) -> None:
    """Settle what a fact says of an opinion.

    FACT and OPINION are ids, or beginnings of them. OPINION may be left out where the fact waits
    with one only. The ruling is a line of bank/evidence.md; deleting it undoes it.
    """
    stance, opinion = _parts(rest, undo=undo)
    with session.bank() as bank:
        if undo:
            ruling = bank.unsettle(fact, opinion)
        else:
            ruling = bank.settle(fact, stance, opinion, reason=reason)
    if session.json:
        session.show_json(ruling.to_dict())
    else:
        session.show(ruling_lines(session.look, ruling))


def _parts(rest: tuple[str, ...], *, undo: bool) -> tuple[str, str | None]:
    """The stance and the opinion; under --undo a stance may be left out, and says nothing."""
    stance = rest[0].lower() if rest and rest[0].lower() in STANCES else ""
    others = rest[1:] if stance else rest
    if not stance and not undo:
        raise UsageError("say what the fact is to the opinion", hint=" or ".join(STANCES))
    if len(others) > 1:
        raise UsageError(f"one opinion at a time, not {len(others)}")
    return stance, others[0] if others else None


command = evidence
