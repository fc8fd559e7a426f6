"""Voyage AI: embeddings, and batches of them at two thirds of the price.

`POST /embeddings` with `model`, `input` and `input_type` (document or query); answered as OpenAI
does, with `data` of `{"index", "embedding"}`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from lorebank.providers.jsonl_batch import collect_jsonl, submit_jsonl
from lorebank.providers.protocols import BatchState, Limits, Role
from lorebank.providers.remote import (
    RemoteEmbedder,
    Service,
    as_object,
    by_index,
    cut_to_tokens,
    open_embedder,
)
from lorebank.records import dataclass

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
        return by_index(as_object(answer).get("data"), count)


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


SERVICE = Service(
    "voyage",
    DEFAULT_MODEL,
    VoyageWire,
    Limits(items=256, tokens=100_000, text_tokens=30_000),
    _NATIVE,
    embedder=VoyageBatchEmbedder,
)
"""Voyage takes 1,000 texts, 120,000 tokens of its larger models and 32,000 a text."""
load = partial(open_embedder, SERVICE)
