"""Chat models that Ollama runs, by its native `POST /api/chat`.

The first request after a pause loads the model; the time allowed for one is long anyway.
"""

from __future__ import annotations

from typing import Any

from lorebank.providers.chat import GeneratorSetup, RemoteGenerator, open_generator
from lorebank.providers.http import BadAnswer
from lorebank.providers.protocols import Completion, Prompt
from lorebank.records import dataclass

DEFAULT_MODEL = "llama3.1"
_SPACE = 2.0
"""Ollama cuts what its context does not hold, from the top and in silence; so it is made to fit."""


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


def load(setup: GeneratorSetup) -> RemoteGenerator:
    """The generator of the settings. Whether a server is there shows at the first request."""
    wire = OllamaChatWire(setup.settings.model or DEFAULT_MODEL)
    return open_generator(wire, setup, lambda key: {"Authorization": f"Bearer {key}"})
