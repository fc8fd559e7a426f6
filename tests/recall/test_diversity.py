"""Decay and diversity by the worked examples of the published memory search; repeats."""

from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.index.items import Item
from lorebank.recall.ordering import apply_decay, rerank_mmr
from support import WORDS_ONLY, golden


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


@golden("questions.md")
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


@pytest.mark.parametrize(
    ("items", "mmr_lambda", "first"),
    [
        (NETWORK, 0.7, [1, 4, 3]),
        (NETWORK_ES, 0.7, [1, 4, 3]),
        (NETWORK, 1.0, [1, 2, 4]),
        (NETWORK, 0.0, [1, 3]),
    ],
    ids=["en", "es", "relevance alone", "difference alone"],
)
def test_the_worked_example_of_the_home_network(
    items: dict[int, Item], mmr_lambda: float, first: list[int]
) -> None:
    assert rerank_mmr([1, 2, 4, 3], SCORES, items, mmr_lambda, len(first))[: len(first)] == first


def test_reranking_loses_and_doubles_nothing() -> None:
    items = {n: item(n, f"word{n % 7} word{n % 5}") for n in range(40)}
    scores = {n: 1.0 / (n + 1) for n in items}
    assert sorted(rerank_mmr(list(items), scores, items, 0.5, 3)) == list(items)
    assert rerank_mmr([], {}, {}, 0.5, 3) == []


@golden("questions.md")
def test_the_same_is_the_same_words_about_the_same(
    write_log: Callable[..., Path], first: str, second: str, hits: int
) -> None:
    write_log("2025-11-10", first)
    root = write_log("2025-11-27", second)
    with Bank.open(root, environ=WORDS_ONLY, now=date(2025, 12, 10)) as bank:
        answer = bank.recall("kayak")
    assert len(answer.hits) == answer.total == hits
    assert sum(len(hit.repeats) for hit in answer.hits) == 2 - hits


@golden("questions.md")
def test_a_passage_that_only_repeats_a_fact_gives_way_to_it(
    write_log: Callable[..., Path], passage: str, hits: int
) -> None:
    root = write_log("2025-11-10", "- W @Peter: Bought a kayak.")
    (root / "memory" / "notes.md").write_text(f"# Notes\n\n{passage}\n", "utf-8")
    with Bank.open(root, environ=WORDS_ONLY, now=date(2025, 12, 10)) as bank:
        answer = bank.recall("who bought a kayak")
    facts = [hit for hit in answer.hits if hit.kind != "note"]
    assert (len(answer.hits), len(facts)) == (hits, 1)
    assert [str(place) for place in facts[0].repeats] == (
        ["memory/notes.md#L3"] if hits == 1 else []
    )


def test_of_a_task_carried_from_log_to_log_the_newest_line_stands(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    for day, box in ((1, " "), (2, " "), (3, "x")):
        log = tmp_path / f"memory/2026-02-0{day}.md"
        log.write_text(f"# Log\n\n- [{box}] buy glue\n", "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        assert [hit.content for hit in bank.recall("buy glue").hits] == ["- [x] buy glue"]
