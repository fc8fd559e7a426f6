"""Entities: what is known of a name, whom it stands for, and decisions about names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lorebank.app.workspace import Day, OpenWorkspace, rebuild_index_if_corrupt
from lorebank.domain.answers import EntityGraph, EntityView
from lorebank.domain.facts import Entity
from lorebank.domain.judgments import Audit, LedgerChange, NameResolution
from lorebank.index.entity_graph import entity_graph
from lorebank.index.entity_view import entity_view
from lorebank.names.audit import audit_names
from lorebank.names.entities import list_entities
from lorebank.names.who import resolve_name
from lorebank.recall.filters import parse_interval
from lorebank.workspace.lock import WriterLock


@rebuild_index_if_corrupt
def entities(ws: OpenWorkspace) -> tuple[Entity, ...]:
    """Every entity, the most mentioned first."""
    ws.freshen()
    return list_entities(ws.index)


@rebuild_index_if_corrupt
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
    ws.freshen()
    entity = ws.find_entity(name)
    return entity_view(
        ws.index,
        entity,
        opinions=ws.opinions(entity.slug, None, now),
        interval=parse_interval(since, until, ws.day(now)),
        token_budget=token_budget,
    )


@rebuild_index_if_corrupt
def resolve(ws: OpenWorkspace, name: str, *, context: Sequence[str] = ()) -> NameResolution:
    """Whom a name stands for and how that was found, step by step; never fails.

    `context`, names of entities it was met with, only ranks what is proposed.
    """
    ws.freshen()
    return resolve_name(ws.index, name, context=[ws.find_entity(other).slug for other in context])


@rebuild_index_if_corrupt
def graph(ws: OpenWorkspace) -> EntityGraph:
    """Who is seen with whom: components, communities, bridges and centrality."""
    ws.freshen()
    return entity_graph(ws.index)


def export_graph(ws: OpenWorkspace, form: str) -> str:
    """The graph as `graphml`, `json`, `mermaid` or `dot`."""
    from lorebank.index.entity_graph import export_graph

    return export_graph(graph(ws), form)


@rebuild_index_if_corrupt
def audit(ws: OpenWorkspace) -> Audit:
    """What about names deserves a look: pairs that may be one entity (proposed, not merged),
    dangling mentions, pages nobody mentions, hubs; each with evidence and what settles it."""
    ws.freshen()
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
    from lorebank.nightly.names import decide, decision_entry

    with WriterLock(ws.root):
        ws.sync_files()
        entry = decision_entry(action, names, ws.day(now), reason)
        change = decide(ws.index, ws.root, entry, undo=undo, dry_run=dry_run)
    if change.changed and not dry_run:
        ws.sync_files()
    return change
