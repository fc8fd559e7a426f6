"""What a statement does to a property, and when two values say the same.

Apart from the reading, whose words and patterns a process that only asks never needs.
"""

from __future__ import annotations

from enum import StrEnum


class SlotKind(StrEnum):
    """What a sentence does to a slot."""

    HOLDS = "holds"
    """The value holds; of a relation with one value at a time, it replaces older ones."""
    SEVERAL = "several"
    """The value holds beside others; only an `ENDS` replaces it."""
    ENDS = "ends"
    """The value holds no longer."""


def same_value(one: str, other: str) -> bool:
    """Whether two values say the same: one holds all the words of the other."""
    ours, theirs = set(one.split()), set(other.split())
    return ours <= theirs or theirs <= ours
