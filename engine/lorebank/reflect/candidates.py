"""Which lines may bear on which opinion: keys for an inverted index, and nearness."""

from __future__ import annotations

from collections.abc import Iterator

from lorebank.records import dataclass
from lorebank.reflect.covering import cover_of, extras
from lorebank.reflect.detection import detect, likely
from lorebank.reflect.reading import Reading, Words, read
from lorebank.reflect.subjects import is_foreign
from lorebank.reflect.targets import targets_of

_SIGNED = ("like", "dislike", "good", "bad", "adopt", "drop", "negate", "change")


@dataclass(frozen=True, slots=True)
class Nearness:
    """How near a line comes to what an opinion is about."""

    share: float
    """0..1: how much of it the nearest clause names."""
    focus: float
    """0..1: 1 where that clause names nothing else."""
    has_cue: bool


def nearness(opinion_statement: str, text: str, holder: str = "") -> Nearness:
    """How near a text comes to what an opinion is about, whatever it says of it."""
    names = (holder,) if holder else ()
    reading = read(text, names, language=detect(text, opinion_statement))
    targets = targets_of(opinion_statement, names, detect(opinion_statement, text))
    best = Nearness(0.0, 0.0, False)
    for segment in reading.segments:
        for target in targets:
            cover = cover_of(target, segment.words)
            if not cover.fitting or (cover.slot and not cover.direct):
                continue
            if is_foreign(segment, target, frozenset()):
                continue
            focus = 1.0 / (1.0 + extras(target, segment))
            near = Nearness(cover.share, focus, segment.has(*_SIGNED))
            best = max(best, near, key=lambda n: (n.share, n.focus))
    return best


def target_keys(opinion_statement: str, holder: str = "") -> frozenset[str]:
    """The keys under which an opinion is found by `index_keys` of a line that may bear on it."""
    names = (holder,) if holder else ()
    keys: set[str] = set()
    for language in likely(opinion_statement):
        for target in targets_of(opinion_statement, names, language):
            for item in target.objects:
                keys.add(item.stem)
                keys.update(f"~{cluster}" for cluster in item.near)
                keys.update(f"/{pair}" for pair, _ in item.opposed)
                keys.update(f"#{slot}" for slot in item.slots)
    return frozenset(keys)


def index_keys(text: str, holder: str = "") -> frozenset[str]:
    """The stems of a text, and the opposites and slots they belong to."""
    names = (holder,) if holder else ()
    keys: set[str] = set()
    for language in likely(text):
        for group in _all_words(read(text, names, language=language)):
            keys |= group.stems
            keys.update(f"~{cluster}" for _, cluster in group.near)
            keys.update(f"/{pair}" for pair, _ in group.sides)
            keys.update(f"#{slot}" for _, slot in group.slots)
    return frozenset(keys)


def _all_words(reading: Reading) -> Iterator[Words]:
    yield from (segment.words for segment in reading.segments)
    for comparison in reading.comparisons:
        yield comparison.preferred
        yield comparison.left
