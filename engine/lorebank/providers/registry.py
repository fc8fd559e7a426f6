"""The providers a setting may name, each loaded only when it is asked for."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from lorebank.errors import ConfigurationError, ProviderError
from lorebank.providers.accounts import Setup, chosen_provider
from lorebank.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from lorebank.providers.chat import GeneratorSetup
    from lorebank.providers.protocols import Embedder, Generator


@dataclass(frozen=True, slots=True)
class _EmbedderRow:
    module: str
    """Has a function `load(setup)`."""
    remedy: str = "Install lorebank again with its dependencies, or set the embedder to none."
    """What to do when the module cannot be imported."""


_EMBEDDERS: dict[str, _EmbedderRow | None] = {
    "local": _EmbedderRow("lorebank.providers.local"),
    "openai": _EmbedderRow("lorebank.providers.openai"),
    "gemini": _EmbedderRow("lorebank.providers.gemini"),
    "voyage": _EmbedderRow("lorebank.providers.voyage"),
    "ollama": _EmbedderRow("lorebank.providers.ollama"),
    "llama.cpp": _EmbedderRow("lorebank.providers.llama_cpp"),
    "none": None,
}

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
    row = _EMBEDDERS[name]
    if row is None:
        return None
    try:
        load: Callable[[Setup], Embedder] = import_module(row.module).load
    except ImportError as error:
        raise ProviderError(
            f"the embedder {name!r} cannot be loaded: {error}", hint=row.remedy
        ) from error
    return load(setup)


_GENERATORS = {
    "openai": "lorebank.providers.openai_chat",
    "gemini": "lorebank.providers.gemini_chat",
    "ollama": "lorebank.providers.ollama_chat",
    "command": "lorebank.providers.command_chat",
}


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
    load: Callable[[GeneratorSetup], Generator] = import_module(_GENERATORS[name]).load
    return load(setup)
