"""Items about two lines: a line and an opinion of one holder, or two lines of facts.

Of a line that states no opinion: is it for the opinion, against it, or about something else? Of an
opinion of the holder's own: does it say the same, does it replace the older one, or do both stand?
Either way the verdict is a line of `bank/evidence.md`.

What ends beyond doubt is ended without asking (`supersede`). Of the rest a newer line is asked
about together with the older line about the same entity that it is nearest to, by meaning and by
words in common. The less is known of an entity, the likelier a new line bears on it, so fewer
signs are wanted there.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, NamedTuple

from lorebank.beliefs.forming import holder_of, stated_opinions
from lorebank.beliefs.materialise import unsure_pairs
from lorebank.beliefs.reading import MOST_HOLDING
from lorebank.domain.facts import (
    Citation,
    Fact,
    FactKind,
    InboxItem,
    InboxKind,
    Opinion,
    Relation,
    Stance,
)
from lorebank.domain.judgments import Decision
from lorebank.inbox.sources import (
    InboxContext,
    Source,
    Verdict,
    add_ledger_line,
    item_id,
    ledger_text,
    line_of_fact,
    remove_ledger_lines,
)
from lorebank.index import items
from lorebank.index.opinions import holders_of_opinions
from lorebank.index.succession import Over, ruled_pairs, what_is_over
from lorebank.index.vectors import vectors_by_text
from lorebank.language.words import COMMON_START, stop_words, words
from lorebank.markdown.ledger import (
    EvidenceRuling,
    LineRuling,
    format_evidence_line,
    format_line_ruling,
    parse_evidence_lines,
    parse_line_rulings,
)
from lorebank.pages.telling import HABIT
from lorebank.supersede.slots import clause_meant
from lorebank.workspace.layout import DECISIONS_PAGE, EVIDENCE_PAGE

if TYPE_CHECKING:
    from numpy import ndarray


_STANCES = {
    Relation.SAME: Stance.FOR,
    Relation.REPLACES: Stance.AGAINST,
    Relation.BOTH: Stance.UNRELATED,
}
_RELATIONS = {stance: relation for relation, stance in _STANCES.items()}
_CONFLICT = "its words disagree"
"""The reason for which two opinions are asked about as a replacement first."""


def _evidence_waiting(context: InboxContext, fact: Fact | None = None) -> Iterator[InboxItem]:
    pairs = list(unsure_pairs(context.connection, fact.id if fact else None))
    opened = items.facts_of_ids(context.connection, {o.evidence[0].fact_id for _, _, o in pairs})
    for row, known, opinion in pairs:
        place = opinion.source
        first = opened[opinion.evidence[0].fact_id]
        if first.citation != place:  # an undated line is no evidence
            first = items.facts_by_place(context.connection, place.path, place.start_line) or first
        kind = _kind_of_pair(known, opinion, row.reason)
        yield InboxItem(
            id=_evidence_id(row.opinion, row.fact),
            kind=kind,
            older=replace(line_of_fact(first), text=opinion.statement, id=opinion.id),
            newer=line_of_fact(known),
            reason=row.reason,
            effect={
                verdict: told.format(confidence=opinion.confidence)
                for verdict, told in _EFFECTS[kind is InboxKind.EVIDENCE].items()
            },
            weight=row.score,
        )


_EFFECTS: Mapping[bool, Mapping[str, str]] = {
    True: {
        "for": "raises the confidence, now {confidence:.2f}",
        "against": "lowers the confidence, now {confidence:.2f}",
        "unrelated": "changes nothing, and is not asked again",
    },
    False: {
        "same": "they become one opinion; the newer line pulls its confidence",
        "replaces": "the older one ({confidence:.2f}) ends on the newer one's day",
        "both": "both stand, and are not asked about again",
    },
}
"""What each verdict does: on a line and an opinion, or else on two opinions of one holder."""


def _kind_of_pair(fact: Fact, opinion: Opinion, reason: str) -> InboxKind:
    if fact.kind is not FactKind.OPINION or holder_of(fact) != next(iter(opinion.entities), ""):
        return InboxKind.EVIDENCE
    return InboxKind.REPLACEMENT if reason == _CONFLICT else InboxKind.RESTATEMENT


def _evidence_id(opinion: str, fact: str) -> str:
    return item_id(InboxKind.EVIDENCE, opinion, fact)


def _evidence_rule(context: InboxContext, verdict: Verdict) -> None:
    fact, opinion = verdict.about
    is_stance, choice = verdict.kind is InboxKind.EVIDENCE, verdict.choice
    stance = Stance(choice) if is_stance else _STANCES[Relation(choice)]
    known = items.facts_by_id(context.connection, fact)
    place = known[0].citation if known else None
    nowhere = Citation(EVIDENCE_PAGE, 0, 0)
    ruling = EvidenceRuling(fact, stance, opinion, context.today, "", nowhere, place, verdict.by)
    add_ledger_line(context, EVIDENCE_PAGE, format_evidence_line(ruling), title="Evidence")


def _evidence_settled(context: InboxContext) -> Iterator[Decision]:
    rulings = parse_evidence_lines(ledger_text(context, EVIDENCE_PAGE), EVIDENCE_PAGE)[0]
    ruled = {ruling.opinion_id for ruling in rulings}
    known = {*holders_of_opinions(context.connection, ruled)}
    if not ruled <= known:
        known |= stated_opinions(items.all_facts(context.connection))
    for ruling in rulings:
        facts = items.facts_by_id(context.connection, ruling.fact_id)
        states = bool(facts) and facts[0].kind is FactKind.OPINION
        kind, verdict = InboxKind.EVIDENCE, ruling.stance.value
        if states:
            replaces = ruling.stance is Stance.AGAINST
            kind = InboxKind.REPLACEMENT if replaces else InboxKind.RESTATEMENT
            verdict = _RELATIONS[ruling.stance].value
        id_, line = _evidence_id(ruling.opinion_id, ruling.fact_id), (ruling.day, ruling.citation)
        about, is_void = (ruling.fact_id, ruling.opinion_id), ruling.opinion_id not in known
        yield Decision(id_, kind, verdict, ruling.by, *line, about, is_void or not facts)


EVIDENCE = Source(
    frozenset({InboxKind.EVIDENCE, InboxKind.RESTATEMENT, InboxKind.REPLACEMENT}),
    _evidence_waiting,
    _evidence_rule,
    _evidence_settled,
    remove_ledger_lines,
    about=_evidence_waiting,
    allows_second_ruling=True,
)


_MAY_BE_OVER = frozenset({FactKind.WORLD, FactKind.OBSERVATION})
_MAY_END = frozenset({FactKind.WORLD, FactKind.OBSERVATION, FactKind.EXPERIENCE})
_MAX_PER_DAY = 2  # most questions about the lines of one day
_SHARED_WORDS_WEIGHT = 0.3
"""What all words shared add to the cosine of the two lines; words of change add nothing."""
_MIN_SCORE = 0.45
"""The score wanted where many older lines are known. In two logs by other hands 1.2 questions a day
then reach 16 of 23 and 9 of 12 stale lines; at .3 one more, for half as many questions again."""
_MIN_SCORE_OF_ONE = 0.05
"""The score wanted of the only older line: of 107 pairs by three hands in which the newer ends the
older 4 lie below it, of lines about something else most."""
_MIN_SHARED_WORDS = 1 / 3
"""The same without an embedder, where the score is the share of words in common."""
_WINDOW = timedelta(days=90)
"""Older questions are let go: whoever left them for a quarter will not answer them."""


_AGENTS = "by itself an agent's line ends none of the owner's"
_SEVERAL = "it says that something is over, and may speak of this or of another line"


class _Pair(NamedTuple):
    score: float
    newer: Fact
    older: Fact


def _replacement_waiting(context: InboxContext) -> Iterator[InboxItem]:
    index = context.connection
    facts, over = context.known or (
        items.all_facts(index),
        what_is_over(index, today=context.today),
    )
    yield from _agent_claims(context, over.asked)
    nearest = _nearest(context, facts, over)
    # Once somebody ruled on a line, its next pair is a worse one, and mostly not worth asking.
    asked = {newer for newer, _ in ruled_pairs(context.connection)}
    by_day: defaultdict[date | None, list[_Pair]] = defaultdict(list)
    for pair in sorted(nearest.values(), key=lambda p: (-p.score, p.newer.id, p.older.id)):
        if pair.newer.id not in asked or pair.score >= _MIN_SCORE:
            by_day[pair.newer.recorded].append(pair)
    for found in by_day.values():
        yield from map(_item, found[:_MAX_PER_DAY])


def _replacement_about(context: InboxContext, fact: Fact) -> Iterator[InboxItem]:
    """What a new line of an agent says is over, else the nearest line about the same entity."""
    near = items.facts_by_entity(context.connection, sorted(fact.slugs))
    may_be_over = {*fact.ends, *(each.id for each in near)}
    over = what_is_over(context.connection, today=context.today, among=may_be_over)
    yield from _agent_claims(context, {o: n for o, n in over.asked.items() if n == fact.id})
    yield from map(_item, _nearest(context, near, over, fact.id).values())


def _agent_claims(context: InboxContext, claimed: Mapping[str, str]) -> Iterator[InboxItem]:
    """Lines of the owner's that an agent's says are over, and several that a newer one may end."""
    facts = items.facts_of_ids(context.connection, {*claimed.keys(), *claimed.values()})
    for older, newer in claimed.items():
        if facts[older].kind is not FactKind.OPINION:  # of these opinions are asked about
            is_agents = facts[newer].author.agent and not facts[older].author.agent
            yield replace(
                _item(_Pair(1.0, facts[newer], facts[older])),
                reason=_AGENTS if is_agents else _SEVERAL,
            )


def _nearest(
    context: InboxContext, facts: Iterable[Fact], over: Over, only: str | None = None
) -> dict[str, _Pair]:
    """Each recent line (`only` that of an id), by its id, with the older line about an entity that
    it may replace which is nearest to it.

    A line that has ended another, or says so, does so to what it speaks of, and is not asked about.
    A line without a day, as in front matter, counts as older than all that have one.
    """
    spent = frozenset((*over.superseded.values(), *over.asked.values()))
    ruled = ruled_pairs(context.connection)
    standing = [f for f in facts if not f.quarantined and f.id not in over.superseded]
    since = max((fact.recorded or date.min for fact in standing), default=date.min)
    since -= min(_WINDOW, since - date.min)
    news = [
        fact
        for fact in standing
        if fact.kind in _MAY_END and fact.recorded and fact.recorded >= since
        if fact.id not in spent and only in (None, fact.id)
    ]
    slugs = {slug for fact in news for slug in fact.slugs}
    may_end: defaultdict[str, list[Fact]] = defaultdict(list)
    for fact in standing:
        if fact.kind in _MAY_BE_OVER:
            for slug in slugs.intersection(fact.subjects):
                may_end[slug].append(fact)
    texts = {fact.content for each in (news, *may_end.values()) for fact in each}
    vectors = vectors_by_text(context.vectors_of, texts)
    older = {slug: _Older(each, vectors) for slug, each in may_end.items()}
    nearest: dict[str, _Pair] = {}
    for newer in news:
        for slug in filter(older.__contains__, newer.slugs):
            found, known = older[slug].nearest(newer, vectors, ruled), nearest.get(newer.id)
            if found and (known is None or known.score < found.score):
                nearest[newer.id] = found
    return nearest


class _Words:
    """What a line is compared by, without the words of some names."""

    def __init__(self, text: str, names: frozenset[str] = frozenset()) -> None:
        from lorebank.supersede.endings import tokens

        light = stop_words()
        self.said = [word for word in tokens(text) if word not in names]
        self.telling = [word for word in self.said if word not in light]
        self.numbers = frozenset(word for word in self.telling if word[0].isdigit())
        self.beside_numbers = frozenset(self.telling) - self.numbers
        self.begun = {word[: COMMON_START - 1] for word in self.telling}


class _Older:
    """Lines about an entity that may be over, oldest first, found by how their words begin: words
    that are alike begin alike. A word that many hold leads to the newest `MOST_HOLDING` of them."""

    def __init__(self, facts: Sequence[Fact], vectors: Mapping[str, ndarray]) -> None:
        self.facts, self.matrix = facts, None
        if vectors:
            import numpy as np

            unknown = np.zeros_like(next(iter(vectors.values())))
            self.matrix = np.array([vectors.get(fact.content, unknown) for fact in facts])
        self.words = [_Words(fact.content) for fact in facts]
        figures: defaultdict[frozenset[str], set[frozenset[str]]] = defaultdict(set)
        for said in self.words:
            figures[said.beside_numbers].add(said.numbers)
        self.habits = {words for words, each in figures.items() if len(each) >= HABIT}
        """What is said again and again with other numbers: pages show it as one line."""
        self.holding: dict[str, list[int]] = {}
        for number, said in enumerate(self.words):
            for begun in said.begun:
                self.holding.setdefault(begun, []).append(number)

    def nearest(
        self, newer: Fact, vectors: Mapping[str, ndarray], ruled: Collection[tuple[str, str]]
    ) -> _Pair | None:
        from lorebank.supersede.endings import shared_words, tokens

        # Lines of one day were written down together: they hold side by side.
        day = newer.recorded or date.min
        count = bisect_left(self.facts, day, key=lambda fact: fact.recorded or date.min)
        names = frozenset(word for m in newer.mentions if m.subject for word in tokens(m.name))
        mine, vector = _Words(newer.content, names), vectors.get(newer.content)
        if self.habits and _Words(newer.content).beside_numbers in self.habits:
            return None
        alike_begun: set[int] = set()
        for holding in filter(None, map(self.holding.get, mine.begun)):
            earlier = bisect_left(holding, count)
            alike_begun.update(holding[max(0, earlier - MOST_HOLDING) : earlier])
        enough = (_MIN_SCORE if vectors else _MIN_SHARED_WORDS) * (1 - 1 / max(1, count))
        weight, best = _SHARED_WORDS_WEIGHT if vectors else 1.0, None
        cosines = [0.0] * count
        if vector is not None and self.matrix is not None:
            cosines = (self.matrix[:count] @ vector).tolist()
        near = {number for number, cosine in enumerate(cosines) if cosine >= enough}
        for number in sorted(near.union(alike_begun)):
            theirs, fact = self.words[number], self.facts[number]
            begun_alike = len(mine.begun & theirs.begun)
            if not names.isdisjoint(theirs.said):
                theirs = _Words(fact.content, names)
            alike = max(0.0, cosines[number])
            shorter = theirs if len(theirs.telling) < len(mine.telling) else mine
            again = len(shorter.telling) - len(shorter.begun)
            most = (begun_alike + again) / max(1, len(shorter.telling))
            least = max(enough, _MIN_SCORE_OF_ONE, best.score if best else 0)
            is_habit = self.words[number].beside_numbers in self.habits
            if is_habit or alike + weight * most < least:
                continue
            score = alike + weight * shared_words(mine.telling, theirs.telling)
            if score < least or (best and round(score, 4) == best.score):
                continue
            # Said again, with or without the name: nothing to ask.
            if mine.said != theirs.said and (newer.id, fact.id) not in ruled:
                best = _Pair(round(score, 4), newer, fact)
        return best


_OVER = "the older holds no longer: it leaves pages and the head of recall"


def _item(pair: _Pair) -> InboxItem:
    begins, written = pair.newer.occurred, pair.newer.recorded
    is_announced = begins is not None and written is not None and begins.announces(written)
    since = f"from {begins.start} on " if begins and is_announced else ""
    names = words(" ".join(m.name for m in pair.older.mentions if m.subject))
    part = clause_meant(pair.older.content, pair.newer.content, names)
    over = f"of the older '{part}' holds no longer; the rest stands" if part else _OVER
    return InboxItem(
        id=item_id(InboxKind.REPLACEMENT, pair.newer.id, pair.older.id),
        kind=InboxKind.REPLACEMENT,
        older=line_of_fact(pair.older),
        newer=line_of_fact(pair.newer),
        reason="it is about the same",
        effect={
            "same": "the newer says the older again; the older holds",
            "replaces": f"{since}{over}",
            "both": "both hold, and this is not asked again",
        },
        weight=min(1.0, pair.score),
    )


def _replacement_rule(context: InboxContext, verdict: Verdict) -> None:
    newer, older = verdict.about
    known = items.facts_of_ids(context.connection, verdict.about)
    reason = " on ".join(str(known[id].citation) for id in verdict.about if id in known)
    relation, nowhere = Relation(verdict.choice), Citation(DECISIONS_PAGE, 0, 0)
    ruling = LineRuling(newer, relation, older, context.today, verdict.by, reason, nowhere)
    add_ledger_line(context, DECISIONS_PAGE, format_line_ruling(ruling), title="Decisions on lines")


def _replacement_settled(context: InboxContext) -> Iterator[Decision]:
    for ruling in parse_line_rulings(ledger_text(context, DECISIONS_PAGE), DECISIONS_PAGE)[0]:
        about, kind = (ruling.newer, ruling.older), InboxKind.REPLACEMENT
        is_void = not all(items.facts_by_id(context.connection, id_) for id_ in about)
        line = ruling.relation.value, ruling.by, ruling.day, ruling.citation
        yield Decision(item_id(kind, *about), kind, *line, about, is_void)


REPLACEMENTS = Source(
    frozenset({InboxKind.REPLACEMENT}),
    _replacement_waiting,
    _replacement_rule,
    _replacement_settled,
    remove_ledger_lines,
    _replacement_about,
    allows_second_ruling=True,
)


def about(context: InboxContext, fact: Fact) -> tuple[InboxItem, ...]:
    """What a line just written may restate, contradict, replace or bear on."""
    found = (item for each in (EVIDENCE, REPLACEMENTS) for item in each.about(context, fact))
    return tuple(sorted(found, key=rank))


def rank(item: InboxItem) -> tuple[int, float, str]:
    """Sort key of the inbox: newest first, of one day the weightiest first."""
    days = [line.day for line in (item.older, item.newer) if line and line.day]
    return -max(days, default=date.min).toordinal(), -item.weight, item.id
