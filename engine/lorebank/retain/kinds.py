"""Kinds as people name them: by their word or by their letter."""

from __future__ import annotations

from lorebank.domain import FactKind
from lorebank.errors import UsageError


def parse_kind(kind: FactKind | str | None) -> FactKind | None:
    """A kind by its name or its letter; `UsageError` for anything else."""
    if kind is None or isinstance(kind, FactKind):
        return kind
    for known in FactKind:
        if kind.strip().lower() in (known.value, known.letter.lower()):
            return known
    choices = ", ".join(f"{known.value} ({known.letter})" for known in FactKind)
    raise UsageError(f"unknown kind '{kind}'", hint=f"use one of {choices}")
