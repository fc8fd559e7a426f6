"""`lorebank import`: notes of other programs, into quarantine."""

# ruff: noqa: N999 - commands are found by their names, and this one is a word of Python

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.render.exchange import import_lines, left_out_lines
from lorebank.cli.session import Session, pass_session

FORMS = ("obsidian", "logseq", "chatgpt", "claude", "basic-memory", "jsonl")
EXAMPLES = """
lorebank import ~/Vault --dry-run
lorebank import chatgpt-export.zip
lorebank import facts.jsonl --name work
lorebank confirm --all-from imported
"""


@command("import", examples=EXAMPLES)
@click.argument("source", metavar="SOURCE")
@click.option("--as", "form", type=click.Choice(FORMS), help="What it is; else its content tells.")
@click.option("--name", default="", help="Of its folder here; else what the source is called.")
@click.option("--dry-run", is_flag=True, help="Write nothing; print the same report.")
@pass_session
def import_notes(session: Session, source: str, form: str | None, name: str, dry_run: bool) -> int:
    """Bring in a vault, a graph, an export of a chat program, or JSONL.

    SOURCE is a folder, a zip or a file. It becomes Markdown below memory/imported/ and stays in
    quarantine until confirmed. A second import changes nothing; files you have edited since are
    never written over. Exits with 1 where the source could not be read to its end.
    """
    with session.bank() as bank:
        report = bank.import_notes(source, form=form, name=name, dry_run=dry_run)
    if session.json:
        session.show_json(report.to_dict())
    else:
        session.show(import_lines(session.look, report))
        session.note(left_out_lines(session.error_look, report))
    return 0 if report.complete else 1


command = import_notes
