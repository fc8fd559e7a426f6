"""The embedder behind an HTTP endpoint: what all providers share, given how one of them speaks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from lorebank.errors import ProviderError
from lorebank.language.words import estimate_tokens
from lorebank.providers.accounts import DEFAULT_URLS, KEY_VARIABLES, account_of
from lorebank.providers.answers import unit_vectors
from lorebank.providers.http import PATIENT, PROMPT, Client, HttpFailure, Patience
from lorebank.providers.protocols import Limits, Role

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lorebank.providers.accounts import Setup

    Floats = NDArray[np.float32]

_TOO_LARGE = ("token", "too long", "too large", "context length", "payload size", "batch size")
"""In a refusal: fewer or shorter texts may pass."""
_SHORTEST_CUT = 16
"""Characters below which a text that is refused as too long is not cut further."""


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


def open_client(
    name: str, setup: Setup, headers: dict[str, str], model: str, *, purpose: str = "embedder"
) -> Client:
    """The client of a provider's account; `headers` carry the key, and the user's come on top."""
    account = account_of(name, setup)
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


def native_dimension(client: Client, known: Mapping[str, int], model: str) -> int:
    """The dimension of a provider's own model; 0 elsewhere, where a name may stand for another."""
    return known.get(model, 0) if client.base_url == DEFAULT_URLS[client.provider] else 0


def patience_of(setup: Setup) -> Patience:
    """How long an index build waits for the provider."""
    remote = setup.embedder.remote
    return Patience(remote.attempts, remote.timeout_seconds, PATIENT.longest_wait)


def require_key(name: str, setup: Setup) -> str:
    """The key of a provider's account; `ProviderError` where the provider's own address gets none.

    An address of the user's own may ask for none.
    """
    account = account_of(name, setup)
    if not account.key and account.base_url == DEFAULT_URLS[name]:
        raise ProviderError(
            f"{name}: no key",
            hint=f"set {KEY_VARIABLES[name][0]}, or providers.{name}.api_key in your own settings",
        )
    return account.key


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
