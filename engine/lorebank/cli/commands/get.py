"""`lorebank get`: print a memory file, whole or by lines."""

from __future__ import annotations

import os

import click

from lorebank.cli.command import command
from lorebank.cli.render.text import clean
from lorebank.cli.session import Session, pass_session
from lorebank.cli.streams import write_raw

EXAMPLES = """
lorebank get memory/2025-11-27.md
lorebank get memory/2025-11-27.md#L12
lorebank get memory/2025-11-27.md --from 10 --lines 5
"""


@command("get", examples=EXAMPLES)
@click.argument("path", metavar="PATH[#L10[-L20]]")
@click.option("--from", "start_line", type=click.IntRange(1), metavar="LINE", help="First line.")
@click.option("--lines", type=click.IntRange(1), metavar="N", help="How many lines.")
@pass_session
def get(session: Session, path: str, start_line: int | None, lines: int | None) -> None:
    """Print a memory file, whole or by lines.

    Takes a citation as recall prints it. Refuses what is outside the workspace's memory. In a
    pipe the text comes out byte for byte. NAME:PATH, as --all cites it, is read in that bank.
    """
    path = _in_its_bank(session, path)
    with session.bank() as bank:
        text = bank.get(path, start_line=start_line, lines=lines)
    if session.json:
        session.show_json(text.to_dict())
    elif session.look.terminal:
        session.show(clean(text.text).removesuffix("\n").split("\n"))
    else:
        write_raw(text.text)


def _in_its_bank(session: Session, place: str) -> str:
    """The path of a place such as `work:memory/a.md`, whose bank is then the one that is asked."""
    if ":" not in place or session.workspace or session.bank_name:
        return place
    from lorebank.workspace.registry import load_registry, split_place

    session.bank_name, path = split_place(place, load_registry(os.environ))
    return path


command = get
