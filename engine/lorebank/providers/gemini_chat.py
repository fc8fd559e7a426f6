"""Google's Gemini chat models: `POST /models/<model>:generateContent`."""

from __future__ import annotations

from typing import Any

from lorebank.providers.chat import GeneratorSetup, RemoteGenerator, open_generator
from lorebank.providers.http import BadAnswer
from lorebank.providers.protocols import Completion, Prompt
from lorebank.records import dataclass

DEFAULT_MODEL = "gemini-2.5-flash"
_ROLES = {"user": "user", "assistant": "model"}


@dataclass(frozen=True, slots=True)
class GeminiChatWire:
    """The format of `generateContent`."""

    model: str
    name: str = "gemini"

    @property
    def optional(self) -> tuple[str, ...]:
        return ("responseMimeType", "temperature", "maxOutputTokens")

    def request(self, prompt: Prompt, without: frozenset[str]) -> tuple[str, dict[str, Any]]:
        options: dict[str, Any] = {
            "responseMimeType": "application/json",
            "temperature": 0,
            "maxOutputTokens": prompt.answer_tokens,
        }
        body = {
            "systemInstruction": {"parts": [{"text": prompt.system}]},
            "contents": [
                {"role": _ROLES[turn.role], "parts": [{"text": turn.text}]} for turn in prompt.turns
            ],
            "generationConfig": {k: v for k, v in options.items() if k not in without},
        }
        resource = self.model if self.model.startswith("models/") else f"models/{self.model}"
        return f"/{resource}:generateContent", body

    def read(self, answer: Any) -> Completion:
        try:
            parts = answer["candidates"][0]["content"]["parts"]
            text = "".join(part.get("text", "") for part in parts if not part.get("thought"))
        except (KeyError, IndexError, TypeError, AttributeError):
            raise BadAnswer(f"answered without a text{_reason(answer)}") from None
        usage = answer.get("usageMetadata")
        total = usage.get("totalTokenCount") if isinstance(usage, dict) else None
        return Completion(text, total if isinstance(total, int) else None)


def _reason(answer: Any) -> str:
    """Why Gemini kept silent, where it says so."""
    feedback = answer.get("promptFeedback") if isinstance(answer, dict) else None
    reason = feedback.get("blockReason") if isinstance(feedback, dict) else None
    return f" ({reason})" if isinstance(reason, str) else ""


def load(setup: GeneratorSetup) -> RemoteGenerator:
    """The generator of the settings; `ProviderError` where it needs a key and has none."""
    wire = GeminiChatWire(setup.settings.model or DEFAULT_MODEL)
    return open_generator(wire, setup, lambda key: {"x-goog-api-key": key})
