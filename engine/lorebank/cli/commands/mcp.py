"""`lorebank mcp`: serve the memory to agents over the Model Context Protocol."""

from __future__ import annotations

from importlib.util import find_spec

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session
from lorebank.errors import LorebankError

EXAMPLES = """
lorebank mcp
lorebank mcp -w ~/notes
lorebank mcp --http --port 8765
claude mcp add memory -- lorebank mcp -w ~/notes
"""


@command("mcp", examples=EXAMPLES)
@click.option("--http", is_flag=True, help="Listen on this machine in place of stdio.")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="A loopback address.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, metavar="N", help="0: a free one."
)
@pass_session
def mcp(session: Session, http: bool, host: str, port: int) -> None:
    """Serve the memory to agents over the Model Context Protocol.

    Over stdio, as agent hosts start it, or with --http to several clients of this machine, who
    show the bearer token that is named at the start. The index is opened by the first call.
    """
    if find_spec("mcp") is None:
        raise LorebankError(
            "the MCP server needs the package mcp", hint="pip install 'lorebank[mcp]'"
        )
    root, config = session.settings()
    session.workspace, session.bank_name = str(root), None
    from lorebank.mcp_server.serve import serve_http, serve_stdio

    tools, citations = config.memory_search.enabled, config.memory.citations != "off"
    if not http:
        serve_stdio(session.bank, memory_tools=tools, citations=citations)
        return
    serve_http(
        session.bank,
        memory_tools=tools,
        citations=citations,
        host=host,
        port=port,
        say=lambda line: session.note([line]),
    )


command = mcp
