"""The MCP server at 10,000 facts or any number, asked over stdio and over HTTP, as a table.

    python tests/benchmarks/mcp_server.py [--facts 10000] [--clients 20] [--embedder]
    python tests/benchmarks/mcp_server.py --fixture fixtures/harbour --embedder

Each figure has a baseline of the same run: the same questions asked of a Bank in this process.
Beside times stands what the server's processor time allows: on a machine that does other things as
well, that is what a quiet one would show.
"""

import argparse
import asyncio
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import httpx2
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client
from scale import make_logs, row

from lorebank import Bank

TOKEN = "a-token-for-measuring-only"
QUESTIONS = 200


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=20)
    parser.add_argument("--embedder", action="store_true")
    parser.add_argument("--fixture", type=Path, help="a workspace, beside it NAME.queries.json")
    arguments = parser.parse_args()
    environ = {**os.environ, "LOREBANK_MCP_TOKEN": TOKEN}
    if not arguments.embedder:
        environ["LOREBANK_EMBEDDER__PROVIDER"] = "none"
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        if arguments.fixture:
            shutil.copytree(arguments.fixture, root, dirs_exist_ok=True)
            judged = json.loads(Path(f"{arguments.fixture}.queries.json").read_text("utf-8"))
            questions = [each["question"] for each in judged]
            questions = (questions * (QUESTIONS // len(questions) + 1))[:QUESTIONS]
        else:
            questions = [" ".join(line.split()[2:8]) for line in make_logs(root, arguments.facts)]
            questions = questions[:: max(1, len(questions) // QUESTIONS)][:QUESTIONS]
        own, own_spent = in_process(root, environ, questions)
        asyncio.run(over_stdio(root, environ, questions, own))
        over_http(root, environ, questions, arguments.clients, own_spent)


def in_process(root: Path, environ: dict[str, str], questions: list[str]) -> tuple[float, float]:
    """Milliseconds of half the recalls of a Bank in this process, and of CPU of each."""
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
        bank.recall(questions[0])
        bank.context()
        times = []
        before = time.process_time()
        for question in questions:
            started = time.perf_counter()
            bank.recall(question, k=5)
            times.append(time.perf_counter() - started)
        spent = 1000 * (time.process_time() - before) / len(questions)
        row("in process: recall", f"{spent:.1f} ms of CPU", "no server")
        started = time.perf_counter()
        bank.context()
        row("boot pack", f"{1000 * (time.perf_counter() - started):.1f} ms", "opinions included")
    return 1000 * statistics.median(times), spent


async def over_stdio(root: Path, environ: dict[str, str], questions: list[str], own: float) -> None:
    arguments = ["-m", "lorebank", "mcp", "-w", str(root)]
    server = StdioServerParameters(command=sys.executable, args=arguments, env=environ)
    started = time.perf_counter()
    async with Client(stdio_client(server)) as client:
        row("stdio: ready", f"{time.perf_counter() - started:.2f} s", "process start included")
        server_id = child_of(os.getpid())
        before = cpu_ms(server_id)
        row("stdio: ready", f"{before / 1000:.2f} s of CPU", "of the server, its start included")
        times = await asked(client, questions)
        spent = (cpu_ms(server_id) - before) / len(questions)
        first, warm = times[0], sorted(times[10:])
        row("stdio: first recall", f"{first:.0f} ms", "opens the index")
        p95 = warm[int(0.95 * len(warm))]
        shown = f"{statistics.median(warm):.1f} / {p95:.1f} ms"
        row("stdio: recall, p50 / p95", shown, f"in process {own:.1f} ms")
        row("stdio: server, a recall", f"{spent:.1f} ms of CPU", "the first one included")
        row("stdio: memory", f"{resident_mb(server_id):.0f} MB", "resident")


def over_http(
    root: Path, environ: dict[str, str], questions: list[str], clients: int, own_spent: float
) -> None:
    command = [sys.executable, "-m", "lorebank", "mcp", "-w", str(root), "--http", "--port", "0"]
    with subprocess.Popen(command, env=environ, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        found = re.search(r"http://\S+/mcp", server.stderr.readline())
        assert found is not None
        asyncio.run(many_clients(found[0], questions, clients, server.pid, own_spent))
        row("HTTP: memory", f"{resident_mb(server.pid):.0f} MB", "resident, after all that")
        server.terminate()


async def many_clients(
    address: str, questions: list[str], clients: int, server_id: int, own_spent: float
) -> None:
    async def one(number: int, work: Callable[[Client], Awaitable[Any]]) -> None:
        headers = {"Authorization": f"Bearer {TOKEN}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            await work(client)

    await one(0, lambda client: asked(client, questions[:20]))
    share = questions[: max(1, QUESTIONS // 4)]
    started, before, own = time.perf_counter(), cpu_ms(server_id), time.process_time()
    await asyncio.gather(*(one(n, lambda client: asked(client, share)) for n in range(clients)))
    calls = clients * len(share)
    rate = calls / (time.perf_counter() - started)
    spent = (cpu_ms(server_id) - before) / calls
    clients_spent = 1000 * (time.process_time() - own) / calls
    row(f"HTTP: {clients} clients at once", f"{rate:.0f} recalls/s", "clients in one process")
    allowed = f"at most {1000 / spent:.0f} recalls/s on a core, {spent / own_spent:.2f} of those"
    allowed += f" in process; clients take {clients_spent:.1f} ms"
    row("HTTP: server, a recall", f"{spent:.1f} ms of CPU", allowed)


async def asked(client: Client, questions: list[str]) -> list[float]:
    """Milliseconds of each recall."""
    times = []
    for question in questions:
        started = time.perf_counter()
        result = await client.call_tool("recall", {"query": question, "k": 5})
        assert not result.is_error
        times.append(1000 * (time.perf_counter() - started))
    return times


def cpu_ms(process: int) -> float:
    """Processor time that a process has had, in user and system mode."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return 1000 * (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def child_of(process: int) -> int:
    """Its child process; there is one."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return int(children[-1])


def resident_mb(process: int) -> float:
    status = Path(f"/proc/{process}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else float("nan")


if __name__ == "__main__":
    main()
