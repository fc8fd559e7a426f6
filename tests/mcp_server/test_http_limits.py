"""What one HTTP client may cost: half-sent requests, bodies without end, too many connections."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn

from lorebank.mcp_server.access import Access
from lorebank.mcp_server.http import BoundedProtocol, Endpoint, bind

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


class Hasty(BoundedProtocol):
    max_connections = 5
    request_seconds = 0.2


ENDS: list[str] = []


class Sizes:
    """In place of the protocol: answers with the size of what it was sent."""

    async def answer(self, text: bytes, peer: Any) -> Any:
        if text == b"long":
            try:
                await asyncio.sleep(0.5)
                ENDS.append("answered")
            except asyncio.CancelledError:
                ENDS.append("given up")
                raise
        return len(text)


@asynccontextmanager
async def serving() -> AsyncIterator[int]:
    """An endpoint on a free port; that port."""
    listening = bind("127.0.0.1", 0)
    port: int = listening.getsockname()[1]
    app = Endpoint(Sizes(), port=port, tokens={"token": Access()})  # type: ignore[arg-type]
    server = uvicorn.Server(uvicorn.Config(app, http=Hasty, lifespan="off", log_level="error"))
    running = asyncio.create_task(server.serve(sockets=[listening]))
    try:
        yield port
    finally:
        server.should_exit = True
        await running
        listening.close()


def request(port: int, body: bytes) -> bytes:
    head = f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: Bearer token\r\n"
    head += "Content-Type: application/json\r\nAccept: application/json\r\n"
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
            assert (await reader.readuntil(b"\r\n\r\n5")).startswith(b"HTTP/1.1 200")
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


def test_a_body_that_does_not_end_is_given_up() -> None:
    async def test(port: int) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(request(port, b"1234567890")[:-1])
        assert await reader.read() == b"", "the server hung up"
        writer.close()

    run(test)


@pytest.mark.parametrize(
    ("version", "end"), [("2026-07-28", "given up"), ("2025-11-25", "answered")]
)
def test_to_hang_up_is_to_cancel_in_the_later_era_alone(version: str, end: str) -> None:
    async def test(port: int) -> None:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        named = f"\r\nMCP-Protocol-Version: {version}\r\nAccept:".encode()
        writer.write(request(port, b"long").replace(b"\r\nAccept:", named))
        await writer.drain()
        await asyncio.sleep(0.1)
        writer.close()
        while not ENDS:
            await asyncio.sleep(0.05)
        assert ENDS.pop() == end

    run(test)
