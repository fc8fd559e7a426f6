"""`lorebank mcp`: serve the memory to agents over the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session
from lorebank.errors import LorebankError, UsageError

if TYPE_CHECKING:
    from lorebank.app.several import Banks
    from lorebank.config import Config

EXAMPLES = """
lorebank mcp
lorebank mcp -w ~/notes
lorebank mcp --http --port 8765
lorebank mcp --bank work --with home
claude mcp add memory -- lorebank mcp -w ~/notes
"""


@command("mcp", examples=EXAMPLES)
@click.option("--http", is_flag=True, help="Listen on this machine in place of stdio.")
@click.option("--host", default="127.0.0.1", metavar="ADDRESS", help="A loopback address.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8765, metavar="N", help="0: a free one."
)
@click.option("--all", "every_bank", is_flag=True, help="Tools that ask every named bank as well.")
@click.option(
    "--with", "names", multiple=True, metavar="NAME", help="Tools that ask only these named banks."
)
@pass_session
def mcp(
    session: Session, http: bool, host: str, port: int, every_bank: bool, names: tuple[str, ...]
) -> None:
    """Serve the memory to agents over the Model Context Protocol.

    Over stdio, as agent hosts start it, or with --http to several clients of this machine, who
    show the bearer token that is named at the start. The index is opened by the first call.

    One workspace is served, and nothing of another is ever read. --all or --with adds recall_all,
    memory_search_all and memory_get_all, which read the named banks; writes go to the one served.
    """
    if find_spec("mcp") is None:
        raise LorebankError(
            "the MCP server needs the package mcp", hint="pip install 'lorebank[mcp]'"
        )
    root, config = session.settings()
    session.workspace, session.bank_name = str(root), None
    from lorebank.mcp_server.serve import serve_http, serve_stdio

    several = _several(session, every_bank, names)
    tools, citations = config.memory_search.enabled, config.memory.citations != "off"
    waits = config.memory.backend == "qmd" or config.embedder.provider not in ("local", "none")
    with _sidecar(session, config):
        if not http:
            serve_stdio(
                session.bank,
                memory_tools=tools,
                citations=citations,
                waits=waits,
                open_banks=several,
            )
            return
        serve_http(
            session.bank,
            memory_tools=tools,
            citations=citations,
            waits=waits,
            host=host,
            port=port,
            say=lambda line: session.note([line]),
            open_banks=several,
        )


@contextmanager
def _sidecar(session: Session, config: Config) -> Iterator[None]:
    """Keeps the sidecar up to date, where the settings name one; else nothing is opened yet."""
    if config.memory.backend != "qmd":
        yield
        return
    with session.bank() as bank:
        bank.begin_serving()
        yield


def _several(
    session: Session, every_bank: bool, names: tuple[str, ...]
) -> Callable[[], Banks] | None:
    """What opens the banks that are asked together; names are looked up now, so that a slip in one
    is said at the start."""
    if not every_bank and not names:
        return None
    if every_bank and names:
        raise UsageError("--all and --with are both given", hint="give one of them")
    from lorebank.app.several import Banks

    def open_banks() -> Banks:
        return Banks.open(names or None, now=session.now, flags=session.flags, say=session.say)

    open_banks().close()
    return open_banks


command = mcp
