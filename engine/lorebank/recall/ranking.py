"""A ranking: what one retriever found, in order, with its reasons."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Any, NamedTuple

from lorebank.records import dataclass


class Ranked(NamedTuple):
    """One item as one retriever sees it; a tuple, as each question makes some hundred of them."""

    item: int
    score: float
    """In the retriever's own unit; more is better."""
    why: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Ranking:
    """A retriever's list, best first; no item twice."""

    retriever: str
    ranked: tuple[Ranked, ...]

    @cached_property
    def entries(self) -> dict[int, Ranked]:
        """Item → what this list says of it, best first."""
        return {entry.item: entry for entry in self.ranked}

    @cached_property
    def ranks(self) -> dict[int, int]:
        """Item → its place in the list, from 1."""
        return {entry.item: rank for rank, entry in enumerate(self.ranked, start=1)}

    @cached_property
    def scores(self) -> dict[int, float]:
        return {entry.item: entry.score for entry in self.ranked}

    def of(self, item: int) -> Ranked | None:
        """What this list says of an item."""
        return self.entries.get(item)
