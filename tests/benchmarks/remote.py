"""How close an index build over a remote provider comes to the ideal schedule.

A server of another process answers each request after a fixed time. The ideal is the number of
requests times that time, divided by the number of requests at a time; what is measured on top is
everything lorebank does: reading texts, JSON, checking vectors, writing cache and index.

    python tests/benchmarks/remote.py [chunks] [milliseconds]
"""

from __future__ import annotations

import base64
import json
import math
import multiprocessing
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np

from lorebank import Bank

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


def main(chunks: int, milliseconds: float) -> None:
    port = multiprocessing.Value("i", 0)
    server = multiprocessing.Process(target=serve, args=(milliseconds / 1000, port), daemon=True)
    server.start()
    while not port.value:
        time.sleep(0.01)
    environ = {
        "LOREBANK_CONFIG": "/nonexistent",
        "LOREBANK_EMBEDDER__PROVIDER": "openai",
        "LOREBANK_PROVIDERS__OPENAI__BASE_URL": f"http://127.0.0.1:{port.value}/v1",
        "LOREBANK_EMBEDDER__CACHE__MAX_ENTRIES": "1000000",
    }
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        for file in range(chunks // 100):
            words = (f"entry {file} {n} of a long log about boats" for n in range(50))
            facts = "\n".join(f"- W @Boat{n}: {text}." for n, text in enumerate(words))
            (root / "memory" / f"notes-{file:04}.md").write_text(f"# Notes\n\n## Retain\n{facts}\n")
        with Bank.open(root, environ=environ) as bank:
            bank.sync(embed=False)
            pending = bank.status().counts["pending"]
            limits = bank._meaning._primary.load().limits  # type: ignore[union-attr]
            started, cpu = time.monotonic(), time.process_time()
            embedded = bank.sync().embedded
            took, cpu = time.monotonic() - started, time.process_time() - cpu
    requests = math.ceil(embedded / limits.items)
    ideal = math.ceil(requests / limits.concurrency) * milliseconds / 1000
    print(f"{pending} rows, {embedded} texts, {requests} requests of {limits.items}")
    print(f"ideal {ideal:.2f} s, took {took:.2f} s ({took / ideal:.2f}×), CPU {cpu:.2f} s")
    server.terminate()


if __name__ == "__main__":
    main(
        int(sys.argv[1]) if len(sys.argv) > 1 else 20_000,
        float(sys.argv[2]) if len(sys.argv) > 2 else 20.0,
    )
