"""What the rules see in a pair of an opinion and a line, as numbers for the trained head.

The head reads vectors, which tell what a text is about and hardly whether it is denied; the cues of
the rules' own reading tell that. The order of the numbers is part of the trained weights: a change
here asks for training them anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log1p

from lorebank.domain import Stance
from lorebank.records import dataclass
from lorebank.reflect.covering import cover_of, extras
from lorebank.reflect.detection import detect
from lorebank.reflect.reading import Reading, read
from lorebank.reflect.stance import Judgement
from lorebank.reflect.targets import Target, targets_of

_CUES = (
    "like", "dislike", "good", "bad", "adopt", "drop", "do", "negate", "change", "repeat",
    "exclusive", "excess", "norm", "past", "scene", "weak", "say", "prep", "neutral", "reason",
    "others",
)  # fmt: skip
_BASES = ("like", "dislike", "attitude", "comparison", "plain", "judgement", "habit", "negation")
_REASONS = (
    "attitude", "habit", "judgement", "negation", "opposite", "comparison", "change", "slot",
)  # fmt: skip
_NAMED = 0.3
"""The share of an object a clause has to name for its sign to be taken as the object's."""
_SIGNS = {Stance.FOR: 1.0, Stance.AGAINST: -1.0, Stance.UNRELATED: 0.0}
CUE_COUNT = 3 * len(_CUES) + 2 * len(_BASES) + 20 + 1 + len(_REASONS)


@dataclass(frozen=True, slots=True)
class PairCues:
    """What is seen in one pair."""

    values: list[float]
    """`CUE_COUNT` numbers of about −1..1."""
    share: float
    """0..1: how much of what the opinion is about the line names."""


@dataclass(slots=True)
class _Nearest:
    """The clause that names most of what the opinion is about."""

    share: float = 0.0
    focus: float = 0.0
    flips: float = 0.0
    sign: float = 0.0
    """As clauses that name enough of it speak of it; 0 where none does."""


def cues_of(statement: str, holder: str, text: str, found: Judgement | None = None) -> PairCues:
    """Read a pair; `found` is what the rules make of it, where that is to be told."""
    names = (holder,)
    reading = read(text, names, language=detect(text, statement))
    targets = targets_of(statement, names, detect(statement, text))
    sign = float(targets[0].sign) if targets else 0.0
    cues = {cue for segment in reading.segments for cue in segment.cues}
    has = [float(cue in cues) for cue in _CUES]
    bases = [float(any(target.basis == basis for target in targets)) for basis in _BASES]
    total = sum(segment.sign for segment in reading.segments)
    tone = float((total > 0) - (total < 0))
    near = _nearest(reading, targets)
    compares = float(bool(reading.comparisons))
    exclusive = float(any(target.exclusive for target in targets))
    named = _named(reading, targets)
    values = [
        *(sign * each for each in has),
        *has,
        *(sign * each for each in bases),
        *bases,
        *(sign * tone * each for each in has),
        sign,
        tone,
        sign * tone,
        sign * tone * near.share,
        sign * tone * near.focus,
        near.sign,
        near.sign * near.share,
        sign * near.flips,
        sign * compares,
        sign * exclusive,
        near.share,
        near.focus,
        near.share * near.focus,
        near.flips,
        named,
        compares,
        exclusive,
        log1p(len(text)) / 4,
        log1p(len(statement)) / 4,
        len(reading.segments) / 4,
        *_verdict(found),
    ]
    return PairCues(values, share=round(max(near.share, named), 3))


def _nearest(reading: Reading, targets: Sequence[Target]) -> _Nearest:
    near = _Nearest()
    for segment in reading.segments:
        for target in targets:
            cover = cover_of(target, segment.words)
            if cover.share > near.share:
                near.share, near.flips = cover.share, float(cover.flips)
                near.focus = 1 / (1 + extras(target, segment))
            if cover.share >= _NAMED and segment.sign:
                near.sign = float(segment.sign * target.sign * (-1 if cover.flips else 1))
    return near


def _named(reading: Reading, targets: Sequence[Target]) -> float:
    """How much of the first object the whole line names."""
    if not targets or not targets[0].total:
        return 0.0
    stems = frozenset[str]().union(*(segment.words.stems for segment in reading.segments))
    named = sum(item.weight for item in targets[0].objects if item.stem in stems)
    return named / targets[0].total


def _verdict(found: Judgement | None) -> list[float]:
    sign = _SIGNS[found.stance] if found else 0.0
    return [sign, *(sign * (found is not None and found.reason == each) for each in _REASONS)]
