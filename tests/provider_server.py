"""A server on loopback that speaks as the embedding and chat providers do, and fails as they may.

Requests are held to what the providers document: an unknown field, a missing key or an empty text
is answered with 400 or 401. Faults are taken one a request, in their order.
"""

import base64
import hashlib
import json
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from email.message import Message
from email.parser import BytesParser
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from lorebank.language.words import content_words

__all__ = ["Fault", "Provider", "Request", "serving", "unit"]


@dataclass(frozen=True)
class Request:
    """One request as it arrived."""

    method: str
    path: str
    headers: Message
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Fault:
    """What goes wrong with one request for embeddings."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: Any = None
    """Sent in place of an answer."""
    spoil: Callable[[list[Any]], list[Any]] | None = None
    """Changes the vectors, or rows, of the answer."""
    delay: float = 0.0
    drip: float = 0.0
    """Seconds between the bytes of the answer."""
    cut: bool = False
    """The connection ends in the middle of the answer."""


def unit(text: str, dimension: int) -> np.ndarray:
    """A vector of length 1 from the words of a text; texts with common words are near."""
    total = np.zeros(dimension)
    for word in content_words(text) or [text]:
        seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest())
        total += np.random.default_rng(seed).normal(size=dimension)
    return total / np.linalg.norm(total)


@dataclass
class Provider:
    """What the server knows, was asked, and is to do wrong."""

    key: str = "secret-key-1"
    dimension: int = 16
    latency: float = 0.0
    most_items: int = 2048
    faults: deque[Fault] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    url: str = ""
    down: bool = False
    replies: deque[str] = field(default_factory=deque)
    """What a chat model says, in order; the last one again and again."""
    refuses: tuple[str, ...] = ()
    """Fields of a chat request that this model does not know."""
    spoilt: dict[str, float | None] = field(default_factory=dict)
    """How a text ends → what its vector consists of; `None` where it is refused."""
    polls_until_done: int = 1
    job_fails: set[str] = field(default_factory=set)
    """Texts that no job embeds."""
    job_forgets: set[str] = field(default_factory=set)
    """Texts that jobs leave out of their results."""
    job_status: str = "completed"
    takes_jobs: bool = True
    at_once: int = 0
    most_at_once: int = 0
    files: dict[str, bytes] = field(default_factory=dict)
    jobs: dict[str, dict[str, Any]] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def embedded(self) -> list[str]:
        """Every text that was asked for, by requests and by jobs."""
        texts: list[str] = []
        for request in self.requests:
            if request.method == "POST":
                texts += _texts_of(request, self)
        return texts

    def vector(self, text: str) -> list[float]:
        for bad, number in self.spoilt.items():
            if text.endswith(bad):
                if number is None:
                    raise ValueError("this text is not embedded")
                return [number] * self.dimension
        return [float(x) for x in np.float32(unit(text, self.dimension))]

    # -- answers -------------------------------------------------------------------------------

    def answer(self, request: Request) -> tuple[int, Any]:
        path = request.path
        if not self._is_allowed(request):
            return 401, {"error": {"message": "Incorrect API key provided", "code": "invalid"}}
        if path == "/health":
            return 200, {"status": "ok"}
        if request.method == "GET":
            return self._state(path)
        jobs = path.endswith(("/files", "/batches", ":asyncBatchEmbedContent"))
        if jobs and not self.takes_jobs:
            return 404, {"error": {"message": "not found"}}
        if path.endswith("/files"):
            return self._take_file(request)
        if path.endswith("/batches"):
            return self._take_job(request)
        if path.endswith(":asyncBatchEmbedContent"):
            return self._take_gemini_job(request)
        if path.endswith(("/chat/completions", "/api/chat", ":generateContent")):
            return self._chat(request)
        return self._embed(request)

    def _chat(self, request: Request) -> tuple[int, Any]:
        fault = self.faults.popleft() if self.faults else Fault()
        if fault.delay:
            time.sleep(fault.delay)
        if fault.body is not None or fault.status != 200:
            return fault.status, fault.body
        body = request.json
        given = {**body, **body.get("generationConfig", {})}
        for name in self.refuses:
            if name in given:
                return 400, {"error": {"message": f"Unsupported parameter: '{name}'"}}
        text = self.replies.popleft() if len(self.replies) > 1 else self.replies[0]
        if request.path == "/api/chat":
            _only(body, {"model", "messages", "stream", "options", "format"})
            return 200, {
                "message": {"role": "assistant", "content": text},
                "prompt_eval_count": 70,
                "eval_count": 30,
            }
        if request.path.endswith(":generateContent"):
            _only(body, {"systemInstruction", "contents", "generationConfig"})
            content = {"role": "model", "parts": [{"text": "hm", "thought": True}, {"text": text}]}
            usage = {"totalTokenCount": 100}
            return 200, {"candidates": [{"content": content}], "usageMetadata": usage}
        _only(body, {"model", "messages", "response_format", "temperature", "max_tokens"})
        message = {"role": "assistant", "content": text}
        return 200, {"choices": [{"message": message}], "usage": {"total_tokens": 100}}

    def _is_allowed(self, request: Request) -> bool:
        if not self.key or request.path in ("/health", "/api/embed", "/api/chat"):
            return True
        given = request.headers.get("Authorization", request.headers.get("x-goog-api-key", ""))
        return given.removeprefix("Bearer ") == self.key

    def _embed(self, request: Request) -> tuple[int, Any]:
        fault = self.faults.popleft() if self.faults else Fault()
        if fault.delay:
            time.sleep(fault.delay)
        if fault.body is not None or fault.status != 200:
            return fault.status, fault.body
        try:
            return 200, self._spoilt(request, fault)
        except ValueError as problem:
            return 400, {"error": {"message": str(problem), "type": "invalid_request_error"}}
        except OverflowError as problem:
            return 413, {"error": {"message": str(problem)}}

    def _spoilt(self, request: Request, fault: Fault) -> Any:
        body = request.json
        texts = _texts_of(request, self)
        if not texts or not all(isinstance(t, str) and t.strip() for t in texts):
            raise ValueError("input cannot be an empty string")
        if len(texts) > self.most_items:
            raise OverflowError("Request too large")
        vectors: list[Any] = [self.vector(text) for text in texts]
        if request.path == "/api/embed":
            _only(body, {"model", "input", "truncate", "dimensions", "options", "keep_alive"})
            rows = fault.spoil(vectors) if fault.spoil else vectors
            return {"model": body["model"], "embeddings": rows, "total_duration": 1}
        if request.path.endswith(":batchEmbedContents"):
            rows = [{"values": v} for v in vectors]
            return {"embeddings": fault.spoil(rows) if fault.spoil else rows}
        if "input_type" in body:
            _only(body, {"model", "input", "input_type", "truncation", "output_dimension"})
        else:
            _only(body, {"model", "input", "encoding_format", "dimensions", "user"})
        if body.get("encoding_format") == "base64":
            vectors = [base64.b64encode(np.float32(v).tobytes()).decode() for v in vectors]
        rows = [{"object": "embedding", "index": i, "embedding": v} for i, v in enumerate(vectors)]
        rows = fault.spoil(rows) if fault.spoil else rows
        return {"object": "list", "data": rows, "model": body["model"], "usage": {}}

    # -- jobs ----------------------------------------------------------------------------------

    def _take_file(self, request: Request) -> tuple[int, Any]:
        kind = request.headers["Content-Type"]
        form = BytesParser().parsebytes(f"Content-Type: {kind}\r\n\r\n".encode() + request.body)
        parts = {p.get_param("name", header="content-disposition"): p for p in form.get_payload()}
        if parts["purpose"].get_payload().strip() != "batch":
            return 400, {"error": {"message": "purpose"}}
        name = f"file-{len(self.files)}"
        self.files[name] = parts["file"].get_payload(decode=True)
        return 200, {"id": name, "object": "file", "purpose": "batch"}

    def _take_job(self, request: Request) -> tuple[int, Any]:
        body = request.json
        voyage = "request_params" in body
        if body["endpoint"] != "/v1/embeddings":
            return 400, {"error": {"message": "endpoint"}}
        if body["completion_window"] != ("12h" if voyage else "24h"):
            return 400, {"error": {"message": "completion_window"}}
        lines = [json.loads(line) for line in self.files[body["input_file_id"]].split(b"\n")]
        for line in lines:
            _only(line, {"custom_id", "body"} if voyage else {"custom_id", "method", "url", "body"})
            _only(line["body"], {"input"} if voyage else {"input", "model", "encoding_format"})
        return 200, self._new_job({x["custom_id"]: x["body"]["input"][0] for x in lines}, "batch_")

    def _take_gemini_job(self, request: Request) -> tuple[int, Any]:
        batch = request.json["batch"]
        _only(batch, {"displayName", "model", "inputConfig"})
        rows = batch["inputConfig"]["requests"]["requests"]
        texts = {r["metadata"]["key"]: r["request"]["content"]["parts"][0]["text"] for r in rows}
        job = self._new_job(texts, "batches/")
        return 200, {"name": job["id"], "metadata": {"state": "BATCH_STATE_PENDING"}}

    def _new_job(self, texts: dict[str, str], prefix: str) -> dict[str, Any]:
        name = f"{prefix}{len(self.jobs)}"
        self.jobs[name] = {"texts": texts, "polls": 0}
        return {"id": name, "object": "batch", "status": "validating"}

    def _state(self, path: str) -> tuple[int, Any]:
        if path.endswith("/content"):
            return 200, self.files[path.split("/")[-2]]
        gemini = path.startswith("/v1beta/")
        name = path.removeprefix("/v1beta/") if gemini else path.split("/")[-1]
        if name not in self.jobs:
            return 404, {"error": {"message": f"No batch found with id '{name}'"}}
        job = self.jobs[name]
        job["polls"] += 1
        if job["polls"] < self.polls_until_done:
            return 200, {"id": name, "status": "in_progress", "name": name, "done": False}
        if self.job_status != "completed":
            failed = {"id": name, "status": self.job_status}
            state = f"BATCH_STATE_{self.job_status.upper()}"
            return 200, {"name": name, "done": True, "metadata": {"state": state}, **failed}
        return 200, self._gemini_results(name) if gemini else self._file_results(name)

    def _outcomes(self, name: str) -> Iterator[tuple[str, str, bool]]:
        """Custom id, text, success: in an order that is not that of the requests."""
        for key, text in reversed(self.jobs[name]["texts"].items()):
            if text not in self.job_forgets:
                yield key, text, text not in self.job_fails

    def _file_results(self, name: str) -> Any:
        good, bad = [], []
        for key, text, success in self._outcomes(name):
            if success:
                row = {"object": "embedding", "index": 0, "embedding": self.vector(text)}
                response = {"status_code": 200, "body": {"object": "list", "data": [row]}}
                good.append({"custom_id": key, "response": response, "error": None})
            else:
                response = {"status_code": 500, "body": {"error": {"message": "internal"}}}
                bad.append({"custom_id": key, "response": response, "error": None})
        state: dict[str, Any] = {"id": name, "status": "completed"}
        for title, lines in (("output_file_id", good), ("error_file_id", bad)):
            if lines:
                file = f"file-{title}-{name}"
                self.files[file] = "\n".join(json.dumps(line) for line in lines).encode()
                state[title] = file
        return state

    def _gemini_results(self, name: str) -> Any:
        rows = []
        for key, text, success in self._outcomes(name):
            embedding = {"response": {"embedding": {"values": self.vector(text)}}}
            failed = {"error": {"code": 13, "message": "internal"}}
            rows.append({"metadata": {"key": key}, **(embedding if success else failed)})
        output = {"inlinedResponses": {"inlinedResponses": rows}}
        metadata = {"state": "BATCH_STATE_SUCCEEDED"}
        return {"name": name, "done": True, "metadata": metadata, "response": output}


def _texts_of(request: Request, provider: Provider) -> list[str]:
    if request.path.endswith("/batches"):
        return []
    if request.path.endswith("/files"):
        lines = [line for line in request.body.split(b"\r\n") if line.startswith(b'{"custom_id"')]
        return [json.loads(x)["body"]["input"][0] for y in lines for x in y.split(b"\n")]
    body = request.json
    if request.path.endswith(":asyncBatchEmbedContent"):
        rows = body["batch"]["inputConfig"]["requests"]["requests"]
        return [row["request"]["content"]["parts"][0]["text"] for row in rows]
    if request.path.endswith(":batchEmbedContents"):
        return [row["content"]["parts"][0]["text"] for row in body["requests"]]
    return list(body["input"])


def _only(table: dict[str, Any], known: set[str]) -> None:
    if unknown := set(table) - known:
        raise ValueError(f"unknown field {unknown}")


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    provider: Provider

    def do_GET(self) -> None:
        self._handle()

    def do_POST(self) -> None:
        self._handle()

    def _handle(self) -> None:
        provider = self.provider
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        request = Request(self.command, self.path, self.headers, body)
        with provider.lock:
            provider.requests.append(request)
            provider.at_once += 1
            provider.most_at_once = max(provider.most_at_once, provider.at_once)
            fault = provider.faults[0] if provider.faults else Fault()
        try:
            if provider.latency:
                time.sleep(provider.latency)
            if provider.down:
                self._send(503, {"error": {"message": "the server is down"}}, Fault())
            else:
                self._send(*provider.answer(request), fault)
        except (BrokenPipeError, ConnectionResetError):
            pass  # the client gave up, as it should
        finally:
            with provider.lock:
                provider.at_once -= 1

    def _send(self, status: int, answer: Any, fault: Fault) -> None:
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, text in fault.headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if fault.cut:
            self.wfile.write(content[: len(content) // 2])
            self.wfile.flush()
            self.connection.shutdown(socket.SHUT_RDWR)
            self.close_connection = True
        elif fault.drip:
            for byte in content:
                self.wfile.write(bytes([byte]))
                self.wfile.flush()
                time.sleep(fault.drip)
        else:
            self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        pass  # a connection that the client broke off


@contextmanager
def serving(provider: Provider) -> Iterator[Provider]:
    """The provider on a free port of this machine."""
    handler = type("Handler", (_Handler,), {"provider": provider})
    with _Server(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        provider.url = f"http://127.0.0.1:{server.server_address[1]}"
        yield provider
        server.shutdown()
        thread.join()
