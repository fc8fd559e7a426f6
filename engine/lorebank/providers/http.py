"""All HTTP of lorebank: timeouts, retries, `Retry-After`, and no requests when offline.

Imported only by providers that need it: `httpx` takes a quarter of a second to import.
"""

from __future__ import annotations

import json
import random
import socket
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from threading import Event, Lock
from typing import Any, TypeVar
from weakref import WeakSet

import httpx

from lorebank.errors import ProviderError
from lorebank.providers.registry import host_of, is_loopback, refuse_offline
from lorebank.records import Mutable, Record

T = TypeVar("T")

_TRANSIENT = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_BAD_ANSWER_ATTEMPTS = 2  # a server that answers nonsense twice will do so again
_INITIAL_BACKOFF_S = 0.25
"""Doubled with each attempt: five attempts take 4 s if the server names no wait."""
_MAX_BACKOFF_S = 20.0  # for our own waits; a `Retry-After` may ask for up to `RetryPolicy.max_wait`
_JITTER = 0.25
"""Random share added to a wait, so that clients refused together do not return together."""
_MAX_ANSWER_BYTES = 512 * 2**20
"""Bytes. A batch of 50,000 vectors of 1,536 numbers in base64 is about 410 MB."""
_MAX_MESSAGE_CHARACTERS = 300  # of the provider's own message in an error


class HttpFailure(ProviderError):
    """A failed request; `status` is 0 if there was no answer."""

    def __init__(self, message: str, *, hint: str = "", status: int = 0, detail: str = "") -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.detail = detail
        self.retryable = not status
        self.retry_after: float | None = None
        """Seconds, as the server asked."""


class BadAnswer(ProviderError):
    """A complete answer with unusable content."""

    status = 200


class RetryPolicy(Record):
    """How often a request is tried, and how long the caller waits."""

    attempts: int
    timeout: float
    """Seconds for one request, from its first byte to its last."""
    max_wait: float
    """Seconds between two attempts; if the server asks for more, the request fails."""


BACKGROUND = RetryPolicy(attempts=5, timeout=60.0, max_wait=120.0)  # for indexing
INTERACTIVE = RetryPolicy(attempts=2, timeout=10.0, max_wait=1.0)
"""For questions: a user is waiting."""


class Client(Mutable):
    """One provider's endpoint with its headers. Thread-safe."""

    provider: str
    base_url: str
    headers: Mapping[str, str]
    offline: bool = False
    announce: Callable[[], None] = lambda: None
    """Called before the first request that leaves this machine."""
    purpose: str = "embedder"
    """The section of the settings that chose this endpoint: `embedder` or `generator`."""
    _client: httpx.Client | None = None
    _cancelled: Event = field(default_factory=Event)
    _lock: Lock = field(default_factory=Lock)
    _sockets: WeakSet[socket.socket] = field(default_factory=WeakSet)

    def post(self, path: str, body: object, policy: RetryPolicy, read: Callable[[Any], T]) -> T:
        """Send JSON and return `read(answer)`; `read` may raise `BadAnswer`."""
        content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
        sent = {"content": content, "headers": {"Content-Type": "application/json"}}
        return self._request("POST", path, policy, _parsing_json(read), sent)

    def get(self, path: str, policy: RetryPolicy, read: Callable[[Any], T]) -> T:
        return self._request("GET", path, policy, _parsing_json(read), {})

    def get_text(self, path: str, policy: RetryPolicy) -> str:
        return self._request("GET", path, policy, bytes.decode, {})

    def upload(
        self, path: str, fields: Mapping[str, str], file: bytes, policy: RetryPolicy
    ) -> dict[str, Any]:
        """Send a form with one file named `file`; returns the JSON object of the answer."""
        sent = {"data": fields, "files": {"file": ("batch.jsonl", file, "application/jsonl")}}
        return self._request("POST", path, policy, _parsing_json(as_object), sent)

    def cancel(self) -> None:
        """Abort the requests and waits of all threads."""
        with self._lock:
            self._cancelled.set()
            self._cancelled = Event()
            client, self._client = self._client, None
            sockets, self._sockets = self._sockets, WeakSet()
        for each in sockets:  # closing the client alone would not wake waiting threads
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
        if client is not None:
            client.close()

    def _request(
        self,
        method: str,
        path: str,
        policy: RetryPolicy,
        read: Callable[[bytes], T],
        sent: Mapping[str, Any],
    ) -> T:
        bad_answers = 0
        cancelled = self._cancelled
        for attempt in range(1, policy.attempts + 1):
            retry_after = None
            try:
                return read(self._attempt(method, path, policy, cancelled, sent))
            except HttpFailure as problem:
                if not problem.retryable:
                    raise
                failure: ProviderError = problem
                retry_after = problem.retry_after
            except BadAnswer as problem:
                bad_answers += 1
                where = f"{self.provider} at {host_of(self.base_url)}"
                hint = problem.hint or _hint(0, self.provider, self.purpose)
                failure = BadAnswer(f"{where}: {problem.message}", hint=hint)
            if (
                attempt == policy.attempts
                or bad_answers == _BAD_ANSWER_ATTEMPTS
                or (retry_after or 0) > policy.max_wait
            ):
                raise failure
            if cancelled.wait(_delay(attempt, retry_after, policy.max_wait)):
                raise self._cancelled_error()
        raise AssertionError("attempts are at least one")

    def _attempt(
        self, method: str, path: str, policy: RetryPolicy, cancelled: Event, sent: Mapping[str, Any]
    ) -> bytes:
        if cancelled.is_set():
            raise self._cancelled_error()
        client = self._open()
        deadline = time.monotonic() + policy.timeout
        request = client.build_request(
            method,
            self.base_url.rstrip("/") + path,
            timeout=httpx.Timeout(policy.timeout, connect=min(10.0, policy.timeout)),
            extensions={"trace": self._track_socket},
            **{**sent, "headers": {**self.headers, **sent.get("headers", {})}},
        )
        try:
            response = client.send(request, stream=True)
            try:
                body = self._read_body(response, deadline)
            finally:
                response.close()
        except httpx.TimeoutException:
            raise self._failure("did not answer in time") from None
        except (httpx.TransportError, httpx.StreamError, RuntimeError) as problem:
            if cancelled.is_set():
                raise self._cancelled_error() from None
            if not isinstance(problem, httpx.TransportError | httpx.StreamError):
                raise  # httpx raises it for a closed client, as after `cancel`
            text = str(problem).strip().partition("\n")[0]
            raise self._failure(
                f"{type(problem).__name__}: {text}" if text else type(problem).__name__
            ) from None
        if response.is_success:
            return body
        failure = self._refusal(response.status_code, body)
        # OpenAI answers 429 to an empty account, too: waiting does not help there.
        if response.status_code in _TRANSIENT and b"insufficient_quota" not in body:
            failure.retryable, failure.retry_after = True, _retry_after(response.headers)
        raise failure

    def _track_socket(self, event: str, info: Mapping[str, Any]) -> None:
        """Called by httpx at each step of a request."""
        if event.endswith((".connect_tcp.complete", ".start_tls.complete")):
            self._sockets.add(info["return_value"].get_extra_info("socket"))

    def _read_body(self, response: httpx.Response, deadline: float) -> bytes:
        """The whole body; httpx itself limits only the time between two packets."""
        parts: list[bytes] = []
        size = 0
        for part in response.iter_bytes():
            size += len(part)
            if time.monotonic() > deadline:
                raise httpx.ReadTimeout("too slow")
            if size > _MAX_ANSWER_BYTES:
                raise self._failure("answered with more than 512 MB", status=200)
            parts.append(part)
        return b"".join(parts)

    def _open(self) -> httpx.Client:
        local = is_loopback(self.base_url)
        if self.offline:
            refuse_offline(self.provider, self.base_url)
        with self._lock:
            if self._client is None:
                if not local:
                    self.announce()
                # No proxy for this machine, and no certificates for plain HTTP: they take 30 ms.
                self._client = httpx.Client(
                    trust_env=not local,
                    follow_redirects=False,
                    verify=not (local and self.base_url.startswith("http:")),
                )
            return self._client

    def _cancelled_error(self) -> ProviderError:
        return ProviderError(f"{self.provider}: cancelled")

    def _failure(self, what: str, *, status: int = 0, detail: str = "") -> HttpFailure:
        return HttpFailure(
            f"{self.provider} at {host_of(self.base_url)}: {what}",
            hint=_hint(status, self.provider, self.purpose),
            status=status,
            detail=detail,
        )

    def _refusal(self, status: int, body: bytes) -> HttpFailure:
        detail = _error_message(body)
        for secret in self.headers.values():
            if len(secret) > 7:
                detail = detail.replace(secret.removeprefix("Bearer "), "…")
        return self._failure(
            f"answered {status}" + (f": {detail}" if detail else ""), status=status, detail=detail
        )


def _parsing_json(read: Callable[[Any], T]) -> Callable[[bytes], T]:
    def parse(raw: bytes) -> T:
        try:
            answer = json.loads(raw)
        except (ValueError, RecursionError):
            shown = raw[:60].decode("utf-8", "replace")
            raise BadAnswer(f"answered with something that is not JSON: {shown!r}") from None
        return read(answer)

    return parse


def as_object(answer: Any) -> dict[str, Any]:
    """The answer if it is a JSON object; else raises `BadAnswer`."""
    if not isinstance(answer, dict):
        raise BadAnswer("answered with JSON that is not an object")
    return answer


def _delay(attempt: int, retry_after: float | None, limit: float) -> float:
    """Seconds before the next attempt, with jitter; never earlier than `retry_after`."""
    if retry_after is not None:
        return retry_after + random.uniform(0, _JITTER * min(retry_after, 4.0) + 0.05)
    backoff: float = min(_INITIAL_BACKOFF_S * 2 ** (attempt - 1), _MAX_BACKOFF_S, limit)
    return backoff * random.uniform(0.5, 1.0)


def _retry_after(headers: httpx.Headers) -> float | None:
    """`Retry-After` in seconds, as a date, or in OpenAI's variant in milliseconds."""
    milliseconds, text = headers.get("retry-after-ms"), headers.get("retry-after", "")
    with suppress(ValueError):
        seconds = float(text) if milliseconds is None else float(milliseconds) / 1000
        return seconds if 0 <= seconds < float("inf") else None
    with suppress(ValueError, TypeError):
        until = parsedate_to_datetime(text)
        until = until if until.tzinfo else until.replace(tzinfo=UTC)
        return max(0.0, (until - datetime.now(UTC)).total_seconds())
    return None


def _error_message(body: bytes) -> str:
    """The error message in a body, in any of the usual shapes."""
    text = body[:20_000].decode("utf-8", "replace")
    try:
        found: Any = json.loads(text)
    except (ValueError, RecursionError):
        found = text
    for key in ("error", "message", "detail"):
        while isinstance(found, dict) and key in found:
            found = found[key]
    if not isinstance(found, str):
        found = json.dumps(found, ensure_ascii=False)
    printable = "".join(c if c.isprintable() else " " for c in found)
    return " ".join(printable.split())[:_MAX_MESSAGE_CHARACTERS]


def _hint(status: int, provider: str, purpose: str) -> str:
    own = "generator" if purpose == "generator" else "embedder.remote"
    if status in (401, 403):
        return f"check the key of {provider}: {own}.api_key, or its variable"
    if status == 404:
        return f"check {purpose}.model and {own}.base_url"
    if purpose == "generator":
        return "set generator.provider = none to continue without it"
    if status == 429:
        return "wait, or embed with another provider (embedder.fallback)"
    return "set embedder.fallback = local to continue without it"
