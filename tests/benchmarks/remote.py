"""How close an index build over a remote provider comes to the ideal schedule.

A server of another process answers each request after a fixed time. The ideal is the number of
requests times that time, divided by the number of requests at a time; what is measured on top is
everything lorebank does: reading texts, JSON, checking vectors, writing cache and index. Beside it
stand two bare threads that send as many requests and throw the answers away: what the machine and
the server take by themselves. The median of several rounds, the two taking turns.

    python tests/benchmarks/remote.py [chunks] [milliseconds] [rounds]
"""

import base64
import json
import math
import multiprocessing
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from lorebank import Bank
from lorebank.providers.protocols import Limits

DIMENSION = 1536


def serve(latency: float, port: Any) -> None:
    vector = base64.b64encode(np.ones(DIMENSION, np.float32).tobytes()).decode()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            started = time.monotonic()
            body = self.rfile.read(int(self.headers["Content-Length"]))
            count = len(json.loads(body)["input"])
            rows = ",".join(f'{{"index": {i}, "embedding": "{vector}"}}' for i in range(count))
            content = f'{{"data": [{rows}]}}'.encode()
            time.sleep(max(0.0, latency - (time.monotonic() - started)))
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        disable_nagle_algorithm = True
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        port.value = server.server_address[1]
        server.serve_forever()


def build(root: Path, chunks: int) -> None:
    (root / "memory").mkdir()
    for file in range(math.ceil(chunks / 52)):  # 50 facts and 2 chunks each
        words = (f"entry {file} {n} of a long log about boats" for n in range(50))
        facts = "\n".join(f"- W @Boat{n}: {text}." for n, text in enumerate(words))
        (root / "memory" / f"notes-{file:04}.md").write_text(f"# Notes\n\n## Retain\n{facts}\n")


def embed(chunks: int, port: int) -> tuple[float, float, int, Limits]:
    """Seconds, CPU seconds, texts, and how they were cut."""
    environ = {
        "LOREBANK_CONFIG": "/nonexistent",
        "LOREBANK_EMBEDDER__PROVIDER": "openai",
        "LOREBANK_PROVIDERS__OPENAI__BASE_URL": f"http://127.0.0.1:{port}/v1",
        "LOREBANK_EMBEDDER__CACHE__MAX_ENTRIES": "1000000",
    }
    with tempfile.TemporaryDirectory() as folder:
        build(Path(folder), chunks)
        with Bank.open(Path(folder), environ=environ) as bank:
            bank.sync(embed=False)
            limits = bank.workspace.meaning._primary.load().limits  # type: ignore[union-attr]
            started, cpu = time.monotonic(), time.process_time()
            embedded = bank.sync().embedded
            return time.monotonic() - started, time.process_time() - cpu, embedded, limits


def bare(requests: int, items: int, at_once: int, port: int) -> float:
    """Seconds that as many requests take when nothing is done with their answers."""
    body = json.dumps({"input": ["entry 1 of a long log about boats"] * items})

    def ask(times: int) -> None:
        connection = HTTPConnection("127.0.0.1", port)
        for _ in range(times):
            connection.request("POST", "/v1/embeddings", body)
            connection.getresponse().read()
        connection.close()

    started = time.monotonic()
    with ThreadPoolExecutor(at_once) as threads:
        list(threads.map(ask, [requests // at_once] * at_once))
    return time.monotonic() - started


def main(chunks: int, milliseconds: float, rounds: int) -> None:
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(milliseconds / 1000, port), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.01)
    times, bare_times, cpu_times = [], [], []
    for _ in range(rounds):
        took, cpu, texts, limits = embed(chunks, port.value)
        requests = math.ceil(texts / limits.items)
        times.append(took)
        cpu_times.append(cpu)
        bare_times.append(bare(requests, limits.items, limits.concurrency, port.value))
    ideal = math.ceil(requests / limits.concurrency) * milliseconds / 1000
    took, least = median(times), median(bare_times)
    print(f"{texts} texts, {requests} requests of {limits.items}, {limits.concurrency} at a time")
    print(f"ideal {ideal:.2f} s, bare threads {least:.2f} s ({least / ideal:.2f}×)")
    print(
        f"lorebank {took:.2f} s ({took / ideal:.2f}× the ideal, {took / least:.2f}× the bare "
        f"threads), best {min(times):.2f} s, CPU {median(cpu_times):.2f} s"
    )
    server.terminate()


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 10_000,
        float(sys.argv[2]) if len(sys.argv) > 2 else 20.0,
        int(sys.argv[3]) if len(sys.argv) > 3 else 5,
    )
