"""The embedder behind an HTTP endpoint: what all providers share, given how one of them speaks."""

from __future__ import annotations

import binascii
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lorebank.errors import ProviderError
from lorebank.language.words import estimate_tokens
from lorebank.providers.accounts import DEFAULT_URLS, KEY_VARIABLES, account_of
from lorebank.providers.http import PATIENT, PROMPT, BadAnswer, Client, HttpFailure, Patience
from lorebank.providers.protocols import Limits, Role
from lorebank.records import dataclass

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lorebank.providers.accounts import Setup

    Floats = NDArray[np.float32]

_TOO_LARGE = ("token", "too long", "too large", "context length", "payload size", "batch size")
"""In a refusal: fewer or shorter texts may pass."""
_SHORTEST_CUT = 16
"""Characters below which a text that is refused as too long is not cut further."""


def bearer(key: str) -> dict[str, str]:
    """The header that most providers take a key in."""
    return {"Authorization": f"Bearer {key}"}


class Wire(Protocol):
    """How one provider is asked for vectors."""

    @property
    def name(self) -> str:
        """The provider."""

    @property
    def model(self) -> str:
        """Its model."""

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        """The path below the base URL, and the JSON to send."""

    def read(self, answer: Any, count: int) -> Sequence[Any]:
        """The vectors of an answer in the order of the texts; `BadAnswer` where there are none."""


class RemoteEmbedder:
    """An `Embedder` made of a wire format and a client."""

    def __init__(
        self,
        wire: Wire,
        client: Client,
        *,
        limits: Limits,
        dimensions: int = 0,
        native: int = 0,
        patience: Patience = PATIENT,
        prompt: Patience = PROMPT,
    ) -> None:
        """`dimensions`: asked for by the settings, 0 for the model's own; `native`: that one,
        where it is known before the first answer. `patience` is for documents, `prompt` for
        questions."""
        self._wire = wire
        self._client = client
        client.allow(limits.concurrency)
        self._limits = limits
        self._asked_dimensions = dimensions
        self._dimension = dimensions or native
        self._patience = patience
        self._prompt = replace(
            prompt,
            attempts=min(patience.attempts, prompt.attempts),
            timeout=min(patience.timeout, prompt.timeout),
        )
        self._lock = Lock()

    @property
    def name(self) -> str:
        return self._wire.name

    @property
    def model(self) -> str:
        return self._wire.model

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def endpoint(self) -> str:
        return self._client.base_url

    @property
    def limits(self) -> Limits:
        return self._limits

    @property
    def fingerprint(self) -> str:
        """Provider, endpoint, model and the dimension asked for; known before any request."""
        dimensions = self._asked_dimensions or "native"
        return f"{self.name}/{self.endpoint}/{self.model}/{dimensions}"

    def embed_documents(self, texts: Sequence[str]) -> Floats:
        return self._embed(texts, "document", self._patience)

    def embed_query(self, text: str) -> Floats:
        vectors = self._embed([text], "query", self._prompt)
        query: Floats = vectors[0]
        return query

    def cancel(self) -> None:
        self._client.cancel()

    def _embed(self, texts: Sequence[str], role: Role, patience: Patience) -> Floats:
        """Vectors of texts; those without a visible character are not sent and have none."""
        rows = [row for row, text in enumerate(texts) if text.strip()]
        wanted = [cut_to_tokens(texts[row], self._limits.text_tokens) for row in rows]
        parts = [self._ask(part, role, patience) for part in _calls(wanted, self._limits)]
        found = np.concatenate(parts) if parts else np.zeros((0, self._dimension), np.float32)
        vectors = np.zeros((len(texts), found.shape[1]), dtype=np.float32)
        vectors[rows] = found
        return vectors

    def _ask(self, texts: Sequence[str], role: Role, patience: Patience) -> Floats:
        """One request, or two of half the size where the provider finds it too large."""
        path, body = self._wire.request(texts, role)
        try:
            return self._client.post(path, body, patience, self._reader(len(texts)))
        except HttpFailure as failure:
            if not _is_too_large(failure):
                raise
            if len(texts) == 1:
                shorter = texts[0][: len(texts[0]) // 2]
                if len(shorter) < _SHORTEST_CUT:
                    raise
                return self._ask([shorter], role, patience)
        middle = len(texts) // 2
        halves = (texts[:middle], texts[middle:])
        return np.concatenate([self._ask(half, role, patience) for half in halves])

    def _reader(self, count: int) -> Callable[[Any], Floats]:
        def read(answer: Any) -> Floats:
            vectors = unit_vectors(self._wire.read(answer, count), count, self._dimension)
            with self._lock:
                self._dimension = self._dimension or vectors.shape[1]
            return vectors

        return read


@dataclass(frozen=True, slots=True)
class Service:
    """What sets one embedding service apart from the others."""

    name: str
    default_model: str
    wire: Callable[[str, int], Wire]
    """Model and dimensions (0 for the model's own) → its format."""
    limits: Limits
    """Of one request; how many run at a time is a setting."""
    native: Mapping[str, int] = field(default_factory=dict)
    """Dimensions of the service's own models."""
    headers: Callable[[str], dict[str, str]] = bearer
    """Key → headers."""
    embedder: type[RemoteEmbedder] = RemoteEmbedder
    loading_s: float = 0.0
    """Seconds that a server may take to load a model at the first request."""


def open_embedder(service: Service, setup: Setup) -> RemoteEmbedder:
    """The embedder of the settings; `ProviderError` where the service needs a key and has none."""
    settings = setup.embedder
    model = (not setup.as_fallback and settings.model) or service.default_model
    dimensions = 0 if setup.as_fallback else settings.dimensions
    client = open_client(service.name, setup, service.headers, model)
    # A name at another address may stand for another model.
    own = client.base_url == DEFAULT_URLS[service.name]
    patience, prompt = patience_of(setup), PROMPT
    if service.loading_s:
        patience = replace(patience, timeout=max(patience.timeout, service.loading_s))
        prompt = replace(prompt, timeout=service.loading_s)
    return service.embedder(
        service.wire(model, dimensions),
        client,
        limits=replace(service.limits, concurrency=settings.remote.concurrency),
        dimensions=dimensions,
        native=service.native.get(model, 0) if own else 0,
        patience=patience,
        prompt=prompt,
    )


def open_client(
    name: str,
    setup: Setup,
    key_headers: Callable[[str], dict[str, str]],
    model: str,
    *,
    purpose: str = "embedder",
) -> Client:
    """The client of a provider's account, with its key; headers of the user's own come on top.

    `ProviderError` where the provider's own address gets no key. Another address may ask for none.
    """
    account = account_of(name, setup)
    if not account.key and name in KEY_VARIABLES and account.base_url == DEFAULT_URLS[name]:
        raise ProviderError(
            f"{name}: no key",
            hint=f"set {KEY_VARIABLES[name][0]}, or providers.{name}.api_key in your own settings",
        )
    headers = key_headers(account.key) if account.key else {}
    own = {title.lower() for title in account.headers}
    kept = {title: text for title, text in headers.items() if title.lower() not in own}

    def announce() -> None:
        setup.say(
            f"the text of notes and questions is sent to {account.base_url} ({name}, {model})"
        )

    return Client(
        provider=name,
        base_url=account.base_url,
        headers={**kept, **account.headers},
        offline=setup.embedder.offline,
        announce=announce,
        purpose=purpose,
    )


def patience_of(setup: Setup) -> Patience:
    """How long an index build waits for the provider."""
    remote = setup.embedder.remote
    return Patience(remote.attempts, remote.timeout_seconds, PATIENT.longest_wait)


def cut_to_tokens(text: str, tokens: int) -> str:
    """The text, or as much of its beginning as is estimated to have so many tokens."""
    if len(text) <= tokens:  # no token is shorter than a character
        return text
    while (estimated := estimate_tokens(text)) > tokens:
        text = text[: min(len(text) - 1, len(text) * tokens // estimated)]
    return text


def _calls(texts: Sequence[str], limits: Limits) -> Iterator[list[str]]:
    """The texts in their order, as few calls as the limits allow."""
    call: list[str] = []
    room = limits.tokens
    for text in texts:
        tokens = estimate_tokens(text)
        if call and (len(call) == limits.items or tokens > room):
            yield call
            call, room = [], limits.tokens
        call.append(text)
        room -= tokens
    if call:
        yield call


def _is_too_large(failure: HttpFailure) -> bool:
    if failure.status == 413:
        return True
    words = failure.detail.lower()
    return failure.status in (400, 422) and any(word in words for word in _TOO_LARGE)


_SHORTEST = 1e-6
"""A vector shorter than this has no direction: rounding of 32-bit floats alone comes to 1e-7."""


def as_object(answer: Any) -> dict[str, Any]:
    """The answer, if it is a JSON object; `BadAnswer` else."""
    if not isinstance(answer, dict):
        raise BadAnswer("answered with JSON that is not an object")
    return answer


def by_index(rows: Any, count: int) -> list[Any]:
    """The `embedding` of each row of an OpenAI-like answer, in the order of the texts.

    Rows say which text they are for and may stand in any order. `BadAnswer` where they are not as
    many as texts, or where two are for the same one.
    """
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise BadAnswer("answered without a list of embeddings")
    if len(rows) != count:
        raise BadAnswer(f"answered with {len(rows)} embeddings for {count} texts")
    if not any("index" in row for row in rows):
        return [row.get("embedding") for row in rows]
    placed = {row.get("index"): row.get("embedding") for row in rows}
    if set(placed) != set(range(count)):
        raise BadAnswer(f"answered with indexes that are not 0 to {count - 1}")
    return [placed[index] for index in range(count)]


def unit_vectors(rows: Sequence[Any], count: int, dimension: int) -> Floats:
    """Vectors of length 1 from lists of numbers or base64 of 32-bit floats: `(count, dimension)`.

    `dimension` 0 takes what comes, the same for all. `BadAnswer` for another count or dimension,
    for what is not a number, and for zero, which would be near to everything.
    """
    if len(rows) != count:
        raise BadAnswer(f"answered with {len(rows)} embeddings for {count} texts")
    vectors = [_vector(row) for row in rows]
    for vector in vectors:
        wanted = dimension or len(vectors[0])
        if len(vector) != wanted:
            raise BadAnswer(f"answered with a vector of {len(vector)} numbers, not {wanted}")
    matrix = np.array(vectors).reshape(count, -1)
    # Of the squares: not finite where a number is none, or too large for a vector.
    with np.errstate(over="ignore", invalid="ignore"):
        squares = np.einsum("ij,ij->i", matrix, matrix, dtype=np.float64)
    if not np.isfinite(squares).all():
        if np.isfinite(matrix).all():
            raise BadAnswer("answered with numbers too large for a vector")
        raise BadAnswer("answered with numbers that are none (NaN or infinite)")
    lengths = np.sqrt(squares)
    if count and float(lengths.min()) < _SHORTEST:
        raise BadAnswer("answered with a zero vector for a text that is not empty")
    found: Floats = (matrix / lengths[:, None].astype(matrix.dtype)).astype(np.float32, copy=False)
    return found


def _vector(row: Any) -> NDArray[np.floating[Any]]:
    if isinstance(row, str):
        try:
            raw = binascii.a2b_base64(row, strict_mode=True)
        except ValueError:
            raise BadAnswer("answered with an embedding that is not base64") from None
        if len(raw) % 4 or not raw:
            raise BadAnswer("answered with an embedding cut off in the middle")
        return np.frombuffer(raw, dtype="<f4")
    if not isinstance(row, list) or not row:
        raise BadAnswer("answered with an embedding that is no list of numbers")
    try:
        vector = np.array(row, dtype=np.float64)
    except (TypeError, ValueError):
        vector = np.zeros(())
    if vector.ndim != 1:
        raise BadAnswer("answered with an embedding that is no list of numbers")
    return vector
