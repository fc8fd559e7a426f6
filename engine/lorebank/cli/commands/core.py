"""`lorebank core`: show and change the core memory."""

from __future__ import annotations

import click

from lorebank.cli.command import Command, CommandGroup
from lorebank.cli.parameters import text_argument
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank core append "- Call before visiting." --section "How to work"
lorebank core replace "Lives in Porto." "Lives in Lisbon."
lorebank core insert 3 "Speaks Portuguese."
"""


@click.group("core", cls=CommandGroup, examples=EXAMPLES)
def core() -> None:
    """Change the core memory, memory.md.

    It is read in every conversation and kept small: a write warns where it grows large and is
    refused past core_memory.limit_tokens.
    """


@core.command("append", cls=Command, examples="lorebank core append '- Call before visiting.'")
@click.argument("text", nargs=-1)
@click.option("--section", default="", metavar="HEADING", help="At the end of that section.")
@pass_session
def append(session: Session, text: tuple[str, ...], section: str) -> None:
    """Add a text at the end, or at the end of a section."""
    _write(session, "append", text_argument(text, "append"), section=section)


@core.command("replace", cls=Command, examples="lorebank core replace 'in Porto' 'in Lisbon'")
@click.argument("old")
@click.argument("new")
@pass_session
def replace(session: Session, old: str, new: str) -> None:
    """Put NEW in place of OLD, which must stand there once; an empty NEW cuts it."""
    _write(session, "replace", new, old=old)


@core.command("insert", cls=Command, examples="lorebank core insert 3 'Speaks Portuguese.'")
@click.argument("line", type=click.IntRange(1))
@click.argument("text", nargs=-1)
@pass_session
def insert(session: Session, line: int, text: tuple[str, ...]) -> None:
    """Put a text before a line."""
    _write(session, "insert", text_argument(text, "insert"), line=line)


def _write(
    session: Session,
    action: str,
    text: str,
    *,
    old: str = "",
    line: int | None = None,
    section: str = "",
) -> None:
    with session.bank() as bank:
        done = bank.memory_write(action, text, old=old, line=line, section=section)
    if session.json:
        session.show_json(done.to_dict())
        return
    lines = f"L{done.start_line}"
    if done.end_line > done.start_line:
        lines += f"-L{done.end_line}"
    session.show([f"{done.path}#{lines} ({done.tokens} of {done.limit_tokens} tokens)"])
    if done.warning:
        session.note(session.error_look.paragraph(f"warning: {done.warning}"))


command = core
