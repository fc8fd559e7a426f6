"""The words that open a retain section; apart from the parser, so that asking costs no import."""

from __future__ import annotations

RETAIN_HEADINGS: tuple[str, ...] = (
    "Retain",
    "Retener",
    "Reter",
    "Behalten",
    "Retenir",
    "保留",
    "留存",
    "Panatilihin",
)
"""The words that open a retain section, in the languages the memory design is published in."""
