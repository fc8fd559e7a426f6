"""Stance without a model: whether a line speaks for an opinion, against it, or not of it.

The opinion is read as targets: what it is about, and the sign it gives to it (`prefers tea to
coffee`: tea +, coffee −). The line is then asked what sign *it* gives to each target, segment by
segment, by the strongest cue that stands with the target: a comparison, an attitude, a change of
habit, a judgement, a bare negation. An opposite word (`long` for `short`) turns the sign over, as
does another value in a slot that only one value can hold (`Monday` for `Friday`).

A wrong sign is worse than none: where cues disagree, where too little of the target is named, or
where somebody else's view, a question or a hypothesis is told, the answer is `unrelated`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from lorebank.domain import Fact, Stance
from lorebank.language.words import words
from lorebank.reflect.lexicon import Lexicon
from lorebank.reflect.reading import Comparison, Reading, Segment, read

__all__ = ["Judgement", "index_keys", "judge", "nearness", "target_keys"]

_SIGNS = {
    "like": ("attitude", 1),
    "dislike": ("attitude", -1),
    "norm": ("attitude", 1),
    "drop": ("habit", -1),
    "adopt": ("habit", 1),
    "good": ("judgement", 1),
    "bad": ("judgement", -1),
}
_STRENGTHS = {
    "comparison": 1.0,
    "attitude": 1.0,
    "slot": 0.9,
    "habit": 0.85,
    "judgement": 0.85,
    "negation": 0.85,
    "restated": 0.85,
}
_ENOUGH = {"attitude": 0.5, "habit": 0.6, "judgement": 0.5, "negation": 0.7, "restated": 0.75}
_WEAK = 0.35


@dataclass(frozen=True, slots=True)
class Judgement:
    """How a line bears on an opinion."""

    stance: Stance
    strength: float
    """0..1; 0 where unrelated."""
    reason: str
    """`restated`, `comparison`, `attitude`, `habit`, `judgement`, `negation`, `slot`, … or, where
    unrelated, why: `other holder`, `other subject`, `no cue`, `cues disagree`, `quoted`."""


@dataclass(frozen=True, slots=True)
class _Target:
    stems: tuple[tuple[str, float], ...]
    """Stem and weight of each word of the object."""
    sign: int
    basis: str
    exclusive: bool


@dataclass(frozen=True, slots=True)
class _Cover:
    share: float
    """How much of the target's weight the words named, directly or by an opposite."""
    flips: bool
    slot: bool
    direct: int


@dataclass(frozen=True, slots=True)
class _Vote:
    sign: int
    basis: str
    strength: float


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
    if words(opinion_statement) == words(text):
        return Judgement(Stance.FOR, _STRENGTHS["restated"], "restated")
    reading = read(text, holders)
    targets = _targets(opinion_statement, holders)
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
    reading = read(text, names, claim=True)
    if reading.lexicon is None:
        return 0.0
    stems = {stem for segment in reading.segments for stem in segment.stems}
    targets = _targets(opinion_statement, names)
    return max((_cover(t, stems, reading.lexicon).share for t in targets), default=0.0)


def target_keys(opinion_statement: str, holder: str = "") -> frozenset[str]:
    """The keys under which an opinion is found by `index_keys` of a line that may bear on it."""
    names = (holder,) if holder else ()
    reading = read(opinion_statement, names, claim=True)
    stems = (stem for target in _targets(opinion_statement, names) for stem, _ in target.stems)
    return _keys(stems, reading.lexicon)


def index_keys(text: str, holder: str = "") -> frozenset[str]:
    """The stems of a text, and the opposites and slots they belong to."""
    reading = read(text, (holder,) if holder else (), claim=True)
    stems = {stem for segment in reading.segments for stem in segment.stems}
    stems.update(*(c.preferred | c.left for c in reading.comparisons))
    return _keys(stems, reading.lexicon)


def _keys(stems: Iterable[str], words: Lexicon | None) -> frozenset[str]:
    keys: set[str] = set()
    for stem in stems:
        keys.add(stem)
        if words is not None:
            keys.update(f"/{pair}" for pair, _ in words.opposites.get(stem, ()))
            keys.update(f"#{slot}" for slot in words.slots.get(stem, ()))
    return frozenset(keys)


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
    return Judgement(stance, round(best.strength, 3), best.basis)


@lru_cache(maxsize=8192)
def _targets(statement: str, holders: tuple[str, ...]) -> tuple[_Target, ...]:
    reading = read(statement, holders, claim=True)
    if reading.lexicon is None or not reading.segments:
        return ()
    if reading.comparisons:
        compared = reading.comparisons[0]
        return (
            _Target(_even(compared.preferred), 1, "comparison", True),
            _Target(_even(compared.left), -1, "comparison", True),
        )
    sign, basis = _sign_of_all(reading)
    spent = {"attitude": {"like", "dislike", "norm"}, "judgement": {"good", "bad"}}.get(
        basis, set()
    )
    silent = spent | {"say", "exclusive", "change", "joins", "past", "others"}
    if basis == "attitude":
        silent |= {"adopt"}
    weights: dict[str, float] = {}
    for segment in reading.segments:
        for item in segment.items:
            if item.stem and not item.cues & silent:
                weight = _WEAK if item.cues & {"weak"} else 1.0
                weights[item.stem] = max(weights.get(item.stem, 0.0), weight)
    exclusive = any(segment.has("exclusive") for segment in reading.segments)
    return (_Target(tuple(weights.items()), sign, basis, exclusive),) if weights else ()


def _even(stems: Iterable[str]) -> tuple[tuple[str, float], ...]:
    return tuple((stem, 1.0) for stem in sorted(stems))


def _sign_of_all(reading: Reading) -> tuple[int, str]:
    """The sign an opinion's statement gives to its object, by its first segment with a cue."""
    assert reading.lexicon is not None
    for segment in reading.segments:
        sign, basis = _sign(segment, reading.lexicon)
        if sign and basis in ("attitude", "judgement"):
            return sign, basis
    for segment in reading.segments:
        sign, basis = _sign(segment, reading.lexicon)
        if sign:
            return sign, basis
    return 1, "plain"


def _ask(target: _Target, reading: Reading, others: frozenset[str]) -> list[_Vote | None]:
    assert reading.lexicon is not None
    for comparison in reading.comparisons:
        vote = _by_comparison(target, comparison, reading.lexicon)
        if vote is not None:
            return [vote]
    votes: list[_Vote | None] = []
    for position, segment in enumerate(reading.segments):
        cover = _cover(target, segment.stems, reading.lexicon)
        if cover.share > 0 and not _is_foreign(segment, target, others, reading.lexicon):
            votes.append(_by_segment(target, cover, position, reading))
    return votes


def _by_comparison(target: _Target, compared: Comparison, words: Lexicon) -> _Vote | None:
    preferred = _cover(target, compared.preferred, words)
    left = _cover(target, compared.left, words)
    if max(preferred.share, left.share) < 0.5 or preferred.share == left.share:
        return None
    chosen = preferred.share > left.share
    cover = preferred if chosen else left
    if cover.slot and not cover.direct:
        return None
    sign = (1 if chosen else -1) * (-1 if cover.flips else 1) * target.sign
    strength = _STRENGTHS["comparison"] if target.sign > 0 else 0.8
    return _Vote(sign, "change" if compared.is_change else "comparison", strength)


def _by_segment(target: _Target, cover: _Cover, position: int, reading: Reading) -> _Vote | None:
    assert reading.lexicon is not None
    segment = reading.segments[position]
    sign, basis = _sign(segment, reading.lexicon)
    damped = 1.0
    if not sign:
        sign, basis = _borrowed(position, reading)
        damped = 0.9
    if cover.slot:
        return _by_slot(target, cover, sign, segment)
    if not sign and target.basis == "plain":
        negated = segment.has("negate")
        sign, basis = (-1, "negation") if negated else (1, "restated")
    if not sign or cover.share < _ENOUGH[basis]:
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
    return _Vote(sign * target.sign, label, strength)


def _by_slot(target: _Target, cover: _Cover, sign: int, segment: Segment) -> _Vote | None:
    """Another value where only one can hold: a contradiction, if either side excludes others."""
    if target.sign < 0 or sign < 0 or cover.share < 0.4:
        return None
    excludes = target.exclusive or segment.has("change")
    alone = len(target.stems) == 1
    if not excludes or not (cover.direct or (alone and sign > 0 and segment.has("exclusive"))):
        return None
    if not sign and not segment.has("exclusive", "change"):
        return None
    return _Vote(-1, "slot", _STRENGTHS["slot"])


def _borrowed(position: int, reading: Reading) -> tuple[int, str]:
    """The sign of the next, else of the previous segment of the same sentence."""
    assert reading.lexicon is not None
    here = reading.segments[position]
    for other in (position + 1, position - 1):
        if 0 <= other < len(reading.segments):
            segment = reading.segments[other]
            if segment.sentence == here.sentence or other > position:
                sign, basis = _sign(segment, reading.lexicon)
                if sign and basis != "negation":
                    return sign, basis
    return 0, "none"


def _sign(segment: Segment, words: Lexicon) -> tuple[int, str]:
    """What a segment says of its object: its sign, and the class of cue that gives it."""
    totals: dict[str, list[int]] = {"attitude": [], "habit": [], "judgement": []}
    denied = False
    last = ""
    for item in segment.items:
        cue = next((cue for cue in _SIGNS if cue in item.cues), "")
        if "negate" in item.cues:
            denied = not denied
        if not cue:
            continue
        kind, sign = _SIGNS[cue]
        if kind == "attitude" and last == "drop" and totals["habit"]:
            totals["habit"].pop()
            denied = not denied
        totals[kind].append(-sign if denied else sign)
        if "negate" not in item.cues:
            denied = False
        last = cue
    kinds = [kind for kind in totals if totals[kind]]
    if not kinds:
        return (-1, "negation") if denied else (0, "none")
    if denied and _negation_reaches_back(segment, words):
        totals[kinds[0]][-1] *= -1
    return _agreed(totals)


def _negation_reaches_back(segment: Segment, words: Lexicon) -> bool:
    if words.negation_after:
        return True
    at = max(i for i, item in enumerate(segment.items) if "negate" in item.cues)
    return any(item.stem for item in segment.items[at + 1 :])


def _agreed(totals: dict[str, list[int]]) -> tuple[int, str]:
    for kind in ("attitude", "habit", "judgement"):
        signs = totals[kind]
        if signs:
            if len(set(signs)) > 1:
                return (0, "none") if kind != "habit" else (min(signs), "habit")
            rival = totals["judgement"] if kind == "habit" else []
            return (0, "none") if any(s != signs[0] for s in rival) else (signs[0], kind)
    return 0, "none"


def _cover(target: _Target, stems: Iterable[str], words: Lexicon) -> _Cover:
    named = set(stems)
    total = sum(weight for _, weight in target.stems)
    share = 0.0
    flips = slot = False
    direct = 0
    for stem, weight in target.stems:
        if stem in named:
            share += weight
            direct += weight == 1.0
        elif _opposed(stem, named, words):
            share += weight
            flips = not flips
        elif _other_value(stem, named, words):
            share += 0.8 * weight
            slot = True
    return _Cover(share / total if total else 0.0, flips, slot, direct)


def _opposed(stem: str, named: set[str], words: Lexicon) -> bool:
    sides = words.opposites.get(stem, frozenset())
    return any(
        (pair, 1 - side) in words.opposites.get(other, frozenset())
        for pair, side in sides
        for other in named
    )


def _other_value(stem: str, named: set[str], words: Lexicon) -> bool:
    own = words.slots.get(stem, frozenset())
    return bool(own) and any(own & words.slots.get(other, frozenset()) for other in named)


def _is_foreign(segment: Segment, target: _Target, others: frozenset[str], words: Lexicon) -> bool:
    """Whether the segment tells of somebody else: another name or `her sister` as its subject."""
    wanted = {stem for stem, _ in target.stems}
    other_words = {part for slug in others for part in slug.split("-")}
    before_cue = True
    for item in segment.items:
        if "others" in item.cues and item.stem not in wanted:
            return True
        if item.cues & {"like", "dislike", "norm"}:
            before_cue = False
        if not before_cue or item.stem in wanted or not item.stem:
            continue
        if item.token in other_words and not segment.holder_first:
            return True
    return False
