"""`lorebank export`: the bank's graph in formats that other programs read."""

from __future__ import annotations

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session

GRAPH_FORMATS = ("graphml", "json", "mermaid", "dot")
EXAMPLES = """
lorebank export --graph graphml > bank.graphml
lorebank export --graph mermaid
"""


@command("export", examples=EXAMPLES)
@click.option(
    "--graph",
    "form",
    type=click.Choice(GRAPH_FORMATS),
    required=True,
    help="Who is seen with whom: entities, and how many facts they share.",
)
@pass_session
def export(session: Session, form: str) -> None:
    """Write the graph of entities to standard output.

    GraphML and JSON carry components, communities, bridges and centrality; mermaid and dot are for
    drawing. Under --json the graph comes in the usual envelope, whatever the format.
    """
    with session.bank() as bank:
        if session.json:
            session.show_json(bank.graph().to_dict())
        else:
            session.show(bank.export_graph(form).rstrip("\n").split("\n"))


command = export
