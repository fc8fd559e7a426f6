"""Models that Ollama runs: embeddings and chat, by its native protocol.

The first request after a pause loads the model, which may take a minute; so the time allowed for
one is long. Texts longer than the model's context are cut by Ollama itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lorebank.providers.protocols import Completion, Limits, Prompt, Role, prefixed
from lorebank.providers.remote import (
    ChatService,
    RemoteEmbedder,
    Service,
    embeddings_of,
    read_completion,
)
from lorebank.records import dig

_SPACE = 2.0
"""Ollama cuts what its context does not hold, from the top and in silence; so it is made to fit."""


def _body(embedder: RemoteEmbedder, texts: Sequence[str], role: Role) -> dict[str, Any]:
    body: dict[str, Any] = {
        "model": embedder.model,
        "input": [prefixed(embedder.model, text, role) for text in texts],
        "truncate": True,
    }
    return body | ({"dimensions": embedder.dimensions} if embedder.dimensions else {})


EMBEDDINGS = Service(
    "ollama",
    "nomic-embed-text",
    "/api/embed",
    _body,
    lambda answer, count: embeddings_of(answer, "embeddings"),
    Limits(items=64, tokens=50_000, text_tokens=8000),
    loading_s=180.0,
)
"""The user's machine is the limit; loading a large model from a slow disk takes minutes."""


def _chat_body(model: str, prompt: Prompt, own: bool) -> dict[str, Any]:
    room = int(prompt.estimated_tokens * _SPACE) + prompt.answer_tokens
    return {
        "model": model,
        "messages": prompt.messages(),
        "stream": False,
        "options": {
            "temperature": 0,
            "seed": 0,
            "num_predict": prompt.answer_tokens,
            "num_ctx": max(4096, room),
        },
        "format": "json",
    }


def _read_chat(answer: Any) -> Completion:
    counts = (dig(answer, "prompt_eval_count"), dig(answer, "eval_count"))
    return read_completion(dig(answer, "message", "content"), *counts)


CHAT = ChatService("ollama", "llama3.1", "/api/chat", _chat_body, ("format",), _read_chat)
