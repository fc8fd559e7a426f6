"""`lorebank init`: lay out a workspace."""

from __future__ import annotations

from collections.abc import Sequence

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank init ~/notes
lorebank init --template coding-agent
lorebank init --template ./my-template.zip --dry-run
"""


@command("init", examples=EXAMPLES)
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(file_okay=False))
@click.option(
    "--template",
    default="default",
    metavar="NAME|PATH",
    help="A shipped template (lorebank template list), or a folder or zip that holds one.",
)
@click.option("--dry-run", is_flag=True, help="Make nothing; list what would be made.")
@pass_session
def init(session: Session, directory: str | None, template: str, dry_run: bool) -> None:
    """Lay out a workspace.

    Makes the folders and pages a workspace begins with, in DIR or here. What is there already
    stays as it is, so running it again is safe.
    """
    from lorebank.app import Bank

    root = directory or session.workspace or _registered(session) or "."
    if dry_run:
        _show_plan(session, Bank.plan_init(root, template=template))
        return
    with Bank.init(root, template=template) as bank:
        if session.json:
            session.show_json({"workspace": str(bank.root), "created": list(bank.created)})
            return
        look = session.look
        session.show(look.clean_line(path) for path in bank.created)
        session.note([_summary(str(bank.root), len(bank.created))])


def _registered(session: Session) -> str | None:
    """The folder that `--bank` names, which need not be there."""
    if session.bank_name is None:
        return None
    import os

    from lorebank.workspace.registry import load_registry

    return load_registry(os.environ).named(session.bank_name).path


def _show_plan(session: Session, planned: Sequence[str]) -> None:
    if session.json:
        session.show_json({"created": list(planned), "dry_run": True})
        return
    session.show(session.look.clean_line(path) for path in planned)
    session.note([f"{len(planned)} would be made" if planned else "nothing to make"])


def _summary(root: str, created: int) -> str:
    if not created:
        return f"{root} is laid out already; nothing to make"
    return f'{root} is ready: lorebank -w {root} retain "W @Name: a sentence worth keeping"'


command = init
