"""Voyage AI: embeddings, and batches of them at two thirds of the price.

`POST /embeddings` with `model`, `input` and `input_type` (document or query); answered as OpenAI
does, with `data` of `{"index", "embedding"}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lorebank.providers.answers import by_index
from lorebank.providers.http import BadAnswer
from lorebank.providers.jsonl_batch import collect_jsonl, submit_jsonl
from lorebank.providers.protocols import BatchState, Limits, Role
from lorebank.providers.remote import (
    RemoteEmbedder,
    cut_to_tokens,
    native_dimension,
    open_client,
    patience_of,
    require_key,
)
from lorebank.records import dataclass

if TYPE_CHECKING:
    from lorebank.providers.accounts import Setup


DEFAULT_MODEL = "voyage-3.5"
_NATIVE = {
    "voyage-3.5": 1024,
    "voyage-3.5-lite": 1024,
    "voyage-3-large": 1024,
    "voyage-code-3": 1024,
}


@dataclass(frozen=True, slots=True)
class VoyageWire:
    """The format of Voyage's `/embeddings`."""

    model: str
    dimensions: int = 0
    name: str = "voyage"

    def parameters(self, role: Role) -> dict[str, Any]:
        """What holds for all texts of a request, or of a job."""
        found: dict[str, Any] = {"model": self.model, "input_type": role, "truncation": True}
        if self.dimensions:
            found["output_dimension"] = self.dimensions
        return found

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        return "/embeddings", {"input": list(texts), **self.parameters(role)}

    def read(self, answer: Any, count: int) -> Sequence[Any]:
        if not isinstance(answer, dict):
            raise BadAnswer("answered with JSON that is not an object")
        return by_index(answer.get("data"), count)


def load(setup: Setup) -> RemoteEmbedder:
    """The embedder of the settings; `ProviderError` where it needs a key and has none."""

    settings = setup.embedder
    model = (not setup.as_fallback and settings.model) or DEFAULT_MODEL
    dimensions = 0 if setup.as_fallback else settings.dimensions
    key = require_key("voyage", setup)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    client = open_client("voyage", setup, headers, model)
    return VoyageBatchEmbedder(
        VoyageWire(model, dimensions),
        client,
        limits=Limits(256, 100_000, 30_000, settings.remote.concurrency),
        dimensions=dimensions,
        native=native_dimension(client, _NATIVE, model),
        patience=patience_of(setup),
    )


class VoyageBatchEmbedder(RemoteEmbedder):
    """The embedder of Voyage that also takes jobs; a job names model and role once, for all."""

    batch_limits = Limits(items=50_000, tokens=20_000_000)
    _wire: VoyageWire

    def submit(self, texts: Mapping[str, str]) -> str:
        lines = [
            {
                "custom_id": custom_id,
                "body": {"input": [cut_to_tokens(text, self.limits.text_tokens)]},
            }
            for custom_id, text in texts.items()
        ]
        order = {
            "endpoint": "/v1/embeddings",
            "completion_window": "12h",
            "request_params": self._wire.parameters("document"),
        }
        return submit_jsonl(self._client, lines, order, self._patience)

    def collect(self, job: str) -> BatchState:
        return collect_jsonl(self._client, job, self.dimension, self._patience)
