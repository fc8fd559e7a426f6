"""What one HTTP client may cost: half-sent requests, bodies without end, too many connections."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
import uvicorn
from starlette.types import Message

from lorebank.mcp_server import http as limits
from lorebank.mcp_server.access import Access
from lorebank.mcp_server.http import BodyTooLarge, BoundedProtocol, Gate, bind, read_body

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


class Hasty(BoundedProtocol):
    max_connections = 5
    header_seconds = 0.2


async def _answer(scope: dict[str, object], receive: object, send: object) -> None:
    assert callable(receive) and callable(send)
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": str(len(body)).encode()})


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """A gate before an application that answers with the size of what it was sent; its port."""
    listening = bind("127.0.0.1", 0)
    port: int = listening.getsockname()[1]
    gate = Gate(_answer, port=port, tokens={"token": Access()})  # type: ignore[arg-type]
    server = uvicorn.Server(uvicorn.Config(gate, http=Hasty, lifespan="off", log_level="error"))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield port
    finally:
        server.should_exit = True
        await running
        listening.close()


def request(port: int, body: bytes) -> bytes:
    head = f"POST / HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer token\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def run(test: Callable[[int], Awaitable[None]]) -> None:
    async def with_server() -> None:
        async with serving() as port, asyncio.timeout(20):
            await test(port)

    asyncio.run(with_server())


@pytest.mark.parametrize("before", [0, 1], ids=["the first request", "a later request"])
def test_half_a_request_is_hung_up_on_and_whole_ones_are_answered(before: int) -> None:
    async def test(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for _ in range(before):
            writer.write(request(port, b"12345"))
            assert (await reader.readuntil(b"5\r\n0\r\n\r\n")).startswith(b"HTTP/1.1 200")
        writer.write(b"POST / HTTP/1.1\r\nHost: ")
        assert await reader.read() == b"", "the server hung up"
        writer.close()

    run(test)


def test_connections_beyond_the_limit_are_closed_at_once() -> None:
    async def test(port: int) -> None:
        idle = [await asyncio.open_connection("127.0.0.1", port) for _ in range(5)]
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        assert await reader.read() == b""
        for each in [writer, *(writer for _, writer in idle)]:
            each.close()

    run(test)


def test_a_body_over_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BODY", 10)

    async def test(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request(port, b"1234567890"))
        assert (await reader.readuntil(b"10\r\n0\r\n\r\n")).startswith(b"HTTP/1.1 200")
        writer.write(request(port, b"12345678901"))
        assert (await reader.readline()).startswith(b"HTTP/1.1 413")
        writer.close()

    run(test)


def test_a_body_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "BODY_SECONDS", 0.2)

    async def test(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request(port, b"1234567890")[:-1])
        assert (await reader.readline()).startswith(b"HTTP/1.1 408")
        writer.close()

    run(test)


def test_a_body_in_parts_is_counted_as_a_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "MAX_BODY", 5)
    parts: list[Message] = [
        {"type": "http.request", "body": b"123", "more_body": True},
        {"type": "http.request", "body": b"456", "more_body": True},
    ]

    async def receive() -> Message:
        return parts.pop(0)

    with pytest.raises(BodyTooLarge):
        asyncio.run(read_body(receive))
