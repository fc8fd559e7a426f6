"""Repeats: several items that say the same are one hit, which names the others.

The same is: the same words in the same order about the same entities, whatever the punctuation,
the case, and the day of writing. Two that name different times of their own are different events.
A passage repeats a fact where it has no word more than the fact and the names before its colon.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache

from lorebank.domain import Interval
from lorebank.index.items import NOTE, Item
from lorebank.language.folding import fold

_BETWEEN_WORDS = re.compile(r"[\W_]+")
_ASCII_WORDS = bytes(code if chr(code).isalnum() else ord(" ") for code in range(128)) + bytes(128)


def collapse_repeats(
    order: Sequence[int], items: Mapping[int, Item]
) -> tuple[list[int], dict[int, list[int]]]:
    """The items without repeats, in order; and each kept item → those that repeat it.

    The best of them stays; where a fact and a passage say the same, the fact takes its place. What
    is in quarantine repeats nothing and is repeated by nothing but its like.
    """
    mixed = any(items[number].kind == NOTE for number in order)
    of_facts: dict[tuple[str, tuple[str, ...], Interval | None], int] = {}
    of_passages: dict[str, int] = {}
    repeats: dict[int, list[int]] = {}
    kept: dict[int, None] = {}
    standing_for: dict[int, int] = {}
    for number in order:
        item = items[number]
        said = _said(item.content)
        if item.quarantined:
            said = _suspect(said)
        if item.kind == NOTE:
            before = of_passages.setdefault(said, number)
        else:
            before = of_facts.setdefault((said, item.entities, item.occurred), number)
            for form in _as_passages(item, said) if mixed else ():
                other = of_passages.setdefault(form, before)
                if items[other].kind == NOTE:
                    of_passages[form] = before
                    standing_for[other] = before
        if before == number:
            kept[number] = None
        else:
            repeats.setdefault(before, []).append(number)
    return _with_facts_first(list(kept), standing_for, repeats)


def _with_facts_first(
    kept: Sequence[int], standing_for: Mapping[int, int], repeats: dict[int, list[int]]
) -> tuple[list[int], dict[int, list[int]]]:
    """Put each fact in the place of the passage that only repeats it, where that ranked higher."""
    placed: dict[int, None] = {}
    for number in kept:
        fact = standing_for.get(number)
        placed.setdefault(number if fact is None else fact)
        if fact is not None:
            repeats.setdefault(fact, []).extend([number, *repeats.pop(number, [])])
    return list(placed), repeats


def _as_passages(item: Item, said: str) -> list[str]:
    """How a passage may say what a fact says: alone, and with the names before it."""
    if not item.names:
        return [said]
    named = _said(f"{' '.join(item.names)} {item.content}")
    return [said, _suspect(named) if item.quarantined else named]


def _suspect(said: str) -> str:
    """As no trusted text reads, since `_said` leaves no mark in one."""
    return f"? {said}"


@lru_cache(maxsize=16_384)  # questions mostly meet the same items
def _said(text: str) -> str:
    """The words of a text and nothing else; a text without any (`!!!`) as it stands."""
    folded = fold(text)
    if folded.isascii():  # the same, several times faster
        spoken = b" ".join(folded.encode("ascii").translate(_ASCII_WORDS).split()).decode("ascii")
    else:
        spoken = _BETWEEN_WORDS.sub(" ", folded).strip()
    return spoken or text.strip()
