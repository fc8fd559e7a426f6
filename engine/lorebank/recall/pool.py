"""The pool: the candidates of one question, and how much of the question each of them holds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from lorebank.index.items import Item
from lorebank.recall.ranking import Ranking
from lorebank.recall.understand import Understood
from lorebank.records import dataclass

_BESIDE = 0.3


@dataclass(frozen=True)
class Pool:
    """The candidates of one question and all that was found out about them."""

    understood: Understood
    items: Mapping[int, Item]
    rankings: Mapping[str, Ranking]
    rarity: Mapping[str, float]
    """Term → its inverse document frequency, at least 0."""
    known_terms: frozenset[str]
    """The terms that stand anywhere in the workspace."""
    in_time: frozenset[int]
    nearness: Mapping[int, float] = field(default_factory=dict)
    """Item → cosine similarity to the question, for every candidate that has a vector."""

    def why(self, item: int) -> dict[str, dict[str, Any]]:
        """What each retriever that found an item says of it: its rank from 1, and reasons."""
        return {
            name: {"rank": ranking.ranks[item], **entry.why}
            for name, ranking in self.rankings.items()
            if (entry := ranking.of(item)) is not None
        }

    @cached_property
    def newness(self) -> dict[int, float]:
        """Item → 1 for the newest day in the pool, 0 for the oldest, by rank of the days."""
        days = sorted({item.recorded for item in self.items.values() if item.recorded})
        place = {day: index / max(1, len(days) - 1) for index, day in enumerate(days)}
        return {n: place[i.recorded] for n, i in self.items.items() if i.recorded}

    @cached_property
    def lines(self) -> dict[int, dict[int, int]]:
        """File → place in the file → item."""
        files: dict[int, dict[int, int]] = {}
        for number, item in self.items.items():
            files.setdefault(item.file, {})[item.ordinal] = number
        return files

    @cached_property
    def asking(self) -> frozenset[int]:
        """The items that hold a question mark, of whatever script."""
        return frozenset(
            number
            for number, item in self.items.items()
            if "?" in item.content
            or (not item.content.isascii() and ("？" in item.content or "؟" in item.content))
        )

    @cached_property
    def conversations(self) -> frozenset[int]:
        """The files whose candidates are about more than one subject."""
        first: dict[int, frozenset[str]] = {}
        return frozenset(
            item.file
            for item in self.items.values()
            if first.setdefault(item.file, item.subjects) != item.subjects
        )


def coverage(pool: Pool, item: int, terms: Sequence[str] | None = None) -> float:
    """How much of the question the item holds, 0..1, rare words counting more.

    `terms` looks at some of the question's terms only.
    """
    rarity = pool.rarity if terms is None else {t: pool.rarity.get(t, 0.0) for t in terms}
    total = sum(rarity.values())
    if total <= 0.0:
        return 0.0
    held = sum(rarity.get(term, 0.0) for term in lexical_terms(pool, item, "terms"))
    beside = sum(rarity.get(term, 0.0) for term in lexical_terms(pool, item, "around"))
    return min(1.0, (held + _BESIDE * beside) / total)


def lexical_terms(pool: Pool, item: int, where: str) -> Sequence[str]:
    """The terms that the item holds (`terms`), or only what stands around it does (`around`)."""
    entry = pool.rankings["lexical"].of(item)
    return entry.why[where] if entry else ()
