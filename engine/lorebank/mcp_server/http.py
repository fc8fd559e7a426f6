"""HTTP on this machine only: who may ask, on which address, with which token, at what cost.

A browser can be made to send requests to a loopback port by any page, so that `Host` and `Origin`
must name this very port, which the SDK checks, and the token must be there. The token belongs to
the user, not to a workspace, which may come from anybody.

uvicorn bounds the time between requests, not the time that a request takes to arrive: a client that
sends half a request would hold its connection for ever.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from lorebank.errors import ConfigurationError, LorebankError, UsageError
from lorebank.mcp_server.access import CLIENTS_FILE, LEAST_TOKEN, SCOPE_KEY, Access, load_clients
from lorebank.settings.files import user_config_path

if TYPE_CHECKING:
    from lorebank.mcp_server.server import LorebankServer

MAX_CONNECTIONS = 256
"""Twice the listening socket's queue; the clients of one owner are a handful."""
REQUEST_SECONDS = 30.0
"""As nginx and Apache order it; on loopback, whole requests arrive within milliseconds."""
PATH = "/mcp"
TOKEN_VARIABLE = "LOREBANK_MCP_TOKEN"
_LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}


class BoundedProtocol(H11Protocol):
    """Closes connections beyond `MAX_CONNECTIONS`, and those whose requests take too long to
    arrive."""

    max_connections = MAX_CONNECTIONS
    request_seconds = REQUEST_SECONDS
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.max_connections:
            transport.close()
        else:
            self._start_deadline()

    def data_received(self, data: bytes) -> None:
        if self._deadline is None:
            self._start_deadline()
        super().data_received(data)
        if self._has_arrived():
            self._stop_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_deadline()
        super().connection_lost(exc)

    def _has_arrived(self) -> bool:
        """Whether a whole request is being answered."""
        cycle = self.cycle
        return cycle is not None and not cycle.response_complete and not cycle.more_body

    def _start_deadline(self) -> None:
        self._deadline = self.loop.call_later(self.request_seconds, self._close_late)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close_late(self) -> None:
        self._deadline = None
        if not self._has_arrived():
            self.transport.close()


class Gate:
    """An ASGI application that lets through what bears a token, and notes with the request what
    that token's client may do."""

    def __init__(self, app: ASGIApp, tokens: Mapping[str, Access]) -> None:
        self._app = app
        self._tokens = {token.encode(): access for token, access in tokens.items()}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
        elif access := self._access(Headers(scope=scope)):
            await self._app({**scope, SCOPE_KEY: access}, receive, send)
        else:
            error = {"error": {"code": "token", "message": "a bearer token is needed"}}
            challenge = {"WWW-Authenticate": "Bearer"}
            await JSONResponse(error, 401, headers=challenge)(scope, receive, send)

    def _access(self, headers: Headers) -> Access | None:
        """The rights of the token that the request bears; every token is compared in full, so that
        the time taken tells nothing of them."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        offered = given.strip().encode()
        fitting = [a for t, a in self._tokens.items() if secrets.compare_digest(offered, t)]
        return fitting[0] if fitting and scheme.lower() == "bearer" else None


def http_app(server: LorebankServer, *, port: int, tokens: Mapping[str, Access]) -> ASGIApp:
    """The server at `/mcp`, behind the gate. A response is one JSON text: no tool streams."""
    names = [f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")]
    security = TransportSecuritySettings(
        allowed_hosts=names, allowed_origins=[f"http://{name}" for name in names]
    )
    app = server.streamable_http_app(
        streamable_http_path=PATH, json_response=True, transport_security=security
    )
    return Gate(app, tokens)


def bind(host: str, port: int) -> socket.socket:
    """A listening socket on a loopback address; `UsageError` for any other. Port 0: a free one."""
    if host not in _LOOPBACK:
        raise UsageError(
            f"the server listens on this machine only, not on {host}",
            hint=f"use {', '.join(_LOOPBACK)}; for others put a proxy of your own in front",
        )
    found = socket.socket(_LOOPBACK[host], socket.SOCK_STREAM)
    try:
        if os.name != "nt":
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(("127.0.0.1" if host == "localhost" else host, port))
        found.listen(128)
    except OSError as error:
        found.close()
        raise LorebankError(
            f"cannot listen on {host}:{port}: {(error.strerror or str(error)).lower()}",
            hint="choose another --port; 0 takes a free one",
        ) from error
    return found


def accepted_tokens(
    environ: Mapping[str, str], default: Access
) -> tuple[Mapping[str, Access], str]:
    """Every token with its client's rights, and where the tokens are from: those of
    `mcp-clients.toml` where there are any, else the one of the user with the `default` rights."""
    settings = user_config_path(environ)
    clients = load_clients(settings.parent, default) if settings else {}
    if clients and settings:
        return clients, str(settings.parent / CLIENTS_FILE)
    token, origin = bearer_token(environ)
    return {token: default}, origin


def bearer_token(environ: Mapping[str, str]) -> tuple[str, str]:
    """The token and where it is from: `LOREBANK_MCP_TOKEN`, else a file beside the user's settings.

    The file is made at the first use and readable by the user alone.
    """
    if given := environ.get(TOKEN_VARIABLE, "").strip():
        if len(given) < LEAST_TOKEN or not (given.isascii() and given.isprintable()):
            raise ConfigurationError(
                f"{TOKEN_VARIABLE}: expected at least {LEAST_TOKEN} printable ASCII characters"
            )
        return given, TOKEN_VARIABLE
    settings = user_config_path(environ)
    if settings is None:
        raise ConfigurationError("no home to keep a token in", hint=f"set {TOKEN_VARIABLE}")
    file = settings.parent / "mcp-token"
    return _kept_token(file), str(file)


def _kept_token(file: Path) -> str:
    try:
        if file.exists():
            kept = file.read_text("ascii").strip()
            if len(kept) >= LEAST_TOKEN:
                return kept
            file.unlink()
        file.parent.mkdir(parents=True, exist_ok=True)
        made = secrets.token_urlsafe(32)
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="ascii") as handle:
            handle.write(made + "\n")
    except (OSError, UnicodeError) as error:
        raise ConfigurationError(
            f"{file}: the token cannot be kept: {error}", hint=f"set {TOKEN_VARIABLE}"
        ) from error
    return made
