"""OpenAI's Batch API: half the price, within a day."""

from __future__ import annotations

from collections.abc import Mapping

from lorebank.providers.jsonl_batch import collect_jsonl, submit_jsonl
from lorebank.providers.protocols import BatchState, Limits
from lorebank.providers.remote import RemoteEmbedder, cut_to_tokens


class OpenAIBatchEmbedder(RemoteEmbedder):
    """The embedder of OpenAI that also takes jobs."""

    batch_limits = Limits(items=50_000, tokens=20_000_000)
    """50,000 requests a file, and 200 MB."""

    def submit(self, texts: Mapping[str, str]) -> str:
        lines = []
        for custom_id, text in texts.items():
            cut = cut_to_tokens(text, self.limits.text_tokens)
            _, body = self._wire.request([cut], "document")
            lines.append(
                {"custom_id": custom_id, "method": "POST", "url": "/v1/embeddings", "body": body}
            )
        order = {"endpoint": "/v1/embeddings", "completion_window": "24h"}
        return submit_jsonl(self._client, lines, order, self._patience)

    def collect(self, job: str) -> BatchState:
        return collect_jsonl(self._client, job, self.dimension, self._patience)
