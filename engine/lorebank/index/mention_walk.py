"""Personalised PageRank over the graph of mentions, computed locally, straight from the tables.

The graph has facts on one side and the entities they mention on the other. A walker starts at the
entities asked for, goes on to a fact and from it to an entity, and at every step returns to the
start with probability `RESTART`. What it visits often is near: linked by several ways, by short
ones. Hubs are damped: a step from a fact to an entity counts by `1 / log2(1 + its facts)`.

The probabilities come from forward push (Andersen, Chung, Lang, "Local Graph Partitioning using
PageRank Vectors", FOCS 2006): mass that waits at a node is spread only where it is large for the
node's degree, so the work depends on the threshold, never on the size of the workspace. Each
result is too low by at most the mass that is left waiting (`Walk.left`). A round spreads all nodes
of one side with one query.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import field

from lorebank.index.connection import Connection, select
from lorebank.records import dataclass

RESTART = 0.15
THRESHOLD = 2e-3
MOST_EDGES = 1_000
"""Rows that one walk may read: about a millisecond."""


@dataclass(slots=True)
class Walk:
    """Where a walk from some entities comes by, and how often."""

    items: dict[int, float] = field(default_factory=dict)
    """Fact → the share of its time that the walker is there, at least."""
    entities: dict[str, float] = field(default_factory=dict)
    left: float = 1.0
    """The mass that was not spread: what all shares together may lack."""
    edges: int = 0
    """How many rows were read."""
    came_from: dict[int, str] = field(default_factory=dict)
    """Fact → the entity from which it was first reached."""
    came_over: dict[str, int] = field(default_factory=dict)
    """Entity → the fact over which it was first reached; none for where the walk began."""

    def by_mass(self) -> list[tuple[int, float]]:
        """Facts and their shares, the most visited first; ties by number, the newest row first."""
        return sorted(self.items.items(), key=lambda entry: (-entry[1], -entry[0]))

    def path(self, item: int) -> list[str]:
        """The entities on the way to a fact, from one that the walk began with."""
        way = [self.came_from[item]]
        while way[-1] in self.came_over:
            way.append(self.came_from[self.came_over[way[-1]]])
        return way[::-1]


def damping(facts: int) -> float:
    """How much a step to an entity counts, by how many facts mention it: 1 for one fact."""
    return 1.0 / math.log2(1 + max(1, facts))


def walk_mentions(
    connection: Connection,
    seeds: Sequence[str],
    *,
    threshold: float = THRESHOLD,
    most_edges: int = MOST_EDGES,
) -> Walk:
    """Walk from the seeds (entity slugs), each as likely; unknown seeds are left out."""
    degrees = _fact_counts(connection, seeds)
    waiting = {slug: 1.0 / len(degrees) for slug in sorted(degrees)}
    at_items: dict[int, float] = {}
    walk = Walk()
    while True:
        pushed = _worth_spreading(waiting, degrees, threshold, most_edges - walk.edges)
        if pushed:
            _spread_entities(connection, pushed, waiting, at_items, walk)
        arrived = [item for item, mass in at_items.items() if mass >= threshold]
        arrived = arrived[: max(0, most_edges - walk.edges)]
        if arrived:
            _spread_items(connection, arrived, at_items, waiting, degrees, walk)
        if not pushed and not arrived:
            break
    _settle(walk, waiting, at_items)
    return walk


def _settle(walk: Walk, waiting: dict[str, float], at_items: dict[int, float]) -> None:
    """Give every node what it would keep of the mass that waits there; the rest is left."""
    for slug, mass in waiting.items():
        walk.entities[slug] = walk.entities.get(slug, 0.0) + RESTART * mass
    for item, mass in at_items.items():
        walk.items[item] = walk.items.get(item, 0.0) + RESTART * mass
    walk.left = (1.0 - RESTART) * (sum(waiting.values()) + sum(at_items.values()))


def _fact_counts(connection: Connection, seeds: Sequence[str]) -> dict[str, int]:
    return dict(
        select(
            connection,
            "SELECT slug, facts FROM entities WHERE facts > 0"
            " AND slug IN (SELECT value FROM json_each(?))",
            (json.dumps(list(seeds)),),
        )
    )


def _worth_spreading(
    waiting: dict[str, float], degrees: dict[str, int], threshold: float, room: int
) -> list[str]:
    """Entities with much mass for their degree, as many as may be read, the most urgent first."""
    urgent = [slug for slug, mass in waiting.items() if mass >= threshold * degrees[slug]]
    urgent.sort(key=lambda slug: (-waiting[slug] / degrees[slug], slug))
    chosen: list[str] = []
    for slug in urgent:
        if degrees[slug] > room:
            break
        chosen.append(slug)
        room -= degrees[slug]
    return chosen


def _spread_entities(
    connection: Connection,
    pushed: Sequence[str],
    waiting: dict[str, float],
    at_items: dict[int, float],
    walk: Walk,
) -> None:
    """Keep a share of the mass at each entity, and give its facts the rest in equal parts."""
    facts: dict[str, list[int]] = {slug: [] for slug in pushed}
    for slug, item in select(
        connection,
        "SELECT DISTINCT m.entity, m.item FROM json_each(?) w"
        " CROSS JOIN mentions m ON m.entity = w.value",
        (json.dumps(list(pushed)),),
    ):
        facts[slug].append(item)
    for slug, items in facts.items():
        mass = waiting.pop(slug)
        walk.entities[slug] = walk.entities.get(slug, 0.0) + RESTART * mass
        walk.edges += len(items)
        share = (1.0 - RESTART) * mass / len(items)
        for item in items:
            at_items[item] = at_items.get(item, 0.0) + share
            walk.came_from.setdefault(item, slug)


def _spread_items(
    connection: Connection,
    arrived: Sequence[int],
    at_items: dict[int, float],
    waiting: dict[str, float],
    degrees: dict[str, int],
    walk: Walk,
) -> None:
    """Keep a share of the mass at each fact, and give its entities the rest, hubs less."""
    mentioned: dict[int, list[str]] = {}
    for item, slug, facts in select(
        connection,
        "SELECT DISTINCT m.item, m.entity, e.facts FROM json_each(?) w"
        " CROSS JOIN mentions m ON m.item = w.value JOIN entities e ON e.slug = m.entity",
        (json.dumps(list(arrived)),),
    ):
        mentioned.setdefault(item, []).append(slug)
        degrees[slug] = facts
        walk.edges += 1
    for item, slugs in mentioned.items():
        mass = at_items.pop(item)
        walk.items[item] = walk.items.get(item, 0.0) + RESTART * mass
        weights = [damping(degrees[slug]) for slug in slugs]
        share = (1.0 - RESTART) * mass / sum(weights)
        for slug, weight in zip(slugs, weights, strict=True):
            if slug not in waiting and slug not in walk.entities:
                walk.came_over.setdefault(slug, item)
            waiting[slug] = waiting.get(slug, 0.0) + share * weight
