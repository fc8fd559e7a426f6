"""Running the server until its clients are gone: over stdio, or over HTTP on this machine."""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import anyio

from lorebank.mcp_server.access import Access
from lorebank.mcp_server.banks import BankThreads, OpensBank, OpensBanks
from lorebank.mcp_server.server import LorebankServer, build_server

Say = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class Serving:
    """What is served, and to whom; see `build_server`."""

    open_bank: OpensBank
    open_banks: OpensBanks | None = None
    access: Access = field(default_factory=Access)
    memory_tools: bool = True
    citations: bool = True
    waits: bool = False

    def build(self, access: Access) -> tuple[LorebankServer, BankThreads]:
        return build_server(
            self.open_bank,
            open_banks=self.open_banks,
            access=access,
            memory_tools=self.memory_tools,
            citations=self.citations,
            waits=self.waits,
        )


def serve_stdio(serving: Serving) -> None:
    """Serve the client at stdin and stdout; returns when it hangs up."""
    session = serving.access.session or secrets.token_hex(4)
    server, banks = serving.build(replace(serving.access, session=session))
    try:
        anyio.run(server.run_stdio_async)
    finally:
        banks.close()


def serve_http(serving: Serving, *, host: str, port: int, say: Say) -> None:
    """Serve clients that bear a token, until interrupted; `say` is given address and tokens."""
    import uvicorn

    from lorebank.mcp_server.http import PATH, accepted_tokens, bind, http_app
    from lorebank.mcp_server.limits import BoundedProtocol

    tokens, origin = accepted_tokens(os.environ, serving.access)
    listening = bind(host, port)
    number: int = listening.getsockname()[1]
    server, banks = serving.build(serving.access)
    app = http_app(server, port=number, tokens=tokens)
    settings = uvicorn.Config(app, http=BoundedProtocol, log_level="warning", lifespan="on")
    shown = f"[{host}]" if ":" in host else host
    say(f"listening on http://{shown}:{number}{PATH}; the bearer token is in {origin}")
    try:
        anyio.run(lambda: uvicorn.Server(settings).serve(sockets=[listening]))
    finally:
        listening.close()
        banks.close()
