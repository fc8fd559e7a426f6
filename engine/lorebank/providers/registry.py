"""The providers by name, loaded on demand: their addresses, keys and offline rules.

A key comes from the user's settings (literal, or `env:VARIABLE`) or from the provider's usual
environment variable. The latter is only ever sent to the provider's own address: a custom address
gets the key configured with it, or none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from importlib import import_module
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import urlsplit

from lorebank.errors import ConfigurationError, Offline, ProviderError
from lorebank.records import Record
from lorebank.settings import tables

if TYPE_CHECKING:
    from lorebank.providers.protocols import Embedder, Generator, Reranker


def is_loopback(url: str) -> bool:
    """Whether the address is on this machine."""
    host = urlsplit(url).hostname or ""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def host_of(url: str) -> str:
    """`api.openai.com`, `127.0.0.1:8080`."""
    return urlsplit(url).netloc or url


def refuse_offline(provider: str, url: str) -> None:
    """Raise `Offline` for an address on another machine; an empty one is this process."""
    if url and not is_loopback(url):
        raise Offline(
            f"{provider} is at {host_of(url)}, and nothing may leave this machine (offline)",
            hint="go without --offline and embedder.offline, or set embedder.provider = local",
        )


DEFAULT_URLS = {
    "openai": "https://api.openai.com/v1",
    "gemini": "https://generativelanguage.googleapis.com/v1beta",
    "voyage": "https://api.voyageai.com/v1",
    "ollama": "http://127.0.0.1:11434",
    "llama.cpp": "http://127.0.0.1:8080",
}
KEY_VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "voyage": ("VOYAGE_API_KEY",),
}


class Setup(Record):
    """Everything that loading a model depends on."""

    embedder: tables.EmbedderSettings = field(default_factory=tables.EmbedderSettings)
    providers: tables.ProviderSettings = field(default_factory=tables.ProviderSettings)
    environ: Mapping[str, str] = field(default_factory=dict)
    say: Callable[[str], None] = lambda line: None
    """Called before the first request: what is sent where."""
    as_fallback: bool = False
    """Ignore `embedder.remote`, `model` and `dimensions`, which are the primary's."""
    generator: tables.GeneratorSettings = field(default_factory=tables.GeneratorSettings)


def account_of(name: str, setup: Setup) -> tables.AccountSettings:
    """A provider's account with variables resolved; `embedder.remote` overrides
    `providers.<name>` key by key. Raises `ConfigurationError` for an unset variable."""
    own: tables.AccountSettings = getattr(setup.providers, name.replace(".", "_"))
    remote = tables.RemoteSettings() if setup.as_fallback else setup.embedder.remote
    base_url = remote.base_url or own.base_url or DEFAULT_URLS[name]
    key = _resolved(remote.api_key, setup) or _resolved(own.api_key, setup)
    if not key and base_url == DEFAULT_URLS[name]:
        found = (setup.environ.get(each, "").strip() for each in KEY_VARIABLES.get(name, ()))
        key = next(filter(None, found), "")
    headers = merge_headers(own.headers, remote.headers)
    resolved = {title: _resolved(text, setup) for title, text in headers.items()}
    return tables.AccountSettings(base_url.rstrip("/"), key, resolved)


def merge_headers(lower: Mapping[str, str], higher: Mapping[str, str]) -> dict[str, str]:
    """Both, case-insensitively, as in HTTP; `higher` wins."""
    taken = {title.lower() for title in higher}
    kept = {title: text for title, text in lower.items() if title.lower() not in taken}
    return {**kept, **higher}


def chosen_provider(setup: Setup) -> str:
    """The configured provider; for `auto` the first available one."""
    named = setup.embedder.provider
    if named != "auto":
        return named
    path = setup.embedder.local.model_path
    if path and not path.startswith("hf:") and Path(path).expanduser().exists():
        return "local"
    return next((name for name in KEY_VARIABLES if account_of(name, setup).api_key), "local")


def _resolved(text: str, setup: Setup) -> str:
    if not text.startswith("env:"):
        return text
    variable = text.removeprefix("env:")
    if not setup.environ.get(variable):
        raise ConfigurationError(
            f"the settings name the variable {variable}, which is not set",
            hint=f"set {variable}, or change the setting that says env:{variable}",
        )
    return setup.environ[variable].strip()


_EMBEDDERS = {
    "local": ("local", "load"),
    "openai": ("services", "OPENAI_EMBEDDINGS"),
    "gemini": ("services", "GEMINI_EMBEDDINGS"),
    "voyage": ("services", "VOYAGE_EMBEDDINGS"),
    "ollama": ("services", "OLLAMA_EMBEDDINGS"),
    "llama.cpp": ("llama_cpp", "LlamaCppEmbedder"),
}
"""Name in the settings → module, and its `Service` or factory."""
_GENERATORS = {
    "openai": ("services", "OPENAI_CHAT"),
    "gemini": ("services", "GEMINI_CHAT"),
    "ollama": ("services", "OLLAMA_CHAT"),
    "command": ("command_chat", "load_chat"),
}
"""The same with a `ChatService`."""
EMBEDDER_NAMES = (*_EMBEDDERS, "none")  # every name `load_embedder` knows, besides `auto`


def builtin_problem(setup: Setup) -> str:
    """Why no vectors of the built-in model are cached here; empty if they are."""
    if not setup.embedder.cache.enabled:
        return "embedder.cache.enabled = false"
    if (chosen := chosen_provider(setup)) != "local":
        return f"embedder.provider = {chosen}"
    named = setup.embedder.local.model_path
    return "embedder.local.model_path names another model" if named else ""


def load_embedder(name: str, setup: Setup | None = None) -> Embedder | None:
    """The embedder of that name; `None` for `none`, with which recall is lexical only.

    Raises `ConfigurationError` for an unknown name, `ProviderError` if the provider cannot be
    imported or has no key. Models and connections are opened at first use only.
    """
    setup = setup or Setup()
    if name == "auto":
        name = chosen_provider(setup)
    if name == "none":
        return None
    try:
        return cast("Embedder", _load(_EMBEDDERS, "embedder", name, setup))
    except ImportError as error:
        raise ProviderError(
            f"the embedder {name!r} cannot be loaded: {error}",
            hint="Install lorebank again with its dependencies, or set the embedder to none.",
        ) from error


def load_reranker(folder: Path) -> Reranker:
    """The cross-encoder in a folder, opened at first use."""
    from lorebank.providers.model_folder import CrossEncoder

    return CrossEncoder(folder)


def load_generator(setup: Setup) -> Generator | None:
    """The configured chat model; `None` for `none`. Raises as `load_embedder` does."""
    name = setup.generator.provider
    if name == "none":
        return None
    return cast("Generator", _load(_GENERATORS, "generator", name, setup))


def _load(table: Mapping[str, tuple[str, str]], what: str, name: str, setup: Setup) -> Any:
    if name not in table:
        choices = ", ".join((*(("auto",) if what == "embedder" else ()), *table, "none"))
        raise ConfigurationError(f"unknown {what} {name!r}", hint=f"Choose one of: {choices}.")
    module, attribute = table[name]
    found = getattr(import_module(f"{__package__}.{module}"), attribute)
    if callable(found):
        return found(setup)
    from lorebank.providers import remote

    opener: Any = remote.RemoteEmbedder if what == "embedder" else remote.RemoteGenerator
    return opener(found, setup)
