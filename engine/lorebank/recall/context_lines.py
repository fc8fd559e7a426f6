"""What a hit's folder and file are about, and what telling it costs. Pure."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from lorebank.language.words import estimate_tokens


def context_tokens(context: Sequence[str], told: Collection[str]) -> int:
    """Estimated tokens of a hit's context; what an earlier hit has told costs nothing."""
    return sum(estimate_tokens(line) for line in not_yet_shown(context, told))


def not_yet_shown(context: Sequence[str], told: Collection[str]) -> tuple[str, ...]:
    """Of a hit's context what no earlier hit has told."""
    return tuple(line for line in context if line not in told)
