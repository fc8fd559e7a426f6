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

from collections.abc import Iterable, Sequence
from functools import lru_cache

from lorebank.domain import Fact, Stance
from lorebank.language.words import words
from lorebank.records import dataclass
from lorebank.reflect.covering import Cover, asides, cover_of, extras, is_of_another_sort
from lorebank.reflect.deeds import (
    is_done_at_its_hour,
    is_done_without,
    is_for_another,
    is_of_length,
    is_only_about,
    is_wanted_without,
    opens_with,
    strays,
)
from lorebank.reflect.detection import detect
from lorebank.reflect.reading import Comparison, Reading, Segment, read
from lorebank.reflect.subjects import is_foreign, is_told_by_another
from lorebank.reflect.targets import Target, targets_of

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
_RESTATED = 0.6
_HOUR = 0.7
"""How much it tells of a liking for an hour that something was done then."""
_WITHOUT = 0.7
"""How much it tells against a thing that another was wanted without it."""
_BORROWED = 0.9
"""How much of a sign another segment of the sentence passes on."""
_RIVAL = 0.6
"""How much it tells against what is preferred that its rival was taken for once."""
_EXTRAS = 2
_REPEATABLE = frozenset({"attitude", "comparison", "habit"})


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
    turns: bool = False
    """Whether it says outright that the holder now thinks otherwise (`no longer likes Rust`)."""


@dataclass(frozen=True, slots=True)
class _Vote:
    sign: int
    basis: str
    strength: float
    covers: bool = False
    turns: bool = False


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
    turns = any(vote.turns and vote.sign == best.sign for vote in cast)
    return Judgement(stance, round(best.strength, 3), best.basis, covers and best.sign > 0, turns)


def _ask(target: Target, reading: Reading, others: frozenset[str]) -> list[_Vote | None]:
    for comparison in reading.comparisons:
        told = [s for s in reading.segments if s.sentence == comparison.sentence]
        turns = comparison.is_change or any(segment.has("change") for segment in told)
        vote = _by_comparison(target, comparison, turns=turns)
        if vote is not None:
            foreign = any(is_foreign(segment, target, others) for segment in told)
            return [None] if foreign else [vote]
    votes: list[_Vote | None] = []
    theirs = {s.sentence for s in reading.segments if is_told_by_another(s, target)}
    for position, segment in enumerate(reading.segments):
        if segment.sentence in theirs:
            continue
        cover = cover_of(target, segment.words, asides(target, segment))
        if cover.share > 0 and not is_foreign(segment, target, others):
            votes.append(_by_segment(target, cover, position, reading))
    return votes


def _by_comparison(target: Target, compared: Comparison, *, turns: bool) -> _Vote | None:
    preferred = cover_of(target, compared.preferred)
    left = cover_of(target, compared.left)
    stems = {item.stem for item in target.objects}
    equal = preferred.share == left.share
    told_apart = compared.left.own <= stems or preferred.flips != left.flips
    if max(preferred.share, left.share) < 0.5 or (equal and not told_apart):
        return None
    chosen = preferred.share > left.share
    if equal and preferred.flips != left.flips:
        chosen = left.flips
    cover = preferred if chosen else left
    if cover.slot and not cover.direct:
        return None
    sign = (1 if chosen else -1) * (-1 if cover.flips else 1) * target.sign
    strength = _STRENGTHS["comparison"] if target.sign > 0 else 0.8
    return _Vote(sign, "change" if compared.is_change else "comparison", strength, turns=turns)


def _by_segment(target: Target, cover: Cover, position: int, reading: Reading) -> _Vote | None:
    segment = reading.segments[position]
    told = _told(target, cover, position, reading)
    if told is None:
        return None
    if cover.slot:
        return _by_slot(target, cover, told.sign, segment)
    told = _read_plainly(target, cover, segment, told)
    besides = extras(target, segment)
    if told is None or not told.sign or is_of_another_sort(target, segment):
        return None
    if told.basis == "attitude" and told.sign > 0 and is_wanted_without(target, segment):
        told = _Told(-1, "attitude", _WITHOUT)
    if cover.share < _ENOUGH[told.basis] or not cover.fitting:
        return None
    if told.basis == "attitude" and cover.share < _RESTATED and besides > _EXTRAS:
        return None
    if told.basis in ("habit", "judgement") and is_only_about(target, segment):
        return None
    if told.basis == "habit" and not _is_done_to(target, segment, told.sign):
        return None
    return _signed(target, cover, segment, told, besides)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a segment says of its object."""

    sign: int
    basis: str
    damped: float = 1.0


def _told(target: Target, cover: Cover, position: int, reading: Reading) -> _Told | None:
    """The segment's own sign, that of a repetition, or that of a segment beside it."""
    segment = reading.segments[position]
    sign, basis = segment.sign, segment.basis
    if basis == "habit":
        beside = (s for s in reading.segments if s.sentence == segment.sentence)
        if any(other.has("neutral") for other in beside):
            return None
        if segment.has("brief") and segment.has("drop"):
            sign = 1 if is_of_length(target, segment) else -1
    if sign:
        return _Told(sign, basis)
    repeats = segment.has("repeat")
    if repeats and target.basis in _REPEATABLE and not extras(target, segment):
        return _Told(1, "habit")
    if repeats and target.basis == "plain":
        return _Told(0, "none")
    sign, basis = _borrowed(target, position, reading)
    return None if cover.flips and sign < 0 else _Told(sign, basis, _BORROWED)


def _read_plainly(target: Target, cover: Cover, segment: Segment, told: _Told) -> _Told | None:
    """What is said without a cue: that it was done at the hour liked, or that it is so."""
    besides = extras(target, segment)
    plain = target.basis == "plain"
    if plain and besides > _EXTRAS and not segment.has("repeat"):
        return None
    if told.sign:
        return None if told.basis == "negation" and target.basis == "judgement" else told
    if is_done_at_its_hour(target, segment):
        return _Told(1, "habit", _HOUR)
    if plain and segment.has("negate"):
        return _Told(-1, "negation", told.damped)
    if plain:
        alone = len(target.objects) == 1 and besides and not segment.has("repeat")
        return None if alone else _Told(1, "restated", told.damped)
    if cover.flips and target.basis in ("habit", "negation") and not besides:
        return _Told(1, "restated", told.damped)
    return told


def _is_done_to(target: Target, segment: Segment, sign: int) -> bool:
    """Whether a deed is one of the holder's, to what the opinion is about."""
    if is_done_without(target, segment) or is_for_another(segment):
        return False
    if target.owned and segment.has("other"):
        return False
    judged = target.basis == "judgement" and segment.has("good", "bad")
    if segment.basis == "habit" and not judged and opens_with(target, segment):
        return False
    if segment.has("repeat"):
        return True
    before, behind = strays(target, segment)
    room = 1 if sign < 0 or len(target.objects) > 1 else 0
    return before <= room and behind <= 1


def _signed(
    target: Target, cover: Cover, segment: Segment, told: _Told, besides: float
) -> _Vote | None:
    """The vote, where what is said of an opposite or a rival tells of the object too."""
    sign, damped = told.sign, told.damped
    excludes = segment.has("exclusive", "change")
    liked = told.basis == "attitude" and min(sign, target.sign) > 0
    if cover.flips and liked and not (excludes or target.exclusive):
        return None
    sign = -sign if cover.flips else sign
    if target.basis == "comparison" and target.sign < 0 < sign and not excludes:
        if told.basis != "habit":
            return None
        damped *= _RIVAL
    return _Vote(
        sign * target.sign,
        "opposite" if cover.flips else told.basis,
        _STRENGTHS[told.basis] * damped * (0.7 + 0.3 * cover.share),
        not cover.flips
        and besides <= _EXTRAS
        and cover.share >= (0.5 if target.of_a_name else _RESTATED),
        segment.has("change") and told.basis != "restated",
    )


def _by_slot(target: Target, cover: Cover, sign: int, segment: Segment) -> _Vote | None:
    """Another value where only one can hold: a contradiction, if either side excludes others."""
    if target.sign < 0 or sign < 0 or cover.share < 0.4 or extras(target, segment) > 1:
        return None  # `asked for short replies on WhatsApp` is not about the channel
    excludes = target.exclusive or segment.has("change")
    alone = sum(item.weight == 1.0 for item in target.objects) == 1
    if not excludes or not (cover.direct or (alone and sign > 0 and segment.has("exclusive"))):
        return None
    if not sign and not segment.has("exclusive", "change"):
        return None
    return _Vote(-1, "slot", _STRENGTHS["slot"])


def _borrowed(target: Target, position: int, reading: Reading) -> tuple[int, str]:
    """The sign of the next, else of the previous segment of the same sentence."""
    here = reading.segments[position]
    if here.has("reason"):
        return _caused(target, position, reading)
    for other in (position + 1, position - 1):
        if 0 <= other < len(reading.segments):
            segment = reading.segments[other]
            if segment.sentence == here.sentence or other > position:
                sign, basis = segment.sign, segment.basis
                apart = basis == "habit" and here.has("prep") and other < position
                if sign and basis != "negation" and not apart:
                    return sign, basis
    return 0, "none"


def _caused(target: Target, position: int, reading: Reading) -> tuple[int, str]:
    """The sign of what is done because of a thing: `sent it back because of the onions`."""
    here = reading.segments[position]
    before = reading.segments[position - 1] if position else None
    alone = not here.has("negate", "say", "others") and not extras(target, here)
    if before is None or before.sentence != here.sentence or before.sign >= 0 or not alone:
        return 0, "none"
    return (-1, "habit") if before.basis in ("attitude", "habit") else (0, "none")
