"""What a newer line is to an older statement of one holder: the same, its contrary, or uncertain.

The engine says so only where it is nearly always right; all else waits for a judge. Two clauses are
compared where each names most of what the other is about (`_about_the_same`):

- signs that differ contradict (`loves the flute`, `hates the flute`), unless the newer one speaks
  of a part or special case (`hates flute lessons`); and so does what is said to be over
  (`no longer`) or denied in the same words;
- equal signs restate, unless the newer one adds much;
- comparisons contradict with their sides exchanged, and restate with them kept;
- who changed his mind about what an older statement speaks of, or says that it is otherwise now,
  contradicts that.

Where clauses disagree, or each statement names something that the other does not, nothing is
certain. `cosine`, the nearness of the two in meaning where their vectors are known, joins
statements in two languages.

What is uncertain waits for a judge (`unsure_pair`), as a line of `bank/evidence.md`. A person or an
agent reads it, so there is little: of each line the opinion it comes nearest to, and only where it
comes near enough. The holder's own opinion lines are rare and weigh most: they are asked about from
a lower nearness on.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from enum import StrEnum
from typing import TYPE_CHECKING

from lorebank.beliefs.reading import Clause, Reading, read, shared
from lorebank.index.vectors import VectorsOf, vectors_by_text
from lorebank.records import Record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lorebank.beliefs.outcome import Belief
    from lorebank.domain.facts import Fact

    Floats = NDArray[np.float32]

_LEAST_SHARED, _MEAN_SHARED = 0.5, 0.7
"""What two clauses on one thing share: each way at least, and on average. Chosen by hand."""
_DENIED_SHARED = 0.75
"""What a bare denial or ending has to share of the older clause, beside adding nothing: nothing but
the negation may differ ("her niece no longer wants to sing" is somebody else's mind)."""
_SAME_SHARED = 0.6
"""What a restatement has to share, both ways; below it, what is new may refine the older one."""
SAME_SUBJECT = 0.3
_SAME_MEANING = 0.6
"""From this cosine on statements in two languages say the same (5 of 6 among 716 pairs by other
hands; in one language 5 of 11, which are asked), and less has to be shared where one of two
contrary clauses is denied (7 of 9)."""
_SAME_WITHOUT_ATTITUDE = 0.63
"""The same where neither statement's attitude is read: of a user `unbrauchbar` and `useful` lay at
.62, all five true pairs lie above."""
_NEAR_SHARED = 0.6
"""What such clauses have to share on average. Of 450 opinions that all hold (PrefEval) 97 pairs
contradicted one another where contrary attitudes and the cosine were enough, 5 do so now; of 9 true
changes in 3 sixty-day logs and 716 pairs 6 are still found."""
TURN_NEAR = 0.4
"""How near a change of mind has to come to an older opinion; unrelated opinions of one holder come
so near in 8 of 268 pairs by other hands."""

NEAR_MEANING, NEAR_WORDS = 0.2, 0.4
"""From here on a line is asked about: on 60 days of notes by another hand 28 of 31 lines that bear
on an opinion come so near, at 1 to 1.5 pairs a day."""
OWN_WORD_NEAR = 0.1
"""The same for an opinion line of the holder. On 126 pairs of opinions by other hands a fifth of
the restatements and contradictions lie below .3, none below .1."""


PART = "it may be about a part of it, or a special case"
_TURNS = frozenset({"over", "mind", "turn"})  # flags of who says that he thinks otherwise now


class Bearing(StrEnum):
    """What a newer statement is to an older one."""

    RESTATES = "restates"
    CONTRADICTS = "contradicts"
    UNCERTAIN = "uncertain"


class Relation(Record):
    """What a newer statement is to an older one, and why."""

    bearing: Bearing
    reason: str = ""
    """`attitude`, `over`, `negation`, `comparison`, `switch`, `mind`, `turn`, `same words` or
    `meaning`; of what is uncertain `PART`, or that its words disagree."""
    shared: float = 0.0
    """0..1: how much the two have in common, word for word."""


def relate(
    older: str, newer: str, names: frozenset[str] = frozenset(), cosine: float | None = None
) -> Relation:
    """What the newer of two statements of one holder is to the older; `names` name the holder."""
    one, other = read(older, names), read(newer, names)
    forth, back = shared(one.objects, other.objects), shared(other.objects, one.objects)
    return relation_of(one, other, forth, back, cosine)


def relation_of(
    one: Reading, other: Reading, forth: float, back: float, cosine: float | None
) -> Relation:
    """The same of two readings, and what share of its words each has of the other's."""
    if cosine is not None and cosine < SAME_SUBJECT:
        return Relation(Bearing.UNCERTAIN)
    common = (forth + back) / 2
    near = cosine is not None and cosine >= _SAME_MEANING
    found = [sign for pair in _pairs(one, other, near=near) for sign in pair] if common else []
    doubt = next((reason for bearing, reason in found if bearing is Bearing.UNCERTAIN), "")
    against = [reason for bearing, reason in found if bearing is Bearing.CONTRADICTS]
    same = [reason for bearing, reason in found if bearing is Bearing.RESTATES]
    adds = back < _SAME_SHARED and "still" not in other.flags  # it may refine the older one
    if "mind" in other.flags and common and (against or not same):  # not back to the same view
        return Relation(Bearing.CONTRADICTS, "mind", common)
    if "over" in against:
        return Relation(Bearing.CONTRADICTS, "over", common)
    if against and set(same) <= {"same words"}:
        return Relation(Bearing.CONTRADICTS, against[0], common)
    if same and _are_swapped(one, other):
        return Relation(Bearing.UNCERTAIN, "its words disagree", common)
    if same and not (against or adds or doubt):
        return Relation(Bearing.RESTATES, same[0], common)
    if same:
        return Relation(Bearing.UNCERTAIN, "its words disagree" if against else doubt, common)
    if _turns(one, other, back) and max(cosine or 0.0, common) >= TURN_NEAR:
        return Relation(Bearing.CONTRADICTS, "turn", common)
    is_read = (cosine or 0.0) >= _SAME_WITHOUT_ATTITUDE or _signs(one)
    if not found and near and is_read and _agree(one, other):
        return Relation(Bearing.RESTATES, "meaning", common)
    return Relation(Bearing.UNCERTAIN, "its words disagree" if against else doubt, common)


def _are_swapped(one: Reading, other: Reading) -> bool:
    """Whether the sides of a comparison changed places: `saves more than it makes` against `makes
    more than it saves`."""
    (before, behind), (later_before, later_behind) = one.compared, other.compared
    return not (before.isdisjoint(later_behind) or behind.isdisjoint(later_before))


def could_be_certain(
    one: Reading, other: Reading, forth: float, back: float, cosine: float | None
) -> bool:
    """Whether `relation_of` may be certain of them, at a tenth of its cost."""
    if cosine is not None:
        if cosine < SAME_SUBJECT:
            return False
        if cosine >= _SAME_MEANING:
            return True
    common = (forth + back) / 2
    if "turn" in other.flags and max(cosine or 0.0, common) >= TURN_NEAR:
        return True
    if not common:
        return False
    if "mind" in other.flags:
        return True
    if one.less or other.less:
        if one.less and other.less and (back >= _SAME_SHARED or "still" in other.flags):
            return True
        if shared(one.less, other.chosen) or shared(one.chosen, other.less):
            return True
    # No clause has more words of another than the whole has; quotients are right to 16 digits.
    forth, back = forth * one.clauses_in + 1e-9, back * other.clauses_in + 1e-9
    return _about_the_same(min(1.0, forth), min(1.0, back))


_Found = list[tuple[Bearing, str]]


def _pairs(one: Reading, other: Reading, *, near: bool) -> Iterator[_Found]:
    still = "still" in other.flags
    for older in one.clauses:
        for newer in other.clauses:
            if older.less or newer.less:
                compared = _compared(older, newer)
                if compared or (older.less and newer.less):
                    yield compared
                    continue
            yield _clauses(older, newer, one.objects, still=still, near=near)


def _compared(older: Clause, newer: Clause) -> _Found:
    """Two clauses of which one at least prefers something to something."""
    if older.sign < 0 or newer.sign < 0 or older.denied or newer.denied:
        return []
    straight = shared(older.objects, newer.objects)
    if older.less and newer.less:
        kept = straight + shared(older.less, newer.less)
        crossed = shared(older.objects, newer.less) + shared(older.less, newer.objects)
        if crossed >= 1 and crossed > kept:
            return [(Bearing.CONTRADICTS, "comparison")]
        return [(Bearing.RESTATES, "comparison")] if kept >= 1 and not crossed else []
    if older.less:  # what was left behind is now preferred
        chosen = shared(older.less, newer.objects)
        if "prefer" in newer.flags and chosen == 1 and chosen > straight:
            return [(Bearing.CONTRADICTS, "comparison")]
    elif older.sign > 0 and shared(newer.less, older.objects) == 1:
        back = shared(newer.objects, older.objects)
        if back < 1 and (back > 0 or shared(older.objects, newer.less) >= _LEAST_SHARED):
            reason = "switch" if "switch" in newer.flags else "comparison"
            return [(Bearing.CONTRADICTS, reason)]
    return []


def _clauses(
    older: Clause, newer: Clause, objects: Collection[str], *, still: bool, near: bool
) -> _Found:
    """What a clause of the newer statement is to one of the older, which has these `objects`."""
    forth = shared(older.objects, newer.objects)
    back = shared(newer.objects, older.objects)
    opposite = older.sign * newer.sign < 0
    within = shared(newer.objects, objects)
    all_alike = forth >= _DENIED_SHARED and within == 1
    is_over = "over" in newer.flags and (
        opposite or (newer.sign <= 0 <= older.sign and not older.denied)
    )
    if is_over and all_alike:
        return [(Bearing.CONTRADICTS, "over")]
    # To dislike Chilean wine, or the label, is not to dislike wine.
    against = Bearing.CONTRADICTS if within == 1 or newer.flags & _TURNS else Bearing.UNCERTAIN
    if near and opposite and older.denied != newer.denied and (forth + back) / 2 >= _NEAR_SHARED:
        return [(against, "meaning" if against is Bearing.CONTRADICTS else PART)]
    if is_over or not forth or not _about_the_same(forth, back):
        return []
    if opposite:
        return [(against, "attitude" if against is Bearing.CONTRADICTS else PART)]
    if older.sign != newer.sign or older.mixed or newer.mixed:
        return []
    least = min(forth, back)
    # Else each names something of its own (Saturdays, Sundays), or the newer leaves out what the
    # older begins with: its own name may be short or read like a stop word (Go, R).
    whole = forth == 1 or (back == 1 and shared(older.objects[:1], newer.objects) == 1)
    if older.sign:
        alike = (whole and least >= _SAME_SHARED) or still
        return [(Bearing.RESTATES, "attitude")] if alike else []
    if older.denied != newer.denied:
        return [(Bearing.CONTRADICTS, "negation")] if all_alike else []
    alike = (whole and least >= _DENIED_SHARED) or still
    return [(Bearing.RESTATES, "same words")] if alike else []


def _about_the_same(forth: float, back: float) -> bool:
    return min(forth, back) >= _LEAST_SHARED and (forth + back) / 2 >= _MEAN_SHARED


def _turns(one: Reading, other: Reading, back: float) -> bool:
    """Whether the newer statement, and not the older, says that things were otherwise (`now`).

    A dislike takes no other dislike's place, and the same attitude to the same things is the same
    view.
    """
    if "turn" not in other.flags - one.flags or "still" in other.flags or _repeats(one, other):
        return False
    signs = _signs(one)
    return signs != _signs(other) or not (signs == {-1} or (signs and back >= _SAME_SHARED))


def _repeats(one: Reading, other: Reading) -> bool:
    """Whether a clause of the newer statement is one of the older's, which may be less outspoken:
    `should sell the piano`, `wants to sell the piano now`."""
    return any(
        older.sign * newer.sign >= 0
        and older.denied == newer.denied
        and len(newer.objects) > 1
        and shared(newer.objects, older.objects) == 1
        for older in one.clauses
        for newer in other.clauses
    )


def _signs(reading: Reading) -> set[int]:
    return {clause.sign for clause in reading.clauses if clause.sign}


def _agree(one: Reading, other: Reading) -> bool:
    """Whether statements near in meaning say the same: in two languages, or `still`, with one
    attitude. In one language what the words differ in may be the point: Saturdays, Sundays."""
    clauses, signs = [*one.clauses, *other.clauses], _signs(one)
    if one.language == other.language and "still" not in other.flags:
        return False
    if len(signs) > 1 or signs != _signs(other) or any(clause.mixed for clause in clauses):
        return False
    return bool(signs) or not any(clause.denied for clause in clauses)


class UnsurePair(Record):
    """A line near an opinion, and why it may bear on it."""

    fact: Fact
    opinion_id: str
    score: float  # 0..1: how near it comes
    reason: str


def unsure_pair(
    fact: Fact,
    near: Iterable[tuple[Belief, float | None, float]],
    names: frozenset[str],
    *,
    own_word: bool,
) -> UnsurePair | None:
    """The opinion that a line comes nearest to; `None` where it comes near to none.

    `near` holds each opinion, the cosine of the two, and the share of its words the line has.
    """
    best: tuple[float, Belief, float | None, bool] | None = None
    least = OWN_WORD_NEAR if own_word else NEAR_MEANING
    for belief, cosine, named in near:
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
    alike = "alike in meaning" if score >= NEAR_MEANING else "the holder's next word"
    reason = reason or (alike if by_meaning else "names it")
    return UnsurePair(fact, belief.id, score, reason)


ROUGH = 0.002
"""How far two cosines may lie apart and still be alike: products of a matrix differ from those of
two vectors in the seventh digit, and scores are rounded to the third."""


class Nearness:
    """Cosines of texts whose vectors are known, and which of many statements come near."""

    def __init__(self, vectors_of: VectorsOf) -> None:
        self._vectors_of = vectors_of
        self._vectors: dict[str, Floats] = {}
        self._rows: Floats | None = None
        """The vectors of the statements added, in their order; NaN for those without one."""
        self._count = 0

    def load(self, texts: Collection[str]) -> bool:
        """Load the vectors of these texts in place of the last; whether there are all."""
        self._vectors, self._rows, self._count = vectors_by_text(self._vectors_of, texts), None, 0
        return len(self._vectors) == len(texts)

    def add(self, statement: str) -> None:
        """Add a statement to those that others are compared with."""
        if not self._vectors:
            return
        import numpy as np

        size = len(next(iter(self._vectors.values())))
        if self._rows is None or self._count == len(self._rows):
            grown = np.zeros((max(64, 2 * self._count), size), dtype=np.float32)
            if self._rows is not None:
                grown[: self._count] = self._rows
            self._rows = grown
        self._rows[self._count] = self._vectors.get(statement, np.nan)
        self._count += 1

    def cosine(self, text: str, other: str) -> float | None:
        """The nearness of a text to another; `None` where a vector is missing."""
        one, two = self._vectors.get(text), self._vectors.get(other)
        return None if one is None or two is None else round(float(two @ one), 4)

    def roughly(self, text: str) -> Floats | None:
        """The cosines with all statements added, within `ROUGH`; `None` without its vector."""
        own = self._vectors.get(text)
        return None if own is None or self._rows is None else self._rows[: self._count] @ own

    def nearest(self, text: str, first: int) -> list[int]:
        """The numbers of those of the first statements that may be nearest to a text."""
        rough = self.roughly(text)
        if rough is None:
            return []
        import numpy as np

        rough = rough[:first]
        found: list[int] = (rough >= np.fmax.reduce(rough) - ROUGH).nonzero()[0].tolist()
        return found
