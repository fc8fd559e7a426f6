"""The walk over mentions: right by hand, right by networkx, bounded, and explained by its paths."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import networkx
import numpy
import pytest

from lorebank import Bank
from lorebank.index.mention_walk import RESTART, damping, walk_mentions
from support import WORDS_ONLY

NO_LIMIT = 10**9


def open_graph(write_log: Callable[..., Path], facts: Sequence[Sequence[str]]) -> Bank:
    """A workspace with one fact for each group of names; fact n stands on line n + 4."""
    lines = [
        f"- W {' '.join(f'@{name}' for name in names)}: Fact number {n}."
        for n, names in enumerate(facts)
    ]
    bank = Bank.open(write_log("2025-12-01", *lines), environ=WORDS_ONLY)
    bank.sync()
    return bank


def line_of_items(bank: Bank) -> dict[int, int]:
    return dict(bank._index.execute("SELECT item, start_line - 4 FROM items"))


def reference_pagerank(graph: networkx.Graph, starts: dict[str, float]) -> dict[int | str, float]:
    """`networkx.pagerank(personalization=…)` by its Google matrix: that function needs SciPy."""
    matrix = networkx.google_matrix(graph, alpha=1 - RESTART, personalization=starts)
    shares = numpy.full(len(graph), 1 / len(graph))
    for _ in range(400):  # 0.85 ** 400 is far below the tolerance
        shares = shares @ matrix
    return dict(zip(graph, shares.tolist(), strict=True))


def test_a_tiny_graph_worked_by_hand(write_log: Callable[..., Path]) -> None:
    """ada - fact 0 - bob: with c = 0.85 the walker starts at ada, and of each step c goes on.

    bob counts as much as ada (a fact each), so the fact gives both half. The shares solve
    ada = .15 + c f / 2, f = c (ada + bob), bob = c f / 2: f = c / (1 + c).
    """
    bank = open_graph(write_log, [("Ada", "Bob")])
    walk = walk_mentions(bank._index, ["ada"], threshold=1e-12, most_edges=NO_LIMIT)
    c = 1 - RESTART
    fact = c / (1 + c)
    assert list(walk.items.values()) == [pytest.approx(fact, abs=1e-9)]
    assert walk.entities == {
        "ada": pytest.approx(RESTART + c * fact / 2, abs=1e-9),
        "bob": pytest.approx(c * fact / 2, abs=1e-9),
    }
    bank.close()


@pytest.mark.parametrize("seed", [1, 2, 3])
@pytest.mark.parametrize("threshold", [1e-10, 1e-4, 1e-2])
def test_the_shares_are_those_of_networkx(
    write_log: Callable[..., Path], seed: int, threshold: float
) -> None:
    """Never above networkx's, and below them by no more than the mass that is left (and 1e-8)."""
    chance = Random(seed)
    names = [f"n{number}x" for number in range(30)]
    facts = [chance.sample(names, chance.choice((1, 2, 2, 3, 4))) for _ in range(80)]
    bank = open_graph(write_log, [*facts, *([names[0], other] for other in names[1:20])])
    line_of = line_of_items(bank)
    count = {e.slug: e.facts for e in bank.entities()}
    graph = networkx.Graph()
    for item, entity in bank._index.execute("SELECT DISTINCT item, entity FROM mentions"):
        graph.add_edge(item, entity, weight=damping(count[entity]))
    starts = sorted(count)[3:5]
    expected = reference_pagerank(graph, dict.fromkeys(starts, 0.5))
    walk = walk_mentions(bank._index, starts, threshold=threshold, most_edges=NO_LIMIT)
    found: dict[int | str, float] = {**walk.items, **walk.entities}
    for node, share in expected.items():
        assert -1e-8 <= share - found.get(node, 0.0) <= walk.left + 1e-8
    assert walk.left <= (1e-5 if threshold == 1e-10 else 1.0)
    assert line_of.keys() >= walk.items.keys()
    bank.close()


def test_what_is_linked_by_more_ways_or_fewer_steps_comes_first(
    write_log: Callable[..., Path],
) -> None:
    facts = [
        ("Ada", "Bob"),
        ("Ada", "Bob"),
        ("Ada", "Cid"),
        ("Bob", "Kayak"),  # 3: two ways to Bob
        ("Cid", "Tent"),  # 4: one way to Cid
        ("Tent", "Rope"),  # 5: a step further
        ("Zoe", "Yak"),  # 6: not linked at all
    ]
    bank = open_graph(write_log, facts)
    walk = walk_mentions(bank._index, ["ada"])
    line_of = line_of_items(bank)
    order = [line_of[item] for item, _ in walk.by_mass()]
    assert [n for n in order if n >= 3] == [3, 4, 5]
    paths = {line_of[item]: walk.path(item) for item in walk.items}
    assert (paths[0], paths[3], paths[5]) == (["ada"], ["ada", "bob"], ["ada", "cid", "tent"])
    bank.close()


def test_a_hub_passes_on_less_than_a_rare_neighbour(write_log: Callable[..., Path]) -> None:
    crowd = [("Hub", f"P{number}") for number in range(40)]
    bank = open_graph(write_log, [("Ada", "Hub"), ("Ada", "Rare"), ("Rare", "Kayak"), *crowd])
    walk = walk_mentions(bank._index, ["ada"])
    assert walk.entities["rare"] > 2 * walk.entities["hub"]
    bank.close()


def test_the_work_is_bounded_and_unknown_seeds_lead_nowhere(
    write_log: Callable[..., Path],
) -> None:
    bank = open_graph(write_log, [("Hub", f"P{number}") for number in range(300)])
    assert walk_mentions(bank._index, ["hub"], most_edges=100).edges == 0
    assert walk_mentions(bank._index, ["p7"], most_edges=100).edges <= 100 + 3
    assert walk_mentions(bank._index, ["nobody"]).items == {}
    bank.close()


def test_a_hit_shows_the_way_it_was_reached(write_log: Callable[..., Path]) -> None:
    bank = open_graph(write_log, [("Ada", "Bob"), ("Bob", "Kayak"), ("Zoe", "Yak")])
    hits = {hit.source.start_line: hit for hit in bank.recall("Ada", k=10).hits}
    assert hits[4].why["entity"]["path"] == ["ada"]
    assert hits[5].why["entity"]["path"] == ["ada", "bob"]
    assert hits[4].score > hits[5].score
    filtered = bank.recall("Ada kind:opinion", k=10)
    assert filtered.hits == ()
    bank.close()
