"""Whether what a newer line says is over is what an older line states."""

from __future__ import annotations

from lorebank.supersede.endings import Change, Stated

_LEAST_STEM = 4
_ENDING = 3
"""Two forms of one word differ in their last letters only: `code`, `codes`; `Lesson`, `Lessons`."""


def ends(newer: Change, older: Stated) -> bool:
    """Whether the newer line ends the older one, beyond doubt.

    Of several things named side by side one may end alone; that is asked.
    """
    if set(newer.states) & {*older.states, *(("life",) if older.states else ())}:
        return True
    if any(is_alike(word, part) for word in newer.beside for part in older.joined):
        return False
    if any(all(_has_whole(older, token) for token in thing) for thing in newer.objects):
        return True
    if older.has_day and any(
        _has(older, thing) if thing else "event" in older.states for thing in newer.moved
    ):
        return True
    return _other_value(newer, older)


def _has(older: Stated, token: str) -> bool:
    return any(is_alike(token, word) for word in older.words)


def _has_whole(older: Stated, token: str) -> bool:
    """Whether the older line names that very thing: one shop is not both of "two shops"."""
    return any(is_alike(token, word) and len(word) <= len(token) for word in older.words)


def is_alike(one: str, other: str) -> bool:
    """Whether two folded words are forms of one; a code or number is like itself alone.

    >>> is_alike("tuesday", "tuesdays"), is_alike("bow", "bowl"), is_alike("chef", "sous-chef")
    (True, False, False)
    >>> is_alike("crate-b12", "crate-b14")
    False
    """
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    if len(short) < _LEAST_STEM or len(long) - len(short) > _ENDING:
        return False
    if any(letter.isdigit() for letter in one + other):
        return False
    stem = max(_LEAST_STEM, len(short) - 2)
    return long.startswith(short[:stem])


def _other_value(newer: Change, older: Stated) -> bool:
    """Whether the newer line gives another value of the same unit to the same thing, as new."""
    ours = {unit for _, unit in newer.values}
    kinds = ours & {unit for _, unit in older.values}
    for unit in kinds:
        now = {value for value, kind in newer.values if kind == unit}
        then = {value for value, kind in older.values if kind == unit}
        if now & then:
            continue
        units = {unit, *now, *then}
        shared = [
            word
            for word in newer.about
            if word not in units and not word[0].isdigit() and _has(older, word)
        ]
        if shared:
            return True
    return False


def shared_words(one: Stated, other: Stated) -> float:
    """Which share of the words of the shorter of two lines stands in the other, 0..1."""
    ours, theirs = sorted((one.words, other.words), key=len)
    found = sum(any(is_alike(word, each) for each in theirs) for word in ours)
    return found / len(ours) if ours else 0.0
