"""The few pairs among many names that are worth comparing: those that share a key or one slip.

A name is filed under some texts and its partners are looked up under others; both are made of the
name alone, so a name that comes or goes changes its own pairs and no others, unless a key becomes
or ceases to be crowded. The index keeps the same texts (`index.compared_names`).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence

from lorebank.identity.keys import Keys
from lorebank.identity.readings import Reading
from lorebank.identity.scripts import is_han_or_hangul
from lorebank.identity.slips import one_edit

_CROWD = 48
"""Under a key that more names bear nobody is paired: a first name that fits so many full names is
no help to anybody as that many proposals."""
_SHORT = 7
"""Letters up to which a name of one word is filed without each of its letters in turn."""
_OWN, _SHORTER, _LONGER, _SLIP = "osle"


def filed_under(reading: Reading, keys: Keys) -> set[str]:
    """The texts under which others find this name."""
    filed = {f"{_OWN}{key}" for key in keys.own}
    filed.update(f"{_SHORTER}{key}" for key in keys.short)
    filed.update(f"{_LONGER}{key}" for key in keys.long)
    for place, word in _words(reading):
        if len(reading.tokens) > 1 or len(word) >= _SHORT:
            filed.update(_halves(reading, place, word, len(word)))
        if len(reading.tokens) == 1 and len(word) <= _SHORT:
            filed.update(_without_a_letter(word))
    return filed


def looked_up(reading: Reading, keys: Keys) -> set[str]:
    """The texts under which this name finds the names that may be the same."""
    wanted = {f"{_OWN}{key}" for key in keys.own}
    wanted.update(f"{_LONGER}{key}" for key in keys.short)
    wanted.update(f"{_SHORTER}{key}" for key in keys.long)
    for place, word in _words(reading):
        if len(reading.tokens) > 1 or len(word) >= _SHORT:
            for size in (len(word) - 1, len(word), len(word) + 1):
                wanted.update(_halves(reading, place, word, size))
        if len(reading.tokens) == 1 and len(word) <= _SHORT:
            wanted.update(_without_a_letter(word))
    return wanted


def is_slip_key(text: str) -> bool:
    """Whether a text tells of names that only may be one slip apart: `one_slip_apart` decides."""
    return text.startswith(_SLIP)


def crowding(text: str) -> tuple[tuple[str, ...], int]:
    """Under which texts names are to be counted before one is looked up, and how many each may
    hold; no texts: as many as there are."""
    if text.startswith((_SLIP, f"{_OWN}same|")):
        return (), 0
    if text.startswith(_OWN):
        return (text,), _CROWD
    return (f"{_SHORTER}{text[1:]}", f"{_LONGER}{text[1:]}"), _CROWD


def one_slip_apart(a: Reading, b: Reading) -> bool:
    """Whether the names differ in one word, and there in one letter."""
    if len(a.tokens) != len(b.tokens):
        return False
    odd = [(x, y) for x, y in zip(a.tokens, b.tokens, strict=True) if x != y]
    return len(odd) == 1 and one_edit(*odd[0]) is not None


def likely_pairs(
    readings: Sequence[Reading], keys: Sequence[Keys], texts: Sequence[Collection[str]]
) -> list[tuple[int, int]]:
    """Pairs of indices, lower one first, each once, sorted; all other pairs are different.

    `texts`: what `filed_under` says of each.
    """
    filed: dict[str, list[int]] = defaultdict(list)
    for i, own_texts in enumerate(texts):
        for text in own_texts:
            filed[text].append(i)
    pairs: set[tuple[int, int]] = set()
    for i, (reading, own) in enumerate(zip(readings, keys, strict=True)):
        for text in looked_up(reading, own):
            block = filed.get(text)
            if block is None or (len(block) == 1 and block[0] == i):
                continue
            slip = is_slip_key(text)
            if not slip and _is_crowded(text, filed):
                continue
            for j in block:
                if i != j and (not slip or one_slip_apart(reading, readings[j])):
                    pairs.add((i, j) if i < j else (j, i))
    return sorted(pairs)


def _is_crowded(text: str, filed: dict[str, list[int]]) -> bool:
    counted, most = crowding(text)
    return any(len(filed.get(one, ())) > most for one in counted)


def _words(reading: Reading) -> Iterator[tuple[int, str]]:
    """The words in which a slip may be, with their places."""
    if len(reading.joined) > 64:
        return
    for place, word in enumerate(reading.tokens):
        if len(word) > 1 and not word[0].isdigit() and not is_han_or_hangul(word):
            yield place, word


def _halves(reading: Reading, place: int, word: str, size: int) -> Collection[str]:
    """One slip leaves the first or the second half of a word as it was; `size` is how long the
    word is in the name that is filed, with the slip or without."""
    half = max(0, size - 2) // 2
    others = " ".join((*reading.tokens[:place], "\0", *reading.tokens[place + 1 :]))
    at = f"{_SLIP}{size} {others}"
    return (f"{at}<{word[:half]}", f"{at}>{word[len(word) - half :]}")


def _without_a_letter(word: str) -> set[str]:
    """The word, and the word without each of its letters: words one slip apart share one."""
    return {f"{_SLIP}{word}"} | {
        f"{_SLIP}{word[:place]}{word[place + 1 :]}" for place in range(len(word))
    }
