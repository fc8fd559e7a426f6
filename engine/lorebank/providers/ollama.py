"""Models that Ollama runs: embeddings and chat, by its native protocol.

The first request after a pause loads the model, which may take a minute; so the time allowed for
one is long. Texts longer than the model's context are cut by Ollama itself.

The first request after a pause loads the model; the time allowed for one is long anyway.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from lorebank.providers.chat import GeneratorSetup, RemoteGenerator, open_generator
from lorebank.providers.http import BadAnswer
from lorebank.providers.protocols import Completion, Limits, Prompt, Role, prefixed
from lorebank.providers.remote import Service, bearer, open_embedder
from lorebank.records import dataclass

DEFAULT_MODEL = "nomic-embed-text"


@dataclass(frozen=True, slots=True)
class OllamaWire:
    """The format of `/api/embed`."""

    model: str
    dimensions: int = 0
    name: str = "ollama"

    def request(self, texts: Sequence[str], role: Role) -> tuple[str, dict[str, Any]]:
        body: dict[str, Any] = {
            "model": self.model,
            "input": [prefixed(self.model, text, role) for text in texts],
            "truncate": True,
        }
        if self.dimensions:
            body["dimensions"] = self.dimensions
        return "/api/embed", body

    def read(self, answer: Any, count: int) -> Sequence[Any]:
        rows = answer.get("embeddings") if isinstance(answer, dict) else None
        if not isinstance(rows, list):
            raise BadAnswer("answered without a list of embeddings")
        return rows


DEFAULT_CHAT_MODEL = "llama3.1"
_SPACE = 2.0
"""Ollama cuts what its context does not hold, from the top and in silence; so it is made to fit."""


SERVICE = Service(
    "ollama",
    DEFAULT_MODEL,
    OllamaWire,
    Limits(items=64, tokens=50_000, text_tokens=8000),
    loading_s=180.0,
)
"""The user's machine is the limit; loading a large model from a slow disk takes minutes."""
load = partial(open_embedder, SERVICE)


@dataclass(frozen=True, slots=True)
class OllamaChatWire:
    """The format of `/api/chat`."""

    model: str
    name: str = "ollama"

    @property
    def optional(self) -> tuple[str, ...]:
        return ("format",)

    def request(self, prompt: Prompt, without: frozenset[str]) -> tuple[str, dict[str, Any]]:
        messages = [{"role": "system", "content": prompt.system}]
        messages += [{"role": turn.role, "content": turn.text} for turn in prompt.turns]
        room = int(prompt.estimated_tokens * _SPACE) + prompt.answer_tokens
        options = {"temperature": 0, "seed": 0, "num_predict": prompt.answer_tokens}
        body: dict[str, Any] = {
            "model": self.model,
            "messages": messages,
            "stream": False,
            "options": {**options, "num_ctx": max(4096, room)},
        }
        if "format" not in without:
            body["format"] = "json"
        return "/api/chat", body

    def read(self, answer: Any) -> Completion:
        message = answer.get("message") if isinstance(answer, dict) else None
        text = message.get("content") if isinstance(message, dict) else None
        if not isinstance(text, str):
            raise BadAnswer("answered without a message")
        counts = [answer.get("prompt_eval_count"), answer.get("eval_count")]
        known = [count for count in counts if isinstance(count, int)]
        return Completion(text, sum(known) if known else None)


def load_chat(setup: GeneratorSetup) -> RemoteGenerator:
    """The generator of the settings. Whether a server is there shows at the first request."""
    wire = OllamaChatWire(setup.settings.model or DEFAULT_CHAT_MODEL)
    return open_generator(wire, setup, bearer)
