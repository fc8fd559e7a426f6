"""What the evidence of an opinion amounts to: its confidence, its status, and where it is going."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from lorebank.beliefs.fold import DatedEvidence, Pin, fold_evidence
from lorebank.domain.facts import (
    Evidence,
    Fact,
    FactKind,
    Opinion,
    OpinionStatus,
    Origin,
    Stance,
    Trend,
)
from lorebank.records import Mutable, Record

if TYPE_CHECKING:
    from lorebank.markdown.opinion_page import OpinionEntry

NOTED = "noted"  # the reason of evidence that stands below its line: `Last reinforced: 2026-02-04`


class Judgement(Record):
    """How a line bears on an opinion."""

    stance: Stance
    strength: float = 0.0
    """0..1; 0 for a statement, which only opens or pulls."""
    reason: str = ""
    """`stated`, `restated`, `replaced` (the holder's newer word), `over`, `mind` (see `relation`),
    `mark` or `verdict`."""
    turns: bool = False
    """Whether it says outright that the holder now thinks otherwise."""
    whole: bool = False
    """Whether it is the holder's word on where the opinion stands from its day on."""


class Belief(Mutable):
    """An opinion while it is being formed."""

    id: str
    holder: str
    statement: str
    opening: Fact
    lines: dict[str, tuple[Fact, Judgement, float | None]] = field(default_factory=dict)
    """Fact id → the fact, how it bears on the opinion, and the confidence it names for it."""
    closings: dict[date, str] = field(default_factory=dict)
    """Day on which the holder put another opinion in its place → that opinion."""

    def add(self, fact: Fact, judgement: Judgement, stated: float | None = None) -> None:
        """Count a line; of two words on one fact the last holds."""
        self.lines[fact.id] = (fact, judgement, stated)

    def closed_by(self, kept: Container[str] | None = None) -> tuple[date, str] | None:
        """The opinion in its place and since when: the last `kept`, unless the holder returned."""
        closings = {d: i for d, i in self.closings.items() if kept is None or i in kept}
        if not closings:
            return None
        day = max(closings)
        renewed = (
            fact.recorded
            for fact, judgement, _ in self.lines.values()
            if judgement.reason == "restated" and fact.recorded is not None
        )
        return None if any(told > day for told in renewed) else (day, closings[day])


def close(
    beliefs: Mapping[str, Belief],
    overrides: Mapping[str, OpinionEntry],
    prior: float,
    now: date | None,
) -> list[Opinion]:
    opinions = {
        belief.id: _opinion(belief, overrides.get(belief.id), prior, now)
        for belief in beliefs.values()
    }
    deleted = {i for i in opinions if (o := overrides.get(i)) is not None and o.deleted}
    kept = {identity: opinion for identity, opinion in opinions.items() if identity not in deleted}
    linked = [_linked(opinion, beliefs[i], kept) for i, opinion in kept.items()]
    old_of: dict[str, list[str]] = {}
    for opinion in sorted(linked, key=lambda o: o.id):
        if opinion.superseded_by:
            old_of.setdefault(opinion.superseded_by, []).append(opinion.id)
    return [replace(o, supersedes=tuple(old_of.get(o.id, ()))) for o in linked]


def _dependent_on(fact: Fact) -> str:
    """What makes lines of one day dependent: their log, or the agent that wrote them all."""
    return f"agent {fact.author.agent}" if fact.origin is Origin.AGENT else fact.citation.path


def _opinion(
    belief: Belief, override: OpinionEntry | None, prior: float, now: date | None
) -> Opinion:
    opening = belief.opening
    start = opening.confidence if opening.recorded is None else None
    typed = _typed_below(belief)
    pin = Pin(typed["pin"], typed["pin_since"]) if typed.get("pin") is not None else None
    if override is not None and override.pin is not None:
        pin = Pin(override.pin, override.pin_since)
    state = fold_evidence(
        [
            DatedEvidence(
                fact.author.written or fact.recorded,
                found.stance,
                fact.id,
                found.strength,
                stated,
                _dependent_on(fact),
                found.turns,
                found.whole,
            )
            for fact, found, stated in belief.lines.values()
            if fact.recorded is not None
        ],
        prior=prior if start is None else start,
        pins=(pin,) if pin else (),
    )
    evidence = tuple(
        Evidence(
            step.fact_id,
            belief.lines[step.fact_id][0].citation,
            step.stance,
            step.date,
            step.delta,
            belief.lines[step.fact_id][0].content,
            belief.lines[step.fact_id][1].reason,
        )
        for step in state.steps
    )
    evidence = _with_noted_days(evidence, belief, now)
    retracted = (override is not None and override.retracted) or "retracted" in typed
    days = [*(line.date for line in evidence), *(day for day, _ in state.history)]
    return Opinion(
        id=belief.id,
        statement=belief.statement,
        entities=_names(belief),
        confidence=state.confidence,
        trend=trend_of(evidence, now=now) if now else Trend.STALE,
        evidence=evidence,
        history=state.history,
        last_updated=max(days, default=None),
        source=opening.citation,
        status=OpinionStatus.RETRACTED if retracted else OpinionStatus.LIVE,
        pinned=pin.confidence if pin else None,
        origin=min(
            (f.origin for f, said, _ in belief.lines.values() if said.stance is Stance.FOR),
            key=lambda origin: origin.rank,
            default=opening.origin,
        ),
    )


def _typed_below(belief: Belief) -> dict[str, Any]:
    """The last `pin: 0.8` and `retracted` below the holder's own lines, as fields of an entry."""
    own = [f for f, said, _ in belief.lines.values() if said.reason in ("stated", "restated")]
    typed: dict[str, Any] = {}
    for detail in (each for fact in (belief.opening, *own) for each in fact.details):
        from lorebank.markdown.opinion_page import decides  # a recall parses nothing

        decides(detail, typed)
    return typed


def noted_days(fact: Fact) -> list[date]:
    """The days that the evidence noted below an opinion line names (`Last reinforced: …`)."""
    if fact.kind is not FactKind.OPINION or not fact.details:
        return []
    from lorebank.markdown.facts import iso_days  # a recall parses nothing

    return sorted({day for detail in fact.details for day in iso_days(detail)})


def _with_noted_days(
    evidence: tuple[Evidence, ...], belief: Belief, now: date | None
) -> tuple[Evidence, ...]:
    """The evidence with what the writer of a line noted below it. It moves nothing: the writer's
    `c` counts it in already."""
    noted = []
    for fact, said, _ in belief.lines.values():
        known = {line.date for line in evidence if line.fact_id == fact.id}
        noted += [
            Evidence(fact.id, fact.citation, said.stance, day, 0.0, fact.content, NOTED)
            for day in noted_days(fact)
            if day not in known and (now is None or day <= now)
        ]
    if not noted:
        return evidence
    return tuple(sorted((*evidence, *noted), key=lambda line: line.date))


def _names(belief: Belief) -> tuple[str, ...]:
    mentions = sorted(belief.opening.mentions, key=lambda m: m.slug != belief.holder)
    return tuple(
        {m.slug: m.name for m in reversed(mentions)}[s]
        for s in dict.fromkeys(m.slug for m in mentions)
    )


def _linked(opinion: Opinion, belief: Belief, kept: Mapping[str, Opinion]) -> Opinion:
    """With its successor, where the holder put another opinion in its place."""
    closed = belief.closed_by(kept)
    if closed is None or opinion.status is OpinionStatus.RETRACTED or opinion.pinned is not None:
        return opinion
    since, by = closed
    status = OpinionStatus.SUPERSEDED
    return replace(opinion, status=status, superseded_by=by, superseded_since=since)


RECENT_DAYS = 30
STALE_DAYS = 90  # a month and a quarter, chosen by hand
_CHANGE, _DENSER = 0.02, 2.0
"""A move that shows in two decimals; evidence twice as dense as before. Chosen by hand."""


def trend_of(evidence: Iterable[Evidence], *, now: date) -> Trend:
    """The trend on the day `now`; evidence after it is passed over.

    - `stale`: no evidence in the last 90 days, or none at all.
    - `new`: first evidence within the last 30 days, and nothing against it since.
    - `weakening`, `strengthening`: the last 30 days moved the confidence by .02 or more; or, where
      they moved it by less (it is near its limit), support lies at least twice as dense in them as
      in the 60 days before.
    - `stable`: everything else.
    """
    known = [line for line in evidence if line.date <= now]
    ages = sorted({(now - line.date).days for line in known})
    if not ages or ages[0] > STALE_DAYS:
        return Trend.STALE
    recent = [line for line in known if (now - line.date).days <= RECENT_DAYS]
    moved = sum(line.delta for line in recent)
    if moved <= -_CHANGE:
        return Trend.WEAKENING
    if ages[-1] <= RECENT_DAYS:
        return Trend.STRENGTHENING if moved >= _CHANGE and len(ages) >= 3 else Trend.NEW
    supported = any(line.stance is Stance.FOR for line in recent)
    rises = supported and (moved >= _CHANGE or _is_denser(known))
    return Trend.STRENGTHENING if rises else Trend.STABLE


def _is_denser(known: list[Evidence]) -> bool:
    """Whether supporting days lie denser in the 30 days before the newest than in the 60 before."""
    newest = max(line.date for line in known)
    ages = {(newest - line.date).days for line in known if line.stance is Stance.FOR}
    near = sum(1 for age in ages if age <= RECENT_DAYS)
    before = sum(1 for age in ages if RECENT_DAYS < age <= STALE_DAYS)
    return near >= 3 and near / RECENT_DAYS >= _DENSER * before / (STALE_DAYS - RECENT_DAYS)
