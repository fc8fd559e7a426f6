"""The bench: the same questions each time, none of them the sentence itself, fair to grep."""

import hashlib
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, Citation, UsageError
from lorebank.domain.reports import BenchRow
from lorebank.recall.bench import VARIANTS, LineSearch, Sentence, make_questions, measure, quantile
from support import WORDS_ONLY, golden

NOW = date(2025, 12, 31)
SENTENCE = Sentence(
    "Repaired the old green kayak with epoxy from Lisbon",
    ("Ada",),
    Citation("memory/a.md", 4, 4),
    is_fact=True,
)
FREQUENCIES = {"repaired": 9, "old": 30, "green": 20, "kayak": 5, "epoxy": 1, "lisbon": 2}


def asked(seed: int) -> dict[str, str]:
    return {q.variant: q.text for q in make_questions([SENTENCE], FREQUENCIES, seed)}


def test_each_variant_leaves_out_what_its_name_says() -> None:
    questions = asked(seed=1)
    assert tuple(questions) == VARIANTS
    assert questions["cloze"] == "Ada Repaired old green kayak"
    assert questions["relation"] == "Ada old green"
    assert len(questions["half"].split()) == 4
    assert set(questions["half"].split()) <= {"Ada", *SENTENCE.text.split()}
    slipped = questions["typo"].split()
    assert sorted("".join(slipped)) == sorted("AdaRepairedoldgreenkayak")
    assert sum(a != b for a, b in zip(slipped, questions["cloze"].split(), strict=True)) == 1


def test_the_same_seed_asks_the_same_and_another_does_not() -> None:
    assert asked(1) == asked(1)
    assert len({tuple(asked(seed).items()) for seed in range(8)}) > 1


def test_a_sentence_about_nobody_is_asked_without_the_relation() -> None:
    nobody = Sentence(SENTENCE.text, (), SENTENCE.source, is_fact=False)
    variants = [q.variant for q in make_questions([nobody], FREQUENCIES, 0)]
    assert variants == ["cloze", "half", "typo"]


def test_grep_ranks_lines_by_the_words_they_hold() -> None:
    lines = LineSearch([("a.md", "green kayak\nOld GREEN kayak"), ("b.md", "kayaks")])
    assert [line.text for line in lines.find("the old green kayak", 5)] == [
        "Old GREEN kayak",
        "green kayak",
    ]
    assert lines.find("zeppelin", 5) == []


@golden("questions.md")
def test_measures_count_what_was_found_in_time(
    ranks: list[int | None], figures: tuple[float, ...]
) -> None:
    assert measure("grep", "half", ranks) == BenchRow("grep", "half", len(ranks), *figures)


def test_a_quantile_is_one_of_the_values() -> None:
    assert quantile([4.0, 1.0, 3.0, 2.0], 0.5) == 3.0
    assert quantile([4.0, 1.0], 0.95) == 4.0
    assert quantile([], 0.5) == 0.0


@pytest.fixture
def year(copy_fixture: Callable[[str], Path]) -> Iterator[Bank]:
    with Bank.open(copy_fixture("year"), environ=WORDS_ONLY, now=NOW) as bank:
        yield bank


def contents(root: Path) -> dict[str, str]:
    return {
        str(file): hashlib.sha256(file.read_bytes()).hexdigest()
        for file in sorted(root.rglob("*"))
        if file.is_file() and ".memory" not in file.parts
    }


def test_a_run_is_repeatable_writes_no_note_and_finds_most(year: Bank) -> None:
    before = contents(year.root)
    report = year.bench(n=30, seed=3)
    assert contents(year.root) == before
    assert year.bench(n=30, seed=3).rows == report.rows
    assert (report.facts, report.passages) == (30, 0)
    row = {(each.engine, each.variant): each for each in report.rows}
    assert set(row) == {(e, v) for e in ("lorebank", "grep") for v in (*VARIANTS, "all")}
    assert row["lorebank", "all"].questions == sum(row["grep", v].questions for v in VARIANTS)
    assert row["lorebank", "all"].recall_at_10 > 0.9
    assert 0 < report.p50_ms <= report.p95_ms


def test_prose_is_asked_for_where_facts_are_few(write_log: Callable[..., Path]) -> None:
    root = write_log("2025-12-01", "- W @Peter: Bought a red kayak near the old harbour.")
    prose = "The heron stood beside the frozen pond. It left before noon, very slowly, northwards."
    (root / "memory" / "birds.md").write_text(f"# Birds\n\n{prose}\n", "utf-8")
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as bank:
        report = bank.bench(n=10)
    assert (report.facts, report.passages) == (1, 1)


def test_a_line_that_says_the_same_is_as_good(write_log: Callable[..., Path]) -> None:
    said = "Bought a red kayak near the old harbour."
    root = write_log("2025-12-01", f"- W @Peter: {said}")
    (root / "memory" / "boats.md").write_text(f"# Boats\n\n{said}\n", "utf-8")
    with Bank.open(root, environ=WORDS_ONLY, now=NOW) as bank:
        assert {row.recall_at_1 for row in bank.bench(n=2).rows} == {1.0}


def test_an_empty_workspace_has_nothing_to_ask(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with Bank.open(tmp_path, environ=WORDS_ONLY, now=NOW) as bank:
        assert bank.bench().rows == ()
        with pytest.raises(UsageError):
            bank.bench(n=0)
