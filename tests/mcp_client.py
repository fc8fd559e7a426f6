"""The SDK's client of the protocol, connected to a server in this process."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
from mcp.client import Client
from mcp.shared.message import SessionMessage
from mcp.types import jsonrpc_message_adapter

from lorebank.mcp_server.protocol import Peer
from lorebank.mcp_server.server import LorebankServer


def client_of(server: LorebankServer) -> Client:
    """A client with the rights that the server gives where no token does."""
    return Client(streams(server))


@asynccontextmanager
async def streams(server: LorebankServer) -> AsyncIterator[Any]:
    peer = Peer(server.access)
    answers, answered = anyio.create_memory_object_stream[Any](100)
    asking, asked = anyio.create_memory_object_stream[Any](100)

    async def reply(text: bytes) -> None:
        answer = await server.protocol.answer(text, peer)
        if answer is not None:
            message = jsonrpc_message_adapter.validate_python(answer, by_name=False)
            await answers.send(SessionMessage(message))

    async with anyio.create_task_group() as replies, answers, answered, asking, asked:

        async def serve() -> None:
            async for each in asked:
                message = each.message.model_dump(by_alias=True, exclude_unset=True)
                replies.start_soon(reply, json.dumps(message).encode())

        replies.start_soon(serve)
        yield answered, asking
        replies.cancel_scope.cancel()
