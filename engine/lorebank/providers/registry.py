"""The providers a setting may name, each loaded only when it is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from lorebank.errors import ConfigurationError, ProviderError

if TYPE_CHECKING:
    from collections.abc import Callable

    from lorebank.providers.protocols import Embedder

__all__ = ["EMBEDDER_NAMES", "load_embedder"]


@dataclass(frozen=True, slots=True)
class _EmbedderRow:
    module: str
    factory: str
    remedy: str
    """What to do when the module cannot be imported."""


_EMBEDDERS: dict[str, _EmbedderRow | None] = {
    "local": _EmbedderRow(
        "lorebank.providers.local",
        "LocalEmbedder",
        "Install lorebank again with its dependencies, or set the embedder to none.",
    ),
    "none": None,
}

EMBEDDER_NAMES = tuple(_EMBEDDERS)
"""Every name `load_embedder` knows."""


def load_embedder(name: str) -> Embedder | None:
    """The embedder of that name, or None for `none`, under which recall is lexical only.

    Raises `ConfigurationError` for a name that is not in the registry, and `ProviderError` when
    the provider is known but cannot be imported here. Loading is cheap: an embedder opens its
    model at its first use.
    """
    if name not in _EMBEDDERS:
        choices = ", ".join(EMBEDDER_NAMES)
        raise ConfigurationError(f"unknown embedder {name!r}", hint=f"Choose one of: {choices}.")
    row = _EMBEDDERS[name]
    if row is None:
        return None
    try:
        factory: Callable[[], Embedder] = getattr(import_module(row.module), row.factory)
    except ImportError as error:
        raise ProviderError(
            f"the embedder {name!r} cannot be loaded: {error}", hint=row.remedy
        ) from error
    return factory()
