"""The protocol itself: what is answered to what, in each revision, whatever is sent."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp.client import Client

from lorebank.errors import UsageError
from lorebank.mcp_server.access import Access, caller
from lorebank.mcp_server.http import MAX_SESSIONS, Endpoint
from lorebank.mcp_server.protocol import HANDSHAKE_VERSIONS, Peer, Protocol
from lorebank.mcp_server.server import LorebankServer
from mcp_client import streams

MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
}
PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}


def hello(version: str = "2025-06-18") -> dict[str, Any]:
    client = {"name": "raw", "version": "1"}
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": client}
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


async def _who(params: Any) -> dict[str, Any]:
    return {"client": caller().client, "session": caller().session}


async def _long(params: Any) -> dict[str, Any]:
    await asyncio.sleep(60)
    return {}


async def _broken(params: Any) -> dict[str, Any]:
    raise ZeroDivisionError


async def _refused(params: Any) -> dict[str, Any]:
    raise UsageError("no")


async def _same(params: Any) -> dict[str, Any]:
    return KEPT


KEPT: dict[str, Any] = {"resources": []}
METHODS = {
    "tools/list": _who,
    "tools/call": _long,
    "prompts/get": _refused,
    "prompts/list": _broken,
    "resources/list": _same,
}


def ask(*messages: Any, peer: Peer | None = None) -> list[Any]:
    """The answers of a protocol to messages, one after the other."""
    protocol, client = Protocol({"name": "x"}, "", METHODS), peer or Peer(Access(), "s1")

    async def each() -> list[Any]:
        texts = (m if isinstance(m, bytes) else json.dumps(m).encode() for m in messages)
        return [await protocol.answer(text, client) for text in texts]

    return asyncio.run(each())


def request(method: Any, params: Any = None, number: Any = 1) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else message | {"params": params}


@pytest.mark.parametrize(
    ("message", "code", "number"),
    [
        (b"{", -32700, None),
        (b"\xff", -32700, None),
        (b"[" * 100_000, -32700, None),
        (b'{"jsonrpc": "2.0", "id": ' + b"9" * 5000 + b"}", -32700, None),
        ([], -32600, None),
        ([PING], -32600, None),
        ({}, -32600, None),
        (PING | {"jsonrpc": "1.0"}, -32600, 1),
        (request(3), -32600, 1),
        (request("ping", [1]), -32600, 1),
        (request("ping", "x"), -32600, 1),
        (request("ping", number=None), -32600, None),
        (request("ping", number=1.5), -32600, None),
        (request("ping", number=True), -32600, None),
        (request("ping", {"_meta": 3}), -32602, 1),
        (request("nope"), -32601, 1),
        (request("server/discover"), -32601, 1),
        (request("logging/setLevel"), -32601, 1),
        (request("initialize", {}), -32602, 1),
        (request("initialize", hello()["params"] | {"clientInfo": {"name": 3}}), -32602, 1),
        (request("prompts/list"), -32603, 1),
        (request("tools/list", {"_meta": {**MODERN, next(iter(MODERN)): "2099-01-01"}}), -32022, 1),
        (request("tools/list", {"_meta": {next(iter(MODERN)): "2026-07-28"}}), -32602, 1),
        (request("ping", {"_meta": MODERN}), -32601, 1),
    ],
)
def test_what_cannot_be_answered_is_refused_by_its_code(
    message: Any, code: int, number: Any, capfd: pytest.CaptureFixture[str]
) -> None:
    _, answer, after = ask(hello(), message, PING)
    assert (answer["error"]["code"], answer["id"]) == (code, number)
    assert "ZeroDivisionError" not in json.dumps(answer)
    assert after == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert ("ZeroDivisionError" in capfd.readouterr().err) == (code == -32603), "told to the host"


def test_nothing_is_answered_where_nothing_was_asked() -> None:
    noted = {"jsonrpc": "2.0", "method": "notifications/initialized"}
    gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": [7]}}
    said = {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert ask(hello(), noted, gone, said, noted | {"method": "nope"})[1:] == [None] * 4


def test_a_session_begins_with_initialize() -> None:
    early, pinged, _, told = ask(request("tools/list"), PING, hello(), request("tools/list"))
    assert "initialize comes first" in early["error"]["message"] and pinged["result"] == {}
    assert told["result"] == {"client": "raw", "session": "s1"}
    (modern,) = ask(request("tools/list", {"_meta": MODERN}))
    assert modern["result"]["client"] == "modern" and modern["result"]["cacheScope"] == "private"
    assert (
        ask(request("resources/list", {"_meta": MODERN}))[0]["result"] != KEPT == {"resources": []}
    )


@pytest.mark.parametrize("version", [*HANDSHAKE_VERSIONS, "2026-07-28", "zork"])
def test_every_revision_is_agreed_on_and_only_one_has_batches(version: str) -> None:
    begun, batch = ask(hello(version), [PING, {"jsonrpc": "2.0", "method": "x"}, PING | {"id": 2}])
    known = version in HANDSHAKE_VERSIONS
    assert begun["result"]["protocolVersion"] == (version if known else HANDSHAKE_VERSIONS[-1])
    if version == "2025-03-26":
        assert [answer["id"] for answer in batch] == [1, 2]
    else:
        assert batch["error"]["code"] == -32600


@pytest.mark.parametrize("mode", ["legacy", "auto", "2026-07-28"])
def test_the_sdks_client_speaks_with_the_server_in_each_era(
    server: LorebankServer, mode: str
) -> None:
    async def session() -> Any:
        async with Client(streams(server), mode=mode) as client:
            assert client.session.server_info or mode == "2026-07-28"
            await client.list_tools()
            await client.call_tool("retain", {"text": "The oars are wet."})
            return await client.call_tool("recall", {"query": "oars"})

    assert "by mcp" in asyncio.run(session()).content[0].text


def test_what_is_cancelled_is_not_answered_and_ends_nothing_else() -> None:
    protocol, peer = Protocol({}, "", METHODS), Peer(Access())
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "a"}}

    async def answer(message: Any) -> Any:
        return await protocol.answer(json.dumps(message).encode(), peer)

    async def session() -> Any:
        await answer(hello())
        waiting = asyncio.create_task(answer(request("tools/call", number="a")))
        await asyncio.sleep(0.01)
        told = await answer(cancel), await answer(request("tools/list")), await waiting
        hung_up = asyncio.create_task(answer(request("tools/call", number="b")))
        await asyncio.sleep(0.01)
        hung_up.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hung_up
        return told

    cancelled, listed, nothing = asyncio.run(session())
    assert cancelled is None and nothing is None and "result" in listed and peer.running == {}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=8,
)
_NAMES = st.sampled_from(["recall", "memory_get", "nope", "log_today", "lorebank://entity/x"])
_METHODS = ("initialize", "ping", "tools/list", "resources/read", "prompts/get", "server/discover")
_PARAMS = st.fixed_dictionaries(
    {}, optional={"name": _NAMES | _JSON, "uri": _NAMES | _JSON, "arguments": _JSON, "_meta": _JSON}
)
_MESSAGES = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | _JSON,
        "id": st.integers() | st.text(max_size=3) | _JSON,
        "method": st.sampled_from(_METHODS) | _JSON,
        "params": _PARAMS | _PARAMS.map(lambda p: p | {"_meta": MODERN}) | _JSON,
    },
)


@given(st.lists(st.one_of(_MESSAGES, _MESSAGES.map(lambda m: PING | m), _JSON, st.binary())))
def test_no_frame_ends_the_conversation(frames: list[Any]) -> None:
    """Whatever comes, what is due is one answer with an id and either a result or an error, and
    the next request is answered."""
    *answers, last = ask(hello(), *frames, PING)
    for answer in answers:
        for one in answer if isinstance(answer, list) else [answer]:
            assert one is None or set(one) in (
                {"jsonrpc", "id", "result"},
                {"jsonrpc", "id", "error"},
            )
            assert "Traceback" not in str(one)
    assert last == {"jsonrpc": "2.0", "id": 1, "result": {}}


NOISY = """
import asyncio, os, subprocess
from lorebank.mcp_server import stdio
from lorebank.mcp_server.access import Access
from lorebank.mcp_server.protocol import Peer, Protocol

async def noisy(params):
    print("noise", flush=True)
    subprocess.run(["sh", "-c", "echo noise; cat"])
    return {}

peer = Peer(Access(), version="2025-06-18")
asyncio.run(stdio.serve(Protocol({}, "", {"tools/list": noisy}), peer))
print("ended")
"""


def test_stdout_is_for_answers_alone_and_what_was_asked_is_answered_to_the_end() -> None:
    texts = [b"", b"nonsense", *(json.dumps(request("tools/list", {}, n)).encode() for n in (1, 2))]
    done = subprocess.run(
        [sys.executable, "-c", NOISY], input=b"\n".join(texts), capture_output=True, timeout=60
    )
    *answers, ended = done.stdout.decode().splitlines()
    assert [json.loads(answer)["id"] for answer in answers] == [None, 1, 2]
    assert ended == "ended", "the streams are given back"
    assert done.stderr.count(b"noise\n") == 4


BREAKING = """
import asyncio
from lorebank.mcp_server import stdio
from lorebank.mcp_server.access import Access
from lorebank.mcp_server.protocol import Peer, Protocol

async def deep(params):
    found = []
    for _ in range(100_000):
        found = [found]
    return {"deep": found}

peer = Peer(Access(), version="2025-06-18")
asyncio.run(stdio.serve(Protocol({}, "", {"tools/list": deep}), peer))
print("ended")
"""


def test_an_answer_that_cannot_be_sent_ends_nothing_else() -> None:
    texts = [json.dumps(row).encode() for row in (request("tools/list", {}, 7), PING)]
    done = subprocess.run(
        [sys.executable, "-c", BREAKING], input=b"\n".join(texts), capture_output=True, timeout=60
    )
    *answers, ended = done.stdout.decode().splitlines()
    told = {answer["id"]: answer for answer in map(json.loads, answers)}
    assert told[7]["error"]["code"] == -32603 and told[1]["result"] == {} and ended == "ended"
    assert b"RecursionError" in done.stderr, "told to the host"


def test_stdin_that_cannot_be_read_is_the_end() -> None:
    unreadable = os.open(os.devnull, os.O_WRONLY)
    try:
        done = subprocess.run(
            [sys.executable, "-c", BREAKING], stdin=unreadable, capture_output=True, timeout=60
        )
    finally:
        os.close(unreadable)
    assert done.stdout == b"ended\n"


def test_no_uri_is_repeated_that_is_none() -> None:
    for uri, data in (([[]], None), ("x", {"uri": "x"})):
        _, answer = ask(hello(), request("prompts/get", {"uri": uri}))
        assert answer["error"].get("data") == data


def test_a_session_has_fifty_requests_under_way_at_most_each_of_its_own_id() -> None:
    protocol = Protocol({}, "", METHODS)
    peer = Peer(Access(), version="2025-06-18", is_one_of_many=True)

    async def session() -> Any:
        texts = [json.dumps(request("tools/call", {}, n)).encode() for n in (*range(50), 7, 50)]
        tasks = [asyncio.create_task(protocol.answer(text, peer)) for text in texts]
        await asyncio.sleep(0.01)
        told = [task.result()["error"]["message"] for task in tasks if task.done()]
        assert "result" in await protocol.answer(json.dumps(PING).encode(), peer)
        for task in tasks:
            task.cancel()
        return told

    same, many = asyncio.run(session())
    assert (
        "with this id is already in progress" in same
        and "50 requests are already in progress" in many
    )


def test_a_batch_is_of_fifty_at_most() -> None:
    _, fits, refused = ask(hello("2025-03-26"), [PING] * 50, [PING] * 51)
    assert len(fits) == 50 and refused["error"]["code"] == -32600 and refused["id"] is None


Post = Callable[..., tuple[int, Any, dict[str, str]]]


@pytest.fixture
def post() -> Post:
    """`post(message, **headers)` → status, answer, headers of the answer."""
    tokens = {"one": Access(), "two": Access(agent="two"), "three": Access(session="s3")}
    endpoint = Endpoint(Protocol({"name": "x"}, "", METHODS), port=7, tokens=tokens)

    def run(
        message: Any, method: str = "POST", port: int = 5000, **headers: str
    ) -> tuple[int, Any, dict[str, str]]:
        own = {"host": "localhost:7", "authorization": "Bearer one", "accept": "*/*"}
        own |= {"content-type": "application/json"}
        own |= {name.replace("_", "-"): value for name, value in headers.items()}
        rows = [(name.encode(), value.encode()) for name, value in own.items()]
        sent: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": json.dumps(message).encode()}

        async def send(part: Any) -> None:
            sent.append(part)

        scope = {"type": "http", "method": method, "path": "/mcp", "headers": rows}
        scope["client"] = ("127.0.0.1", port)
        asyncio.run(endpoint(scope, receive, send))
        told = {name.decode(): value.decode() for name, value in sent[0]["headers"]}
        return sent[0]["status"], json.loads(sent[1]["body"] or "null"), told

    return run


def test_a_session_over_http_is_its_tokens_own_and_ends_when_told(post: Post) -> None:
    status, _, told = post(hello())
    session = told["mcp-session-id"]
    assert status == 200
    status, answer, _ = post(request("tools/list"), mcp_session_id=session)
    assert (status, answer["result"]) == (200, {"client": "raw", "session": session[:8]})
    for headers in (
        {"mcp_session_id": session, "authorization": "Bearer two"},
        {"mcp_session_id": "another"},
    ):
        assert post(request("tools/list"), **headers)[0] == 404
        assert post(None, "DELETE", **headers, mcp_protocol_version="x")[0] == 400
    assert post(request("tools/list"))[0] == 400, "no session is named"
    assert post(request("nope"), mcp_session_id=session)[0] == 200
    assert post({}, mcp_session_id=session)[0] == 400
    assert post({"jsonrpc": "2.0", "method": "x"}, mcp_session_id=session)[:2] == (202, None)
    assert post(None, "GET", mcp_session_id=session)[0] == 405
    assert post(None, "DELETE", mcp_session_id=session)[0] == 200
    assert post(PING, mcp_session_id=session)[0] == 404
    first = post(hello())[2]["mcp-session-id"]
    second = post(hello())[2]["mcp-session-id"]
    assert post(PING, mcp_session_id=first)[0] == 200
    assert [post(hello())[0] for _ in range(MAX_SESSIONS - 1)] == [200] * (MAX_SESSIONS - 1)
    assert post(PING, mcp_session_id=second)[0] == 404, "what was asked longest ago is forgotten"
    assert post(PING, mcp_session_id=first)[0] == 200


def test_in_the_era_without_sessions_a_connection_stands_for_one(post: Post) -> None:
    own = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/list"}
    asked = request("tools/list", {"_meta": MODERN})
    first, again, other = (
        post(asked, port=port, **own)[1]["result"]["session"] for port in (5000, 5000, 5001)
    )
    assert len(first) == 8 and first == again != other
    named = post(asked, authorization="Bearer three", **own)[1]["result"]["session"]
    assert named == "s3", "as its rights say"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"mcp_method": "tools/call"}, 400),
        ({"mcp_name": "recall"}, 200),
        ({"mcp_protocol_version": "2099-01-01"}, 400),
        ({"accept": "text/html"}, 406),
        ({"content_type": "text/plain"}, 400),
        ({"host": "evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "http://localhost:7"}, 200),
        ({"content_length": "5000000"}, 413),
    ],
)
def test_headers_say_what_the_message_says(post: Post, headers: Any, status: int) -> None:
    own = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/list"} | headers
    assert post(request("tools/list", {"_meta": MODERN}), **own)[0] == status
    own["mcp_method"] = "tools/call"
    called = request("tools/call", {"_meta": MODERN, "name": "entity"})
    assert post(called, **{"mcp_name": "recall"} | own)[0] >= 400


def test_a_header_may_say_a_name_in_base64(post: Post) -> None:
    own = {"mcp_protocol_version": "2026-07-28", "mcp_method": "prompts/get"}
    named = request("prompts/get", {"_meta": MODERN, "name": "été"})
    for name, told in (("w6l0w6k=", "no"), ("w6l0", "mcp-name"), ("?", "mcp-name")):
        answer = post(named, **own, mcp_name=f"=?base64?{name}?=")[1]
        assert answer["error"]["message"].startswith(told)
    assert post(named, **own, mcp_name="w6l0w6k=")[1]["error"]["message"].startswith("mcp-name")
