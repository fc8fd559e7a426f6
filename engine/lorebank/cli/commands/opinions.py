"""`lorebank opinions`: beliefs with their confidence and evidence."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import (
    all_option,
    as_of_option,
    complete_entity,
    fail_empty_option,
    min_confidence_option,
)
from lorebank.cli.render.banks import failed_lines
from lorebank.cli.render.lookback import change_lines
from lorebank.cli.render.opinions import opinion_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import OpinionsOfBanks, opinion_to_dict
from lorebank.errors import UsageError

EXAMPLES = """
lorebank opinions
lorebank opinions Peter --history
lorebank opinions Peter --as-of 2025-12-01 --min-confidence 0.6
lorebank opinions --changed --since 90d
"""
DEFAULT_SPAN = "90d"


@command("opinions", examples=EXAMPLES)
@click.argument("entity", nargs=-1, shell_complete=complete_entity)
@as_of_option
@click.option("--history", is_flag=True, help="Show the confidence day by day.")
@click.option("--changed", is_flag=True, help="Show what changed its mind, and by which lines.")
@click.option("--since", metavar="DAY", help="With --changed: from that day on; 90d without this.")
@min_confidence_option
@all_option
@fail_empty_option
@pass_session
def opinions(
    session: Session,
    entity: tuple[str, ...],
    as_of: str | None,
    history: bool,
    changed: bool,
    since: str | None,
    min_confidence: float | None,
    every_bank: bool,
    fail_empty: bool,
) -> int:
    """Show beliefs with their confidence and evidence.

    The surest first; + marks a line that spoke for it, − one that spoke against. With ENTITY, only
    those it holds or that are about it. --changed compares what was believed before --since with
    what is believed now, or on the day of --as-of.
    """
    name = " ".join(entity) or None
    if changed:
        if history or min_confidence is not None or every_bank:
            raise UsageError("--changed goes with no --history, --min-confidence or --all")
        return _changes(session, name, since, as_of, fail_empty=fail_empty)
    if since is not None:
        raise UsageError("--since goes with --changed", hint="lorebank timeline has one, too")
    if every_bank:
        with session.banks() as banks:
            merged = banks.opinions(name, as_of=as_of, min_confidence=min_confidence)
        return _show_merged(session, merged, history=history, fail_empty=fail_empty)
    with session.bank() as bank:
        found = bank.opinions(name, as_of=as_of, min_confidence=min_confidence)
    if session.json:
        session.show_json({"opinions": [opinion_to_dict(each) for each in found]})
    else:
        session.show(opinion_lines(session.look, found, history=history))
        if not found:
            session.note([_nothing(name, as_of, min_confidence)])
    return 1 if fail_empty and not found else 0


def _show_merged(
    session: Session, found: OpinionsOfBanks, *, history: bool, fail_empty: bool
) -> int:
    if session.json:
        session.show_json(found.to_dict())
    else:
        rows, banks = [o for _, o in found.opinions], [bank for bank, _ in found.opinions]
        session.show(opinion_lines(session.look, rows, history=history, banks=banks))
        session.note(failed_lines(session.error_look, found.banks))
    return 1 if fail_empty and not found.opinions else 0


def _changes(
    session: Session, name: str | None, since: str | None, as_of: str | None, *, fail_empty: bool
) -> int:
    with session.bank() as bank:
        diff = bank.belief_changes(name, since=since or DEFAULT_SPAN, as_of=as_of)
    if session.json:
        session.show_json(diff.to_dict())
    else:
        session.show(change_lines(session.look, diff))
    return 1 if fail_empty and not diff.changes else 0


def _nothing(name: str | None, as_of: str | None, min_confidence: float | None) -> str:
    about = f" of or about {name}" if name else ""
    day = f" as of {as_of}" if as_of else ""
    sure = f" with a confidence of {min_confidence} or more" if min_confidence else ""
    return f"no opinion{about}{day}{sure}; a line O(c=0.9) @Name: … in a log states one"


command = opinions
