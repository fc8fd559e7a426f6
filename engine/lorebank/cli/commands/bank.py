"""`lorebank bank`: name workspaces, so that they are reached from anywhere and asked together."""

from __future__ import annotations

import os
from pathlib import Path

import click

from lorebank.cli.command import Command, CommandGroup
from lorebank.cli.render.banks import bank_lines
from lorebank.cli.session import Session, pass_session
from lorebank.errors import UsageError

EXAMPLES = """
lorebank bank add home ~/notes
lorebank bank list
lorebank --bank home recall "when is the boiler serviced?"
lorebank recall "when is the boiler serviced?" --all
"""


@click.group("bank", cls=CommandGroup, examples=EXAMPLES)
def bank() -> None:
    """Name workspaces, to reach them from anywhere and to ask them together.

    The names stand in banks.toml beside your settings. A name stands for a folder; it never lets
    one workspace read another's files. Which workspace a command is about: --workspace or --bank,
    else LOREBANK_WORKSPACE, else the nearest folder upwards, else the default bank.
    """


@bank.command("add", cls=Command, examples="lorebank bank add work ~/office/notes")
@click.argument("name")
@click.argument("path", type=click.Path(file_okay=False))
@click.option("--replace", is_flag=True, help="Point a name that is taken to PATH.")
@pass_session
def add(session: Session, name: str, path: str, replace: bool) -> None:
    """Give the workspace at PATH a name."""
    from lorebank.workspace.registry import add_bank

    added, remark = add_bank(os.environ, name, Path(path), replace=replace)
    if session.json:
        session.show_json({"bank": added.to_dict(), "note": remark or None})
        return
    session.show([session.look.clean_line(f"{added.name}  {added.path}")])
    if remark:
        session.note([session.error_look.warn(session.error_look.clean_line(f"note: {remark}"))])


@bank.command("list", cls=Command, examples="lorebank bank list --json")
@pass_session
def list_banks(session: Session) -> None:
    """List the named workspaces; the default is marked, and those that are gone."""
    from lorebank.workspace.registry import load_registry

    registry = load_registry(os.environ)
    rows = [(each, Path(each.path).is_dir()) for each in registry.banks]
    if session.json:
        banks = [{**each.to_dict(), "there": there} for each, there in rows]
        session.show_json({"file": str(registry.file or ""), "banks": banks})
        return
    session.show(bank_lines(session.look, rows))
    if not rows:
        session.note(["no bank is registered; lorebank bank add NAME DIR registers one"])


@bank.command("remove", cls=Command, examples="lorebank bank remove work")
@click.argument("name")
@pass_session
def remove(session: Session, name: str) -> None:
    """Forget a name; the folder and all in it stay."""
    from lorebank.workspace.registry import remove_bank

    removed = remove_bank(os.environ, name)
    if session.json:
        session.show_json({"bank": removed.to_dict()})
        return
    session.note(
        [session.error_look.clean_line(f"{removed.name} is forgotten; {removed.path} stays")]
    )


@bank.command("default", cls=Command, examples="lorebank bank default home")
@click.argument("name", required=False)
@click.option("--unset", is_flag=True, help="Let there be no default.")
@pass_session
def default(session: Session, name: str | None, unset: bool) -> None:
    """Set or print the bank that is meant where nothing names one and no workspace is near."""
    from lorebank.workspace.registry import load_registry, set_default_bank

    if name and unset:
        raise UsageError("NAME and --unset are both given", hint="give one of them")
    if name or unset:
        found = set_default_bank(os.environ, name)
    else:
        found = load_registry(os.environ).default
    if session.json:
        session.show_json({"default": found.to_dict() if found else None})
    elif found:
        session.show([session.look.clean_line(f"{found.name}  {found.path}")])
    else:
        session.note(["there is no default bank"])


command = bank
