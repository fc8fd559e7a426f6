"""The parts of a language file as values: frames, pairs of opposites, clusters, kinds, measures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from lorebank.language.folding import fold
from lorebank.records import dataclass
from lorebank.reflect.tokens import phrases

Canonical = Callable[[str], str]
"""A folded word → the stem that stands for its meaning."""
_ANY_ENDING = re.compile(r"(?<=\w)(?<!\\w)\*")


@dataclass(frozen=True, slots=True)
class Frame:
    """A comparison or a change, as a pattern over folded text."""

    pattern: re.Pattern[str]
    is_change: bool


def object_words(table: Mapping[str, object]) -> frozenset[str]:
    """All words of the clusters, pairs, slots and kinds, folded."""
    text = " ".join(
        str(table.get(key, "")) for key in ("same", "near", "opposite", "slots", "kinds", "parts")
    )
    return frozenset(fold(word) for word in re.split(r"[\s;/:]+", text) if word)


def clusters(text: str) -> list[list[str]]:
    groups = ([fold(word) for word in part.split()] for part in text.split(";"))
    return [group for group in groups if group]


def frames(table: Mapping[str, object], *, unspaced: bool) -> tuple[Frame, ...]:
    stops = phrases(str(table.get("stops", "")))
    return tuple(
        Frame(_frame(line, stops, unspaced=unspaced), is_change)
        for key, is_change in (("switch", True), ("compare", False))
        for line in str(table.get(key, "")).splitlines()
        if line.strip()
    )


def _frame(line: str, stops: Sequence[str], *, unspaced: bool) -> re.Pattern[str]:
    text = _ANY_ENDING.sub(r"\\w*", fold(line.strip())).replace(" ?", r"\s*")
    part = r"[^,;.!?，。；！？]+?"
    text = text.replace("{a}", f"(?P<a>{part})").replace("{b}", f"(?P<b>{part})")
    if unspaced:
        return re.compile(text.replace(" ", r"\s*") + r"(?=了|的|吧|$|[,;.!?，。；！？])")
    ends = "|".join(re.escape(fold(stop)) for stop in stops)
    end = rf"(?=\s*$|\s*[,;.!?]|\s+(?:{ends})\b)" if ends else r"(?=\s*$|\s*[,;.!?])"
    return re.compile(r"(?<!\w)" + text.replace(" ", r"\s+") + end)


def sides(text: str, canonical: Canonical, base: int) -> Mapping[str, frozenset[tuple[int, int]]]:
    found: dict[str, set[tuple[int, int]]] = {}
    for number, pair in enumerate(text.split(";"), base):
        for side, words in enumerate(pair.split("/")):
            for word in words.split():
                found.setdefault(canonical(fold(word)), set()).add((number, side))
    return {word: frozenset(sides) for word, sides in found.items()}


def members(text: str, canonical: Canonical, base: int) -> Mapping[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(text.split(";"), base):
        for word in group.split():
            found.setdefault(canonical(fold(word)), set()).add(number)
    return {word: frozenset(numbers) for word, numbers in found.items()}


def kinds(text: str, canonical: Canonical) -> Mapping[str, frozenset[str]]:
    """Each word's kinds, and theirs: a poodle is a dog, and so a pet."""
    direct: dict[str, set[str]] = {}
    for line in text.splitlines():
        head, _, members = line.partition(":")
        for word in members.split():
            direct.setdefault(canonical(fold(word)), set()).add(canonical(fold(head.strip())))
    return {
        stem: frozenset(heads).union(*(direct.get(head, ()) for head in heads)) - {stem}
        for stem, heads in direct.items()
    }


def measures(
    table: Mapping[str, str], *, unspaced: bool
) -> tuple[tuple[re.Pattern[str], str], ...]:
    edges = ("", "") if unspaced else (r"(?<!\w)", r"(?!\w)")
    return tuple(
        (re.compile(f"{edges[0]}(?:{fold(pattern)}){edges[1]}"), fold(word))
        for word, pattern in table.items()
    )


def parts_of(text: str) -> dict[str, tuple[str, ...]]:
    split = (line.partition(":") for line in text.splitlines() if line.strip())
    return {fold(word.strip()): tuple(fold(rest).split()) for word, _, rest in split}


def inverted(parts: Mapping[str, tuple[str, ...]]) -> str:
    return "\n".join(f"{part}: {word}" for word, own in parts.items() for part in own)
