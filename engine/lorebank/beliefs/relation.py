"""What a newer line is to an older statement of one holder: the same, its contrary, or uncertain.

The engine says so only where it is nearly always right; all else waits for a judge. Two clauses are
compared where each names most of what the other is about:

- signs that differ contradict (`loves the flute`, `hates the flute`), and so does what is said to
  be over (`no longer`) or denied in the same words;
- equal signs restate, unless the newer one adds much;
- who changed his mind about what an older statement speaks of contradicts that.

Where clauses disagree or compare, nothing is certain. Statements that share few words restate each
other where their vectors (`cosine`) nearly coincide and no attitude parts them; in two languages
less nearness is enough, since there words cannot lie near by chance.

What is uncertain waits for a judge (`unsure_pair`), as a line of `bank/evidence.md`. A person or an
agent reads it, so there is little: of each line the opinion it comes nearest to, and only where it
comes near enough. The holder's own opinion lines are rare and weigh most: they are asked about from
a lower nearness on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from enum import StrEnum
from itertools import product
from typing import TYPE_CHECKING

from lorebank.beliefs.reading import Clause, Reading, read, shared

if TYPE_CHECKING:
    from lorebank.beliefs.outcome import Belief
    from lorebank.domain.facts import Fact

_LEAST_SHARED, _MEAN_SHARED = 0.5, 0.7
_DENIED_SHARED = 0.75
"""What a bare denial or ending has to share, both ways: nothing but the negation may differ ("her
deputy no longer wants to …" is somebody else's mind)."""
_SAME_SHARED = 0.6
"""What a restatement has to share, both ways; below it, what is new may refine the older one."""
_SAME_SUBJECT = 0.3
_SAME_MEANING, _SAME_MEANING_ACROSS = 0.8, 0.64
"""From this cosine on two statements say the same, in one language and in two. Of pairs by six
other hands all found so are right; from .6 on in one language every other one was wrong."""

NEAR_MEANING, NEAR_WORDS = 0.2, 0.4
"""From here on a line is asked about: on 60 days of notes by another hand 28 of 31 lines that bear
on an opinion come so near, at 1 to 1.5 pairs a day."""
OWN_WORD_NEAR = 0.1
"""The same for an opinion line of the holder. On 126 pairs of opinions by other hands a fifth of
the restatements and contradictions lie below .3, none below .1."""
CONFLICT = "its words disagree"
"""The reason of a pair of which some clauses restate each other and others contradict."""


class Bearing(StrEnum):
    """What a newer statement is to an older one."""

    RESTATES = "restates"
    CONTRADICTS = "contradicts"
    UNCERTAIN = "uncertain"


@dataclass(frozen=True, slots=True)
class Relation:
    """What a newer statement is to an older one, and what tells."""

    bearing: Bearing
    reason: str = ""
    """`attitude`, `over`, `negation`, `mind`, `same words`, `meaning`, or `CONFLICT`."""
    shared: float = 0.0
    """0..1: how much the two have in common, word for word."""


def relate(
    older: str,
    newer: str,
    names: frozenset[str] = frozenset(),
    cosine: float | None = None,
) -> Relation:
    """What the newer of two statements of one holder is to the older; `names` name the holder."""
    one, other = read(older, names), read(newer, names)
    if cosine is not None and cosine < _SAME_SUBJECT:
        return Relation(Bearing.UNCERTAIN)
    common = (shared(one.objects, other.objects) + shared(other.objects, one.objects)) / 2
    if "mind" in other.flags and common:
        return Relation(Bearing.CONTRADICTS, "mind", common)
    still = "still" in other.flags
    pairs = product(one.clauses, other.clauses) if common else ()
    found = [sign for pair in pairs if (sign := _clauses(*pair, one.objects, still=still))]
    against = [reason for bearing, reason in found if bearing is Bearing.CONTRADICTS]
    same = [reason for bearing, reason in found if bearing is Bearing.RESTATES]
    if "over" in against:
        return Relation(Bearing.CONTRADICTS, "over", common)
    if against and set(same) <= {"same words"}:
        return Relation(Bearing.CONTRADICTS, against[0], common)
    if same and not against and not _adds(one, other):
        return Relation(Bearing.RESTATES, same[0], common)
    if not found and cosine is not None and _means_the_same(one, other, cosine):
        return Relation(Bearing.RESTATES, "meaning", common)
    return Relation(Bearing.UNCERTAIN, CONFLICT if against else "", common)


def _clauses(
    older: Clause, newer: Clause, objects: Collection[str], *, still: bool
) -> tuple[Bearing, str] | None:
    """What a clause of the newer statement is to one of the older, which has these objects in all;
    `None` where that is unclear."""
    forth = shared(older.objects, newer.objects)
    back = shared(newer.objects, older.objects)
    least = min(forth, back)
    if least < _LEAST_SHARED or (forth + back) / 2 < _MEAN_SHARED:
        return None
    all_alike = forth >= _DENIED_SHARED and shared(newer.objects, objects) >= _DENIED_SHARED
    opposite = older.sign * newer.sign < 0
    if "over" in newer.flags and (opposite or (newer.sign <= 0 <= older.sign and not older.denied)):
        return (Bearing.CONTRADICTS, "over") if all_alike else None
    if opposite:
        return Bearing.CONTRADICTS, "attitude"
    if older.sign != newer.sign or older.mixed or newer.mixed:
        return None
    if older.sign:
        return (Bearing.RESTATES, "attitude") if least >= _SAME_SHARED or still else None
    if older.denied != newer.denied:
        return (Bearing.CONTRADICTS, "negation") if all_alike else None
    return (Bearing.RESTATES, "same words") if all_alike or still else None


def _adds(one: Reading, other: Reading) -> bool:
    """Whether the newer statement speaks of much that the older one does not: it may refine it."""
    return "still" not in other.flags and shared(other.objects, one.objects) < _SAME_SHARED


def _means_the_same(one: Reading, other: Reading, cosine: float) -> bool:
    """Whether statements that share few words are near in meaning, and no attitude parts them."""
    least = _SAME_MEANING if one.language == other.language else _SAME_MEANING_ACROSS
    if cosine < least or any(c.mixed or c.denied for c in (*one.clauses, *other.clauses)):
        return False
    if _adds(one, other) and shared(one.objects, other.objects) == 1:
        return False  # all that the older one says, and more
    older, newer = ({c.sign for c in reading.clauses if c.sign} for reading in (one, other))
    return older == newer and len(older) < 2


@dataclass(frozen=True, slots=True)
class UnsurePair:
    """A line near an opinion, and why it may bear on it."""

    fact: Fact
    opinion_id: str
    score: float
    """0..1: how near it comes."""
    reason: str


def unsure_pair(
    fact: Fact,
    near: Iterable[tuple[Belief, float | None]],
    names: frozenset[str],
    *,
    own_word: bool,
) -> UnsurePair | None:
    """The opinion that a line comes nearest to; `None` where it comes near to none.

    `near` holds each opinion and the cosine of the two.
    """
    best: tuple[float, Belief, float | None, bool] | None = None
    least = OWN_WORD_NEAR if own_word else NEAR_MEANING
    said = read(fact.content, names).objects
    for belief, cosine in near:
        named = shared(read(belief.statement, names).objects, said)
        meant = cosine or 0.0
        if meant < least and named < NEAR_WORDS:
            continue
        score = round(max(meant, named / 2 if cosine is not None else named), 3)
        if best is None or score > best[0]:
            best = score, belief, cosine, meant >= named
    if best is None:
        return None
    score, belief, cosine, by_meaning = best
    reason = relate(belief.statement, fact.content, names, cosine).reason
    reason = reason or ("alike in meaning" if by_meaning else "names it")
    return UnsurePair(fact, belief.id, score, reason)
