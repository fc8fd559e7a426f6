"""Both transports with the SDK's own client: stdio as hosts start it, and HTTP on this machine."""

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import httpx2
import pytest
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])

TOKEN = "a-token-for-tests-only"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    kept = {
        name: os.environ[name]
        for name in ("PATH", "PYTHONPATH", "SYSTEMROOT")
        if name in os.environ
    }
    return kept | {
        "HOME": str(tmp_path / "home"),
        "LANG": "C.UTF-8",
        "LOREBANK_EMBEDDER__PROVIDER": "none",
        "LOREBANK_MCP_TOKEN": TOKEN,
        "LOREBANK_NOW": "2025-12-10",
    }


def _command(workspace: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "lorebank", "mcp", "-w", str(workspace), *arguments]


def test_stdio_is_ready_at_once_and_answers(workspace: Path, environment: dict[str, str]) -> None:
    program, *arguments = _command(workspace)
    parameters = StdioServerParameters(command=program, args=arguments, env=environment)

    async def session() -> Any:
        async with Client(stdio_client(parameters)) as client:
            assert not (workspace / ".memory").exists(), "the index is opened by the first call"
            return await client.call_tool("recall", {"query": "goose", "k": 1})

    result = asyncio.run(session())
    assert "[memory/2025-12-05.md#L14]" in result.structured_content["text"]


def test_stdio_asked_many_things_at_once_answers_each(
    workspace: Path, environment: dict[str, str]
) -> None:
    program, *arguments = _command(workspace)
    parameters = StdioServerParameters(command=program, args=arguments, env=environment)
    names = ["Peter", "Maya", "Andy", "warelay", "The Castle"] * 4

    async def session() -> list[str]:
        async with Client(stdio_client(parameters)) as client:
            results = await asyncio.gather(
                *(client.call_tool("entity", {"name": name}) for name in names)
            )
            return [result.structured_content["text"].split("\n")[1] for result in results]

    assert asyncio.run(session()) == [f"# {name}" for name in names]


def test_arguments_that_come_as_text_are_read(workspace: Path, environment: dict[str, str]) -> None:
    client = {"name": "raw", "version": "1"}
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
    asked = [
        ("recall", '{"query": "goose", "k": 1}'),
        ("entity", "Peter"),
        ("retain", ["The oars are red.", "The oars are dry."]),
    ]
    rows: list[dict[str, Any]] = [
        {"id": 0, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        *(
            {"id": n, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}
            for n, (tool, arguments) in enumerate(asked, start=1)
        ),
    ]
    with subprocess.Popen(
        _command(workspace),
        env=environment,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        server.stdin.write("".join(f"{json.dumps({'jsonrpc': '2.0'} | row)}\n" for row in rows))
        server.stdin.flush()
        answers = {}
        while len(answers) < 4:
            answer = json.loads(server.stdout.readline())
            answers[answer["id"]] = str(answer)
        server.terminate()
    assert "memory/2025-12-05.md#L14" in answers[1]
    assert "# Peter" in answers[2]
    assert answers[3].count("retained f-") >= 2


@pytest.fixture
def address(workspace: Path, environment: dict[str, str]) -> Iterator[str]:
    """A server on a free port; its address."""
    server = subprocess.Popen(
        _command(workspace, "--http", "--port", "0"),
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with server:
        assert server.stderr is not None
        said = server.stderr.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+/mcp", said)
        assert found is not None, said
        assert TOKEN not in said
        yield found[0]
        server.terminate()


def test_http_serves_several_clients_at_once(address: str) -> None:
    async def client(number: int) -> str:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=30) as http,
            Client(streamable_http_client(address, http_client=http)) as session,
        ):
            await session.call_tool("retain", {"text": f"Boat {number} is painted red."})
            found = await session.call_tool("recall", {"query": f"boat {number}", "k": 1})
            return str(found.structured_content["text"]).split("\n")[1]

    async def together() -> list[str]:
        return list(await asyncio.gather(*(client(number) for number in range(11, 17))))

    hits = asyncio.run(together())
    assert all(
        f"Boat {n} is painted red." in hit for n, hit in zip(range(11, 17), hits, strict=True)
    )


PING = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
BEARER = {"Authorization": f"Bearer {TOKEN}"}
REFUSALS: list[tuple[str, dict[str, str], int]] = [
    ("no token", {}, 401),
    ("another token", {"Authorization": "Bearer wrong"}, 401),
    ("the token without its scheme", {"Authorization": TOKEN}, 401),
    ("another site", {**BEARER, "Origin": "https://evil.example"}, 403),
    ("another port", {**BEARER, "Origin": "http://127.0.0.1:1"}, 403),
    ("a sandboxed page", {**BEARER, "Origin": "null"}, 403),
    ("a rebound name", {**BEARER, "Host": "evil.example"}, 421),
    ("a name that begins alike", {**BEARER, "Host": "127.0.0.1.evil.example"}, 421),
]


def test_http_refuses_whoever_is_not_meant(address: str) -> None:
    with httpx.Client() as http:
        seen = {
            name: http.post(address, json=PING, headers=headers).status_code
            for name, headers, _ in REFUSALS
        }
        own = {**BEARER, "Origin": address.removesuffix("/mcp"), "Accept": "application/json"}
        assert http.post(address, json=PING, headers=own).status_code not in (401, 403, 421)
        assert http.post(address, content=b" " * 5_000_000, headers=own).status_code == 413
    assert seen == {name: status for name, _, status in REFUSALS}


def test_http_never_listens_for_other_machines(
    workspace: Path, environment: dict[str, str]
) -> None:
    done = subprocess.run(
        _command(workspace, "--http", "--host", "0.0.0.0"),
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert "the server listens on this machine only, not on 0.0.0.0" in done.stderr


def test_a_token_is_made_once_and_kept_from_others(tmp_path: Path) -> None:
    from lorebank.mcp_server.http import bearer_token

    environ = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "settings")}
    token, place = bearer_token(environ)
    assert (token, place) == bearer_token(environ)
    assert place == str(tmp_path / "settings/lorebank/mcp-token")
    assert len(token) >= 40
    if os.name != "nt":
        assert Path(place).stat().st_mode & 0o777 == 0o600
