"""Repeats: several items that say the same are one hit, which names the others.

The same is: the same words in the same order about the same entities, whatever the punctuation,
the case, and the day of writing. Two that name different times of their own are different events.
A passage repeats a fact where it has no word more than the fact and the names before its colon.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from lorebank.domain import Interval
from lorebank.index.items import NOTE, Item
from lorebank.language.folding import fold
from lorebank.language.words import words

__all__ = ["collapse_repeats"]

_Said = tuple[str, ...]


def collapse_repeats(
    order: Sequence[int], items: Mapping[int, Item]
) -> tuple[list[int], dict[int, list[int]]]:
    """The items without repeats, in order; and each kept item → those that repeat it.

    The best of them stays; where a fact and a passage say the same, the fact takes its place.
    """
    keeper: dict[tuple[_Said, frozenset[str], Interval | None], int] = {}
    of_notes: dict[_Said, int] = {}
    repeats: dict[int, list[int]] = {}
    kept: list[int] = []
    for number in order:
        item = items[number]
        said = _said(item)
        if item.kind == NOTE:
            before = of_notes.get(said)
        else:
            before = keeper.get((said, frozenset(item.entities), item.occurred))
            if before is None:
                before = _same_passage(item, said, of_notes, items)
        if before is None:
            kept.append(number)
            before = number
        elif item.kind != NOTE and items[before].kind == NOTE:
            kept[kept.index(before)] = number
            repeats[number] = [*repeats.pop(before, []), before]
            before = number
        else:
            repeats.setdefault(before, []).append(number)
        if item.kind != NOTE:
            keeper.setdefault((said, frozenset(item.entities), item.occurred), before)
        for form in _forms(item, said):
            if form not in of_notes or items[of_notes[form]].kind == NOTE:
                of_notes[form] = before
    return kept, repeats


def _same_passage(
    item: Item, said: _Said, of_notes: Mapping[_Said, int], items: Mapping[int, Item]
) -> int | None:
    """The passage already kept that has a fact's words and nothing else."""
    for form in _forms(item, said):
        before = of_notes.get(form)
        if before is not None and items[before].kind == NOTE:
            return before
    return None


def _forms(item: Item, said: _Said) -> list[_Said]:
    """How a passage may say it: alone, and with the names before it."""
    if item.kind == NOTE or not item.names:
        return [said]
    return [said, (*words(" ".join(item.names)), *said)]


def _said(item: Item) -> _Said:
    # What has no word at all (`!!!`) is compared as it stands.
    return tuple(words(item.content)) or (fold(item.content).strip(),)
