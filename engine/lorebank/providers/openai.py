"""Embeddings of OpenAI and of every server that speaks its protocol, and batches of them.

`POST /embeddings` with `model`, `input`, `encoding_format` and perhaps `dimensions`; answered with
`data`, a list of `{"index", "embedding"}` in any order. base64 is a quarter of the bytes; a server
that does not know it answers with numbers, which are read as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from lorebank.providers.answers import by_index
from lorebank.providers.http import BadAnswer
from lorebank.providers.jsonl_batch import collect_jsonl, submit_jsonl
from lorebank.providers.prefixes import prefixed
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


DEFAULT_MODEL = "text-embedding-3-small"
_NATIVE = {
    "text-embedding-3-small": 1536,
    "text-embedding-3-large": 3072,
    "text-embedding-ada-002": 1536,
}


@dataclass(frozen=True, slots=True)
class OpenAIWire:
    """The format of `/embeddings`; prefixes are for open models that know roles by them."""

    name: str
    model: str
    dimensions: int = 0
    encoding: str = "base64"

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {
            "model": self.model,
            "input": [prefixed(self.model, text, role) for text in texts],
            "encoding_format": self.encoding,
        }
        if self.dimensions:
            body["dimensions"] = self.dimensions
        return "/embeddings", body

    def read(self, answer: Any, count: int) -> Sequence[Any]:
        if not isinstance(answer, dict):
            raise BadAnswer("answered with JSON that is not an object")
        return by_index(answer.get("data"), count)


def load(setup: Setup) -> RemoteEmbedder:
    """The embedder of the settings; `ProviderError` where it needs a key and has none."""

    settings = setup.embedder
    model = (not setup.as_fallback and settings.model) or DEFAULT_MODEL
    dimensions = 0 if setup.as_fallback else settings.dimensions
    key = require_key("openai", setup)
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    client = open_client("openai", setup, headers, model)
    return OpenAIBatchEmbedder(
        OpenAIWire("openai", model, dimensions),
        client,
        limits=Limits(96, 250_000, 8000, settings.remote.concurrency),
        dimensions=dimensions,
        native=native_dimension(client, _NATIVE, model),
        patience=patience_of(setup),
    )


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
