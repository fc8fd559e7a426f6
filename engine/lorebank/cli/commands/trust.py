"""What the owner lets in and lets go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import complete_entity
from lorebank.cli.render.custody import confirm_lines, forget_lines, purge_lines, restored_lines
from lorebank.cli.render.text import problem_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import Origin
from lorebank.errors import UsageError

if TYPE_CHECKING:
    from lorebank.app.bank import Bank

CONFIRM_EXAMPLES = """
lorebank confirm f-1a2b3c4d5e
lorebank confirm --source memory/imported/ana.md#L12
lorebank confirm --all-from imported --reason "my own old vault"
lorebank confirm --source memory/imported/ana.md --undo
"""
_SUSPECT = click.Choice([origin.value for origin in Origin if not origin.trusted])


@command("confirm", examples=CONFIRM_EXAMPLES)
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


FORGET_EXAMPLES = """
lorebank forget f-1a2b3c4d5e --dry-run
lorebank forget --entity Peter
lorebank forget --source memory/2025-11-27.md#L12-L14
lorebank forget --source sessions/3f1c2a9e.jsonl
lorebank forget --match "the old address" --purge
lorebank forget --undo
lorebank forget --purge
"""


@command("forget", examples=FORGET_EXAMPLES)
@click.argument("ids", metavar="[ID]...", nargs=-1)
@click.option(
    "-e",
    "--entity",
    default="",
    metavar="NAME",
    shell_complete=complete_entity,
    help="All that names it, and its page.",
)
@click.option(
    "--source", default="", metavar="PATH[#L10[-L20]]", help="A file, a transcript, or lines of it."
)
@click.option("--match", default="", metavar="TEXT", help="Every line that holds that text.")
@click.option(
    "--before", metavar="DAY", help="Only of earlier days; alone, all notes and talk of those."
)
@click.option("--dry-run", is_flag=True, help="Show every line that would go; cut nothing.")
@click.option("--undo", "undo", is_flag=True, help="Put back what a run cut: the last, or RUN.")
@click.option("--purge", is_flag=True, help="Keep nothing to undo it; alone, of no run.")
@click.option("--force", is_flag=True, help="With --undo: leave notes alone that changed since.")
@pass_session
def forget(
    session: Session,
    /,
    ids: tuple[str, ...],
    dry_run: bool,
    undo: bool,
    purge: bool,
    force: bool,
    **selection: Any,
) -> None:
    """Cut lines out of notes, pages and index.

    ID is that of a fact, a passage (n-…) or an opinion (o-…). An empty line stays where a line
    stood, so that every other citation holds. What is cut is kept in .memory/forgotten for --undo
    until --purge drops it, with the copies of pages that reflect keeps. Git's history is yours, and
    transcripts are their host's: lines of bank/forgotten.md keep them from being read again.
    """
    chosen = any(selection.values())
    with session.bank() as bank:
        if undo or (purge and not ids and not chosen):
            if chosen or dry_run or len(ids) > 1 or (undo and purge):
                raise UsageError("--undo and --purge take the name of a run and nothing else")
            _settle(session, bank, ids[0] if ids else None, undo=undo, force=force)
            return
        report = bank.forget(*ids, dry_run=dry_run, purge=purge, **selection)
    if session.json:
        session.show_json(report.to_dict())
        return
    session.show(forget_lines(session.look, report))
    session.note(problem_lines(session.error_look, report.problems))


def _settle(session: Session, bank: Bank, run: str | None, *, undo: bool, force: bool) -> None:
    """Take a run back, or drop what is kept."""
    if undo:
        undone = bank.undo_forget(run, force=force)
        if session.json:
            session.show_json(undone.to_dict())
        else:
            session.show(restored_lines(undone))
        return
    purged = bank.purge_forgotten(run)
    if session.json:
        session.show_json(purged.to_dict())
    else:
        session.show(purge_lines(purged))
