"""Google's Gemini embeddings.

`POST /models/<model>:batchEmbedContents` with up to 100 requests, each with a task type: a
question is embedded otherwise than what may answer it. Answered with `embeddings` in the order of
the requests. Fewer dimensions than 3072 are not of unit length and are made so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lorebank.providers.http import BadAnswer
from lorebank.providers.protocols import Limits, Role
from lorebank.providers.remote import (
    RemoteEmbedder,
    native_dimension,
    open_client,
    patience_of,
    require_key,
)
from lorebank.records import dataclass

if TYPE_CHECKING:
    from lorebank.providers.accounts import Setup

DEFAULT_MODEL = "gemini-embedding-001"
_NATIVE = {"gemini-embedding-001": 3072}
_TASKS: dict[Role, str] = {"document": "RETRIEVAL_DOCUMENT", "query": "RETRIEVAL_QUERY"}


@dataclass(frozen=True, slots=True)
class GeminiWire:
    """The format of `batchEmbedContents`."""

    model: str
    dimensions: int = 0
    name: str = "gemini"

    @property
    def resource(self) -> str:
        """The model as Google names it: `models/…`."""
        return self.model if self.model.startswith("models/") else f"models/{self.model}"

    def one(self, text: str, role: Role) -> dict[str, Any]:
        """One `EmbedContentRequest`."""
        request: dict[str, Any] = {
            "model": self.resource,
            "content": {"parts": [{"text": text}]},
            "taskType": _TASKS[role],
        }
        if self.dimensions:
            request["outputDimensionality"] = self.dimensions
        return request

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        return (
            f"/{self.resource}:batchEmbedContents",
            {"requests": [self.one(text, role) for text in texts]},
        )

    def read(self, answer: Any, count: int) -> Sequence[Any]:
        rows = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            raise BadAnswer("answered without a list of embeddings")
        return [row.get("values") for row in rows]


def load(setup: Setup) -> RemoteEmbedder:
    """The embedder of the settings; `ProviderError` where it needs a key and has none."""
    from lorebank.providers.gemini_batch import GeminiBatchEmbedder

    settings = setup.embedder
    model = (not setup.as_fallback and settings.model) or DEFAULT_MODEL
    dimensions = 0 if setup.as_fallback else settings.dimensions
    key = require_key("gemini", setup)
    client = open_client("gemini", setup, {"x-goog-api-key": key} if key else {}, model)
    return GeminiBatchEmbedder(
        GeminiWire(model, dimensions),
        client,
        limits=Limits(100, 100_000, 2000, settings.remote.concurrency),
        dimensions=dimensions,
        native=native_dimension(client, _NATIVE, model),
        patience=patience_of(setup),
    )
