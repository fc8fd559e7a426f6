"""The unsure queue and the rulings that settle it: plain lines, undone by deleting them."""

import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, NotFound, Opinion, UsageError
from lorebank.domain.facts import Citation, Stance
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
    queue = bank.unsure()
    assert [(p.fact.recorded, p.opinion_id) for p in queue.pairs] == [
        (date(2025, 11, 9), held(bank).id)
    ]
    assert (queue.total, bank.unsure("Ana"), bank.unsure("Bo").total) == (1, queue, 0)
    assert bank.check() == ()


@pytest.mark.parametrize(("stance", "sign"), [("for", 1), ("against", -1), ("unrelated", 0)])
def test_a_ruling_moves_the_belief_and_leaves_the_queue(bank: Bank, stance: str, sign: int) -> None:
    before = held(bank)
    (pair,) = bank.unsure().pairs
    ruling = bank.settle(pair.fact.id[:6], stance, reason="she told me")
    after = held(bank)
    assert (ruling.opinion, ruling.before, ruling.stance) == (
        after,
        before.confidence,
        Stance(stance),
    )
    moved = after.confidence - before.confidence
    assert (moved > 0) - (moved < 0) == sign
    assert bank.unsure().pairs == ()
    line = f"- {pair.fact.id} {stance} {before.id} (2026-01-04: {pair.fact.citation}: she told me)"
    assert (bank.root / "bank" / "evidence.md").read_text("utf-8") == f"# Evidence\n\n{line}\n"
    assert ruling.source == Citation("bank/evidence.md", 3, 3)
    assert bank.check() == ()
    shutil.rmtree(bank.root / ".memory")
    with Bank.open(bank.root, environ=WORDS_ONLY, now=TODAY) as again:
        assert held(again) == after


@pytest.mark.parametrize("by_hand", [False, True], ids=["undo", "line deleted"])
def test_taking_a_ruling_back_restores_the_belief_exactly(bank: Bank, by_hand: bool) -> None:
    before, queue = held(bank), bank.unsure()
    fact = queue.pairs[0].fact.id
    bank.settle(fact, "against")
    if by_hand:
        (bank.root / "bank" / "evidence.md").write_text("# Evidence\n", "utf-8")
        bank.sync()
    else:
        ruling = bank.unsettle(fact)
        assert (ruling.stance, ruling.opinion, ruling.source) == (None, before, None)
    assert (held(bank), bank.unsure()) == (before, queue)


def test_a_second_ruling_replaces_the_first(bank: Bank) -> None:
    (pair,) = bank.unsure().pairs
    bank.settle(pair.fact.id, "for", reason="she said so")
    page = bank.root / "bank" / "evidence.md"
    said = page.read_bytes()
    bank.settle(pair.fact.id, "for", pair.opinion_id)
    assert page.read_bytes() == said
    bank.settle(pair.fact.id, "against", pair.opinion_id)
    assert page.read_text("utf-8").count(pair.fact.id) == 1
    assert held(bank).evidence[-1].stance is Stance.AGAINST


def test_a_fact_may_be_ruled_on_though_it_does_not_mention_the_holder(bank: Bank) -> None:
    before = held(bank)
    (stamps,) = bank.timeline("Bo")
    bank.settle(stamps.id, "against", before.id)
    assert held(bank).confidence < before.confidence
    log = bank.root / "memory" / "2025-11-20.md"
    log.write_text(log.read_text("utf-8").replace("stamps", "coins"), "utf-8")
    bank.sync()
    assert held(bank) == before
    assert bank.check() == ()


def test_what_cannot_be_meant_is_refused(bank: Bank) -> None:
    opinion = held(bank)
    with pytest.raises(UsageError, match="states"):
        bank.settle(opinion.evidence[0].fact_id, "against", opinion.id)
    with pytest.raises(UsageError, match="unknown stance"):
        bank.settle(opinion.evidence[0].fact_id, "maybe", opinion.id)
    with pytest.raises(UsageError, match="name the opinion"):
        bank.settle(bank.timeline("Bo")[0].id, "for")
    with pytest.raises(NotFound):
        bank.unsettle(bank.timeline("Bo")[0].id, opinion.id)
    with pytest.raises(UsageError):
        bank.unsure(k=0)


def test_a_journal_names_what_waits(bank: Bank) -> None:
    report = bank.reflect()
    (pair,) = bank.unsure().pairs
    assert report.journal
    journal = (bank.root / report.journal).read_text("utf-8")
    assert "### Unsure" in journal
    assert pair.fact.id in journal and pair.opinion_id in journal


def test_a_ruling_that_cannot_be_read_is_a_problem(bank: Bank) -> None:
    (bank.root / "bank").mkdir()
    (bank.root / "bank" / "evidence.md").write_text("- f-12 for o-3f\n", "utf-8")
    assert [(p.code, p.line) for p in bank.sync().problems] == [("ruling-unread", 1)]
