"""Forming opinions from a stream of facts: which line opens, restates, closes or moves which.

Opinions are formed holder by holder, and those of one holder depend on nothing but the facts that
`facts_by_holder` lists under it: they can be formed alone when only its facts changed. A holder is
the first subject mention of an opinion line, else its first mention; lines without any mention
belong to the author, the empty holder.

Facts are taken day by day (then by path and line), so input order has no effect.

- An opinion line is its holder's word. It opens an opinion that stands from its day on, unless it
  certainly says again what an older one says: then it pulls that one's confidence, and where that
  was closed it takes its place back. Where it certainly contradicts older ones it closes them.
- Any other line moves an opinion only where a mark or a verdict says so, or where it says outright
  that the holder no longer thinks so.
- What is uncertain moves nothing and waits for a judge.

Undated opinion lines open opinions before everything else and move nothing after: there is no day
to count them on. Undated lines of other kinds are no evidence. The same sentence twice on a day
counts once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import field
from datetime import date
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from lorebank.beliefs.fold import PRIOR
from lorebank.beliefs.outcome import Belief, Judgement, close, noted_days
from lorebank.beliefs.reading import Reading, WordIndex, flags_of, read
from lorebank.beliefs.relation import (
    ROUGH,
    SAME_SUBJECT,
    TURN_NEAR,
    Bearing,
    Nearness,
    Relation,
    UnsurePair,
    could_be_certain,
    relation_of,
    unsure_pair,
)
from lorebank.domain.facts import Fact, FactKind, Opinion, Stance
from lorebank.language.folding import fold
from lorebank.language.words import words
from lorebank.records import Record

if TYPE_CHECKING:
    from lorebank.markdown.opinion_page import OpinionEntry

_MOST_UNSURE = 200  # unsure pairs of one holder; the newest are kept
_OUTRIGHT = frozenset({"over", "mind", "switch"})
"""What a line that states no opinion may say for certain: that one is over. On 1,576 pairs of a
line and an opinion by other hands all 24 found so were right; of other reasons half were wrong."""
_OUTRIGHT_STRENGTH = 0.9
"""Chosen by hand: nearly as much as a mark of the writer's, which is certain."""
_TURNS = frozenset({"mind", "turn"})
"""Reasons that tell of a change of mind and not on what: the nearest opinion is meant."""


class Verdict(Record):
    """A judge's word on one pair, as `bank/evidence.md` keeps it."""

    fact_id: str
    opinion_id: str
    stance: Stance


class Formation(Record):
    """The opinions that facts lead to, and the pairs nobody has judged."""

    opinions: tuple[Opinion, ...]
    unsure: tuple[UnsurePair, ...]
    """Of each holder the newest first."""
    holders: Mapping[str, str] = field(default_factory=dict)
    """Opinion id → slug of who holds it."""
    waiting: frozenset[str] = frozenset()
    """Holders with texts that no vector is known of."""


def form(
    facts: Iterable[Fact],
    *,
    holders: Iterable[str] | None = None,
    verdicts: Iterable[Verdict] = (),
    overrides: Iterable[OpinionEntry] = (),
    as_of: date | None = None,
    prior: float = PRIOR,
    nearness: Nearness | None = None,
) -> Formation:
    """Opinions and unsure pairs, of all holders or of those named only.

    Facts after `as_of` are as if they had never been written. Text that was generated must not be
    among the facts. Without `nearness` words decide alone.
    """
    known = [fact for fact in facts if as_of is None or not fact.recorded or fact.recorded <= as_of]
    settled: dict[str, list[Verdict]] = {}
    for verdict in {(v.fact_id, v.opinion_id): v for v in verdicts}.values():
        settled.setdefault(verdict.fact_id, []).append(verdict)
    by_hand = {override.id: override for override in overrides}
    groups = facts_by_holder(known, judged=settled)
    days = (day for fact in known for day in (fact.recorded, *noted_days(fact)) if day)
    now = as_of or max(days, default=None)
    opinions: list[Opinion] = []
    unsure: list[UnsurePair] = []
    holder_of_opinion: dict[str, str] = {}
    waiting: set[str] = set()
    for holder in sorted(groups if holders is None else set(holders) & set(groups)):
        if nearness and not nearness.load(texts_compared(groups[holder], by_hand, holder)):
            waiting.add(holder)
        forming = _Forming(holder, settled, by_hand, nearness)
        forming.take(groups[holder])
        opinions += close(forming.beliefs, by_hand, prior, now)
        unsure += forming.unsure()
        holder_of_opinion |= dict.fromkeys(forming.beliefs, holder)
    return Formation(tuple(opinions), tuple(unsure), holder_of_opinion, frozenset(waiting))


def texts_compared(
    facts: Iterable[Fact], overrides: Mapping[str, OpinionEntry], holder: str
) -> frozenset[str]:
    """The texts of a holder whose nearness matters: its lines, and statements edited by hand."""
    own = list(facts)
    edited = (
        overrides[identity].statement
        for fact in own
        if fact.kind is FactKind.OPINION
        and (identity := opinion_id(holder, fact.content)) in overrides
    )
    return frozenset([*(fact.content for fact in own), *filter(None, edited)])


def _is_of(holder: str, fact: Fact) -> bool:
    """Whether a line is the holder's own: it mentions the holder, and no other as its subject."""
    named = holder in fact.slugs if holder else True
    return named and (not fact.subjects or holder in fact.subjects)


def facts_by_holder(
    facts: Iterable[Fact], *, judged: Collection[str] = ()
) -> Mapping[str, Sequence[Fact]]:
    """Holder slug → the facts its opinions depend on: those that mention it, all marked ones and
    those whose ids are `judged`.

    Only holders of at least one opinion line are keys.
    """
    known = sorted(facts, key=_order)
    groups: dict[str, list[Fact]] = {
        holder_of(fact): [] for fact in known if fact.kind is FactKind.OPINION
    }
    for fact in known:
        if fact.marks or fact.id in judged:
            for group in groups.values():
                group.append(fact)
            continue
        for slug in fact.slugs or ("",):
            if slug in groups:
                groups[slug].append(fact)
    return groups


def holder_of(fact: Fact) -> str:
    """The slug of who holds what the line says: first subject, else first mention, else empty."""
    return next(iter(fact.subjects or fact.slugs), "")


def opinion_id(holder: str, statement: str) -> str:
    """`o-` and 8 hex digits, from the holder's slug and the folded first statement."""
    text = f"{holder}\n{' '.join(fold(statement).split()).rstrip('.')}"
    return "o-" + blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def stated_opinions(facts: Iterable[Fact]) -> set[str]:
    """The id that each opinion line has by itself, whatever it was ruled to restate."""
    return {opinion_id(holder_of(f), f.content) for f in facts if f.kind is FactKind.OPINION}


def _order(fact: Fact) -> tuple[date, str, int, str]:
    return (fact.recorded or date.min, fact.citation.path, fact.citation.start_line, fact.id)


class _Near(NamedTuple):
    """An opinion, its number, and what a line certainly is to it."""

    number: int
    belief: Belief
    relation: Relation
    cosine: float | None


class _Question(NamedTuple):
    """A line of which a judge may be asked what it is to an opinion."""

    fact: Fact
    first: int
    """How many opinions there were then."""
    only: tuple[int, ...] = ()
    """Numbers of the opinions that alone are meant; of all where there are none."""
    own_word: bool = False


class _Forming:
    """The opinions of one holder, as its facts come in.

    No line is compared with all opinions: an index of words and one product of vectors tell which
    it may have to do with. What may be asked about is looked into last, newest first, and only
    until there is as much as is kept.
    """

    def __init__(
        self,
        holder: str,
        verdicts: Mapping[str, Sequence[Verdict]],
        overrides: Mapping[str, OpinionEntry],
        nearness: Nearness | None,
    ) -> None:
        self.holder = holder
        self.beliefs: dict[str, Belief] = {}
        self._overrides = overrides
        self._verdicts = verdicts
        self._nearness = nearness
        self._names = frozenset(words(holder))
        self._stated_by: dict[str, Belief] = {}
        """Fact id → the belief that it states."""
        self._same_as: dict[str, Belief] = {}
        """Id of an opinion that a restating line would have opened → the belief it restates."""
        self._opinions: list[tuple[Belief, Reading]] = []
        self._wording = WordIndex()
        self._questions: list[_Question] = []

    def take(self, facts: Sequence[Fact]) -> None:
        for day, lines in groupby(facts, key=lambda fact: fact.recorded):
            own: list[Fact] = []
            others: list[Fact] = []
            for fact in _deduplicated(lines):
                states = fact.kind is FactKind.OPINION and holder_of(fact) == self.holder
                (own if states else others).append(fact)
            known = len(self._opinions)
            for fact in own:
                self._apply_holder_statement(fact, day)
            for fact in others if day is not None else ():
                self._apply_evidence(fact, known)

    def unsure(self) -> list[UnsurePair]:
        """The newest pairs that nobody has judged."""
        found: list[UnsurePair] = []
        days = [list(own) for _, own in groupby(self._questions, key=lambda q: q.fact.recorded)]
        while days and len(found) < _MOST_UNSURE:
            found += filter(None, map(self._unsure_pair, days.pop()))
        found.sort(key=lambda p: (-(p.fact.recorded or date.min).toordinal(), -p.score, p.fact.id))
        return found[:_MOST_UNSURE]

    # -- the holder's own word -------------------------------------------------------------------

    def _apply_holder_statement(self, fact: Fact, day: date | None) -> None:
        """Open an opinion, or restate one; close those that the line contradicts."""
        decided = self._rulings_for(fact)
        near = self._near(fact, decided)
        same = self._restated(fact, near, decided)
        reason, first = "restated", len(self._opinions)
        if same is None:
            same, reason = self._opened(fact), "stated"
        else:
            self._same_as[opinion_id(self.holder, fact.content)] = same
        self._stated_by[fact.id] = same
        if day is None:
            return
        closed = same.closed_by()
        taken_by = self.beliefs.get(closed[1]) if closed and reason == "restated" else None
        returns = taken_by is not None
        same.add(fact, Judgement(Stance.FOR, reason=reason, whole=returns), fact.confidence)
        for belief, judgement in decided.values():
            if belief is same:
                continue
            if judgement.stance is Stance.AGAINST:
                self._close(belief, fact, day, judgement.reason, same)
            elif judgement.stance is Stance.FOR:
                belief.add(fact, Judgement(Stance.FOR, reason="restated"), fact.confidence)
        opposed = [each for each in _opposed(near) if each.belief is not same]
        ended = {each.belief.id: each.belief for each in opposed}
        if taken_by is not None and taken_by.id not in decided:  # A, B, A: B is over again
            ended[taken_by.id] = taken_by
        for belief in ended.values():
            self._close(belief, fact, day, "replaced", same)
        claimed = [each for each in self._ended_by(fact) if _lacks_authority(fact, each)]
        opinions = enumerate(self._opinions) if claimed else ()
        only = [number for number, (each, _) in opinions if each in claimed]
        if reason == "stated" and not (decided or claimed):
            only = [each.number for each in opposed if _lacks_authority(fact, each.belief)]
        if only or (reason == "stated" and not (decided or opposed)):
            self._ask(_Question(fact, first, tuple(only), own_word=True))

    def _restated(
        self, fact: Fact, near: Sequence[_Near], decided: Mapping[str, tuple[Belief, Judgement]]
    ) -> Belief | None:
        """The belief that a line says again: by a judge's word, in the same words, or certainly."""
        judged = [belief for belief, found in decided.values() if found.stance is Stance.FOR]
        if judged:
            return judged[0]
        identity = opinion_id(self.holder, fact.content)
        known = self.beliefs.get(identity) or self._same_as.get(identity)
        if known is not None and known.id not in decided:
            return known
        certain = [each for each in near if each.relation.bearing is Bearing.RESTATES]
        return _nearest(certain).belief if certain else None

    def _opened(self, fact: Fact) -> Belief:
        identity = opinion_id(self.holder, fact.content)
        if identity in self.beliefs:
            return self.beliefs[identity]
        override = self._overrides.get(identity)
        statement = (override.statement if override else None) or fact.content
        belief = Belief(identity, self.holder, statement, fact)
        self.beliefs[identity] = belief
        said = read(statement, self._names)
        self._wording.add(len(self._opinions), said.objects)
        self._opinions.append((belief, said))
        if self._nearness is not None:
            self._nearness.add(statement)
        return belief

    def _close(self, old: Belief, fact: Fact, day: date, reason: str, new: Belief) -> None:
        """The holder says the contrary: the old belief holds until this day.

        Against what the owner wrote, the line of a named agent is evidence and no more: an agent
        that knows better says so by a verdict, which is signed and taken back in one go.
        """
        if _lacks_authority(fact, old) and reason != "verdict":
            old.add(fact, Judgement(Stance.AGAINST, 1.0, reason))
            return
        contrary = None if fact.confidence is None else 1 - fact.confidence
        old.add(fact, Judgement(Stance.AGAINST, 1.0, reason, whole=True), contrary)
        if fact.confidence is None or fact.confidence >= 0.5:
            old.closings[day] = new.id

    # -- all other lines -------------------------------------------------------------------------

    def _apply_evidence(self, fact: Fact, known: int) -> None:
        """Put a line with the opinions it was judged to bear on, or that it ends outright.

        `known`: the number of opinions from before its day, which it may be asked about with.
        """
        decided = self._rulings_for(fact)
        for belief, judgement in decided.values():
            if judgement.stance is not Stance.UNRELATED:
                belief.add(fact, judgement)
        if self.holder and self.holder not in fact.slugs:
            return
        if _is_of(self.holder, fact) and flags_of(fact.content, self._names, _OUTRIGHT):
            near = [each for each in self._near(fact, decided) if _contradicts(each)]
            outright = [each for each in near if each.relation.reason in _OUTRIGHT]
            if outright:
                ended = _nearest(outright)
                strength = _OUTRIGHT_STRENGTH * (
                    1.0 if fact.confidence is None else fact.confidence
                )
                said = Judgement(Stance.AGAINST, strength, ended.relation.reason, turns=True)
                ended.belief.add(fact, said)
                return
        if not decided:
            self._ask(_Question(fact, known))  # lines of one day were written down together

    def _ask(self, question: _Question) -> None:
        """Let a judge say what the line is to the opinion it comes nearest to."""
        if question.first and not question.fact.content.rstrip().endswith(("?", "？")):
            self._questions.append(question)

    # -- what both need --------------------------------------------------------------------------

    def _rulings_for(self, fact: Fact) -> dict[str, tuple[Belief, Judgement]]:
        """What marks, then verdicts say of a line: belief id → belief and judgement."""
        found: dict[str, tuple[Belief, Judgement]] = {
            belief.id: (belief, Judgement(Stance.AGAINST, 1.0, "mark"))
            for belief in self._ended_by(fact)
            if not _lacks_authority(fact, belief)
        }
        for verdict in self._verdicts.get(fact.id, ()):
            belief = self.beliefs.get(verdict.opinion_id) or self._same_as.get(verdict.opinion_id)
            if belief is not None and belief.opening.id != fact.id:
                found[belief.id] = belief, Judgement(verdict.stance, 1.0, "verdict")
        for mark in fact.marks:  # the beginning of an id, unless two begin so
            begin = [b for id_, b in self.beliefs.items() if id_.startswith(mark.opinion_id)]
            marked = begin[0] if len(begin) == 1 else self._same_as.get(mark.opinion_id)
            if marked is not None:
                found[marked.id] = marked, Judgement(mark.stance, 1.0, "mark")
        return found

    def _ended_by(self, fact: Fact) -> list[Belief]:
        """The beliefs that a line says it ends, by the lines that state them."""
        return [self._stated_by[ended] for ended in fact.ends if ended in self._stated_by]

    def _near(self, fact: Fact, decided: Collection[str]) -> list[_Near]:
        """What a line certainly is to the opinions near it, in their order."""
        said = read(fact.content, self._names)
        held = self._wording.find(said.objects)
        rough = self._nearness.roughly(fact.content) if self._nearness else None
        numbers = set(held)
        if rough is not None:
            numbers.update((rough >= TURN_NEAR - ROUGH).nonzero()[0].tolist())
        found = []
        for number in sorted(numbers):
            belief, one = self._opinions[number]
            if belief.id in decided or (rough is not None and rough[number] < SAME_SUBJECT - ROUGH):
                continue
            cosine = None if rough is None else self._cosine(fact, belief)
            of_one, of_said = held.get(number, (0, 0))
            forth, back = of_one / (len(one.objects) or 1), of_said / (len(said.objects) or 1)
            if could_be_certain(one, said, forth, back, cosine):
                relation = relation_of(one, said, forth, back, cosine)
                if relation.bearing is not Bearing.UNCERTAIN:
                    found.append(_Near(number, belief, relation, cosine))
        return found

    def _unsure_pair(self, question: _Question) -> UnsurePair | None:
        """A line with the opinion it comes nearest to."""
        fact, first, only, own_word = question
        held = self._wording.find(read(fact.content, self._names).objects)
        numbers = set(only) or {number for number in held if number < first}
        if self._nearness is not None and first and not only:
            numbers.update(self._nearness.nearest(fact.content, first))
        near = []
        for number in sorted(numbers):
            belief, said = self._opinions[number]
            named = held[number][0] / len(said.objects) if number in held else 0.0
            named = 1.0 if only else named
            near.append((belief, self._cosine(fact, belief), named))
        return unsure_pair(fact, near, self._names, own_word=own_word)

    def _cosine(self, fact: Fact, belief: Belief) -> float | None:
        known = self._nearness
        return known.cosine(fact.content, belief.statement) if known is not None else None


def _lacks_authority(fact: Fact, belief: Belief) -> bool:
    """Whether a named agent speaks of an opinion that no agent wrote down."""
    return bool(fact.author.agent) and not belief.opening.author.agent


def _opposed(near: Sequence[_Near]) -> list[_Near]:
    """The beliefs that a line contradicts: those it speaks of outright, else the nearest that still
    stands: `wants to after all` turns from what was thought until then."""
    found = [each for each in near if _contradicts(each)]
    outright = [each for each in found if each.relation.reason not in _TURNS]
    standing = [each for each in found if each.belief.closed_by() is None]
    return outright or ([_nearest(standing)] if standing else [])


def _contradicts(near: _Near) -> bool:
    return near.relation.bearing is Bearing.CONTRADICTS


def _nearest(near: Iterable[_Near]) -> _Near:
    return max(near, key=lambda e: ((e.cosine or 0.0) + e.relation.shared, e.belief.id))


def _deduplicated(lines: Iterable[Fact]) -> list[Fact]:
    kept: dict[tuple[str, tuple[str, ...]], Fact] = {}
    for fact in lines:
        kept.setdefault((" ".join(fold(fact.content).split()), fact.slugs), fact)
    return list(kept.values())
