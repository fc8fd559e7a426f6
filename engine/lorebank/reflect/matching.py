"""Forming opinions from a stream of facts: which line opens, restates or bears on which opinion.

Opinions are formed holder by holder, and those of one holder depend on nothing but the facts that
`facts_by_holder` lists under it: they can be formed alone when only its facts changed. A holder is
the first subject mention of an opinion line, else its first mention; lines without any mention
belong to the author, the empty holder.

Facts are taken day by day (then by path and line), so input order has no effect. A line bears on
opinions stated on its own day or before; what a day's opinion lines open is known to all of its
lines. Undated opinion lines open opinions before everything else and move nothing after: there is
no day to count them on. Undated lines of other kinds are no evidence.

An opinion line opens an opinion of its own unless it restates one (it speaks for that one and says
no more, or each reads as support for the other) or does no more than deny one. The same sentence
twice on a day counts once.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from hashlib import blake2b
from itertools import groupby

from lorebank.domain import Fact, FactKind, Opinion, Stance
from lorebank.language.folding import fold
from lorebank.records import dataclass
from lorebank.reflect.beliefs import PRIOR
from lorebank.reflect.candidates import index_keys, target_keys
from lorebank.reflect.outcome import Belief, Override, close
from lorebank.reflect.stance import Judgement, judge
from lorebank.reflect.stance_head import Chances, StanceHead
from lorebank.reflect.unsure import Similarity, UnsurePair, best_first, unsure_pair

_NEW_OBJECT = frozenset({"comparison", "change", "slot", "opposite"})
_FEW = 40
_FACTS_AT_A_TIME = 4096


@dataclass(frozen=True, slots=True)
class Verdict:
    """A person's or a model's judgement on one pair, as `bank/evidence.md` keeps it."""

    fact_id: str
    opinion_id: str
    stance: Stance
    by: str = ""
    """Who judged, where it was no person: the model's name."""


@dataclass(frozen=True, slots=True)
class Formation:
    """The opinions that facts lead to, and the pairs nobody has judged."""

    opinions: tuple[Opinion, ...]
    unsure: tuple[UnsurePair, ...]
    """Of each holder best first, a few of each opinion."""
    waiting: frozenset[str] = frozenset()
    """Holders with texts that the head knows no vector of."""


def form(
    facts: Iterable[Fact],
    *,
    holders: Iterable[str] | None = None,
    verdicts: Iterable[Verdict] = (),
    overrides: Iterable[Override] = (),
    as_of: date | None = None,
    prior: float = PRIOR,
    similarity: Similarity | None = None,
    head: StanceHead | None = None,
) -> Formation:
    """Opinions and unsure pairs, of all holders or of those named only.

    Facts after `as_of` are as if they had never been written. Text that was generated must not be
    among the facts. `similarity` (0..1, of two texts) only widens the unsure list. `head` judges
    what the rules do not, as far as the texts have vectors.
    """
    known = [fact for fact in facts if as_of is None or not fact.recorded or fact.recorded <= as_of]
    settled = {(v.fact_id, v.opinion_id): v for v in verdicts}
    by_hand = {override.opinion_id: override for override in overrides}
    groups = facts_by_holder(known, judged={v.fact_id for v in settled.values()})
    now = as_of or max((fact.recorded for fact in known if fact.recorded), default=None)
    opinions: list[Opinion] = []
    unsure: list[UnsurePair] = []
    waiting: set[str] = set()
    wanted = sorted(groups if holders is None else set(holders) & set(groups))
    for window in _windows({holder: groups[holder] for holder in wanted}):
        if head is not None:
            texts = {holder: texts_judged(holder, groups[holder], by_hand) for holder in window}
            missing = head.look_at({text for own in texts.values() for text in own})
            waiting |= {holder for holder, own in texts.items() if not missing.isdisjoint(own)}
        for holder in window:
            forming = _Forming(holder, settled, by_hand, similarity, head)
            forming.take(groups[holder])
            opinions += close(forming.beliefs, by_hand, prior, now)
            unsure += best_first(forming.unsure)
    return Formation(tuple(opinions), tuple(unsure), frozenset(waiting))


def texts_judged(
    holder: str, facts: Iterable[Fact], overrides: Mapping[str, Override]
) -> frozenset[str]:
    """What the head reads of a holder: its lines, and the statements that a person edited."""
    own = [fact for fact in facts if _is_of(holder, fact)]
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


def _windows(groups: Mapping[str, Sequence[Fact]]) -> Iterator[list[str]]:
    """Holders in their order, so many at a time that their vectors take little memory."""
    window: list[str] = []
    size = 0
    for holder, facts in groups.items():
        if window and size + len(facts) > _FACTS_AT_A_TIME:
            yield window
            window, size = [], 0
        window.append(holder)
        size += len(facts)
    if window:
        yield window


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


class _Forming:
    """The opinions of one holder, as its facts come in."""

    def __init__(
        self,
        holder: str,
        verdicts: Mapping[tuple[str, str], Verdict],
        overrides: Mapping[str, Override],
        similarity: Similarity | None,
        head: StanceHead | None,
    ) -> None:
        self.holder = holder
        self.beliefs: dict[str, Belief] = {}
        self.unsure: list[UnsurePair] = []
        self.overrides = overrides
        self._verdicts = verdicts
        self._judged = {fact_id for fact_id, _ in verdicts}
        self._similarity = similarity
        self._head = head
        self._index: dict[str, dict[str, None]] = {}
        self._seen: dict[tuple[str, str], Judgement] = {}

    def take(self, facts: Sequence[Fact]) -> None:
        for day, lines in groupby(facts, key=lambda fact: fact.recorded):
            self._take_day(day, _once_each(lines))

    def _take_day(self, day: date | None, lines: Sequence[Fact]) -> None:
        for fact in lines:
            if fact.kind is FactKind.OPINION and holder_of(fact) == self.holder:
                self._open(fact)
        if day is None:
            return
        for fact in lines:
            self._weigh(fact, day)

    def _open(self, fact: Fact) -> None:
        """Begin an opinion, unless the line restates or only denies one that is known."""
        if any(mark.stance is Stance.FOR and self._named(mark.opinion_id) for mark in fact.marks):
            return
        for belief in self._candidates(fact):
            found = self._judge(belief, fact)
            if found.stance is Stance.FOR and found.reason == "restated":
                return
            if found.stance is Stance.AGAINST and found.reason not in _NEW_OBJECT:
                return
        identity = opinion_id(self.holder, fact.content)
        if identity in self.beliefs:
            return
        override = self.overrides.get(identity)
        statement = (override.statement if override else None) or fact.content
        self.beliefs[identity] = Belief(identity, self.holder, statement, fact)
        for key in sorted(target_keys(statement, self.holder)):
            self._index.setdefault(key, {})[identity] = None

    def _weigh(self, fact: Fact, day: date) -> None:
        """Put the line with every opinion it bears on, and link what it replaces."""
        supported: list[Belief] = []
        opposed: list[tuple[Belief, str]] = []
        for belief in self._candidates(fact, self._near(fact)):
            found = self._judge(belief, fact)
            chances = self._chances(belief, fact, found)
            if chances is not None:
                found = chances.decide(found, fact.confidence)
            if found.stance is Stance.UNRELATED:
                pair = unsure_pair(belief, fact, found, self._similarity, chances)
                self.unsure += [pair] if pair else []
                continue
            for_it = found.stance is Stance.FOR
            names_it = fact.kind is FactKind.OPINION and found.reason in ("stated", "restated")
            stated = fact.confidence if for_it and names_it else None
            belief.lines[fact.id] = (fact, found, stated)
            if for_it:
                supported.append(belief)
            else:
                opposed.append((belief, found.reason))
        for old, reason in opposed:
            for new in supported:
                if reason in _NEW_OBJECT:
                    old.successors[new.id] = day

    def _judge(self, belief: Belief, fact: Fact) -> Judgement:
        key = (belief.id, fact.id)
        if key not in self._seen:
            self._seen[key] = self._judged_anew(belief, fact)
        return self._seen[key]

    def _judged_anew(self, belief: Belief, fact: Fact) -> Judgement:
        if belief.opening.id == fact.id:
            return Judgement(Stance.FOR, 0.0, "stated")
        for mark in fact.marks:
            if self._named(mark.opinion_id) is belief:
                return Judgement(mark.stance, 1.0, "mark")
        if fact.id in self._judged:
            verdict = self._verdicts.get((fact.id, belief.id))
            if verdict is not None:
                return Judgement(verdict.stance, 1.0, "verdict")
        if not _is_of(self.holder, fact):
            return Judgement(Stance.UNRELATED, 0.0, "other holder")
        found = judge(belief.statement, (self.holder,), fact.content, fact.slugs or (self.holder,))
        if found.stance is Stance.FOR and self._restates(belief, fact, found):
            found = replace(found, reason="restated")
        if fact.confidence is not None and found.reason != "restated":
            return replace(found, strength=found.strength * fact.confidence)
        return found

    def _restates(self, belief: Belief, fact: Fact, found: Judgement) -> bool:
        if fact.kind is not FactKind.OPINION:
            return False
        if found.covers:
            return True
        back = judge(fact.content, (self.holder,), belief.statement, (self.holder,))
        return back.stance is Stance.FOR

    def _named(self, prefix: str) -> Belief | None:
        """The one opinion whose id begins so; none where two do."""
        found = [belief for identity, belief in self.beliefs.items() if identity.startswith(prefix)]
        return found[0] if len(found) == 1 else None

    def _near(self, fact: Fact) -> list[str]:
        """Opinions that a line without a word of theirs comes near to in meaning."""
        if self._head is None or not self.beliefs or not _is_of(self.holder, fact):
            return []
        identities = list(self.beliefs)
        statements = [self.beliefs[identity].statement for identity in identities]
        return [identities[place] for place in self._head.near(statements, fact.content)]

    def _chances(self, belief: Belief, fact: Fact, found: Judgement) -> Chances | None:
        if self._head is None:
            return None
        chances = self._head.chances(belief.statement, self.holder, fact.content, found)
        states_another = fact.kind is FactKind.OPINION
        if chances is None or not chances.may_sign(states_another=states_another):
            return None
        return chances

    def _candidates(self, fact: Fact, near: Iterable[str] = ()) -> list[Belief]:
        found: dict[str, None] = dict.fromkeys(near)
        for key in sorted(index_keys(fact.content, self.holder)):
            found.update(self._index.get(key, {}))
        for mark in fact.marks:
            named = self._named(mark.opinion_id)
            if named is not None:
                found[named.id] = None
        if fact.id in self._judged:
            found.update({i: None for i in self.beliefs if (fact.id, i) in self._verdicts})
        if not found and self._similarity is not None and len(self.beliefs) <= _FEW:
            found.update(dict.fromkeys(self.beliefs))
        own = opinion_id(self.holder, fact.content)
        if own in self.beliefs:
            found[own] = None
        return [self.beliefs[identity] for identity in self.beliefs if identity in found]


def _once_each(lines: Iterable[Fact]) -> list[Fact]:
    kept: dict[tuple[str, tuple[str, ...]], Fact] = {}
    for fact in lines:
        kept.setdefault((" ".join(fold(fact.content).split()), fact.slugs), fact)
    return list(kept.values())
