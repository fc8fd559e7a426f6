"""HTTP on this machine only: who may ask, on which address, with which token, at what cost.

Any page can make a browser send requests to a loopback port, so `Host` and `Origin` must name this
very port, and the token must be there. uvicorn does not bound the time that a request takes to
arrive: a client that sends half of one would hold its connection for ever.
"""

from __future__ import annotations

import asyncio
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

from uvicorn.protocols.http.h11_impl import H11Protocol

from lorebank.errors import ConfigurationError, LorebankError, UsageError
from lorebank.mcp_server.access import (
    CLIENTS_FILE,
    LEAST_TOKEN,
    Access,
    checked_token,
    load_clients,
)
from lorebank.mcp_server.protocol import (
    HANDSHAKE_VERSIONS,
    INTERNAL_ERROR,
    METHOD_NOT_FOUND,
    Peer,
    Protocol,
    Refusal,
    as_text,
)
from lorebank.settings.files import user_config_path

Scope = Mapping[str, Any]
Receive = Callable[[], Awaitable[Mapping[str, Any]]]
Send = Callable[[dict[str, Any]], Awaitable[None]]

MAX_CONNECTIONS = 256  # twice the listening socket's queue; the clients of one owner are a handful
REQUEST_SECONDS = 30.0
"""As nginx and Apache order it; on loopback, whole requests arrive within milliseconds."""
MAX_BODY = 4 * 1024 * 1024  # bytes of a request, as the SDK of the protocol has it
MAX_SESSIONS = 1000
"""Beyond them the one asked longest ago is forgotten, and its client begins another. Chosen by
hand."""
PATH = "/mcp"
_SESSION = "mcp-session-id"
_STATUS = {METHOD_NOT_FOUND: 404, INTERNAL_ERROR: 200}
"""Code of an error → the status it comes with; others with 400."""
TOKEN_VARIABLE = "LOREBANK_MCP_TOKEN"
_LOOPBACK = {"127.0.0.1": socket.AF_INET, "localhost": socket.AF_INET, "::1": socket.AF_INET6}


class BoundedProtocol(H11Protocol):
    """Closes connections beyond `MAX_CONNECTIONS`, and those whose requests arrive too slowly."""

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


async def _respond(send: Send, status: int, answer: Any, more: Mapping[str, str]) -> None:
    body = b"" if answer is None else as_text(answer)
    rows = {"content-type": "application/json", "content-length": str(len(body)), **more}
    encoded = [(name.encode(), value.encode()) for name, value in rows.items()]
    await send({"type": "http.response.start", "status": status, "headers": encoded})
    await send({"type": "http.response.body", "body": body})


class Endpoint:
    """An ASGI application: the protocol at `/mcp`, for what bears a token. Each POST is answered
    with one JSON text: no tool streams. In the first era a session, which begins with `initialize`,
    says who asks and what may be cancelled."""

    def __init__(self, protocol: Protocol, *, port: int, tokens: Mapping[str, Access]) -> None:
        self._protocol = protocol
        self._tokens = {token.encode(): access for token, access in tokens.items()}
        self._hosts = [f"{host}:{port}" for host in ("127.0.0.1", "localhost", "[::1]")]
        self._origins = [f"http://{host}" for host in self._hosts]
        self._sessions: dict[str, Peer] = {}
        self._salt = secrets.token_bytes()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = {name.decode("latin-1"): row.decode("latin-1") for name, row in scope["headers"]}
        access = self._access(headers)
        if access is None:
            error = {"error": {"code": "token", "message": "a bearer token is needed"}}
            return await _respond(send, 401, error, {"www-authenticate": "Bearer"})
        try:
            self._check(scope, headers)
            await _respond(send, *await self._answer(access, headers, scope, receive))
        except Refusal as problem:
            more = {"allow": "POST, DELETE"} if problem.status == 405 else {}
            await _respond(send, problem.status, problem.answer(), more)

    def _access(self, headers: Mapping[str, str]) -> Access | None:
        """The rights of the token that the request bears, found in constant time."""
        scheme, _, given = headers.get("authorization", "").partition(" ")
        offered = given.strip().encode()
        fitting = [a for t, a in self._tokens.items() if secrets.compare_digest(offered, t)]
        return fitting[0] if fitting and scheme.lower() == "bearer" else None

    def _check(self, scope: Scope, headers: Mapping[str, str]) -> None:
        """Raise `Refusal` for a request from elsewhere, or in a form that is not understood."""
        accept, origin = headers.get("accept", ""), headers.get("origin")
        reads_json = any(k in accept for k in ("application/json", "application/*", "*/*"))
        sends_json = headers.get("content-type", "").startswith("application/json")
        length, is_post = int(headers.get("content-length", 0)), scope["method"] == "POST"
        for is_refused, status, reason in (
            (scope["path"].rstrip("/") != PATH, 404, f"Not Found: the server is at {PATH}"),
            (headers.get("host") not in self._hosts, 421, "Invalid Host header"),
            (origin not in (None, "", *self._origins), 403, "Invalid Origin header"),
            (scope["method"] not in ("POST", "DELETE"), 405, "Method Not Allowed"),
            (length > MAX_BODY, 413, "Request body too large"),
            (is_post and not sends_json, 400, "Invalid Content-Type header: application/json only"),
            (is_post and not reads_json, 406, "Not Acceptable: accept application/json"),
        ):
            if is_refused:
                raise Refusal(reason, status=status)

    async def _answer(
        self, access: Access, headers: Mapping[str, str], scope: Scope, receive: Receive
    ) -> tuple[int, Any, dict[str, str]]:
        """Status, answer and further headers. The later era has no sessions: there the connection
        stands for one, where the client's rights name none."""
        session, begun, own = headers.get(_SESSION), secrets.token_hex(16), {}
        version = headers.get("mcp-protocol-version", HANDSHAKE_VERSIONS[0])
        if version not in HANDSHAKE_VERSIONS:
            connection = blake2b(repr(scope.get("client")).encode(), digest_size=4, key=self._salt)
            peer = Peer(access, access.session or connection.hexdigest(), routing=headers)
        elif session:
            peer = self._sessions.get(session, Peer(access))
            if not peer.version or peer.access is not access:  # another token's is as good as none
                raise Refusal("Session not found", status=404)
            self._sessions[session] = self._sessions.pop(session)  # the last used is the last
        else:
            peer = Peer(access, begun[:8], is_one_of_many=True)
        if scope["method"] == "DELETE":
            is_its_own = self._sessions.get(session or "") is peer
            return (200 if is_its_own and self._sessions.pop(session or "") else 400), None, {}
        text = await _body(receive)
        answering = self._protocol.answer(text, peer)
        answer = await (_while_heard(answering, receive) if peer.routing else answering)
        if peer.version and not session:
            own, self._sessions[begun] = {_SESSION: begun}, peer
            while len(self._sessions) > MAX_SESSIONS:
                del self._sessions[next(iter(self._sessions))]
        status = 200 if answer else 202
        error = answer.get("error") if isinstance(answer, dict) else None
        if error and not (peer.version and answer["id"] is not None):
            status = _STATUS.get(error["code"], 400)
        return status, answer, own


async def _body(receive: Receive) -> bytes:
    body, more = bytearray(), True
    while more:
        part = await receive()
        body += part.get("body", b"")
        more = part.get("more_body", False)
        if len(body) > MAX_BODY:
            raise Refusal("Request body too large", status=413)
    return bytes(body)


async def _while_heard(answer: Coroutine[Any, Any, Any], receive: Receive) -> Any:
    """The answer, given up when the client hangs up, as the later era of the protocol has it."""

    async def gone() -> None:
        while (await receive())["type"] != "http.disconnect":
            await asyncio.sleep(0)
        answering.cancel()

    answering = asyncio.create_task(answer)
    listening = asyncio.create_task(gone())
    try:
        await asyncio.wait([answering])
        return None if answering.cancelled() else answering.result()
    finally:
        answering.cancel()
        listening.cancel()


def bind(host: str, port: int) -> socket.socket:
    """A listening socket on a loopback address; `UsageError` for any other. Port 0: a free one."""
    if host not in _LOOPBACK:
        hint = f"use {', '.join(_LOOPBACK)}; for others put a proxy of your own in front"
        raise UsageError(f"the server listens on this machine only, not on {host}", hint=hint)
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
        return checked_token(given, TOKEN_VARIABLE), TOKEN_VARIABLE
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
