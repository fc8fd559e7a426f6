"""`lorebank init`: lay out a workspace."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session

EXAMPLES = """
lorebank init ~/notes
lorebank init --template coding-agent
"""


@command("init", examples=EXAMPLES)
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(file_okay=False))
@click.option("--template", default="default", metavar="NAME", help="Which layout to copy.")
@pass_session
def init(session: Session, directory: str | None, template: str) -> None:
    """Lay out a workspace.

    Makes the folders and pages a workspace begins with, in DIR or here. What is there already
    stays as it is, so running it again is safe.
    """
    from lorebank.app import Bank

    with Bank.init(directory or session.workspace or ".", template=template) as bank:
        if session.json:
            session.show_json({"workspace": str(bank.root), "created": list(bank.created)})
            return
        look = session.look
        session.show(look.clean_line(path) for path in bank.created)
        session.note([_summary(str(bank.root), len(bank.created))])


def _summary(root: str, created: int) -> str:
    if not created:
        return f"{root} is laid out already; nothing to make"
    return f'{root} is ready: lorebank -w {root} retain "W @Name: a sentence worth keeping"'


command = init
