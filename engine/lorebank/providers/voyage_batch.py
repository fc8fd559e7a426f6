"""Voyage's Batch API: a third cheaper, within twelve hours."""

from __future__ import annotations

from collections.abc import Mapping

from lorebank.providers.jsonl_batch import collect_jsonl, submit_jsonl
from lorebank.providers.protocols import BatchState, Limits
from lorebank.providers.remote import RemoteEmbedder, cut_to_tokens
from lorebank.providers.voyage import VoyageWire


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
