"""Creating and naming workspaces, templates, and the demo."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from lorebank.cli.command import command, flag, group, option
from lorebank.cli.session import Session
from lorebank.errors import UsageError
from lorebank.render.answers import bank_lines
from lorebank.render.reports import template_lines
from lorebank.templates.pack import SAMPLE_TODAY, check_template, copy_sample, list_templates
from lorebank.workspace.registry import add_bank, load_registry, remove_bank, set_default_bank


@command("init")
@click.argument("directory", metavar="[DIR]", required=False, type=click.Path(file_okay=False))
@option(
    "--template",
    "A shipped template (lorebank template list), or a folder or zip that holds one.",
    default="default",
    metavar="NAME|PATH",
)
@flag("--dry-run", "List what would be created; write nothing.")
def init(session: Session, directory: str | None, template: str, dry_run: bool) -> None:
    """Creates the folders and pages that a workspace starts with, in DIR or here. Existing
    files are not changed, so running it again is safe.

    Examples:
        lorebank init ~/notes
        lorebank init --template coding-agent
        lorebank init --template ./my-template.zip --dry-run
    """
    from lorebank.app.bank import Bank

    root = directory or session.workspace
    if root is None and session.bank_name is not None:  # whose folder need not be there
        root = load_registry(os.environ).named(session.bank_name).path
    root = root or "."
    if dry_run:
        planned = Bank.plan_init(root, template=template)
        ends = f"{len(planned)} would be created" if planned else "nothing to create"
        _show_created(session, {"created": planned, "dry_run": True}, planned, ends)
        return
    with Bank.init(root, template=template) as bank:
        made, place = bank.created, str(bank.root)
    ends = f'{place} is ready: lorebank -w {place} retain "W @Name: a sentence worth keeping"'
    ends = ends if made else f"{place} is already set up; nothing to create"
    _show_created(session, {"workspace": place, "created": made}, made, ends)


def _show_created(
    session: Session, payload: Mapping[str, object], paths: Sequence[str], ends: str
) -> None:
    """The created (or planned) paths, and a final note."""
    session.print(payload, map(session.look.clean_line, paths), [ends])


@group("bank")
def bank() -> None:
    """Names are kept in banks.toml, next to your settings. A name points to a folder and never lets
    one workspace read another's files. A command uses the workspace of --workspace or --bank, else
    of LOREBANK_WORKSPACE, else the nearest parent folder, else the default bank.

    Examples:
        lorebank bank add home ~/notes
        lorebank bank list
        lorebank --bank home recall "when is the boiler serviced?"
        lorebank recall "when is the boiler serviced?" --all
    """


@bank.subcommand("add")
@click.argument("name")
@click.argument("path", type=click.Path(file_okay=False))
@flag("--replace", "Point an existing name to PATH.")
def add_bank_name(session: Session, name: str, path: str, replace: bool) -> None:
    """Give the workspace at PATH a name."""
    added, remark = add_bank(os.environ, name, Path(path), replace=replace)
    note = session.error_look.warn(session.error_look.clean_line(f"note: {remark}"))
    session.print(
        {"bank": added.to_dict(), "note": remark or None},
        [session.look.clean_line(f"{added.name}  {added.path}")],
        [note] if remark else (),
    )


@bank.subcommand("list")
def list_banks(session: Session) -> None:
    """List the named workspaces; marks the default and missing ones."""
    registry = load_registry(os.environ)
    rows = [(each, Path(each.path).is_dir()) for each in registry.banks]
    banks = [{**each.to_dict(), "there": there} for each, there in rows]
    payload = {"file": str(registry.file or ""), "banks": banks}
    nothing = "no bank is registered; lorebank bank add NAME DIR registers one"
    session.print(payload, bank_lines(session.look, rows), () if rows else [nothing])


@bank.subcommand("remove", examples="lorebank bank remove work")
@click.argument("name")
def remove_bank_name(session: Session, name: str) -> None:
    """Remove a name; the folder and its files stay."""
    removed = remove_bank(os.environ, name)
    text = f"{removed.name} is removed; {removed.path} is unchanged"
    session.print({"bank": removed.to_dict()}, (), [session.error_look.clean_line(text)])


@bank.subcommand("default", examples="lorebank bank default home")
@click.argument("name", required=False)
@flag("--unset", "Clear the default.")
def default_bank_name(session: Session, name: str | None, unset: bool) -> None:
    """Set or print the bank used when none is named and no workspace is near."""
    if name and unset:
        raise UsageError("NAME and --unset are both given", hint="give one of them")
    if name or unset:
        found = set_default_bank(os.environ, name)
    else:
        found = load_registry(os.environ).default
    session.print(
        {"default": found.to_dict() if found else None},
        [session.look.clean_line(f"{found.name}  {found.path}")] if found else (),
        () if found else ["there is no default bank"],
    )


INVALID = 3


@group("template")
def template() -> None:
    """A template provides initial pages and standing questions, which reflect keeps answering from
    the notes. It is a folder, or a zip, with a template.toml.

    Examples:
        lorebank template list
        lorebank template import research --dry-run
        lorebank template export my-template --to my-template.zip
        lorebank template check my-template.zip
    """


@template.subcommand("list")
def list_shipped(session: Session) -> None:
    """List the shipped templates with their questions."""
    found = list_templates()
    templates = [
        {key: getattr(each, key) for key in ("name", "title", "description")}
        | {"pages": [{"path": page.path, "question": page.question} for page in each.pages]}
        for each in found
    ]
    session.print({"templates": templates}, template_lines(session.look, found))


@template.subcommand("check")
@click.argument("source", metavar="NAME|PATH")
def check(session: Session, source: str) -> int:
    """Check a template without using it; exit with 3 where something is wrong."""
    problems = check_template(source)
    payload = {"template": source, "problems": list(problems)}
    ends = f"{source}: {'not valid' if problems else 'valid'}"
    session.print(payload, map(session.look.clean_line, problems), [ends])
    return INVALID if problems else 0


@template.subcommand("import")
@click.argument("source", metavar="NAME|PATH")
@flag("--dry-run", "List what would be created; write nothing.")
def import_template(session: Session, source: str, dry_run: bool) -> None:
    """Add a template's pages to the workspace, where they are missing.

    SOURCE is a shipped template's name, or a folder or zip. Nothing of yours is overwritten.
    """
    with session.bank() as bank:
        made = bank.import_template(source, dry_run=dry_run)
    verb = "would be created" if dry_run else "created"
    ends = f"{len(made)} {verb}" if made else "nothing is missing; nothing to create"
    payload = {"template": source, "created": made, "dry_run": dry_run}
    _show_created(session, payload, made, ends)


@template.subcommand("export")
@click.argument("name")
@option("--to", "target", "A new folder or zip; default: ./NAME.", metavar="PATH")
@option("--title", "Title for `template list`.", default="")
@option("--description", "One sentence.", default="")
@flag("--directives", "Include bank/directives.md.")
@flag("--dry-run", "List what it would hold; write nothing.")
def export_template(
    session: Session, /, name: str, target: str | None, dry_run: bool, **options: Any
) -> None:
    """Write the workspace's standing questions as a template.

    Questions and their settings only: no answer and no note leaves the workspace.
    """
    place = target or name
    with session.bank() as bank:
        held = bank.export_template(name, place, dry_run=dry_run, **options)
    payload = {"template": place, "files": held, "dry_run": dry_run}
    _show_created(session, payload, held, f"{place} {'would hold' if dry_run else 'holds'} these")


DEMO: tuple[tuple[str, tuple[str, ...]], ...] = (
    (
        "Ask a folder of Markdown notes for words: an error from the log.",
        ("recall", "Baileys crash", "-k", "1"),
    ),
    ("Ask what somebody prefers.", ("recall", "what does Peter prefer?", "-k", "2")),
    ("Every night: bring the pages of the bank up to date.", ("reflect",)),
    ("Peter changed his mind about Telegram: the belief, line by line.", ("explain", "o-e54d")),
    (
        "What was believed on 1 December?",
        ("recall", "Telegram for groups", "--as-of", "2025-12-01", "-k", "1"),
    ),
    ("And now?", ("recall", "WhatsApp for groups", "-k", "1")),
    ("The morning page.", ("today",)),
)


@command("demo")
@click.argument("folder", required=False, type=click.Path(path_type=Path))
def demo(session: Session, folder: Path | None) -> int:
    """The copy goes into FOLDER, or into a new temporary folder, and stays there to try things.

    Examples:
        lorebank demo
        lorebank demo ~/lorebank-sample
    """
    from lorebank.cli.root import run

    target = copy_sample(folder or Path(tempfile.mkdtemp(prefix="lorebank-")) / "notes")
    os.environ["LOREBANK_NOW"] = SAMPLE_TODAY
    for title, arguments in DEMO:
        shown = " ".join(f'"{part}"' if " " in part else part for part in arguments)
        session.show(["", session.look.dim(f"# {title}"), f"$ lorebank {shown}"])
        code = run(["--quiet", "--workspace", str(target), *arguments])
        if code:
            return code
    session.show(["", f"The notes and the bank are in {target}; ask them something yourself:"])
    session.show([f'  lorebank -w {target} recall "where is Andy\'s birthday?"'])
    return 0
