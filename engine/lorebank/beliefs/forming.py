"""Forming opinions from a stream of facts: which line opens, restates, closes or moves which.

Opinions are formed holder by holder, and those of one holder depend on nothing but the facts that
`facts_by_holder` lists under it: they can be formed alone when only its facts changed. A holder is
the first subject mention of an opinion line, else its first mention; lines without any mention
belong to the author, the empty holder.

Facts are taken day by day (then by path and line), so input order has no effect.

- An opinion line is its holder's word. It opens an opinion that stands from its day on, unless it
  certainly says again what an older one says: then it pulls that one's confidence, and reopens it
  where it was closed. Where it certainly contradicts older ones it closes them.
- Any other line moves an opinion only where a mark or a verdict says so, or where it says outright
  that the holder no longer thinks so.
- What is uncertain moves nothing and waits for a judge.

Undated opinion lines open opinions before everything else and move nothing after: there is no day
to count them on. Undated lines of other kinds are no evidence. The same sentence twice on a day
counts once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from hashlib import blake2b
from itertools import groupby

from lorebank.beliefs.fold import PRIOR
from lorebank.beliefs.nearness import Nearness
from lorebank.beliefs.outcome import Belief, Judgement, Override, close, noted_days
from lorebank.beliefs.reading import read, word_keys
from lorebank.beliefs.relation import (
    NEAR_MEANING,
    Bearing,
    Relation,
    UnsurePair,
    relate,
    unsure_pair,
)
from lorebank.domain.facts import Fact, FactKind, Opinion, Stance
from lorebank.language.folding import fold
from lorebank.language.words import words

_MOST_UNSURE = 200
"""Unsure pairs of one holder; the newest are kept."""
_OUTRIGHT = frozenset({"over", "mind", "switch"})
"""What a line that states no opinion may say for certain: that one is over. On 1,576 pairs of a
line and an opinion by other hands all 24 found so were right; of other reasons half were wrong."""
_OUTRIGHT_STRENGTH = 0.9
_TURNS = frozenset({"mind", "turn"})
"""Reasons that tell of a change of mind and not on what: the nearest opinion is meant."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """A judge's word on one pair, as `bank/evidence.md` keeps it."""

    fact_id: str
    opinion_id: str
    stance: Stance


@dataclass(frozen=True, slots=True)
class Formation:
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
    overrides: Iterable[Override] = (),
    as_of: date | None = None,
    prior: float = PRIOR,
    nearness: Nearness | None = None,
) -> Formation:
    """Opinions and unsure pairs, of all holders or of those named only.

    Facts after `as_of` are as if they had never been written. Text that was generated must not be
    among the facts. Without `nearness` words decide alone.
    """
    known = [fact for fact in facts if as_of is None or not fact.recorded or fact.recorded <= as_of]
    settled = {(v.fact_id, v.opinion_id): v for v in verdicts}
    by_hand = {override.opinion_id: override for override in overrides}
    groups = facts_by_holder(known, judged={v.fact_id for v in settled.values()})
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
        unsure += sorted(
            forming.unsure,
            key=lambda p: (-(p.fact.recorded or date.min).toordinal(), -p.score, p.fact.id),
        )[:_MOST_UNSURE]
        holder_of_opinion |= dict.fromkeys(forming.beliefs, holder)
    return Formation(tuple(opinions), tuple(unsure), holder_of_opinion, frozenset(waiting))


def texts_compared(
    facts: Iterable[Fact], overrides: Mapping[str, Override], holder: str
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


def _order(fact: Fact) -> tuple[date, str, int, str]:
    return (fact.recorded or date.min, fact.citation.path, fact.citation.start_line, fact.id)


_Near = tuple[Belief, Relation, float | None]


class _Forming:
    """The opinions of one holder, as its facts come in."""

    def __init__(
        self,
        holder: str,
        verdicts: Mapping[tuple[str, str], Verdict],
        overrides: Mapping[str, Override],
        nearness: Nearness | None,
    ) -> None:
        self.holder = holder
        self.beliefs: dict[str, Belief] = {}
        self.unsure: list[UnsurePair] = []
        self._overrides = overrides
        self._verdicts: dict[str, list[Verdict]] = {}
        for verdict in verdicts.values():
            self._verdicts.setdefault(verdict.fact_id, []).append(verdict)
        self._nearness = nearness
        self._names = frozenset(words(holder))
        self._same_as: dict[str, Belief] = {}
        """Id of an opinion that a restating line would have opened → the belief it restates."""
        self._by_word: dict[str, dict[str, None]] = {}

    def take(self, facts: Sequence[Fact]) -> None:
        for day, lines in groupby(facts, key=lambda fact: fact.recorded):
            self._take_day(day, _once_each(lines))

    def _take_day(self, day: date | None, lines: Sequence[Fact]) -> None:
        stating = [f for f in lines if f.kind is FactKind.OPINION and self._states(f)]
        for fact in stating:
            self._take_own_word(fact, day)
        if day is None:
            return
        stated = {id(fact) for fact in stating}
        for fact in lines:
            if id(fact) not in stated:
                self._weigh(fact)

    def _states(self, fact: Fact) -> bool:
        return holder_of(fact) == self.holder

    # -- the holder's own word -------------------------------------------------------------------

    def _take_own_word(self, fact: Fact, day: date | None) -> None:
        """Open an opinion, or restate one; close those that the line contradicts."""
        decided = self._decided(fact)
        near = [entry for entry in self._near(fact) if entry[0].id not in decided]
        same = self._restated(fact, near, decided)
        reason = "restated"
        if same is None:
            same, reason = self._opened(fact), "stated"
        else:
            self._same_as[opinion_id(self.holder, fact.content)] = same
        if day is None:
            return
        returns = reason == "restated" and same.is_closed
        same.add(fact, Judgement(Stance.FOR, reason=reason, whole=returns), fact.confidence)
        for belief, judgement in decided.values():
            if belief is same:
                continue
            if judgement.stance is Stance.AGAINST:
                self._close(belief, fact, day, judgement.reason, same)
            elif judgement.stance is Stance.FOR:
                belief.add(fact, Judgement(Stance.FOR, reason="restated"), fact.confidence)
        opposed = [belief for belief in _opposed(near) if belief is not same]
        for belief in opposed:
            self._close(belief, fact, day, "replaced", same)
        if reason == "stated" and not decided:
            waiting = [e for e in near if e[0] is not same]
            if opposed:
                waiting = [
                    e
                    for e in waiting
                    if any(e[0] is b for b in opposed) and _overreaches(fact, e[0])
                ]
            self._ask(fact, [(belief, cosine) for belief, _, cosine in waiting], own_word=True)

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
        certain = [e for e in near if e[1].bearing is Bearing.RESTATES]
        return _nearest(certain) if certain else None

    def _opened(self, fact: Fact) -> Belief:
        identity = opinion_id(self.holder, fact.content)
        if identity in self.beliefs:
            return self.beliefs[identity]
        override = self._overrides.get(identity)
        statement = (override.statement if override else None) or fact.content
        belief = Belief(identity, self.holder, statement, fact)
        self.beliefs[identity] = belief
        for key in word_keys(statement, self._names):
            self._by_word.setdefault(key, {})[identity] = None
        return belief

    def _close(self, old: Belief, fact: Fact, day: date, reason: str, new: Belief) -> None:
        """The holder says the contrary: the old belief holds until this day.

        Against what the owner wrote, the line of a named agent is evidence and no more: an agent
        that knows better says so by a verdict, which is signed and taken back in one go.
        """
        if _overreaches(fact, old) and reason != "verdict":
            old.add(fact, Judgement(Stance.AGAINST, 1.0, reason))
            return
        contrary = None if fact.confidence is None else 1 - fact.confidence
        old.add(fact, Judgement(Stance.AGAINST, 1.0, reason, whole=True), contrary)
        if fact.confidence is None or fact.confidence >= 0.5:
            old.closings[day] = new.id

    # -- all other lines -------------------------------------------------------------------------

    def _weigh(self, fact: Fact) -> None:
        """Put a line with the opinions it was judged to bear on, or that it ends outright."""
        decided = self._decided(fact)
        for belief, judgement in decided.values():
            if judgement.stance is not Stance.UNRELATED:
                belief.add(fact, judgement)
        if self.holder and self.holder not in fact.slugs:
            return
        if _OUTRIGHT.isdisjoint(read(fact.content, self._names).flags):
            if not decided:
                self._ask(fact, self._nearby(fact), own_word=False)
            return
        near = [entry for entry in self._near(fact) if entry[0].id not in decided]
        outright = [e for e in near if _contradicts(e[1]) and e[1].reason in _OUTRIGHT]
        if outright and _is_of(self.holder, fact):
            belief = _nearest(outright)
            weight = 1.0 if fact.confidence is None else fact.confidence
            reason = next(r.reason for b, r, _ in outright if b is belief)
            strength = _OUTRIGHT_STRENGTH * weight
            belief.add(fact, Judgement(Stance.AGAINST, strength, reason, turns=True))
        elif not decided:
            self._ask(fact, [(belief, cosine) for belief, _, cosine in near], own_word=False)

    def _ask(
        self, fact: Fact, near: Iterable[tuple[Belief, float | None]], *, own_word: bool
    ) -> None:
        """Let a judge say what the line is to the opinion it comes nearest to."""
        if fact.content.rstrip().endswith(("?", "？")):
            return
        pair = unsure_pair(fact, near, self._names, own_word=own_word)
        if pair is not None:
            self.unsure.append(pair)

    # -- what both need --------------------------------------------------------------------------

    def _decided(self, fact: Fact) -> dict[str, tuple[Belief, Judgement]]:
        """What marks, then verdicts say of a line: belief id → belief and judgement."""
        found: dict[str, tuple[Belief, Judgement]] = {}
        for verdict in self._verdicts.get(fact.id, ()):
            belief = self.beliefs.get(verdict.opinion_id) or self._same_as.get(verdict.opinion_id)
            if belief is not None and belief.opening.id != fact.id:
                found[belief.id] = belief, Judgement(verdict.stance, 1.0, "verdict")
        for mark in fact.marks:
            marked = self._named(mark.opinion_id)
            if marked is not None:
                found[marked.id] = marked, Judgement(mark.stance, 1.0, "mark")
        return found

    def _named(self, prefix: str) -> Belief | None:
        """The one opinion whose id begins so; none where two do."""
        found = [belief for identity, belief in self.beliefs.items() if identity.startswith(prefix)]
        return found[0] if len(found) == 1 else self._same_as.get(prefix)

    def _near(self, fact: Fact) -> list[_Near]:
        """The opinions near a line, and what it is to each."""
        return [
            (belief, relate(belief.statement, fact.content, self._names, cosine), cosine)
            for belief, cosine in self._nearby(fact)
        ]

    def _nearby(self, fact: Fact) -> list[tuple[Belief, float | None]]:
        """The opinions that share a word with a line or come near to it in meaning."""
        beliefs = list(self.beliefs.values())
        cosines: Sequence[float | None] = [None] * len(beliefs)
        if self._nearness is not None:
            statements = [belief.statement for belief in beliefs]
            cosines = self._nearness.cosines(fact.content, statements)
        wording: set[str] = set()
        for key in word_keys(fact.content, self._names):
            wording.update(self._by_word.get(key, ()))
        least = 0.0 if fact.kind is FactKind.OPINION else NEAR_MEANING
        return [
            (belief, cosine)
            for belief, cosine in zip(beliefs, cosines, strict=True)
            if belief.id in wording or (cosine is not None and cosine > least)
        ]


def _overreaches(fact: Fact, belief: Belief) -> bool:
    """Whether a named agent speaks of an opinion that no agent wrote down."""
    return bool(fact.author.agent) and not belief.opening.author.agent


def _opposed(near: Sequence[_Near]) -> list[Belief]:
    """The beliefs that a line contradicts: those it speaks of outright, else the nearest that it
    may speak of."""
    found = [entry for entry in near if _contradicts(entry[1])]
    outright = [belief for belief, relation, _ in found if relation.reason not in _TURNS]
    return outright or ([_nearest(found)] if found else [])


def _contradicts(relation: Relation) -> bool:
    return relation.bearing is Bearing.CONTRADICTS


def _nearest(entries: Iterable[_Near]) -> Belief:
    return max(entries, key=lambda e: ((e[2] or 0.0) + e[1].shared, e[0].id))[0]


def _once_each(lines: Iterable[Fact]) -> list[Fact]:
    kept: dict[tuple[str, tuple[str, ...]], Fact] = {}
    for fact in lines:
        kept.setdefault((" ".join(fold(fact.content).split()), fact.slugs), fact)
    return list(kept.values())
