"""A ranking: what one retriever found, in order, with its reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Ranked", "Ranking"]


@dataclass(frozen=True, slots=True)
class Ranked:
    """One item as one retriever sees it."""

    item: int
    score: float
    """In the retriever's own unit; more is better."""
    why: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Ranking:
    """A retriever's list, best first; no item twice."""

    retriever: str
    ranked: tuple[Ranked, ...]
    places: dict[int, int] = field(init=False, compare=False, repr=False)
    """Item → its place in `ranked`, from 0."""

    def __post_init__(self) -> None:
        places = {entry.item: place for place, entry in enumerate(self.ranked)}
        object.__setattr__(self, "places", places)

    @property
    def scores(self) -> dict[int, float]:
        return {entry.item: entry.score for entry in self.ranked}

    def of(self, item: int) -> Ranked | None:
        """What this list says of an item."""
        place = self.places.get(item)
        return None if place is None else self.ranked[place]
