"""The providers a setting may name, each loaded only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from lorebank.errors import ConfigurationError, ProviderError
from lorebank.providers.accounts import Setup, chosen_provider

if TYPE_CHECKING:
    from collections.abc import Callable

    from lorebank.providers.chat import GeneratorSetup
    from lorebank.providers.protocols import Embedder, Generator


_EMBEDDERS: dict[str, str | None] = {
    "local": "local",
    "openai": "openai",
    "gemini": "gemini",
    "voyage": "voyage",
    "ollama": "ollama",
    "llama.cpp": "llama_cpp",
    "none": None,
}
"""Name in the settings → module of this room with a function `load(setup)`."""
_GENERATORS = {
    "openai": "openai",
    "gemini": "gemini",
    "ollama": "ollama",
    "command": "command_chat",
}
"""Name in the settings → module of this room with a function `load_chat(setup)`."""

EMBEDDER_NAMES = tuple(_EMBEDDERS)
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
    if name not in _EMBEDDERS:
        choices = ", ".join(("auto", *EMBEDDER_NAMES))
        raise ConfigurationError(f"unknown embedder {name!r}", hint=f"Choose one of: {choices}.")
    module = _EMBEDDERS[name]
    if module is None:
        return None
    try:
        load: Callable[[Setup], Embedder] = import_module(f"{__package__}.{module}").load
    except ImportError as error:
        raise ProviderError(
            f"the embedder {name!r} cannot be loaded: {error}",
            hint="Install lorebank again with its dependencies, or set the embedder to none.",
        ) from error
    return load(setup)


def load_generator(setup: GeneratorSetup) -> Generator | None:
    """The chat model that the settings name, or None for `none`.

    Raises as `load_embedder` does. Loading asks nobody: the first request is made when something
    is to be written.
    """
    name = setup.settings.provider
    if name == "none":
        return None
    if name not in _GENERATORS:
        choices = ", ".join(("none", *_GENERATORS))
        raise ConfigurationError(f"unknown generator {name!r}", hint=f"Choose one of: {choices}.")
    load: Callable[[GeneratorSetup], Generator] = import_module(
        f"{__package__}.{_GENERATORS[name]}"
    ).load_chat
    return load(setup)
