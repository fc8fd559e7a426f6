"""`lorebank forget`: cut lines out of notes, pages and index."""

from __future__ import annotations

import click

from lorebank.app import Bank
from lorebank.cli.command import command
from lorebank.cli.parameters import complete_entity
from lorebank.cli.render.custody import forget_lines, purge_lines, restored_lines
from lorebank.cli.render.phrases import problem_lines
from lorebank.cli.session import Session, pass_session
from lorebank.errors import UsageError

EXAMPLES = """
lorebank forget f-1a2b3c4d5e --dry-run
lorebank forget --entity Peter
lorebank forget --source memory/2025-11-27.md#L12-L14
lorebank forget --source sessions/3f1c2a9e.jsonl
lorebank forget --match "the old address" --purge
lorebank forget --undo
lorebank forget --purge
"""


@command("forget", examples=EXAMPLES)
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
    ids: tuple[str, ...],
    entity: str,
    source: str,
    match: str,
    before: str | None,
    dry_run: bool,
    undo: bool,
    purge: bool,
    force: bool,
) -> None:
    """Cut lines out of notes, pages and index.

    ID is that of a fact, a passage (n-…) or an opinion (o-…). An empty line stays where a line
    stood, so that every other citation holds. What is cut is kept in .memory/forgotten for --undo
    until --purge drops it, with the copies of pages that reflect keeps. Git's history is yours, and
    transcripts are their host's: lines of bank/forgotten.md keep them from being read again.
    """
    chosen = bool(entity or source or match or before)
    with session.bank() as bank:
        if undo or (purge and not ids and not chosen):
            if chosen or dry_run or len(ids) > 1 or (undo and purge):
                raise UsageError("--undo and --purge take the name of a run and nothing else")
            _settle(session, bank, ids[0] if ids else None, undo=undo, force=force)
            return
        report = bank.forget(
            *ids,
            entity=entity,
            source=source,
            match=match,
            before=before,
            dry_run=dry_run,
            purge=purge,
        )
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


command = forget
