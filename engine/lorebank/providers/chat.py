"""The generator behind an HTTP endpoint: what all chat models share, given how one speaks.

Requests are as plain as they can be made: temperature 0, JSON asked for, a bound on the answer.
Some models refuse one of these; what a refusal names is left out from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any, Protocol

from lorebank.providers.accounts import Setup, ignore_notice
from lorebank.providers.http import Client, HttpFailure, Patience
from lorebank.providers.protocols import Completion, Prompt
from lorebank.providers.remote import open_client
from lorebank.records import dataclass
from lorebank.settings.tables import (
    EmbedderSettings,
    GeneratorSettings,
    ProviderSettings,
    RemoteSettings,
)

_LONGEST_WAIT_S = 60.0
"""A provider that asks for a longer pause has failed: the night has other pages to write."""
_REFUSED = (400, 422)
"""The statuses by which providers say that a field of the request is not known."""


@dataclass(frozen=True, slots=True)
class GeneratorSetup:
    """All that loading a generator depends on."""

    settings: GeneratorSettings = field(default_factory=GeneratorSettings)
    providers: ProviderSettings = field(default_factory=ProviderSettings)
    environ: Mapping[str, str] = field(default_factory=dict)
    say: Callable[[str], None] = ignore_notice
    """Called before the first request with what is sent where."""
    offline: bool = False
    """Nothing leaves this machine."""

    @property
    def account(self) -> Setup:
        """The same for the account of a provider: whose key, which address."""
        own = self.settings
        remote = RemoteSettings(base_url=own.base_url, api_key=own.api_key, headers=own.headers)
        embedder = EmbedderSettings(offline=self.offline, remote=remote)
        return Setup(embedder, self.providers, self.environ, self.say)


class ChatWire(Protocol):
    """How one provider is asked for an answer."""

    @property
    def name(self) -> str:
        """The provider."""

    @property
    def model(self) -> str:
        """Its model."""

    @property
    def optional(self) -> tuple[str, ...]:
        """Fields of a request that a model may refuse and that can be left out."""

    def request(self, prompt: Prompt, without: frozenset[str]) -> tuple[str, dict[str, Any]]:
        """The path below the base URL, and the JSON to send."""

    def read(self, answer: Any) -> Completion:
        """The text of an answer; `BadAnswer` where there is none."""


class RemoteGenerator:
    """A `Generator` made of a wire format and a client."""

    def __init__(self, wire: ChatWire, client: Client, patience: Patience) -> None:
        self._wire = wire
        self._client = client
        self._patience = patience
        self._without: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return self._wire.name

    @property
    def model(self) -> str:
        return self._wire.model

    @property
    def endpoint(self) -> str:
        return self._client.base_url

    def complete(self, prompt: Prompt) -> Completion:
        while True:
            path, body = self._wire.request(prompt, self._without)
            try:
                return self._client.post(path, body, self._patience, self._wire.read)
            except HttpFailure as failure:
                refused = self._refused_field(failure)
                if not refused:
                    raise
                self._without |= {refused}

    def cancel(self) -> None:
        self._client.cancel()

    def _refused_field(self, failure: HttpFailure) -> str:
        """The optional field that a refusal names, where it was not left out yet."""
        if failure.status not in _REFUSED:
            return ""
        left = (field for field in self._wire.optional if field not in self._without)
        return next((field for field in left if field in failure.detail), "")


def open_generator(
    wire: ChatWire, setup: GeneratorSetup, key_headers: Callable[[str], dict[str, str]]
) -> RemoteGenerator:
    """The generator; `ProviderError` where the provider's own address gets no key."""
    client = open_client(wire.name, setup.account, key_headers, wire.model, purpose="generator")
    settings = setup.settings
    return RemoteGenerator(
        wire, client, Patience(settings.attempts, settings.timeout_seconds, _LONGEST_WAIT_S)
    )
