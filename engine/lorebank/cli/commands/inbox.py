"""`lorebank inbox`: what waits for a judgment, and ruling on it."""

from __future__ import annotations

import getpass
from typing import TYPE_CHECKING

import click

from lorebank.cli.command import command
from lorebank.cli.keys import ask_key, edit_source
from lorebank.cli.render.inbox import EMPTY, decision_lines, inbox_lines, item_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import Decision, InboxKind
from lorebank.errors import UsageError

if TYPE_CHECKING:
    from lorebank.app.bank import Bank

EXAMPLES = """
lorebank inbox
lorebank inbox i-3f2a91bc05 replaces
lorebank inbox rule --kind evidence
lorebank inbox --settled --by Ana
lorebank inbox --undo i-3f2a91bc05
lorebank inbox --undo --by night-model
"""
_SHOWN = 10
_VERDICTS = {
    "next": "leave it for another time",
    "edit": "open the newer line in your editor, then ask again",
    "quit": "rule on no more",
}


@command("inbox", examples=EXAMPLES)
@click.argument("words", nargs=-1, metavar="[ID VERDICT]… | rule")
@click.option("--kind", type=click.Choice([each.value for each in InboxKind]), help="Only these.")
@click.option("-k", type=click.IntRange(min=1), default=_SHOWN, help="How many are shown.")
@click.option("--by", metavar="NAME", help="Who rules; your user name without it.")
@click.option("--settled", is_flag=True, help="Show the verdicts that stand.")
@click.option("--undo", is_flag=True, help="Take back the verdicts on IDs, or all --by NAME.")
@pass_session
def inbox(
    session: Session,
    words: tuple[str, ...],
    kind: str | None,
    k: int,
    by: str | None,
    settled: bool,
    undo: bool,
) -> None:
    """Show what waits for a judgment, and settle it.

    Newest first. Each verdict is a signed line under bank/; deleting the line, or --undo, takes it
    back. `rule` goes through the items with single keys, on a terminal only.
    """
    with session.bank() as bank:
        if undo:
            _show(session, bank.unrule(list(words) or None, by=by), undone=True)
        elif settled:
            _show(session, bank.decisions(by))
        elif words == ("rule",):
            _ask(session, bank, kind, by or getpass.getuser())
        elif words:
            _show(session, bank.rule(_verdicts(words), by=by or getpass.getuser()))
        else:
            found = bank.inbox(kind, k=k)
            if session.json:
                session.show_json(found.to_dict())
            else:
                session.show(inbox_lines(session.look, found))


def _verdicts(words: tuple[str, ...]) -> dict[str, str]:
    if len(words) % 2:
        raise UsageError(f"no verdict for {words[-1]}", hint="lorebank inbox ID VERDICT …")
    return dict(zip(words[::2], (word.lower() for word in words[1::2]), strict=True))


def _show(session: Session, decisions: tuple[Decision, ...], *, undone: bool = False) -> None:
    if session.json:
        session.show_json({"decisions": [each.to_dict() for each in decisions]})
    else:
        session.show(decision_lines(session.look, decisions, undone=undone))


def _ask(session: Session, bank: Bank, kind: str | None, by: str) -> None:
    """Go through the items, a key each; what was ruled stands even where a later one is left."""
    if not session.can_ask:
        raise UsageError(
            "nobody is at a terminal to be asked", hint="lorebank inbox ID VERDICT settles an item"
        )
    items = list(bank.inbox(kind).items)
    if not items:
        session.show([EMPTY])
    number = 0
    while number < len(items):
        item = items[number]
        session.show(["", *item_lines(session.look, item)])
        verdicts = {**_VERDICTS, **{word: item.effect.get(word, "") for word in item.choices}}
        verdict = ask_key(session, f"{number + 1} of {len(items)}", verdicts)
        if verdict == "quit":
            return
        if verdict == "edit":
            line = item.newer or item.older
            edit_source(session, bank.root, str(line.source if line else ""))
            items, number = list(bank.inbox(kind).items), 0
            continue
        if verdict != "next":
            _show(session, bank.rule({item.id: verdict}, by=by))
        number += 1
