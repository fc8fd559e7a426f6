"""`lorebank search`: find passages in all notes."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import all_option, fail_empty_option
from lorebank.cli.render.answers import search_lines, search_notes
from lorebank.cli.render.banks import failed_lines
from lorebank.cli.session import Session, pass_session
from lorebank.domain import SearchOfBanks

EXAMPLES = """
lorebank search router password
lorebank search "backup rotation" --path memory/runbook-backup.md
"""


@command("search", examples=EXAMPLES)
@click.argument("query", nargs=-1, required=True)
@click.option(
    "-k", "k", type=click.IntRange(1), default=10, metavar="N", help="At most so many passages."
)
@click.option(
    "--min-score",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="S",
    help="Leave out what scores less.",
)
@click.option("--path", metavar="PATH", help="Only in that file or folder.")
@all_option
@fail_empty_option
@pass_session
def search(
    session: Session,
    query: tuple[str, ...],
    k: int,
    min_score: float,
    path: str | None,
    every_bank: bool,
    fail_empty: bool,
) -> int:
    """Find passages in all notes.

    Ranks stretches of text and shows at most 700 characters of each. Where a question is to be
    answered, lorebank recall does more.
    """
    text = " ".join(query)
    found = _found(session, text, k, min_score, path) if every_bank else None
    if found is not None:
        hits = found.hits
    else:
        with session.bank() as bank:
            hits = bank.search(text, k=k, min_score=min_score, path=path)
    if session.json:
        envelope = {"query": text, "hits": [hit.to_dict() for hit in hits]}
        session.show_json(found.to_dict() if found is not None else envelope)
    else:
        session.note(failed_lines(session.error_look, found.banks if found is not None else ()))
        session.show(search_lines(session.look, hits))
        session.note(search_notes(session.error_look, hits, session.said))
        if not hits:
            session.note([f"nothing found for “{text}”{_within(path, min_score)}"])
    return 1 if fail_empty and not hits else 0


def _found(
    session: Session, text: str, k: int, min_score: float, path: str | None
) -> SearchOfBanks:
    with session.banks() as banks:
        return banks.search(text, k=k, min_score=min_score, path=path)


def _within(path: str | None, min_score: float) -> str:
    place = f" in {path}" if path else ""
    return f"{place} with a score of {min_score} or more" if min_score else place


command = search
