"""Other programs' notes in, facts and pages out."""

from __future__ import annotations

from typing import Any

import click

from lorebank.cli.command import KIND, command, complete_entity, flag, option
from lorebank.cli.session import Session, write_raw
from lorebank.errors import UsageError
from lorebank.render.reports import import_lines, left_out_lines
from lorebank.render.text import count

FORMS = ("obsidian", "logseq", "chatgpt", "claude", "basic-memory", "jsonl")
FORMATS = ("jsonl", "csv", "markdown", "site")
GRAPH_FORMATS = ("graphml", "json", "mermaid", "dot")


@command("import")
@click.argument("source", metavar="SOURCE")
@option("--as", "form", "Its form; default: detected from the content.", type=click.Choice(FORMS))
@option("--name", "Name of its folder here; default: that of the source.", default="")
@flag("--dry-run", "Print the report; write nothing.")
def import_notes(session: Session, /, **options: Any) -> int:
    """SOURCE is a folder, a zip or a file. It becomes Markdown below memory/imported/ and stays in
    quarantine until confirmed. A second import changes nothing; files you have edited since are
    never overwritten. Exit code 1: part of the source could not be read or written; import again.

    Examples:
        lorebank import ~/Vault --dry-run
        lorebank import chatgpt-export.zip
        lorebank import facts.jsonl --name work
        lorebank confirm --all-from imported
    """
    with session.bank() as bank:
        report = bank.import_notes(**options)
    session.result(report, import_lines, notes=left_out_lines(session.error_look, report))
    return 0 if report.complete else 1


@command("export")
@option(
    "--format",
    "form",
    "Facts as jsonl (the default) or csv; the bank as a folder of markdown or HTML pages.",
    type=click.Choice(FORMATS),
    default="jsonl",
)
@option("-o", "--output", "target", "Where to write; default for tables: stdout.", metavar="PATH")
@flag("--force", "Overwrite an earlier export.")
@option(
    "-e", "--entity", "Only facts that name it.", metavar="NAME", shell_complete=complete_entity
)
@option("--kind", "kinds", "Only facts of that kind.", type=KIND, multiple=True)
@option("--since", "Only facts from that day on.", metavar="DAY")
@flag("--quarantined", "Include facts in quarantine.")
@option(
    "--graph",
    "Write the graph of entities instead: which share how many facts.",
    type=click.Choice(GRAPH_FORMATS),
)
def export(
    session: Session,
    /,
    form: str,
    target: str | None,
    force: bool,
    graph: str | None,
    **filters: Any,
) -> None:
    """JSONL imports again as the same facts. A cell of CSV that a spreadsheet would run as a
    formula has an apostrophe in front. GraphML and JSON graphs include components, communities,
    bridges and centrality; mermaid and dot are for drawing. With --json tables come in the usual
    envelope.

    Examples:
        lorebank export > facts.jsonl
        lorebank export --format csv --entity Peter --since 30d -o peter.csv
        lorebank export --format site -o ~/memory-site
        lorebank export --graph graphml > bank.graphml
    """
    if graph and (target or any(filters.values())):
        raise UsageError("--graph is printed whole, to standard output", hint="give it alone")
    with session.bank() as bank:
        if graph:
            lines = bank.export_graph(graph).rstrip("\n").split("\n")
            session.print(bank.graph().to_dict(), lines)
            return
        report = bank.export(form, target, force=force, **filters)
    if session.json:
        session.show_json(report.to_dict() | ({} if target else {"text": report.text}))
    elif not target:
        write_raw(report.text)
    summary = f"{count(report.facts, 'fact')} exported"
    kept = f", {report.left_out} in quarantine left out" if report.left_out else ""
    if target or kept:
        session.note([f"{summary}{kept}{f': {report.target}' if target else ''}"])
