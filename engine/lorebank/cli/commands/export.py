"""`lorebank export`: facts, pages and the graph in formats that other programs read."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.parameters import KIND, complete_entity
from lorebank.cli.render.phrases import count
from lorebank.cli.session import Session, pass_session
from lorebank.cli.streams import write_raw
from lorebank.errors import UsageError

FORMATS = ("jsonl", "csv", "markdown", "site")
GRAPH_FORMATS = ("graphml", "json", "mermaid", "dot")
EXAMPLES = """
lorebank export > facts.jsonl
lorebank export --format csv --entity Peter --since 30d -o peter.csv
lorebank export --format site -o ~/memory-site
lorebank export --graph graphml > bank.graphml
"""


@command("export", examples=EXAMPLES)
@click.option(
    "--format",
    "form",
    type=click.Choice(FORMATS),
    default="jsonl",
    help="Facts as jsonl (the default) or csv; the bank as a folder of markdown or HTML pages.",
)
@click.option("-o", "--output", "target", metavar="PATH", help="Where to; tables go to stdout.")
@click.option("--force", is_flag=True, help="Write over what an earlier export left there.")
@click.option(
    "-e",
    "--entity",
    metavar="NAME",
    shell_complete=complete_entity,
    help="Only facts that name it.",
)
@click.option("--kind", "kinds", type=KIND, multiple=True, help="Only facts of that kind.")
@click.option("--since", metavar="DAY", help="Only what happened or was said from that day on.")
@click.option("--quarantined", is_flag=True, help="Also what nobody has confirmed.")
@click.option(
    "--graph",
    type=click.Choice(GRAPH_FORMATS),
    help="Instead, who is seen with whom: entities, and how many facts they share.",
)
@pass_session
def export(
    session: Session,
    form: str,
    target: str | None,
    force: bool,
    entity: str | None,
    kinds: tuple[str, ...],
    since: str | None,
    quarantined: bool,
    graph: str | None,
) -> None:
    """Write facts, pages or the graph of entities for other programs.

    JSONL imports again as the same facts. A cell of CSV that a spreadsheet would run as a formula
    has an apostrophe in front. Of the graph, GraphML and JSON carry components, communities,
    bridges and centrality; mermaid and dot are for drawing. Under --json tables come in the usual
    envelope.
    """
    if graph:
        if target or entity or kinds or since or quarantined:
            raise UsageError("--graph goes to standard output, whole", hint="give it alone")
        _graph(session, graph)
        return
    with session.bank() as bank:
        report = bank.export(
            form,
            target,
            entity=entity,
            kinds=kinds,
            since=since,
            quarantined=quarantined,
            force=force,
        )
    if session.json:
        session.show_json(report.to_dict() | ({} if target else {"text": report.text}))
    elif not target:
        write_raw(report.text)
    said = f"{count(report.facts, 'fact')} exported"
    kept = f", {report.left_out} in quarantine left out" if report.left_out else ""
    if target or kept:
        session.note([f"{said}{kept}{f': {report.target}' if target else ''}"])


def _graph(session: Session, form: str) -> None:
    with session.bank() as bank:
        if session.json:
            session.show_json(bank.graph().to_dict())
        else:
            session.show(bank.export_graph(form).rstrip("\n").split("\n"))


command = export
