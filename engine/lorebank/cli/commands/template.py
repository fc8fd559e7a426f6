"""`lorebank template`: bank templates, listed, checked, laid into a workspace, made from one."""

from __future__ import annotations

import click

from lorebank.cli.command import Command, CommandGroup
from lorebank.cli.render.templates import template_lines
from lorebank.cli.session import Session, pass_session

INVALID = 3
EXAMPLES = """
lorebank template list
lorebank template import research --dry-run
lorebank template export my-template --to my-template.zip
lorebank template check my-template.zip
"""


@click.group("template", cls=CommandGroup, examples=EXAMPLES)
def template() -> None:
    """List, check, import and export bank templates.

    A template brings starting pages and standing questions: pages whose question reflect answers
    anew from the notes. It is a folder, or a zip, with a template.toml.
    """


@template.command("list", cls=Command, examples="lorebank template list")
@pass_session
def list_shipped(session: Session) -> None:
    """List the shipped templates with their questions."""
    from lorebank.workspace.templates import list_templates

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
    from lorebank.workspace.templates import check_template

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
def export(
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


command = template
