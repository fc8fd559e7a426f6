"""What one client may cost an HTTP server: connections, and the time and size of a request.

uvicorn bounds the time between requests, not the time that a request takes to arrive: a client that
sends half a request would hold its connection for ever.
"""

from __future__ import annotations

import asyncio

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

MAX_CONNECTIONS = 256
"""Twice the listening socket's queue; the clients of one owner are a handful."""
MAX_BODY = 4 * 1024 * 1024
"""The most that the MCP TypeScript SDK reads of a request, so that no client sends more."""
HEADER_SECONDS = 10.0
BODY_SECONDS = 30.0
"""As nginx and Apache order them; on loopback, whole requests arrive within milliseconds."""


class BoundedProtocol(H11Protocol):
    """Closes connections beyond `MAX_CONNECTIONS`, and those whose headers take too long."""

    max_connections = MAX_CONNECTIONS
    header_seconds = HEADER_SECONDS
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
        if self._is_in_request():
            self._stop_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_deadline()
        super().connection_lost(exc)

    def _is_in_request(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _start_deadline(self) -> None:
        self._deadline = self.loop.call_later(self.header_seconds, self._close_late)

    def _stop_deadline(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close_late(self) -> None:
        self._deadline = None
        if not self._is_in_request():
            self.transport.close()


class BodyTooLarge(Exception):
    """A request's body is over `MAX_BODY` bytes."""


async def read_body(receive: Receive) -> bytes:
    """The whole body; raises `BodyTooLarge`, or `TimeoutError` after `BODY_SECONDS`."""
    parts: list[bytes] = []
    size = 0
    async with asyncio.timeout(BODY_SECONDS):
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                break
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > MAX_BODY:
                raise BodyTooLarge
            if not message.get("more_body", False):
                break
    return b"".join(parts)


async def call_with_body(
    app: ASGIApp, scope: Scope, body: bytes, receive: Receive, send: Send
) -> None:
    """Call an application whose request's body was read already."""
    pending: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive_body_first() -> Message:
        return pending.pop() if pending else await receive()

    await app(scope, receive_body_first, send)
