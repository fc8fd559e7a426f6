"""Laying workspaces out and naming them; templates of pages."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import click

from lorebank.cli.command import Command, CommandGroup, command
from lorebank.cli.render.answers import bank_lines
from lorebank.cli.render.reports import template_lines
from lorebank.cli.session import Session, pass_session
from lorebank.errors import UsageError

INIT_EXAMPLES = """
lorebank init ~/notes
lorebank init --template coding-agent
lorebank init --template ./my-template.zip --dry-run
"""


@command("init", examples=INIT_EXAMPLES)
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
    from lorebank.app.bank import Bank

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
        session.note([_init_summary(str(bank.root), len(bank.created))])


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


def _init_summary(root: str, created: int) -> str:
    if not created:
        return f"{root} is laid out already; nothing to make"
    return f'{root} is ready: lorebank -w {root} retain "W @Name: a sentence worth keeping"'


BANK_EXAMPLES = """
lorebank bank add home ~/notes
lorebank bank list
lorebank --bank home recall "when is the boiler serviced?"
lorebank recall "when is the boiler serviced?" --all
"""


@click.group("bank", cls=CommandGroup, examples=BANK_EXAMPLES)
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
def add_bank_name(session: Session, name: str, path: str, replace: bool) -> None:
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
def remove_bank_name(session: Session, name: str) -> None:
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
def default_bank_name(session: Session, name: str | None, unset: bool) -> None:
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


INVALID = 3
TEMPLATE_EXAMPLES = """
lorebank template list
lorebank template import research --dry-run
lorebank template export my-template --to my-template.zip
lorebank template check my-template.zip
"""


@click.group("template", cls=CommandGroup, examples=TEMPLATE_EXAMPLES)
def template() -> None:
    """List, check, import and export bank templates.

    A template brings starting pages and standing questions: pages whose question reflect answers
    anew from the notes. It is a folder, or a zip, with a template.toml.
    """


@template.command("list", cls=Command, examples="lorebank template list")
@pass_session
def list_shipped(session: Session) -> None:
    """List the shipped templates with their questions."""
    from lorebank.templates.scaffold import list_templates

    found = list_templates()
    if session.json:
        rows = [
            {
                "name": each.name,
                "title": each.title,
                "description": each.description,
                "pages": [{"path": p.path, "question": p.question} for p in each.pages],
            }
            for each in found
        ]
        session.show_json({"templates": rows})
    else:
        session.show(template_lines(session.look, found))


@template.command("check", cls=Command, examples="lorebank template check ./my-template")
@click.argument("source", metavar="NAME|PATH")
@pass_session
def check(session: Session, source: str) -> int:
    """Check a template without using it; exit with 3 where something is wrong."""
    from lorebank.templates.scaffold import check_template

    problems = check_template(source)
    if session.json:
        session.show_json({"template": source, "problems": list(problems)})
    else:
        session.show(session.look.clean_line(problem) for problem in problems)
        session.note([f"{source}: {'not valid' if problems else 'valid'}"])
    return INVALID if problems else 0


@template.command("import", cls=Command, examples="lorebank template import research --dry-run")
@click.argument("source", metavar="NAME|PATH")
@click.option("--dry-run", is_flag=True, help="Write nothing; list what would be made.")
@pass_session
def import_template(session: Session, source: str, dry_run: bool) -> None:
    """Lay a template into the workspace: only what is missing there.

    SOURCE is a shipped template's name, or a folder or zip. Nothing of yours is overwritten.
    """
    with session.bank() as bank:
        made = bank.import_template(source, dry_run=dry_run)
    if session.json:
        session.show_json({"template": source, "created": list(made), "dry_run": dry_run})
        return
    session.show(session.look.clean_line(path) for path in made)
    verb = "would be made" if dry_run else "made"
    session.note([f"{len(made)} {verb}" if made else "nothing is missing; nothing to make"])


@template.command(
    "export", cls=Command, examples="lorebank template export my-template --to my-template.zip"
)
@click.argument("name")
@click.option("--to", "target", metavar="PATH", help="A new folder or zip; ./NAME without this.")
@click.option("--title", default="", help="As `template list` shows it.")
@click.option("--description", default="", help="One sentence.")
@click.option("--directives", is_flag=True, help="Take bank/directives.md along.")
@click.option("--dry-run", is_flag=True, help="Write nothing; list what it would hold.")
@pass_session
def export_template(
    session: Session,
    name: str,
    target: str | None,
    title: str,
    description: str,
    directives: bool,
    dry_run: bool,
) -> None:
    """Write the workspace's standing questions as a template.

    Questions and their settings only: no answer and no note leaves the workspace.
    """
    place = target or name
    with session.bank() as bank:
        held = bank.export_template(
            name,
            place,
            title=title,
            description=description,
            directives=directives,
            dry_run=dry_run,
        )
    if session.json:
        session.show_json({"template": place, "files": list(held), "dry_run": dry_run})
        return
    session.show(session.look.clean_line(path) for path in held)
    session.note([f"{place} {'would hold' if dry_run else 'holds'} these"])
