"""Models behind an HTTP endpoint: everything the services have in common.

A `Service` describes the rest: path, request body, how to read an answer. Chat models are asked
with temperature 0, JSON output and an answer limit; an option that a model refuses is then omitted.
"""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from lorebank.errors import ProviderError
from lorebank.language.words import estimate_tokens
from lorebank.providers.http import (
    BACKGROUND,
    INTERACTIVE,
    BadAnswer,
    Client,
    HttpFailure,
    RetryPolicy,
)
from lorebank.providers.protocols import Completion, Limits, Prompt, Role
from lorebank.providers.registry import DEFAULT_URLS, KEY_VARIABLES, account_of, merge_headers
from lorebank.records import Record, dig
from lorebank.settings.tables import RemoteSettings

if TYPE_CHECKING:
    from lorebank.providers.protocols import Floats
    from lorebank.providers.registry import Setup

Headers = Callable[[str], dict[str, str]]  # API key → its headers
_TOO_LARGE = ("token", "too long", "too large", "context length", "payload size", "batch size")
"""In an error: fewer or shorter texts may succeed."""
_MIN_RETRY_CHARACTERS = 16  # a text refused as too long is not halved below this
_MAX_WAIT_S = 60.0
"""If a chat model asks for a longer pause, the request fails: other pages are waiting."""
_BAD_REQUEST_STATUSES = (400, 422)  # answers to unknown request fields


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


class Batch(Record):
    """A service's API for large jobs."""

    submit: Callable[[RemoteEmbedder, Mapping[str, str]], str]
    collect: Callable[[RemoteEmbedder, str], Mapping[str, Floats] | None]
    limits: Limits  # per job


class Service(Record):
    """What is specific to one embedding service."""

    name: str
    default_model: str
    path: str
    """Below the base URL; `{model}` stands for the model, without Google's `models/`."""
    body: Callable[[RemoteEmbedder, Sequence[str], Role], dict[str, Any]]
    read: Callable[[Any, int], Sequence[Any]]
    """Answer and number of texts → vectors in the order of the texts; may raise `BadAnswer`."""
    limits: Limits
    """Per request; concurrency is a setting."""
    native_dimensions: Mapping[str, int] = field(default_factory=dict)
    """Dimensions of the service's own models."""
    headers: Headers = bearer
    load_timeout_s: float = 0.0
    """Seconds allowed for loading a model at the first request."""
    batch: Batch | None = None


class RemoteEmbedder:
    """An `Embedder` of a service and the user's settings. Raises `ProviderError` without a key."""

    def __init__(self, service: Service, setup: Setup) -> None:
        settings, remote = setup.embedder, setup.embedder.remote
        self.service = service
        self.name = service.name
        self.model = settings.model if not setup.as_fallback else ""
        self.model = self.model or service.default_model
        self.dimensions = 0 if setup.as_fallback else settings.dimensions
        """As configured; 0 for the model's default."""
        self.client = open_client(service.name, setup, service.headers, self.model)
        timeout = max(remote.timeout_seconds, service.load_timeout_s)
        self.policy = RetryPolicy(remote.attempts, timeout, BACKGROUND.max_wait)
        self._query_policy = replace(
            INTERACTIVE,
            attempts=min(remote.attempts, INTERACTIVE.attempts),
            timeout=service.load_timeout_s or min(timeout, INTERACTIVE.timeout),
        )
        # At another address the same name may be another model.
        own = self.client.base_url == DEFAULT_URLS[service.name]
        native = service.native_dimensions.get(self.model, 0) if own else 0
        self.dimension = self.dimensions or native
        self.limits = replace(service.limits, concurrency=remote.concurrency)

    @property
    def endpoint(self) -> str:
        return self.client.base_url

    @property
    def fingerprint(self) -> str:
        """Provider, endpoint, model and dimensions; known before any request."""
        return f"{self.name}/{self.endpoint}/{self.model}/{self.dimensions or 'native'}"

    def dimension_field(self, name: str) -> dict[str, int]:
        """The request field that asks for shorter vectors, if they are configured."""
        return {name: self.dimensions} if self.dimensions else {}

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        return self._embed(texts, "document", self.policy)

    def embed_query(self, text: str) -> Floats:
        query: Floats = self._embed([text], "query", self._query_policy)[0]
        return query

    def cancel(self) -> None:
        self.client.cancel()

    def _embed(self, texts: Sequence[str], role: Role, policy: RetryPolicy) -> Floats:
        """Blank texts are not sent and get zero vectors."""
        rows = [row for row, text in enumerate(texts) if text.strip()]
        cut = [cut_to_tokens(texts[row], self.limits.text_tokens) for row in rows]
        found = self._ask(cut, role, policy) if rows else None
        vectors = np.zeros((len(texts), self.dimension), np.float32)
        if found is not None:
            vectors[rows] = found
        return vectors

    def _ask(self, texts: Sequence[str], role: Role, policy: RetryPolicy) -> Floats:
        """One request; a single text refused as too long is halved and retried."""
        path = self.service.path.format(model=self.model.removeprefix("models/"))
        body = self.service.body(self, texts, role)

        def read(answer: Any) -> Floats:
            rows = self.service.read(answer, len(texts))
            vectors = unit_vectors(rows, len(texts), self.dimension)
            self.dimension = vectors.shape[1]
            return vectors

        try:
            return self.client.post(path, body, policy, read)
        except HttpFailure as failure:
            shorter = texts[0][: len(texts[0]) // 2]
            if len(texts) > 1 or len(shorter) < _MIN_RETRY_CHARACTERS or not _is_too_large(failure):
                raise
        return self._ask([shorter], role, policy)

    @property
    def batch_limits(self) -> Limits | None:
        return self.service.batch.limits if self.service.batch else None

    def submit(self, texts: Mapping[str, str]) -> str:
        assert self.service.batch is not None
        most = self.limits.text_tokens
        cut = {key: cut_to_tokens(text, most) for key, text in texts.items()}
        return self.service.batch.submit(self, cut)

    def collect(self, job: str) -> Mapping[str, Floats] | None:
        assert self.service.batch is not None
        return self.service.batch.collect(self, job)


def batch_vectors(
    rows: Iterable[tuple[object, Any]], vector: Callable[[Any], Floats]
) -> dict[str, Floats]:
    """The vectors of a job's rows by custom id, without failed rows."""
    vectors: dict[str, Floats] = {}
    for custom_id, row in rows:
        if isinstance(custom_id, str):
            with suppress(BadAnswer):
                vectors[custom_id] = vector(row)
    return vectors


class ChatService(Record):
    """What is specific to one chat service."""

    name: str
    default_model: str
    path: str
    """Below the base URL; `{model}` is replaced."""
    body: Callable[[str, Prompt, bool], dict[str, Any]]
    """Model, prompt, whether it is the service's own address → request body."""
    optional: tuple[str, ...]
    """Request fields that may be omitted if a model refuses them."""
    read: Callable[[Any], Completion]
    """May raise `BadAnswer`."""
    headers: Headers = bearer


class RemoteGenerator:
    """A `Generator` of a service and the user's settings. Raises `ProviderError` without a key."""

    def __init__(self, service: ChatService, setup: Setup) -> None:
        own = setup.generator
        self.service = service
        self.name = service.name
        self.model = own.model or service.default_model
        remote = RemoteSettings(base_url=own.base_url, api_key=own.api_key, headers=own.headers)
        account = replace(setup, embedder=replace(setup.embedder, remote=remote))
        self._client = open_client(
            service.name, account, service.headers, self.model, purpose="generator"
        )
        self._policy = RetryPolicy(own.attempts, own.timeout_seconds, _MAX_WAIT_S)
        self._unsupported: frozenset[str] = frozenset()

    @property
    def endpoint(self) -> str:
        return self._client.base_url

    def complete(self, prompt: Prompt) -> Completion:
        path = self.service.path.format(model=self.model.removeprefix("models/"))
        own = self.endpoint == DEFAULT_URLS[self.name]
        body = self.service.body(self.model, prompt, own)
        while True:
            sent = _without_fields(body, self._unsupported)
            try:
                return self._client.post(path, sent, self._policy, self.service.read)
            except HttpFailure as failure:
                remaining = (
                    name for name in self.service.optional if name not in self._unsupported
                )
                named = next((name for name in remaining if name in failure.detail), "")
                if failure.status not in _BAD_REQUEST_STATUSES or not named:
                    raise
                self._unsupported |= {named}

    def cancel(self) -> None:
        self._client.cancel()


def embeddings_of(answer: Any, key: str) -> list[Any]:
    """The rows of an answer; raises `BadAnswer` if there are none."""
    rows = dig(answer, key)
    if not isinstance(rows, list):
        raise BadAnswer("answered without a list of embeddings")
    return rows


def read_completion(text: Any, *tokens: Any) -> Completion:
    if not isinstance(text, str):
        raise BadAnswer("answered without a message")
    counted = [count for count in tokens if isinstance(count, int)]
    return Completion(text, sum(counted) if counted else None)


def _without_fields(body: Mapping[str, Any], names: frozenset[str]) -> dict[str, Any]:
    """A request without these fields, at any depth."""
    return {
        key: _without_fields(value, names) if isinstance(value, dict) else value
        for key, value in body.items()
        if key not in names
    }


def open_client(
    name: str, setup: Setup, key_headers: Headers, model: str, *, purpose: str = "embedder"
) -> Client:
    """The client of a service's account with its key and the user's headers.

    Raises `ProviderError` if the service's own address has no key; other addresses may need none.
    """
    account = account_of(name, setup)
    key = account.api_key
    if not key and name in KEY_VARIABLES and account.base_url == DEFAULT_URLS[name]:
        raise ProviderError(
            f"{name}: no key",
            hint=f"set {KEY_VARIABLES[name][0]}, or providers.{name}.api_key in your own settings",
        )

    notice = f"the text of notes and questions is sent to {account.base_url} ({name}, {model})"
    return Client(
        provider=name,
        base_url=account.base_url,
        headers=merge_headers(
            key_headers(account.api_key) if account.api_key else {}, account.headers
        ),
        offline=setup.embedder.offline,
        announce=partial(setup.say, notice),
        purpose=purpose,
    )


def cut_to_tokens(text: str, tokens: int) -> str:
    """The beginning of the text, with at most that many estimated tokens."""
    if len(text) <= tokens:  # no token is shorter than a character
        return text
    while (estimated := estimate_tokens(text)) > tokens:
        text = text[: min(len(text) - 1, len(text) * tokens // estimated)]
    return text


def _is_too_large(failure: HttpFailure) -> bool:
    if failure.status == 413:
        return True
    words = failure.detail.lower()
    return failure.status in (400, 422) and any(word in words for word in _TOO_LARGE)


_MIN_NORM = 1e-6  # a shorter vector has no direction: float32 rounding alone is 1e-7


def unit_vectors(rows: Sequence[Any], count: int, dimension: int) -> Floats:
    """Unit vectors from lists of numbers or base64 float32, shape `(count, dimension)`.

    `dimension` 0 accepts any, the same for all. Raises `BadAnswer` for a wrong count or dimension,
    for NaN, and for a zero vector, which would be similar to everything.
    """
    if len(rows) != count:
        raise BadAnswer(f"answered with {len(rows)} embeddings for {count} texts")
    vectors = [_vector(row) for row in rows]
    for vector in vectors:
        expected = dimension or len(vectors[0])
        if len(vector) != expected:
            raise BadAnswer(f"answered with a vector of {len(vector)} numbers, not {expected}")
    matrix = np.array(vectors).reshape(count, -1)
    with np.errstate(over="ignore", invalid="ignore"):
        lengths = np.sqrt(np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64))
    if not np.isfinite(lengths).all():
        raise BadAnswer("answered with NaN or infinite numbers")
    if count and float(lengths.min()) < _MIN_NORM:
        raise BadAnswer("answered with a zero vector for a text that is not empty")
    found: Floats = (matrix / lengths[:, None].astype(matrix.dtype)).astype(np.float32, copy=False)
    return found


def unit_vector(row: Any, dimension: int) -> Floats:
    vector: Floats = unit_vectors([row], 1, dimension)[0]
    return vector


def _vector(row: Any) -> Any:
    """The numbers of a list, or of the base64 of 32-bit floats."""
    try:
        if isinstance(row, str):
            vector: Any = np.frombuffer(binascii.a2b_base64(row, strict_mode=True), "<f4")
        else:
            vector = np.array(row, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.zeros(())
    if vector.ndim != 1 or not len(vector):
        raise BadAnswer("answered with an embedding that is not a list of numbers")
    return vector
