"""OpenAI's chat models, and every server that speaks as OpenAI does: `POST /chat/completions`.

OpenAI itself bounds an answer by `max_completion_tokens`, all others by `max_tokens`.
"""

from __future__ import annotations

from typing import Any

from lorebank.providers.accounts import DEFAULT_URLS
from lorebank.providers.chat import GeneratorSetup, RemoteGenerator, open_generator
from lorebank.providers.http import BadAnswer
from lorebank.providers.protocols import Completion, Prompt
from lorebank.records import dataclass

DEFAULT_MODEL = "gpt-4.1-mini"


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


def load(setup: GeneratorSetup) -> RemoteGenerator:
    """The generator of the settings; `ProviderError` where it needs a key and has none."""
    base_url = setup.settings.base_url or setup.providers.openai.base_url
    own = not base_url or base_url.rstrip("/") == DEFAULT_URLS["openai"]
    wire = OpenAIChatWire(
        setup.settings.model or DEFAULT_MODEL, "max_completion_tokens" if own else "max_tokens"
    )
    return open_generator(wire, setup, lambda key: {"Authorization": f"Bearer {key}"})
