"""How much of what an opinion is about some words name, and what else they name."""

from __future__ import annotations

from lorebank.records import dataclass
from lorebank.reflect.polarity import Item
from lorebank.reflect.reading import Segment, Words
from lorebank.reflect.targets import ATTITUDES, DESCRIBING, Target

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
    return free_words(target, segment, 0, len(segment.items))


def free_words(target: Target, segment: Segment, first: int, end: int) -> float:
    """The words from `first` to before `end` that neither name the object nor stand right by it."""
    items = segment.items
    free: set[str] = set()
    beside = end < len(items) and names(target, items[end])
    for at in range(end - 1, first - 1, -1):
        item = items[at]
        named = names(target, item)
        after = segment.noun_first and at > 0 and names(target, items[at - 1])
        if item.stem and not item.cues - {"others"} and not (named or beside or after):
            free.add(item.stem)
        beside = named
    return sum(1.0 if stem.isascii() or len(stem) > 1 else 0.5 for stem in free)


def names(target: Target, item: Item) -> bool:
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
            if beside.stem and not beside.cues and not names(target, beside):
                return True
    return False
