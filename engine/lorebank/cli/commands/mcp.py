"""`lorebank mcp`: serve the memory to agents over the Model Context Protocol."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import click

from lorebank.cli.command import command
from lorebank.cli.session import Session, pass_session
from lorebank.errors import LorebankError, UsageError

if TYPE_CHECKING:
    from lorebank.app.several import Banks
    from lorebank.mcp_server.banks import OpensBanks
    from lorebank.settings.tables import Config

EXAMPLES = """
lorebank mcp
lorebank mcp -w ~/notes
lorebank mcp --http --port 8765
lorebank mcp --bank work --with home
lorebank mcp --group --read-only
lorebank mcp --agent claude-code --tools all
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
@click.option("--group", is_flag=True, help="Others read along: nothing of the core memory.")
@click.option("--read-only", is_flag=True, help="No tool that writes.")
@click.option("--decides", is_flag=True, help="May accept proposals and confirm, as you would.")
@click.option("--agent", default="", metavar="NAME", help="The name its lines bear.")
@click.option("--user", default="", metavar="NAME", help="On whose behalf it writes.")
@click.option("--tools", default="default", metavar="LIST", help="all, or names with commas.")
@pass_session
def mcp(
    session: Session,
    /,
    http: bool,
    host: str,
    port: int,
    every_bank: bool,
    names: tuple[str, ...],
    **rights: Any,
) -> None:
    """Serve the memory to agents over the Model Context Protocol.

    Over stdio, as agent hosts start it, or with --http to several clients of this machine, who
    show the bearer token that is named at the start. The index is opened by the first call.

    One workspace is served, and nothing of another is ever read. --all or --with adds recall_all,
    memory_search_all and memory_get_all, which read the named banks; writes go to the one served.

    What an agent may do is said here and by no argument of a tool. Over HTTP each client can have a
    token and rights of its own: [name] tables with token, agent, user, group, read_only, decides,
    tools and banks in mcp-clients.toml, beside your settings.
    """
    if find_spec("mcp") is None:
        raise LorebankError(
            "the MCP server needs the package mcp", hint="pip install 'lorebank[mcp]'"
        )
    root, config = session.settings()
    session.workspace, session.bank_name = str(root), None
    from lorebank.mcp_server.access import Access
    from lorebank.mcp_server.serve import Serving, serve_http, serve_stdio

    serving = Serving(
        session.bank,
        _several(session, every_bank, names),
        Access(**rights),
        memory_tools=config.memory_search.enabled,
        citations=config.memory.citations != "off",
        waits=config.memory.backend == "qmd" or config.embedder.provider not in ("local", "none"),
    )
    with _sidecar(session, config):
        if http:
            serve_http(serving, host=host, port=port, say=lambda line: session.note([line]))
        else:
            serve_stdio(serving)


@contextmanager
def _sidecar(session: Session, config: Config) -> Iterator[None]:
    """Keeps the sidecar up to date, where the settings name one; else nothing is opened yet."""
    if config.memory.backend != "qmd":
        yield
        return
    with session.bank() as bank:
        bank.begin_serving()
        yield


def _several(session: Session, every_bank: bool, names: tuple[str, ...]) -> OpensBanks | None:
    """What opens the banks that are asked together; names are looked up now, so that a slip in one
    is said at the start."""
    if not every_bank and not names:
        return None
    if every_bank and names:
        raise UsageError("--all and --with are both given", hint="give one of them")
    from lorebank.app.several import Banks

    def open_banks(*, group: bool = False) -> Banks:
        return Banks.open(
            names or None, now=session.now, flags=session.flags, say=session.say, group=group
        )

    open_banks().close()
    return open_banks


command = mcp
