"""The providers a setting may name, each loaded only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

from lorebank.errors import ConfigurationError, ProviderError
from lorebank.providers.accounts import Setup, chosen_provider

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lorebank.providers.accounts import GeneratorSetup
    from lorebank.providers.protocols import Embedder, Generator


_EMBEDDERS = {
    "local": ("local", "load"),
    "openai": ("openai", "EMBEDDINGS"),
    "gemini": ("gemini", "EMBEDDINGS"),
    "voyage": ("openai", "VOYAGE_EMBEDDINGS"),
    "ollama": ("ollama", "EMBEDDINGS"),
    "llama.cpp": ("llama_cpp", "load"),
}
"""Name in the settings → module of this room, and in it a `Service` or a function of a setup."""
_GENERATORS = {
    "openai": ("openai", "CHAT"),
    "gemini": ("gemini", "CHAT"),
    "ollama": ("ollama", "CHAT"),
    "command": ("command_chat", "load_chat"),
}
"""The same for a `ChatService`."""

EMBEDDER_NAMES = (*_EMBEDDERS, "none")
"""Every name `load_embedder` knows, besides `auto`."""


def load_embedder(name: str, setup: Setup | None = None) -> Embedder | None:
    """The embedder of that name, or None for `none`, under which recall is lexical only.

    Raises `ConfigurationError` for a name that is not in the registry, and `ProviderError` when
    the provider is known but cannot be imported here or has no key. Loading is cheap and asks
    nobody: an embedder opens its model, or its connection, at its first use.
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


def load_generator(setup: GeneratorSetup) -> Generator | None:
    """The chat model that the settings name, or None for `none`.

    Raises as `load_embedder` does. Loading asks nobody: the first request is made when something
    is to be written.
    """
    name = setup.settings.provider
    if name == "none":
        return None
    return cast("Generator", _load(_GENERATORS, "generator", name, setup))


def _load(
    table: Mapping[str, tuple[str, str]], what: str, name: str, setup: Setup | GeneratorSetup
) -> Any:
    if name not in table:
        choices = ", ".join((*(("auto",) if what == "embedder" else ()), *table, "none"))
        raise ConfigurationError(f"unknown {what} {name!r}", hint=f"Choose one of: {choices}.")
    module, attribute = table[name]
    found = getattr(import_module(f"{__package__}.{module}"), attribute)
    if callable(found):
        return found(setup)
    from lorebank.providers import remote

    return getattr(remote, f"open_{what}")(found, setup)
