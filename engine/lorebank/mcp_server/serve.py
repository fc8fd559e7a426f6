"""Running the server until its clients are gone: over stdio, or over HTTP on this machine."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import anyio

from lorebank.mcp_server.server import build_server

if TYPE_CHECKING:
    from lorebank.app import Bank
    from lorebank.app.several import Banks

Say = Callable[[str], None]


def serve_stdio(
    open_bank: Callable[[], Bank],
    *,
    memory_tools: bool,
    citations: bool,
    waits: bool = False,
    open_banks: Callable[[], Banks] | None = None,
) -> None:
    """Serve the client at stdin and stdout; returns when it hangs up."""
    server, banks = build_server(
        open_bank,
        open_banks=open_banks,
        memory_tools=memory_tools,
        citations=citations,
        waits=waits,
    )
    try:
        anyio.run(server.run_stdio_async)
    finally:
        banks.close()


def serve_http(
    open_bank: Callable[[], Bank],
    *,
    memory_tools: bool,
    citations: bool,
    host: str,
    port: int,
    say: Say,
    waits: bool = False,
    open_banks: Callable[[], Banks] | None = None,
) -> None:
    """Serve clients that bear the token, until interrupted; `say` is told address and token."""
    import uvicorn

    from lorebank.mcp_server.http import PATH, bearer_token, bind, http_app

    token, origin = bearer_token(os.environ)
    listening = bind(host, port)
    number: int = listening.getsockname()[1]
    server, banks = build_server(
        open_bank,
        open_banks=open_banks,
        memory_tools=memory_tools,
        citations=citations,
        waits=waits,
    )
    app = http_app(server, port=number, token=token)
    settings = uvicorn.Config(app, log_level="warning", lifespan="on")
    shown = f"[{host}]" if ":" in host else host
    say(f"listening on http://{shown}:{number}{PATH}; the bearer token is in {origin}")
    try:
        anyio.run(lambda: uvicorn.Server(settings).serve(sockets=[listening]))
    finally:
        listening.close()
        banks.close()
