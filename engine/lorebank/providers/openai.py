"""OpenAI, and every server that speaks its protocol: embeddings, batches of them, chat.

`POST /embeddings` with `model`, `input`, `encoding_format` and perhaps `dimensions`; answered with
`data`, a list of `{"index", "embedding"}` in any order. base64 is a quarter of the bytes; a server
that does not know it answers with numbers, which are read as well.

OpenAI itself bounds an answer by `max_completion_tokens`, all others by `max_tokens`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from lorebank.providers.accounts import DEFAULT_URLS
from lorebank.providers.chat import GeneratorSetup, RemoteGenerator, open_generator
from lorebank.providers.http import BadAnswer
from lorebank.providers.jsonl_batch import collect_jsonl, submit_jsonl
from lorebank.providers.protocols import BatchState, Completion, Limits, Prompt, Role, prefixed
from lorebank.providers.remote import (
    RemoteEmbedder,
    Service,
    as_object,
    bearer,
    by_index,
    cut_to_tokens,
    open_embedder,
)
from lorebank.records import dataclass

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
        return by_index(as_object(answer).get("data"), count)


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


SERVICE = Service(
    "openai",
    DEFAULT_MODEL,
    partial(OpenAIWire, "openai"),
    Limits(items=96, tokens=250_000, text_tokens=8000),
    _NATIVE,
    embedder=OpenAIBatchEmbedder,
)
"""OpenAI takes 2,048 texts and 300,000 tokens a request; a smaller
one is less to repeat when it fails."""
load = partial(open_embedder, SERVICE)


DEFAULT_CHAT_MODEL = "gpt-4.1-mini"


@dataclass(frozen=True, slots=True)
class OpenAIChatWire:
    """The format of `/chat/completions`."""

    model: str
    bound: str = "max_tokens"
    """The field that bounds an answer."""
    name: str = "openai"

    @property
    def optional(self) -> tuple[str, ...]:
        return ("response_format", "temperature", self.bound)

    def request(self, prompt: Prompt, without: frozenset[str]) -> tuple[str, dict[str, Any]]:
        messages = [{"role": "system", "content": prompt.system}]
        messages += [{"role": turn.role, "content": turn.text} for turn in prompt.turns]
        options: dict[str, Any] = {
            "response_format": {"type": "json_object"},
            "temperature": 0,
            self.bound: prompt.answer_tokens,
        }
        kept = {key: value for key, value in options.items() if key not in without}
        return "/chat/completions", {"model": self.model, "messages": messages, **kept}

    def read(self, answer: Any) -> Completion:
        try:
            text = answer["choices"][0]["message"]["content"]
        except (KeyError, IndexError, TypeError):
            text = None
        if not isinstance(text, str):
            raise BadAnswer("answered without a message")
        usage = answer.get("usage")
        total = usage.get("total_tokens") if isinstance(usage, dict) else None
        return Completion(text, total if isinstance(total, int) else None)


def load_chat(setup: GeneratorSetup) -> RemoteGenerator:
    """The generator of the settings; `ProviderError` where it needs a key and has none."""
    base_url = setup.settings.base_url or setup.providers.openai.base_url
    own = not base_url or base_url.rstrip("/") == DEFAULT_URLS["openai"]
    wire = OpenAIChatWire(
        setup.settings.model or DEFAULT_CHAT_MODEL, "max_completion_tokens" if own else "max_tokens"
    )
    return open_generator(wire, setup, bearer)
