"""What a hit's folder and file are about, and what telling it costs. Pure."""

from __future__ import annotations

from collections.abc import Collection

from lorebank.language.words import estimate_tokens

__all__ = ["context_tokens"]


def context_tokens(context: str, told: Collection[str]) -> int:
    """Estimated tokens of a hit's context; none for one that an earlier hit has told."""
    return 0 if not context or context in told else estimate_tokens(context)
