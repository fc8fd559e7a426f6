"""What an opinion is about: the objects its claim names, and the sign the claim gives to them.

Of a compound statement the first clause is the claim: what stands in brackets or quotation marks,
after `;` `:` `—`, after `because` and the like, or in a second proposition is detail.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from lorebank.records import dataclass
from lorebank.reflect.lexicon import Lexicon
from lorebank.reflect.polarity import Item
from lorebank.reflect.reading import Reading, Segment, Words, clauses, read

ATTITUDES = frozenset({"like", "dislike", "norm"})
"""The classes of cues that say what somebody thinks of a thing."""
_WEAK = 0.35
_OF_A_NAME = 0.25
"""The weight of what is said of a name that is the object itself (`trusts Bengt with the boat`)."""
_JUDGED_FOR = 0.2
"""The weight of what follows a judgement (`overkill for small teams`)."""
_DEED = 0.4
"""The weight of a verb whose object follows a preposition."""
DESCRIBING = 0.5
"""The weight of a word that tells which thing is meant (`phone` in `phone calls`)."""
_LABEL_WORDS = 2
_TERSE = 3
"""How many objects a claim without any cue may have to stand without its detail."""


@dataclass(frozen=True, slots=True)
class TargetObject:
    """One word of what an opinion is about."""

    stem: str
    weight: float
    near: frozenset[int]
    opposed: frozenset[tuple[int, int]]
    """The other sides of the pairs of opposites it belongs to."""
    slots: frozenset[int]


@dataclass(frozen=True, slots=True)
class Target:
    """A thing an opinion is about, and the sign it gives to it."""

    objects: tuple[TargetObject, ...]
    total: float
    """The weight of all objects."""
    sign: int
    basis: str
    exclusive: bool
    of_a_name: bool
    """Whether it is a name, and all the rest is said of it."""
    owned: bool = False
    """Whether it is one that the holder has (`her dentist`)."""


@lru_cache(maxsize=8192)
def targets_of(
    statement: str, holders: tuple[str, ...], language: str | None = None
) -> tuple[Target, ...]:
    """What the first clause that claims something is about."""
    fallback: tuple[Target, ...] = ()
    for clause in clauses(statement):
        reading = read(clause, holders, claim=True, language=language)
        targets = _of_reading(reading)
        if not targets:
            continue
        label = sum(len(segment.items) for segment in reading.segments) <= _LABEL_WORDS
        if targets[0].basis == "plain" and len(targets[0].objects) > _TERSE:
            break
        if not label or targets[0].basis != "plain":
            return targets
        fallback = fallback or targets
    return fallback or _of_reading(
        read(statement, holders, claim=True, language=language), whole=True
    )


def _of_reading(reading: Reading, *, whole: bool = False) -> tuple[Target, ...]:
    if reading.lexicon is None or not reading.segments:
        return ()
    segments = reading.segments if whole else _claimed(reading.segments)
    named = frozenset().union(*(segment.words.stems for segment in segments))
    compared = next(iter(reading.comparisons), None)
    if compared is not None and (compared.preferred.own | compared.left.own) & named:
        return (
            _target(_even(compared.preferred), reading.lexicon, 1, "comparison", True),
            _target(_even(compared.left), reading.lexicon, -1, "comparison", True),
        )
    sign, basis = _sign_of_all(segments)
    lexicon = reading.lexicon
    weights = _weights(segments, basis, lexicon) or _weights(segments, basis, lexicon, deeds=True)
    weights = _in_parts(weights or _weights(segments, "plain", lexicon), lexicon)
    exclusive = any(segment.has("exclusive") for segment in segments)
    if not weights:
        return ()
    owned = any(segment.has("own") for segment in segments)
    return (replace(_target(weights, lexicon, sign, basis, exclusive), owned=owned),)


def _claimed(segments: Sequence[Segment]) -> list[Segment]:
    """The segments up to the first reason or second proposition after one that names something."""
    kept: list[Segment] = []
    for segment in segments:
        if kept and _names_something(kept) and _is_detail(segment):
            break
        kept.append(segment)
    return kept


def _is_detail(segment: Segment) -> bool:
    """Whether a segment is a reason, a supposition or remark, or a proposition of its own."""
    if segment.has("reason", "hypothetical", "say", *ATTITUDES):
        return True
    return bool(segment.sign) and not (segment.basis == "negation" and segment.has("lacking"))


def _names_something(segments: Iterable[Segment]) -> bool:
    return any(
        item.stem and not item.cues - {"exclusive"}
        for segment in segments
        for item in segment.items
    )


def _weights(
    segments: Iterable[Segment], basis: str, lexicon: Lexicon, *, deeds: bool = False
) -> dict[str, float]:
    """What is named, and how much each word tells of it; with `deeds` the verbs too (`reading`)."""
    spent = {"attitude": set(ATTITUDES), "judgement": {"good", "bad"}}.get(basis, set())
    silent = spent | {"exclusive", "change", "joins", "past", "others", "repeat", "every"}
    if basis == "attitude" and not deeds:
        silent |= {"adopt"}
    faint = {"weak"} | ({"adopt", "drop"} if basis in ("habit", "negation") else set())
    weights: dict[str, float] = {}
    of_a_name = judged = False
    for segment in segments:
        previous: frozenset[str] = frozenset()
        held = False
        beside = ""
        for at, item in enumerate(segment.items):
            told = "say" in item.cues and not held
            told = told or ("excess" in previous and bool(item.cues & {"good", "bad"}))
            held = held or bool(item.cues & ATTITUDES)
            unspoken = silent - {"others"} if held else silent
            if item.stem and not told and not item.cues & unspoken:
                aside = _OF_A_NAME if of_a_name else _JUDGED_FOR if judged else 1.0
                weight = aside if "bound" not in previous else 1.0
                weight = min(weight, _WEAK) if item.cues & faint else weight
                if "every" in previous and 1.0 in weights.values():
                    weight = min(weight, _JUDGED_FOR)
                elif previous & ATTITUDES and _is_how(segment.items[at : at + 2], lexicon):
                    weight = min(weight, _DEED)
                weights[item.stem] = max(weights.get(item.stem, 0.0), weight)
                plain = weight == 1.0 and not item.sides and len(item.stem) > 1
                describing = item.stem if segment.noun_first else beside
                if beside and weight == 1.0 and (plain or not segment.noun_first):
                    weights[describing] = min(weights[describing], DESCRIBING)
                beside = item.stem if plain else ""
                if item.capital and not (item.owner or faint & item.cues) and previous & ATTITUDES:
                    of_a_name = True
            else:
                judged = judged or (basis == "judgement" and bool(weights) and _judges(item))
                beside = ""
            if "function" not in item.cues or "bound" in item.cues:
                previous = item.cues
    return weights


def _is_how(items: Sequence[Item], lexicon: Lexicon) -> bool:
    """Whether a verb only tells what is done with the object (`programming in | Python`)."""
    deed = items[0]
    return lexicon.is_deed(deed.token) and len(items) > 1 and "prep" in items[1].cues


def _judges(item: Item) -> bool:
    """Whether a judgement ends what is judged: `Docker is overkill | for small teams`."""
    return bool(item.cues & {"good", "bad"}) and not item.sides


def _in_parts(weights: Mapping[str, float], lexicon: Lexicon) -> dict[str, float]:
    """With the parts of words that name two things at once in their place (`长会`)."""
    return {
        part: weight
        for stem, weight in weights.items()
        for part in lexicon.parts.get(stem, (stem,))
    }


def _even(words: Words) -> dict[str, float]:
    return dict.fromkeys(sorted(words.own), 1.0)


def _target(
    weights: Mapping[str, float], lexicon: Lexicon, sign: int, basis: str, exclusive: bool
) -> Target:
    objects = tuple(
        TargetObject(
            stem,
            weight,
            lexicon.near.get(stem, frozenset()),
            frozenset(
                (pair, 1 - side)
                for name in lexicon.with_kinds((stem,))
                for pair, side in lexicon.opposites.get(name, ())
            ),
            lexicon.slots.get(stem, frozenset()),
        )
        for stem, weight in weights.items()
    )
    of_a_name = _OF_A_NAME in weights.values()
    return Target(objects, sum(weights.values()), sign, basis, exclusive, of_a_name)


def _sign_of_all(segments: Sequence[Segment]) -> tuple[int, str]:
    """The sign an opinion's statement gives to its object, by its first segment with a cue."""
    for segment in segments:
        sign, basis = segment.sign, segment.basis
        if sign and basis in ("attitude", "judgement"):
            return sign, basis
    for segment in segments:
        sign, basis = segment.sign, segment.basis
        if sign:
            return sign, basis
    return 1, "plain"
