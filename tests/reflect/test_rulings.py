"""Verdicts on a line and an opinion: plain lines, undone by deleting them."""

import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, Opinion
from lorebank.domain.facts import Citation
from support import WORDS_ONLY

TODAY = date(2026, 1, 4)
Write = Callable[..., Path]


@pytest.fixture
def bank(write_log: Write) -> Iterator[Bank]:
    write_log("2025-11-01", "- O(c=0.7) @Ana: Enjoys working from the train.")
    write_log("2025-11-09", "- W @Ana: Works on the train timetable.")
    root = write_log("2025-11-20", "- W @Bo: Collects stamps.")
    with Bank.open(root, environ=WORDS_ONLY, now=TODAY) as bank:
        yield bank


def held(bank: Bank) -> Opinion:
    (opinion,) = bank.opinions("Ana")
    return opinion


def test_a_line_near_a_belief_waits_for_a_judge(bank: Bank) -> None:
    [item] = bank.inbox("evidence").items
    assert item.older is not None and item.newer is not None
    assert (item.newer.day, item.older.id) == (date(2025, 11, 9), held(bank).id)
    assert bank.check() == ()


@pytest.mark.parametrize(("stance", "sign"), [("for", 1), ("against", -1), ("unrelated", 0)])
@pytest.mark.parametrize("named", ["{0}", "{1}", "{1:.6}", "{1} {2:.4}"])
def test_a_ruling_moves_the_belief(bank: Bank, stance: str, sign: int, named: str) -> None:
    before = held(bank)
    [item] = bank.inbox().items
    assert item.newer is not None
    fact = item.newer
    [ruling] = bank.rule({named.format(item.id, fact.id, before.id): stance}, by="Ana")
    after = held(bank)
    assert (ruling.id, ruling.verdict) == (item.id, stance)
    moved = after.confidence - before.confidence
    assert (moved > 0) - (moved < 0) == sign
    assert bank.inbox().items == ()
    line = f"- {fact.id} {stance} {before.id} (2026-01-04 by Ana: {fact.source})"
    assert (bank.root / "bank" / "evidence.md").read_text("utf-8") == f"# Evidence\n\n{line}\n"
    assert ruling.source == Citation("bank/evidence.md", 3, 3)
    assert bank.check() == ()
    shutil.rmtree(bank.root / ".memory")
    with Bank.open(bank.root, environ=WORDS_ONLY, now=TODAY) as again:
        assert held(again) == after


@pytest.mark.parametrize("by_hand", [False, True], ids=["undo", "line deleted"])
def test_taking_a_ruling_back_restores_the_belief_exactly(bank: Bank, by_hand: bool) -> None:
    before, waiting = held(bank), bank.inbox()
    [item] = waiting.items
    assert item.newer is not None
    bank.rule({item.id: "against"}, by="Ana")
    if by_hand:
        (bank.root / "bank" / "evidence.md").write_text("# Evidence\n", "utf-8")
        bank.sync()
    else:
        bank.unrule([f"{item.newer.id} {before.id}"])
    assert (held(bank), bank.inbox()) == (before, waiting)


def test_a_fact_may_be_ruled_on_though_it_does_not_mention_the_holder(bank: Bank) -> None:
    before = held(bank)
    (stamps,) = bank.timeline("Bo")
    (bank.root / "bank").mkdir()
    ledger = bank.root / "bank" / "evidence.md"
    ledger.write_text(f"- {stamps.id} against {before.id}\n", "utf-8")
    bank.sync()
    assert held(bank).confidence < before.confidence
    log = bank.root / "memory" / "2025-11-20.md"
    log.write_text(log.read_text("utf-8").replace("stamps", "coins"), "utf-8")
    bank.sync()
    assert held(bank) == before
    assert bank.check() == ()


def test_a_journal_names_what_waits(bank: Bank) -> None:
    report = bank.reflect()
    [item] = bank.inbox().items
    assert item.older is not None and item.newer is not None
    assert report.journal
    journal = (bank.root / report.journal).read_text("utf-8")
    assert "### Unsure" in journal
    assert item.newer.id in journal and item.older.id in journal
    morning = (bank.root / "bank" / "today.md").read_text("utf-8")
    assert "1 decision waits" in morning and bank.today().strip() in morning


def test_a_ruling_that_cannot_be_read_is_a_problem(bank: Bank) -> None:
    (bank.root / "bank").mkdir()
    (bank.root / "bank" / "evidence.md").write_text("- f-12 for o-3f\n", "utf-8")
    assert [(p.code, p.line) for p in bank.sync().problems] == [("ruling-unread", 1)]
