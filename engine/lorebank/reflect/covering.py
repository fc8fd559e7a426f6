"""How much of what an opinion is about some words name, and what else they name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lorebank.reflect.polarity import Item
from lorebank.reflect.reading import Segment, Words
from lorebank.reflect.targets import ATTITUDES, DESCRIBING, Target

__all__ = [
    "Cover",
    "asides",
    "cover_of",
    "extras",
    "is_done_at_its_hour",
    "is_done_without",
    "is_for_another",
    "is_of_another_sort",
    "is_of_length",
    "is_only_about",
    "is_wanted_without",
    "opens_with",
    "strays",
]

_ASIDE = 0.4
_NEAR = 0.9
_HELD = ATTITUDES | {"drop", "function", "negate", "repeat", "change", "exclusive"}


@dataclass(frozen=True, slots=True)
class Cover:
    share: float
    """How much of the target's weight the words named, directly or by an opposite."""
    flips: bool
    slot: bool
    direct: int
    fitting: bool
    """Whether what is named makes up the object: its noun, and the quality it is liked for."""


@dataclass(slots=True)
class _Tally:
    wanted: int = 0
    found: int = 0

    def add(self, found: bool) -> None:
        self.wanted += 1
        self.found += found


def cover_of(target: Target, named: Words, asides: frozenset[str] = frozenset()) -> Cover:
    share = 0.0
    flips = slot = False
    direct = 0
    nouns = _Tally()
    qualities = _Tally()
    spent = {item.stem for item in target.objects} & named.stems
    near = {cluster for stem, cluster in named.near if stem not in spent}
    other_values = {value for stem, value in named.slots if stem not in spent}
    for item in target.objects:
        before = share
        if item.stem in named.own or (
            item.stem in named.stems and item.opposed.isdisjoint(named.sides)
        ):
            share += item.weight * (_ASIDE if item.stem in asides else 1.0)
            direct += item.weight == 1.0
        elif not item.near.isdisjoint(near):
            share += _NEAR * item.weight
            direct += item.weight == 1.0
        elif not item.opposed.isdisjoint(named.sides):
            share += item.weight
            flips = not flips
        elif not item.slots.isdisjoint(other_values):
            share += 0.8 * item.weight
            slot = True
        if item.weight == 1.0:
            (qualities if item.opposed else nouns).add(share > before)
    share = share / target.total if target.total else 0.0
    both = not nouns.wanted or (nouns.found and (qualities.found or not qualities.wanted))
    fitting = bool(both) and (share > 0.5 or nouns.wanted + qualities.wanted < 2)
    return Cover(share, flips, slot, direct, fitting)


def extras(target: Target, segment: Segment) -> float:
    """The words of a segment that are neither cues nor of the target; a Han character is half."""
    return _free(target, segment, 0, len(segment.items))


def strays(target: Target, segment: Segment) -> tuple[float, float]:
    """The free words before what a deed is done to, and those right behind it.

    A noun behind a mere quality counts twice: it is what is meant (`a sharp | knife`). What follows
    a preposition after the object is circumstance (`a steak | at the team dinner`).
    Before it, where the deed takes its object through a preposition, so is what the preposition
    follows (`rewrote the parser in | Rust`); elsewhere that is the object (`ate a pie in Rome`).
    """
    items = segment.items
    named = [at for at, item in enumerate(items) if _names(target, item)]
    if not named:
        return extras(target, segment), 0.0
    begin, end = named[0], named[-1] + 1
    while end < len(items) and not _opens_circumstance(items[end]):
        end += 1
    first = 0
    if segment.has("via"):
        first = next((at for at in range(begin, 0, -1) if "prep" in items[at - 1].cues), 0)
    before = _free(target, segment, first, _whole(items, begin))
    behind = _free(target, segment, named[-1] + 1, end)
    mere = len(target.objects) > 1 and bool(items[named[-1]].sides)
    return before, behind + 1 if behind and mere else behind


def _whole(items: Sequence[Item], begin: int) -> int:
    """Where what the object is part of begins (`a machine for | espresso`, `a chapter of`)."""
    at = begin
    while at and items[at - 1].article:
        at -= 1
    if not at or "part" not in items[at - 1].cues:
        return begin
    at -= 1
    while at and items[at - 1].stem and not items[at - 1].cues - {"scene", "weak"}:
        at -= 1
    return at


def _opens_circumstance(item: Item) -> bool:
    return bool(item.cues & {"prep", "bound"}) and not item.cues & {"about", "part"}


def opens_with(target: Target, segment: Segment) -> bool:
    """Whether the object is what the segment begins with: it does something, nobody does it."""
    opening = next((item for item in segment.items if not item.article), None)
    begins = bool(segment.items) and segment.items[0].first
    return (
        begins
        and opening is not None
        and not opening.cues & {"adopt", "do", "drop"}
        and _names(target, opening)
    )


def is_done_at_its_hour(target: Target, segment: Segment) -> bool:
    """Whether something is done at the hour, or for as long, as a target of nothing else names.

    `Likes getting up early`, and `Was at the pool by six`. What begins with a noun is not done by
    the holder.
    """
    if target.basis != "attitude" or any(not item.opposed for item in target.objects):
        return False
    opening = next((item for item in segment.items if item.stem), None)
    measured = any("weak" in item.cues and item.sides for item in segment.items)
    articled = bool(segment.items) and segment.items[0].article
    return measured and opening is not None and not articled and not segment.has("others", "negate")


def is_of_length(target: Target, segment: Segment) -> bool:
    """Whether the object is liked for how long it lasts, which the segment tells."""
    sides = {side for item in segment.items if "brief" in item.cues for side in item.sides}
    brief = {item.stem for item in segment.items if "brief" in item.cues}
    return any(item.stem in brief or not item.opposed.isdisjoint(sides) for item in target.objects)


def is_only_about(target: Target, segment: Segment) -> bool:
    """Whether the object is only what something else is about (`bought a book about | trains`)."""
    items = segment.items
    begin = next((at for at, item in enumerate(items) if _names(target, item)), 0)
    preps = [item for item in items[:begin] if "prep" in item.cues]
    return bool(preps) and "about" in preps[-1].cues


def is_for_another(segment: Segment) -> bool:
    """Whether something is done for somebody else's sake (`for his sister`)."""
    items = segment.items
    return any(
        "sake" in item.cues and any("others" in after.cues for after in items[at + 1 : at + 4])
        for at, item in enumerate(items)
    )


def _free(target: Target, segment: Segment, first: int, end: int) -> float:
    """The words from `first` to before `end` that neither name the object nor stand right by it."""
    items = segment.items
    free: set[str] = set()
    beside = end < len(items) and _names(target, items[end])
    for at in range(end - 1, first - 1, -1):
        item = items[at]
        named = _names(target, item)
        after = segment.noun_first and at > 0 and _names(target, items[at - 1])
        if item.stem and not item.cues - {"others"} and not (named or beside or after):
            free.add(item.stem)
        beside = named
    return sum(1.0 if stem.isascii() or len(stem) > 1 else 0.5 for stem in free)


def _names(target: Target, item: Item) -> bool:
    """Whether a word names an object of the target, its near kin, its opposite or a rival."""
    if not item.names:
        return False
    for wanted in target.objects:
        if wanted.stem in item.names:
            return True
        if not (wanted.near.isdisjoint(item.near) and wanted.opposed.isdisjoint(item.sides)):
            return True
    return False


def asides(target: Target, segment: Segment) -> frozenset[str]:
    """The names that a segment only mentions: as owners, or as the place or means of another thing.

    `concise replies on WhatsApp` is aside of `dislikes WhatsApp`, `relies on Bengt` is not.
    """
    asides = {item.stem for item in segment.items if item.owner}
    if target.of_a_name:
        asides.update(
            item.stem
            for before, joint, item in zip(
                segment.items, segment.items[1:], segment.items[2:], strict=False
            )
            if "prep" in joint.cues and not before.cues & _HELD
        )
    return frozenset(asides)


def is_of_another_sort(target: Target, segment: Segment) -> bool:
    """Whether the noun stands with a word that tells another sort of it (`bond funds`)."""
    missing = {
        item.stem
        for item in target.objects
        if item.weight == DESCRIBING and item.stem not in segment.words.stems
    }
    nouns = {item.stem for item in target.objects if item.weight == 1.0 and not item.opposed}
    if not missing or not nouns:
        return False
    step = 1 if segment.noun_first else -1
    items = segment.items
    for at, item in enumerate(items):
        if 0 <= at + step < len(items) and item.names & nouns:
            beside = items[at + step]
            if beside.stem and not beside.cues and not _names(target, beside):
                return True
    return False


def is_done_without(target: Target, segment: Segment) -> bool:
    """Whether something else is done, and without the object (`left without his tea`)."""
    wanted = {item.stem for item in target.objects}
    lacking = [at for at, item in enumerate(segment.items) if "lacking" in item.cues]
    named = [at for at, item in enumerate(segment.items) if not wanted.isdisjoint(item.names)]
    return bool(lacking) and bool(named) and lacking[0] < named[0]


def is_wanted_without(target: Target, segment: Segment) -> bool:
    """Whether what is liked is something else that lacks the object (`coffee without sugar`)."""
    denials = sum("negate" in item.cues for item in segment.items)
    return denials == 1 and is_done_without(target, segment)
