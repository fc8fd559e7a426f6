"""Decay and diversity by the worked examples of the published memory search."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from lorebank.index.items import Item
from lorebank.recall.diversity import apply_decay, rerank_mmr


def item(number: int, content: str = "", recorded: date | None = None) -> Item:
    return Item(
        item=number,
        id=f"f-{number}",
        kind="world",
        path="memory/x.md",
        start_line=number,
        end_line=number,
        recorded=recorded,
        times=(),
        content=content,
        confidence=None,
        entities=(),
        names=(),
        subjects=(),
        ordinal=number,
        file=1,
    )


NOW = date(2026, 2, 10)


@pytest.mark.parametrize(
    ("age", "left"), [(0, 1.0), (7, 0.84), (30, 0.5), (90, 0.125), (180, 0.016), (-5, 1.0)]
)
def test_half_is_left_after_a_half_life(age: int, left: float) -> None:
    items = {1: item(1, recorded=NOW - timedelta(days=age))}
    assert apply_decay({1: 0.8}, items, NOW, 30.0) == pytest.approx({1: 0.8 * left}, abs=0.01)


def test_what_bears_no_date_never_decays() -> None:
    items = {1: item(1), 2: item(2, recorded=date(2020, 1, 1))}
    decayed = apply_decay({1: 0.5, 2: 0.9}, items, NOW, 30.0)
    assert decayed[1] == 0.5
    assert decayed[2] < 1e-6


def test_the_worked_example_of_the_stale_schedule() -> None:
    items = {
        1: item(1, "Rod works Mon-Fri, standup at 10am, pairing at 2pm", date(2025, 9, 15)),
        2: item(2, "Rod has standup at 14:15, 1:1 with Zeb at 14:45", date(2026, 2, 10)),
        3: item(3, "Rod started new team, standup moved to 14:15", date(2026, 2, 3)),
    }
    decayed = apply_decay({1: 0.91, 2: 0.82, 3: 0.80}, items, NOW, 30.0)
    assert sorted(decayed, key=lambda number: -decayed[number]) == [2, 3, 1]
    assert {n: round(score, 2) for n, score in decayed.items()} == {1: 0.03, 2: 0.82, 3: 0.68}


NETWORK = {
    1: item(1, "Configured Omada router, set VLAN 10 for IoT devices", date(2026, 2, 10)),
    2: item(2, "Configured Omada router, moved IoT to VLAN 10", date(2026, 2, 8)),
    3: item(3, "Set up AdGuard DNS on 192.168.10.2", date(2026, 2, 5)),
    4: item(4, "Router: Omada ER605, AdGuard: 192.168.10.2, VLAN 10: IoT"),
}
NETWORK_ES = {
    1: item(1, "Configuré router Omada, establecí VLAN 10 para dispositivos IoT"),
    2: item(2, "Configuré router Omada, moví IoT a VLAN 10"),
    3: item(3, "Configuré DNS AdGuard en 192.168.10.2"),
    4: item(4, "Router: Omada ER605, AdGuard: 192.168.10.2, VLAN 10: IoT"),
}
SCORES = {1: 0.92, 2: 0.89, 4: 0.85, 3: 0.78}


@pytest.mark.parametrize("items", [NETWORK, NETWORK_ES], ids=["en", "es"])
def test_the_worked_example_of_the_home_network(items: dict[int, Item]) -> None:
    assert rerank_mmr([1, 2, 4, 3], SCORES, items, 0.7, 3) == [1, 4, 3, 2]


def test_full_weight_on_relevance_changes_nothing() -> None:
    assert rerank_mmr([1, 2, 4, 3], SCORES, NETWORK, 1.0, 4) == [1, 2, 4, 3]


def test_no_weight_on_relevance_picks_what_differs_most() -> None:
    assert rerank_mmr([1, 2, 4, 3], SCORES, NETWORK, 0.0, 2)[:2] == [1, 3]


def test_reranking_loses_and_doubles_nothing() -> None:
    items = {n: item(n, f"word{n % 7} word{n % 5}") for n in range(40)}
    scores = {n: 1.0 / (n + 1) for n in items}
    assert sorted(rerank_mmr(list(items), scores, items, 0.5, 3)) == list(items)
    assert rerank_mmr([], {}, {}, 0.5, 3) == []
