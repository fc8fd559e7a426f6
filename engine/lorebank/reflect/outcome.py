"""What was gathered about a belief, closed to an opinion: confidence, trend, successor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import date

from lorebank.domain import Evidence, Fact, Opinion, OpinionStatus, Origin, Stance, Trend
from lorebank.records import dataclass
from lorebank.reflect.beliefs import DatedEvidence, Pin, fold_evidence
from lorebank.reflect.stance import Judgement
from lorebank.reflect.trends import trend_of


@dataclass(frozen=True, slots=True)
class Override:
    """What a person wrote on `bank/opinions.md` about one opinion."""

    opinion_id: str
    statement: str | None = None
    pin: Pin | None = None
    retracted: bool = False
    deleted: bool = False


@dataclass(slots=True)
class Belief:
    """An opinion while it is being formed."""

    id: str
    holder: str
    statement: str
    opening: Fact
    lines: dict[str, tuple[Fact, Judgement, float | None]] = field(default_factory=dict)
    successors: dict[str, date] = field(default_factory=dict)
    """Opinion → the last day a line spoke against this one and for that one."""


def close(
    beliefs: Mapping[str, Belief], overrides: Mapping[str, Override], prior: float, now: date | None
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
    """What makes lines of one day dependent: the log they stand in, or the agent that wrote them
    all. With the day of writing in place of the log's, no number of lines that an agent dates back
    weighs more than a day's."""
    return f"agent {fact.author.agent}" if fact.origin is Origin.AGENT else fact.citation.path


def _opinion(belief: Belief, override: Override | None, prior: float, now: date | None) -> Opinion:
    opening = belief.opening
    start = opening.confidence if opening.recorded is None else None
    pin = override.pin if override else None
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
    retracted = override is not None and override.retracted
    return Opinion(
        id=belief.id,
        statement=belief.statement,
        entities=_names(belief),
        confidence=state.confidence,
        trend=trend_of(evidence, now=now) if now else Trend.STALE,
        evidence=evidence,
        history=state.history,
        last_updated=state.history[-1][0] if state.history else None,
        source=opening.citation,
        status=OpinionStatus.RETRACTED if retracted else OpinionStatus.LIVE,
        pinned=pin.confidence if pin else None,
        origin=min(
            (f.origin for f, said, _ in belief.lines.values() if said.stance is Stance.FOR),
            key=lambda origin: origin.rank,
            default=opening.origin,
        ),
    )


def _names(belief: Belief) -> tuple[str, ...]:
    mentions = sorted(belief.opening.mentions, key=lambda m: m.slug != belief.holder)
    return tuple(
        {m.slug: m.name for m in reversed(mentions)}[s]
        for s in dict.fromkeys(m.slug for m in mentions)
    )


def _linked(opinion: Opinion, belief: Belief, kept: Mapping[str, Opinion]) -> Opinion:
    """With its successor, where the last word on it was a line that put another in its place."""
    successors = {i: day for i, day in belief.successors.items() if i in kept}
    if not successors or opinion.status is OpinionStatus.RETRACTED or opinion.pinned is not None:
        return opinion
    successor, day = max(successors.items(), key=lambda entry: (entry[1], entry[0]))
    renewed = max((e.date for e in opinion.evidence if e.stance is Stance.FOR), default=date.min)
    if renewed > day:
        return opinion
    replaced = any(e.stance is Stance.AGAINST and e.reason == "change" for e in opinion.evidence)
    if not replaced and opinion.confidence >= kept[successor].confidence:
        return opinion
    return replace(opinion, status=OpinionStatus.SUPERSEDED, superseded_by=successor)
