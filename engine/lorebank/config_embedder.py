"""The settings of embedders: which one, where it is, whose key, how its work is cut and kept.

Nearly all of them are the user's alone. A workspace may come from anybody: it may choose between
the built-in model and none, and can never name an endpoint, a key, a command or a paid provider.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from lorebank.config_rules import (
    ENDPOINT,
    FLAG,
    MODEL_PATH,
    PATH,
    SECRET,
    TEXTS,
    Rule,
    number,
    one_of,
    setting,
    users_own,
    whole_number,
)
from lorebank.records import dataclass

PROVIDERS = ("local", "openai", "gemini", "voyage", "ollama", "llama.cpp", "none")
"""Every embedder that a setting may name."""
_HARMLESS = frozenset({"local", "none"})


def _provider(*choices: str) -> Rule:
    return users_own(one_of(*choices), lambda name: name not in _HARMLESS)


@dataclass(frozen=True, slots=True)
class LocalSettings:
    """A model on this machine in place of the built-in one."""

    model_path: str = setting("", MODEL_PATH)
    """A folder with an ONNX or static model, a GGUF file, or `hf:owner/repository/file.gguf`;
    empty for the built-in model."""
    model_cache_dir: str = setting("", PATH)
    """Where downloaded GGUF files are kept; empty for llama.cpp's own place."""
    command: str = setting("llama-server", users_own(Rule("a command", bool, str)))
    """The server of llama.cpp, started where `model_path` is set and none is reached."""


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """Asynchronous jobs for large amounts: cheaper, slower; where the provider has them."""

    enabled: bool = setting(False, users_own(FLAG))
    wait: bool = setting(True, FLAG)
    """Wait for the results; otherwise a later run fetches them."""
    poll_interval_ms: int = setting(2000, whole_number(10, 3_600_000))
    timeout_minutes: float = setting(60.0, number(0.001, 2880))
    concurrency: int = setting(2, whole_number(1, 16))
    """Jobs at a time."""


@dataclass(frozen=True, slots=True)
class RemoteSettings:
    """The endpoint of the chosen provider; wins over `providers.<name>`."""

    base_url: str = setting("", ENDPOINT)
    api_key: str = setting("", SECRET)
    headers: Mapping[str, str] = field(default_factory=dict, metadata={"rule": users_own(TEXTS)})
    """Added to those of `providers.<name>`, and win where both name one."""
    timeout_seconds: float = setting(60.0, number(0.01, 3600))
    """For one request, from its first byte to its last."""
    attempts: int = setting(5, whole_number(1, 20))
    """How often a request is sent before its provider counts as failed."""
    concurrency: int = setting(2, whole_number(1, 16))
    """Requests at a time."""
    batch: BatchSettings = field(default_factory=BatchSettings)


@dataclass(frozen=True, slots=True)
class CacheSettings:
    """Vectors kept by what was embedded, so that no text is embedded twice."""

    enabled: bool = setting(True, FLAG)
    max_entries: int = setting(50_000, whole_number(0, 100_000_000))
    """Beyond it, what was used longest ago goes."""
    shared: bool = setting(False, users_own(FLAG))
    """One cache for all workspaces of the user, in place of one in each."""


@dataclass(frozen=True, slots=True)
class EmbedderSettings:
    """What turns text into vectors."""

    provider: str = setting("local", _provider("auto", *PROVIDERS))
    """`auto` takes the first that is there: a local model file, then a key for OpenAI, Gemini or
    Voyage, then the built-in model."""
    model: str = setting("", users_own(Rule("a model's name", lambda name: True, str)))
    """Empty for the provider's default."""
    dimensions: int = setting(0, users_own(whole_number(0, 16_384)))
    """The length of the vectors, where the model offers several; 0 for its own."""
    fallback: str = setting("none", _provider(*PROVIDERS))
    """Used only while the provider fails."""
    offline: bool = setting(False, users_own(FLAG, lambda offline: not offline))
    """Nothing leaves this machine."""
    local: LocalSettings = field(default_factory=LocalSettings)
    remote: RemoteSettings = field(default_factory=RemoteSettings)
    cache: CacheSettings = field(default_factory=CacheSettings)


@dataclass(frozen=True, slots=True)
class AccountSettings:
    """Where a provider is and whose key it gets, as primary or as fallback."""

    base_url: str = setting("", ENDPOINT)
    api_key: str = setting("", SECRET)
    headers: Mapping[str, str] = field(default_factory=dict, metadata={"rule": users_own(TEXTS)})


@dataclass(frozen=True, slots=True)
class ProviderSettings:
    """One account a provider."""

    openai: AccountSettings = field(default_factory=AccountSettings)
    gemini: AccountSettings = field(default_factory=AccountSettings)
    voyage: AccountSettings = field(default_factory=AccountSettings)
    ollama: AccountSettings = field(default_factory=AccountSettings)
    llama_cpp: AccountSettings = field(default_factory=AccountSettings)
