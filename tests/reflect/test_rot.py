"""Rot: opinions that deserve a second look, and what on pages leads nowhere."""

import time
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, RotKind
from lorebank.beliefs.fold import Pin
from lorebank.beliefs.history import rotten_opinions
from lorebank.domain.facts import OpinionStatus
from lorebank.nightly.lookback import dangling_links
from support import WORDS_ONLY, folded_opinion, golden

DAY = date(2025, 6, 30)
FRESH, MONTHS_OLD, OLD = "2025-06-20", "2025-04-20", "2025-01-10"
Strokes = list[tuple[str, str]]


@pytest.mark.parametrize(
    ("strokes", "kinds"),
    [
        ([(FRESH, "=0.8")], []),
        ([(MONTHS_OLD, "=0.8")], [RotKind.SINGLE_SOURCE]),
        ([(MONTHS_OLD, "=0.4")], []),
        ([(MONTHS_OLD, "=0.8"), (FRESH, "+")], []),
        ([(MONTHS_OLD, "=0.8"), (FRESH, "-")], [RotKind.CONTRADICTED, RotKind.SINGLE_SOURCE]),
        ([(OLD, "=0.8"), (MONTHS_OLD, "-"), (FRESH, "+")], []),
        ([(OLD, "=0.9"), (OLD, "-"), (MONTHS_OLD, "-"), (FRESH, "+")], [RotKind.CONTRADICTED]),
        ([(OLD, "=0.8")], [RotKind.SINGLE_SOURCE, RotKind.STALE]),
    ],
)
def test_findings_of_an_opinion(strokes: Strokes, kinds: list[RotKind]) -> None:
    found = rotten_opinions([folded_opinion("so", *strokes)], {}, day=DAY)
    assert [finding.kind for finding in found] == kinds


def test_an_opinion_held_up_by_a_superseded_fact_is_outdated() -> None:
    opinion = folded_opinion("so", (OLD, "=0.8"), (FRESH, "+"))
    (finding,) = rotten_opinions([opinion], {f"f-{FRESH}+": "f-newer"}, day=DAY)
    assert finding.kind is RotKind.OUTDATED
    assert finding.reason == f"1 line for it superseded; f-{FRESH}+ by f-newer"


def test_the_owners_word_and_what_is_gone_are_left_alone() -> None:
    opinions = [
        folded_opinion("pinned", (OLD, "=0.8"), pin=Pin(0.9)),
        folded_opinion("gone", (OLD, "=0.8"), status=OpinionStatus.SUPERSEDED),
        folded_opinion("taken back", (OLD, "=0.8"), status=OpinionStatus.RETRACTED),
    ]
    assert list(rotten_opinions(opinions, {}, day=DAY)) == []


FILES = {"memory/2025-01-10.md": 12, "bank/entities/Ada.md": 5, "memory/my day.md": 3}


@golden("beliefs.md")
def test_what_leads_nowhere(line: str, shown: list[str]) -> None:
    found = dangling_links(
        {"bank/world.md": f"# World\n\n{line}\n"}, lines_of=FILES.get, is_known={"Ada"}.__contains__
    )
    assert [(finding.text, finding.source.start_line) for finding in found] == [
        (each, 3) for each in shown
    ]


@pytest.mark.parametrize(
    "line", ["](a '" * 8000, " ".join("`" * n for n in range(1, 300)), "[[a|" * 8000, "](<" * 9000]
)
def test_a_hostile_line_takes_no_time(line: str) -> None:
    started = time.process_time()
    pages = {"bank/world.md": line}
    assert list(dangling_links(pages, lines_of=FILES.get, is_known=lambda name: False)) == []
    assert time.process_time() - started < 1


def test_code_blocks_are_passed_over() -> None:
    pages = {"bank/world.md": "```\n[[Nobody]]\n```\n[[Nobody]]\n"}
    found = list(dangling_links(pages, lines_of=FILES.get, is_known=lambda name: False))
    assert [finding.source.start_line for finding in found] == [4]


def test_rulings_and_marks_on_what_is_gone_are_found(write_log: Callable[..., Path]) -> None:
    root = write_log("2025-06-20", "- O(c=0.8) @Ada: Likes bees.", "- @Ada: Sold hives (-o-0000).")
    ledger = root / "bank" / "evidence.md"
    ledger.parent.mkdir()
    ledger.write_text("- f-0000000000 against o-11111111 (2025-06-21: no)\n")
    with Bank.open(root, environ=WORDS_ONLY, now=DAY) as bank:
        found = [(f.text, str(f.source)) for f in bank.rot().findings]
    assert found == [
        ("f-0000000000", "bank/evidence.md#L1"),
        ("o-11111111", "bank/evidence.md#L1"),
        ("o-0000", "memory/2025-06-20.md#L5"),
    ]


def test_a_ruling_on_an_opinion_that_became_one_with_another_is_not_gone(
    write_log: Callable[..., Path],
) -> None:
    lines = ("- O(c=0.8) @Ada: Likes bees.", "- O(c=0.7) @Ada: Keeping hives is a joy to her.")
    root = write_log("2025-06-20", *lines, "- W @Ada: Built a fourth hive.")
    with Bank.open(root, environ=WORDS_ONLY, now=DAY) as bank:
        first, second = sorted(bank.opinions(), key=lambda o: o.source)
        fact = bank.recall("fourth hive", k=1).hits[0]
    ledger = root / "bank" / "evidence.md"
    ledger.parent.mkdir(exist_ok=True)
    ledger.write_text(
        f"- {fact.id} for {second.id} (2025-06-21 by ana)\n"
        f"- {second.evidence[0].fact_id} for {first.id} (2025-06-21 by ana)\n"
    )
    with Bank.open(root, environ=WORDS_ONLY, now=DAY) as bank:
        assert len(bank.opinions()) == 1
        assert bank.rot().findings == ()


def test_pages_that_reflect_wrote_lead_somewhere(copy_fixture: Callable[[str], Path]) -> None:
    with Bank.open(copy_fixture("harbour"), environ=WORDS_ONLY, now=date(2025, 12, 10)) as bank:
        bank.reflect()
        report = bank.rot()
    assert report.pages > 3
    assert [f for f in report.findings if f.kind is RotKind.DANGLING] == []
