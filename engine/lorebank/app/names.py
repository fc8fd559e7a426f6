"""Entities: what is known of a name, whom it stands for, and decisions about names."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import TYPE_CHECKING

from lorebank.app.opened import Day, OpenWorkspace, made_anew_when_damaged
from lorebank.names.entities import list_entities, nearest_names
from lorebank.recall.filters import parse_interval
from lorebank.workspace.lock import WriterLock

if TYPE_CHECKING:
    from lorebank.domain import Audit, Entity, EntityGraph, EntityView, LedgerChange, NameResolution


class Names(OpenWorkspace):
    """What is asked of entities, and what is decided about their names."""

    @made_anew_when_damaged
    def entities(self) -> tuple[Entity, ...]:
        """Every entity, the most mentioned first."""
        self._freshen()
        return list_entities(self._index)

    @made_anew_when_damaged
    def entity(
        self,
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
        from lorebank.index.entity_view import entity_view

        self._freshen()
        entity = self._entity(name)
        return entity_view(
            self._index,
            entity,
            opinions=self._opinions(entity.slug, None, now),
            interval=parse_interval(since, until, self._today(now)),
            token_budget=token_budget,
        )

    @made_anew_when_damaged
    def resolve(self, name: str, *, context: Sequence[str] = ()) -> NameResolution:
        """Whom a name stands for and how that was found, step by step; never fails.

        `context`, names of entities it was met with, only ranks what is proposed.
        """
        from lorebank.names.who import resolve_name

        self._freshen()
        return resolve_name(
            self._index, name, context=[self._entity(other).slug for other in context]
        )

    @made_anew_when_damaged
    def graph(self) -> EntityGraph:
        """Who is seen with whom: components, communities, bridges and centrality."""
        from lorebank.index.entity_graph import entity_graph

        self._freshen()
        return entity_graph(self._index)

    def export_graph(self, form: str) -> str:
        """The graph as `graphml`, `json`, `mermaid` or `dot`."""
        from lorebank.index.entity_graph import export_graph

        return export_graph(self.graph(), form)

    @made_anew_when_damaged
    def audit(self) -> Audit:
        """What about names deserves a look: pairs that may be one entity (proposed, not merged),
        dangling mentions, pages nobody mentions, hubs; each with evidence and what settles it."""
        from lorebank.names.audit import audit_names

        self._freshen()
        return audit_names(self._index)

    def decide(
        self,
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
        from lorebank.reflect.decide import decide, parse_action

        with WriterLock(self.root):
            self._sync_words()
            change = decide(
                self._index,
                self.root,
                parse_action(action),
                names,
                today=self._today(now),
                reason=reason,
                undo=undo,
                dry_run=dry_run,
                nearest=lambda name: nearest_names(self._index, name),
            )
        if change.changed and not dry_run:
            self._sync_words()
        return change
