"""Models that Ollama runs, by its native `POST /api/embed`.

The first request after a pause loads the model, which may take a minute; so the time allowed for
one is long. Texts longer than the model's context are cut by Ollama itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lorebank.providers.accounts import account_of
from lorebank.providers.http import BadAnswer, Patience
from lorebank.providers.prefixes import prefixed
from lorebank.providers.protocols import Limits, Role
from lorebank.providers.remote import RemoteEmbedder, open_client, patience_of
from lorebank.records import dataclass

if TYPE_CHECKING:
    from lorebank.providers.accounts import Setup

DEFAULT_MODEL = "nomic-embed-text"
_LOADING_S = 180.0


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


def load(setup: Setup) -> RemoteEmbedder:
    """The embedder of the settings. Whether a server is there shows at the first request."""
    settings = setup.embedder
    model = (not setup.as_fallback and settings.model) or DEFAULT_MODEL
    dimensions = 0 if setup.as_fallback else settings.dimensions
    key = account_of("ollama", setup).key
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    asked = patience_of(setup)
    return RemoteEmbedder(
        OllamaWire(model, dimensions),
        open_client("ollama", setup, headers, model),
        limits=Limits(64, 50_000, 8000, settings.remote.concurrency),
        dimensions=dimensions,
        patience=Patience(asked.attempts, max(asked.timeout, _LOADING_S), asked.longest_wait),
        prompt=Patience(attempts=2, timeout=_LOADING_S, longest_wait=1.0),
    )
