"""The Model Context Protocol as far as this server speaks it: JSON-RPC 2.0, whatever carries it.

It has two eras. Up to 2025-11-25 a connection begins with `initialize`, which says who asks; from
2026-07-28 on every request says so itself, in its `_meta`. What a client could ask for and nothing
here has (progress, logging, subscriptions, lists that change) is neither announced nor served.
"""

from __future__ import annotations

import asyncio
import json
import re
import traceback
from base64 import b64decode
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import field
from typing import Any

from lorebank.errors import LorebankError
from lorebank.mcp_server.access import Access, Caller, ask_as
from lorebank.records import Mutable
from lorebank.render.text import in_words_of_tools

HANDSHAKE_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
_MODERN_VERSIONS = ("2026-07-28",)
_BATCHING = "2025-03-26"  # the one revision that has batches
_MAX_RUNNING = 50
"""Requests of a session under way at a time, where others wait for the same threads, and of a
batch; chosen by hand."""
PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602
METHOD_NOT_FOUND, INTERNAL_ERROR = -32601, -32603
_HEADER_MISMATCH, _UNSUPPORTED_VERSION = -32020, -32022
_KEY = "io.modelcontextprotocol/"
_NOT_KEPT = {"cacheScope": "private", "ttlMs": 0}
_CAPABILITIES = {each: {"listChanged": False} for each in ("prompts", "resources", "tools")}
Params = Mapping[str, Any]
Method = Callable[[Params], Awaitable[dict[str, Any]]]


class Refusal(Exception):
    """What is answered in place of a result; `status` by HTTP, where that has a word of its own."""

    def __init__(
        self, message: str, code: int = INVALID_REQUEST, data: Any = None, status: int = 400
    ) -> None:
        super().__init__(message)
        self.status = status
        self._error = {"code": code, "message": message} | ({} if data is None else {"data": data})

    def answer(self, number: Any = None) -> dict[str, Any]:
        """The answer to a request of that id, `null` where it is not known."""
        return {"jsonrpc": "2.0", "id": number, "error": self._error}


class Peer(Mutable):
    """A client at the other end."""

    access: Access
    session: str = ""
    is_one_of_many: bool = False
    """Whether others wait for the same threads."""
    routing: Mapping[str, str] | None = None
    """The headers of a request of the later era, which repeat what it says."""
    client: str = ""
    version: str = ""
    """Agreed on by `initialize`."""
    running: dict[Any, asyncio.Task[Any]] = field(default_factory=dict)
    """What it asked and may still cancel, by the ids of its requests."""


def taken(params: Params, name: str, kind: type, otherwise: Any = None) -> Any:
    """A parameter of that type; `Refusal` for another, or where it is missing."""
    value = params.get(name)
    value = otherwise if value is None else value
    if not isinstance(value, kind):
        problem = "missing" if value is None else "no string" if kind is str else "no object"
        raise Refusal(f"Invalid request parameters: {name} is {problem}", INVALID_PARAMS)
    return value


def as_text(message: Any) -> bytes:
    """A message as it is sent, on one line."""
    text = json.dumps(message, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "backslashreplace")  # of half a surrogate pair: its JSON escape


def _decoded(header: str) -> str | None:
    """What a header says that holds more than printable ASCII: `=?base64?…?=`."""
    encoded = re.fullmatch(r"=\?base64\?(.*)\?=", header)
    try:
        return b64decode(encoded[1], validate=True).decode() if encoded else None
    except ValueError:
        return None


class Protocol:
    """Answers requests by the `methods` that a server has beside the protocol's own."""

    def __init__(
        self, info: Mapping[str, str], instructions: str, methods: Mapping[str, Method]
    ) -> None:
        self._info = dict(info)
        self._said: dict[str, Any] = {"capabilities": _CAPABILITIES, "instructions": instructions}
        self._methods = methods

    async def answer(self, text: bytes, peer: Peer) -> Any:
        """The answer to a message or a batch; `None` where none is due."""
        try:
            message = json.loads(text)
            if b"\\u" in text:  # half a surrogate pair is no character
                whole = json.dumps(message, ensure_ascii=False).encode(errors="replace")
                message = json.loads(whole)
        except (ValueError, RecursionError) as problem:
            return Refusal(f"Parse error: {problem}", PARSE_ERROR).answer()
        if isinstance(message, list) and message and peer.version == _BATCHING:
            if len(message) > _MAX_RUNNING:
                return Refusal(f"Invalid request: a batch of more than {_MAX_RUNNING}").answer()
            each = await asyncio.gather(*(self._answer(part, peer) for part in message))
            return [answer for answer in each if answer is not None] or None
        return await self._answer(message, peer)

    async def _answer(self, message: Any, peer: Peer) -> Any:
        number = message.get("id") if isinstance(message, dict) else None
        number = number if isinstance(number, str | int) and type(number) is not bool else None
        try:
            if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
                raise Refusal("Invalid request: not one JSON-RPC 2.0 message")
            method, params = message.get("method"), message.get("params") or {}
            if method is None and ("result" in message or "error" in message):
                return None  # nothing was asked of the client
            if not (isinstance(method, str) and isinstance(params, dict)):
                raise Refusal("Invalid request: method or params")
            if "id" not in message:
                cancelled = params.get("requestId") if method == "notifications/cancelled" else None
                if isinstance(cancelled, str | int) and cancelled in peer.running:
                    peer.running[cancelled].cancel()
                return None
            if number is None:
                raise Refusal("Invalid request: id is no string or integer")
            meta = taken(params, "_meta", dict, {})
            in_session = method == "initialize" or f"{_KEY}protocolVersion" not in meta
            answer = self._in_session if in_session and peer.routing is None else self._modern
            result = await answer(number, method, params, peer)
            return {"jsonrpc": "2.0", "id": number, "result": result}
        except asyncio.CancelledError:
            if (own := asyncio.current_task()) and own.cancelling():
                raise
            return None  # the client did that
        except Refusal as problem:
            return problem.answer(number)

    async def _in_session(self, number: Any, method: str, params: Params, peer: Peer) -> Any:
        if method == "initialize":
            version = taken(params, "protocolVersion", str)
            taken(params, "capabilities", dict)
            peer.client = taken(taken(params, "clientInfo", dict), "name", str)
            peer.version = version if version in HANDSHAKE_VERSIONS else HANDSHAKE_VERSIONS[-1]
            return self._said | {"protocolVersion": peer.version, "serverInfo": self._info}
        if method == "ping":
            return {}
        if not peer.version and method in self._methods:
            raise Refusal("Invalid request parameters: initialize comes first", INVALID_PARAMS)
        return await self._run(number, method, params, peer, peer.client)

    async def _modern(self, number: Any, method: str, params: Params, peer: Peer) -> Any:
        meta = taken(params, "_meta", dict)
        version = taken(meta, f"{_KEY}protocolVersion", str)
        taken(meta, f"{_KEY}clientCapabilities", dict)
        client = taken(taken(meta, f"{_KEY}clientInfo", dict, {"name": ""}), "name", str)
        named = params.get("name", params.get("uri")) if method in self._methods else None
        for header, value in (("protocol-version", version), ("method", method), ("name", named)):
            found: Any = value if peer.routing is None else peer.routing.get(f"mcp-{header}", "")
            if value not in (None, found) and value != _decoded(found):
                raise Refusal(f"mcp-{header} header does not match the message", _HEADER_MISMATCH)
        if version not in _MODERN_VERSIONS:
            data = {"supported": list(_MODERN_VERSIONS), "requested": version}
            raise Refusal("Unsupported protocol version", _UNSUPPORTED_VERSION, data)
        if method == "server/discover":
            result = self._said | {"supportedVersions": list(_MODERN_VERSIONS)}
        else:
            result = await self._run(number, method, params, peer, client)
        kept = {} if method in ("tools/call", "prompts/get") else _NOT_KEPT
        stamp = {f"{_KEY}serverInfo": self._info}
        return {**result, **kept, "resultType": "complete", "_meta": stamp}

    async def _run(self, number: Any, method: str, params: Params, peer: Peer, client: str) -> Any:
        """The result of one of the server's methods, which the client may cancel meanwhile."""
        if method not in self._methods:
            raise Refusal("Method not found", METHOD_NOT_FOUND, method)
        if number in peer.running:
            raise Refusal("Invalid request: a request with this id is already in progress")
        if peer.is_one_of_many and len(peer.running) >= _MAX_RUNNING:
            raise Refusal(f"Invalid request: {_MAX_RUNNING} requests are already in progress")

        async def work() -> dict[str, Any]:
            ask_as(Caller(peer.access, client, peer.session))
            return await self._methods[method](params)

        task = peer.running[number] = asyncio.create_task(work())
        try:
            return await task
        except LorebankError as problem:
            said = in_words_of_tools("; ".join(filter(None, [problem.message, problem.hint])))
            data = {"uri": uri} if isinstance(uri := params.get("uri"), str) else None
            raise Refusal(said, INVALID_PARAMS, data) from problem
        except Exception as problem:
            if isinstance(problem, Refusal):
                raise
            traceback.print_exc()
            raise Refusal("Internal server error", INTERNAL_ERROR) from problem
        finally:
            del peer.running[number]
