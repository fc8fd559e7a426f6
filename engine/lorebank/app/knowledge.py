"""Opinions and entities: what is believed, why and since when; who is who."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta

from lorebank.app.workspace import Day, OpenWorkspace, listed
from lorebank.beliefs import history, materialise
from lorebank.domain.answers import Ending, EntityGraph, EntityView, Explanation
from lorebank.domain.facts import Entity, Fact, Opinion, Relation
from lorebank.domain.judgments import Audit, LedgerChange, NameResolution
from lorebank.domain.reports import BeliefDiff, Calibration, RotReport
from lorebank.errors import UsageError
from lorebank.inbox.registry import judge_records, settled
from lorebank.index import entity_graph
from lorebank.index.entity_view import entity_view
from lorebank.index.items import all_facts, facts_by_id, facts_of_ids
from lorebank.index.opinions import load_opinions, opinions_moved_by, with_unjudged
from lorebank.index.succession import mark_superseded
from lorebank.markdown.ledger import parse_line_rulings
from lorebank.names.entities import list_entities
from lorebank.names.who import audit_names, resolve_name
from lorebank.nightly import lookback
from lorebank.nightly import names as name_decisions
from lorebank.recall.filters import parse_day, parse_interval
from lorebank.workspace.layout import DECISIONS_PAGE
from lorebank.workspace.recalled import read_recalled


def opinions(
    ws: OpenWorkspace,
    entity: str | None = None,
    *,
    as_of: Day = None,
    min_confidence: float | None = None,
    now: date | None = None,
) -> tuple[Opinion, ...]:
    """Beliefs with confidence, trend, evidence and history: those held now and surest first,
    stale ones after them, superseded and retracted ones last.

    `as_of` folds only the evidence recorded by that day.
    """
    slug = ws.slug_of(entity)
    found = ws.opinions(slug, parse_day(as_of, ws.day(now), "as-of", side="end"), now)
    return tuple(o for o in found if min_confidence is None or o.confidence >= min_confidence)


def explain(ws: OpenWorkspace, id: str, *, now: date | None = None) -> Explanation:
    """The story of a fact (`f-…`) or an opinion (`o-…`); a unique beginning is enough."""
    if id.startswith("o-"):
        [opinion] = ws.with_display_names(
            with_unjudged(ws.index, load_opinions(ws.index, opinion_id=ws.full_opinion_id(id))[:1])
        )
        dated = materialise.for_display(opinion, ws.day(now), ws.config.reflect)
        facts = facts_of_ids(ws.index, sorted({line.fact_id for line in dated.evidence})).values()
        steps = history.belief_steps(dated, _stated(facts), prior=ws.config.reflect.prior)
        ending = _ending(ws, opinion)
        return Explanation(None, dated, (opinion.source,), steps=steps, ending=ending)
    found = ws.find_fact(id, "fact or opinion")
    [fact] = mark_superseded(ws.index, [found], today=ws.day(now))
    places = tuple(each.citation for each in facts_by_id(ws.index, fact.id))
    moved = opinions_moved_by(ws.index, fact.id)
    ending = _ending(ws, fact)
    return Explanation(fact, None, places, moved=moved, ending=ending)


def _ending(ws: OpenWorkspace, older: Fact | Opinion) -> Ending | None:
    newer, since = older.superseded_by, older.superseded_since
    for opinion in load_opinions(ws.index, opinion_id=newer) if newer else ():
        return Ending(opinion.id, opinion.statement, opinion.source, since)
    for fact in facts_by_id(ws.index, newer)[:1] if newer else ():
        page = ws.root / DECISIONS_PAGE
        text = page.read_text("utf-8", errors="replace") if page.is_file() else ""
        rulings = parse_line_rulings(text, DECISIONS_PAGE)[0]
        ending = Ending(fact.id, fact.content, fact.citation, since)
        for r in reversed(rulings):
            if (r.newer, r.relation, r.older) == (newer, Relation.REPLACES, older.id):
                return replace(ending, ruling=r.citation, ruled_by=r.by, ruled_on=r.day)
        return ending
    return None


def belief_changes(
    ws: OpenWorkspace,
    entity: str | None = None,
    *,
    since: Day = "90d",
    as_of: Day = None,
    now: date | None = None,
) -> BeliefDiff:
    """What changed its mind since a day: new, stronger, weaker, fallen and superseded opinions,
    each from → to with the lines that moved it.

    `since` is read on the day of `as_of`, which is today without it.
    """
    slug = ws.slug_of(entity)
    until = parse_day(as_of, ws.day(now), "as-of", side="end") or ws.day(now)
    first = parse_day(since, until, "since") or date.min
    if first > until:
        raise UsageError(f"--since {first} lies after {until}", hint="name an earlier day")
    eve = first - timedelta(days=1) if first > date.min else first
    before = ws.opinions(slug, eve, now)
    after = ws.opinions(slug, until, now)
    return history.belief_diff(before, after, since=first, until=until)


def rot(ws: OpenWorkspace, *, now: date | None = None) -> RotReport:
    """What has gone off: opinions that are contradicted, outdated, thin or stale, lines that
    were never recalled, and links, citations, marks and rulings that lead nowhere."""
    today = ws.day(now)
    opinions = ws.opinions(None, today, now)
    recalled = read_recalled(ws.root) if ws.config.recall.remember_uses else None
    return lookback.rot_report(ws.index, ws.root, ws.walk().files, opinions, recalled, day=today)


def calibration(
    ws: OpenWorkspace, entity: str | None = None, *, as_of: Day = None, now: date | None = None
) -> Calibration:
    """How often opinions that stood at about .8, or any other confidence, were borne out by the
    next independent evidence, and how often each judge's verdicts were overruled."""
    slug = ws.slug_of(entity)
    day = parse_day(as_of, ws.day(now), "as-of", side="end") or ws.day(now)
    stated = _stated(all_facts(ws.index))
    found = history.calibrate(ws.opinions(slug, day, now), stated, day=day)
    return replace(found, judges=judge_records(settled(ws.inbox_context(now))))


def _stated(facts: Iterable[Fact]) -> dict[str, float]:
    """Fact → the confidence that its line names."""
    return {fact.id: fact.confidence for fact in facts if fact.confidence is not None}


def entities(ws: OpenWorkspace) -> tuple[Entity, ...]:
    """Every entity, the most mentioned first."""
    return list_entities(ws.index)


def entity(
    ws: OpenWorkspace,
    name: str,
    *,
    since: Day = None,
    until: Day = None,
    token_budget: int | None = None,
    now: date | None = None,
) -> EntityView:
    """All that is known of one entity; `NotFound` with the nearest names for an unknown one.

    `token_budget` estimated tokens at most: what matters most is kept (see `EntityView`).
    """
    from lorebank.pages.content import read_content
    from lorebank.pages.pages import PagePlan

    entity = ws.find_entity(name)
    interval = parse_interval(since, until, ws.day(now))
    screen: Sequence[str] = ()
    if interval is None:
        content = read_content(ws.index, ws.root, ws.config, ws.day(now), None, ws.vectors_of)
        screen = PagePlan(content).screen(entity.slug)
    return entity_view(
        ws.index,
        entity,
        opinions=ws.opinions_now(entity.slug, now),
        screen=screen,
        today=ws.day(now),
        interval=interval,
        token_budget=token_budget,
    )


def resolve(ws: OpenWorkspace, name: str, *, context: Sequence[str] = ()) -> NameResolution:
    """Whom a name stands for and how that was found, step by step; never fails.

    `context`, names of entities it was met with, only ranks what is proposed.
    """
    return resolve_name(
        ws.index, name, context=[ws.find_entity(other).slug for other in listed(context)]
    )


def graph(ws: OpenWorkspace) -> EntityGraph:
    """Who is seen with whom: components, communities, bridges and centrality."""
    return entity_graph.entity_graph(ws.index)


def export_graph(ws: OpenWorkspace, form: str) -> str:
    """The graph as `graphml`, `json`, `mermaid` or `dot`."""
    return entity_graph.export_graph(graph(ws), form)


def audit(ws: OpenWorkspace) -> Audit:
    """What about names deserves a look: pairs that may be one entity (proposed, not merged),
    dangling mentions, pages nobody mentions, hubs; each with evidence and what settles it."""
    return audit_names(ws.index)


def decide(
    ws: OpenWorkspace,
    action: str,
    *names: str,
    reason: str = "",
    undo: bool = False,
    dry_run: bool = False,
    now: date | None = None,
) -> LedgerChange:
    """Write one decision about names into `bank/identity.md`, or take it off with `undo`.

    `action` is `alias`, `merge`, `rename` (the first name goes into the second), `distinct`,
    `dismiss`, or `split` (one name from another, or from all). The page of a merged name moves
    into that of the name that stays, and back. A line that stands already changes nothing.
    """
    with ws.writing():
        ws.sync_files()
        entry = name_decisions.decision_entry(action, names, ws.day(now), reason)
        change = name_decisions.decide(ws.index, ws.root, entry, undo=undo, dry_run=dry_run)
    if change.changed and not dry_run:
        ws.sync_files()
    return change
