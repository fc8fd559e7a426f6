"""The protocol over stdin and stdout, a JSON text a line; and a client that asks a server so."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from threading import Thread
from typing import BinaryIO

from lorebank.errors import LorebankError
from lorebank.mcp_server.protocol import (
    HANDSHAKE_VERSIONS,
    INTERNAL_ERROR,
    Peer,
    Protocol,
    Refusal,
    as_text,
)
from lorebank.version import __version__

_CHECK_S = 30  # how long a host waits for a server to start


async def serve(protocol: Protocol, peer: Peer) -> None:
    """Answer what comes in, each request as soon as it can be, until the client hangs up."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[bytes] = asyncio.Queue()

    with _wire() as (source, sink):

        def read() -> None:
            with suppress(OSError, RuntimeError):  # the loop is closed, nobody listens
                try:
                    while line := source.readline():
                        loop.call_soon_threadsafe(lines.put_nowait, line)
                finally:
                    loop.call_soon_threadsafe(lines.put_nowait, b"")

        async def reply(line: bytes) -> None:
            answer = None
            try:
                answer = await protocol.answer(line, peer)
                text = b"" if answer is None else as_text(answer)
            except Exception:  # which would end the server
                with suppress(OSError):
                    traceback.print_exc()
                number = answer.get("id") if isinstance(answer, dict) else None
                text = as_text(Refusal("Internal server error", INTERNAL_ERROR).answer(number))
            if text:
                with suppress(OSError):  # nobody reads
                    sink.write(text + b"\n")
                    sink.flush()

        Thread(target=read, daemon=True).start()
        async with asyncio.TaskGroup() as replies:
            while line := await lines.get():
                if line.strip():
                    replies.create_task(reply(line))


@contextmanager
def _wire() -> Iterator[tuple[BinaryIO, BinaryIO]]:
    """stdin and stdout for the protocol alone; whatever else prints, prints to stderr."""
    source, sink = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    try:
        yield os.fdopen(source, "rb", closefd=False), os.fdopen(sink, "wb", closefd=False)
    finally:
        os.dup2(source, 0)
        os.dup2(sink, 1)


def tools_of(command: Sequence[str], environ: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """The names of a server's tools, started as a host would; `LorebankError` without an answer."""
    client = {"name": "lorebank", "version": __version__}
    hello = {"protocolVersion": HANDSHAKE_VERSIONS[-1], "capabilities": {}, "clientInfo": client}
    text = b"\n".join(
        as_text({"jsonrpc": "2.0", "id": method, "method": method, "params": params})
        for method, params in {"initialize": hello, "tools/list": {}}.items()
    )
    try:
        done = subprocess.run(
            command, input=text, env=dict(environ), stdout=subprocess.PIPE, timeout=_CHECK_S
        )
        answers = [json.loads(line) for line in done.stdout.splitlines()]
        [listed] = [answer["result"] for answer in answers if answer["id"] == "tools/list"]
        return tuple(tool["name"] for tool in listed["tools"])
    except (OSError, subprocess.SubprocessError, LookupError, TypeError, ValueError) as problem:
        raise LorebankError(
            f"the server does not answer: {' '.join(command)}", hint="run it to see what it says"
        ) from problem
