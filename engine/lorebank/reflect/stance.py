"""Stance without a model: whether a line speaks for an opinion, against it, or not of it.

The opinion is read as targets: what it is about, and the sign it gives to it (`prefers tea to
coffee`: tea +, coffee −). The line is then asked what sign *it* gives to each target, segment by
segment, by the strongest cue that stands with the target: a comparison, an attitude, a change of
habit, a judgement, a bare negation. An opposite word (`long` for `short`) turns the sign over, as
does another value in a slot that only one value can hold (`Monday` for `Friday`).

Of a compound statement the first clause is the claim: what stands in brackets or quotation marks,
after `;` `:` `—`, after `because` and the like, or in a second proposition is detail, which no line
has to name. A word of nearly the same meaning (`brief` for `concise`) names the object a little
less strongly than the word itself.

A wrong sign is worse than none: where cues disagree, where too little of the target is named, or
where somebody else's view, a question or a hypothesis is told, the answer is `unrelated`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lorebank.domain import Fact, Stance
from lorebank.language.words import words
from lorebank.reflect.lexicon import detect
from lorebank.reflect.polarity import Item
from lorebank.reflect.reading import Comparison, Reading, Segment, Words, read
from lorebank.reflect.targets import ATTITUDES, DESCRIBING, Target, targets_of

__all__ = ["Judgement", "index_keys", "judge", "nearness", "target_keys"]

_STRENGTHS = {
    "comparison": 1.0,
    "attitude": 1.0,
    "slot": 0.9,
    "habit": 0.85,
    "judgement": 0.85,
    "negation": 0.85,
    "restated": 0.85,
}
_ENOUGH = {"attitude": 0.5, "habit": 0.7, "judgement": 0.5, "negation": 0.7, "restated": 0.75}
_ASIDE = 0.4
_NEAR = 0.9
_RESTATED = 0.6
_EXTRAS = 2
_HELD = ATTITUDES | {"drop", "function", "negate", "repeat", "change", "exclusive"}
_REPEATABLE = frozenset({"attitude", "comparison", "habit"})
_TELLING = ATTITUDES | {"adopt", "drop"}
_PREDICATES = ATTITUDES | {"adopt", "drop", "say", "negate"}


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a line bears on an opinion."""

    stance: Stance
    strength: float
    """0..1; 0 where unrelated."""
    reason: str
    """`restated`, `comparison`, `attitude`, `habit`, `judgement`, `negation`, `slot`, … or, where
    unrelated, why: `other holder`, `other subject`, `no cue`, `cues disagree`, `quoted`."""
    covers: bool = False
    """Whether a line that speaks for the opinion says no more than the opinion does: it names most
    of what the opinion is about in a clause that names hardly anything else."""


@dataclass(frozen=True, slots=True)
class _Cover:
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


@dataclass(frozen=True, slots=True)
class _Vote:
    sign: int
    basis: str
    strength: float
    covers: bool = False


def judge(
    opinion_statement: str,
    opinion_slugs: Sequence[str],
    fact: Fact | str,
    fact_slugs: Sequence[str] = (),
) -> Judgement:
    """Whether a fact speaks for or against an opinion, how strongly, and by what sign.

    The first slug of each is its holder. Marks and stored verdicts are the caller's matter. A
    `Fact` brings its own slugs where none are given.
    """
    text = fact if isinstance(fact, str) else fact.content
    slugs = tuple(fact_slugs) or (() if isinstance(fact, str) else fact.slugs)
    holders = tuple(opinion_slugs[:1])
    if holders and holders[0] not in slugs:
        return _unrelated("other holder")
    if _normal(opinion_statement) == _normal(text):
        return Judgement(Stance.FOR, _STRENGTHS["restated"], "restated")
    reading = read(text, holders, language=detect(text, opinion_statement))
    targets = targets_of(opinion_statement, holders, detect(opinion_statement, text))
    if not targets:
        return _unrelated("other subject")
    if not reading.segments:
        return _unrelated("quoted" if reading.quoted else "nothing asserted")
    others = frozenset(slug for slug in slugs if slug not in holders)
    votes = [vote for target in targets for vote in _ask(target, reading, others)]
    return _verdict(votes)


def nearness(opinion_statement: str, text: str, holder: str = "") -> float:
    """How much of what an opinion is about a text names, 0..1, whatever it says of it."""
    names = (holder,) if holder else ()
    reading = read(text, names)
    if reading.lexicon is None:
        return 0.0
    named = Words.of(_all_stems(reading), reading.lexicon)
    targets = targets_of(opinion_statement, names)
    return max((_cover(target, named).share for target in targets), default=0.0)


def target_keys(opinion_statement: str, holder: str = "") -> frozenset[str]:
    """The keys under which an opinion is found by `index_keys` of a line that may bear on it."""
    objects = (
        item
        for target in targets_of(opinion_statement, (holder,) if holder else ())
        for item in target.objects
    )
    keys: set[str] = set()
    for item in objects:
        keys.add(item.stem)
        keys.update(f"~{cluster}" for cluster in item.near)
        keys.update(f"/{pair}" for pair, _ in item.opposed)
        keys.update(f"#{slot}" for slot in item.slots)
    return frozenset(keys)


def index_keys(text: str, holder: str = "") -> frozenset[str]:
    """The stems of a text, and the opposites and slots they belong to."""
    reading = read(text, (holder,) if holder else ())
    keys: set[str] = set()
    for group in _all_words(reading):
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


def _all_stems(reading: Reading) -> set[str]:
    return set().union(*(group.stems for group in _all_words(reading)))


@lru_cache(maxsize=16384)
def _normal(text: str) -> tuple[str, ...]:
    return tuple(words(text))


def _unrelated(reason: str) -> Judgement:
    return Judgement(Stance.UNRELATED, 0.0, reason)


def _verdict(votes: Iterable[_Vote | None]) -> Judgement:
    cast = [vote for vote in votes if vote is not None]
    if not cast:
        return _unrelated("no cue")
    best = max(cast, key=lambda vote: vote.strength)
    if any(vote.sign != best.sign and vote.strength > 0.6 * best.strength for vote in cast):
        return _unrelated("cues disagree")
    stance = Stance.FOR if best.sign > 0 else Stance.AGAINST
    covers = any(vote.covers and vote.sign == best.sign for vote in cast)
    return Judgement(stance, round(best.strength, 3), best.basis, covers and best.sign > 0)


def _ask(target: Target, reading: Reading, others: frozenset[str]) -> list[_Vote | None]:
    for comparison in reading.comparisons:
        vote = _by_comparison(target, comparison)
        if vote is not None:
            told = (s for s in reading.segments if s.sentence == comparison.sentence)
            foreign = any(_is_foreign(segment, target, others) for segment in told)
            return [None] if foreign else [vote]
    votes: list[_Vote | None] = []
    for position, segment in enumerate(reading.segments):
        cover = _cover(target, segment.words, _asides(target, segment))
        if cover.share > 0 and not _is_foreign(segment, target, others):
            votes.append(_by_segment(target, cover, position, reading))
    return votes


def _extras(target: Target, segment: Segment) -> float:
    """The words of a segment that are neither cues nor of the target; a Han character is half."""
    named = [_names(target, item) for item in segment.items]
    free = {
        item.stem
        for at, item in enumerate(segment.items)
        if item.stem
        and not item.cues - {"others"}
        and not any(named[at : at + 2])
        and not (segment.noun_first and any(named[max(at - 1, 0) : at]))
    }
    return sum(1.0 if stem.isascii() or len(stem) > 1 else 0.5 for stem in free)


def _names(target: Target, item: Item) -> bool:
    """Whether a word names an object of the target, its near kin, its opposite or a rival."""
    return any(
        wanted.stem in item.names
        or not wanted.near.isdisjoint(item.near)
        or not wanted.opposed.isdisjoint(item.sides)
        for wanted in target.objects
    )


def _asides(target: Target, segment: Segment) -> frozenset[str]:
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


def _by_comparison(target: Target, compared: Comparison) -> _Vote | None:
    preferred = _cover(target, compared.preferred)
    left = _cover(target, compared.left)
    stems = {item.stem for item in target.objects}
    replaces_part = left.share == preferred.share and compared.left.own <= stems
    if max(preferred.share, left.share) < 0.5 or (
        preferred.share == left.share and not replaces_part
    ):
        return None
    chosen = preferred.share > left.share
    cover = preferred if chosen else left
    if cover.slot and not cover.direct:
        return None
    sign = (1 if chosen else -1) * (-1 if cover.flips else 1) * target.sign
    strength = _STRENGTHS["comparison"] if target.sign > 0 else 0.8
    return _Vote(sign, "change" if compared.is_change else "comparison", strength)


def _by_segment(target: Target, cover: _Cover, position: int, reading: Reading) -> _Vote | None:
    segment = reading.segments[position]
    sign, basis = segment.sign, segment.basis
    damped = 1.0
    beside = (s for s in reading.segments if s.sentence == segment.sentence)
    if basis == "habit" and any(other.has("neutral") for other in beside):
        return None
    if not sign and segment.has("repeat") and target.basis in _REPEATABLE:
        sign, basis = 1, "habit"
    if not sign and not (target.basis == "plain" and segment.has("repeat")):
        sign, basis = _borrowed(position, reading)
        damped = 0.9
        if cover.flips and sign < 0:
            return None
    if cover.slot:
        return _by_slot(target, cover, sign, segment)
    extras = _extras(target, segment)
    if target.basis == "plain" and extras > _EXTRAS and not segment.has("repeat"):
        return None
    if not sign and target.basis == "plain":
        negated = segment.has("negate")
        sign, basis = (-1, "negation") if negated else (1, "restated")
        alone = len(target.objects) == 1 and extras and not segment.has("repeat")
        if alone and not negated:
            return None
    if not sign and cover.flips and target.basis == "habit" and not extras:
        sign, basis = 1, "restated"
    if basis == "negation" and target.basis == "judgement":
        return None
    if _is_of_another_sort(target, segment):
        return None
    if not sign or cover.share < _ENOUGH[basis] or not cover.fitting:
        return None
    if basis == "attitude" and cover.share < _RESTATED and extras > _EXTRAS:
        return None
    room = 1 if sign < 0 or len(target.objects) > 1 else 0
    if basis == "habit" and extras > room and not segment.has("repeat"):
        return None
    exclusive = target.exclusive or segment.has("exclusive", "change")
    if cover.flips and basis == "attitude" and sign > 0 and target.sign > 0 and not exclusive:
        return None
    if cover.flips:
        sign = -sign
    label = "opposite" if cover.flips else basis
    if (
        target.basis == "comparison"
        and target.sign < 0
        and sign > 0
        and not segment.has("exclusive", "change")
    ):
        return None
    strength = _STRENGTHS[basis] * damped * (0.7 + 0.3 * cover.share)
    covers = (
        cover.share >= (0.5 if target.of_a_name else _RESTATED)
        and extras <= _EXTRAS
        and not cover.flips
    )
    return _Vote(sign * target.sign, label, strength, covers)


def _is_of_another_sort(target: Target, segment: Segment) -> bool:
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


def _by_slot(target: Target, cover: _Cover, sign: int, segment: Segment) -> _Vote | None:
    """Another value where only one can hold: a contradiction, if either side excludes others."""
    if target.sign < 0 or sign < 0 or cover.share < 0.4:
        return None
    excludes = target.exclusive or segment.has("change")
    alone = sum(item.weight == 1.0 for item in target.objects) == 1
    if not excludes or not (cover.direct or (alone and sign > 0 and segment.has("exclusive"))):
        return None
    if not sign and not segment.has("exclusive", "change"):
        return None
    return _Vote(-1, "slot", _STRENGTHS["slot"])


def _borrowed(position: int, reading: Reading) -> tuple[int, str]:
    """The sign of the next, else of the previous segment of the same sentence."""
    here = reading.segments[position]
    for other in (position + 1, position - 1):
        if 0 <= other < len(reading.segments):
            segment = reading.segments[other]
            if segment.sentence == here.sentence or other > position:
                sign, basis = segment.sign, segment.basis
                if sign and basis != "negation":
                    return sign, basis
    return 0, "none"


def _cover(target: Target, named: Words, asides: frozenset[str] = frozenset()) -> _Cover:
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
    return _Cover(share, flips, slot, direct, fitting)


def _tells_of_others(segment: Segment, wanted: set[str]) -> bool:
    """Whether somebody else is more than whom the holder does a thing for or with."""
    told = reached = False
    for item in segment.items:
        if "others" in item.cues and item.stem not in wanted and not reached:
            return True
        told = told or bool(item.cues & _TELLING)
        reached = told and ("prep" in item.cues or (reached and bool(item.cues & {"function", "scene"})))
    return False


def _is_foreign(segment: Segment, target: Target, others: frozenset[str]) -> bool:
    """Whether the segment tells of somebody else: another name or `her sister` as its subject.

    A name is a capital that is no object of the opinion, before the cue that says what is thought;
    where it opens the sentence, only right before a cue.
    """
    wanted = {item.stem for item in target.objects}
    other_words = {part for slug in others for part in slug.split("-")}
    items = [item for item in segment.items if "function" not in item.cues]
    if _tells_of_others(segment, wanted):
        return True
    told = not segment.holder_first
    for position, item in enumerate(items):
        if item.cues & ATTITUDES:
            return False
        told = told or "say" in item.cues
        if not told:
            continue
        if not item.stem or item.stem in wanted or item.cues - {"weak"}:
            continue
        if item.token in other_words:
            return True
        follows = items[position + 1].cues if position + 1 < len(items) else frozenset()
        if item.capital and follows & _PREDICATES:
            return True
    return False
