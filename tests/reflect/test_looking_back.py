"""Invariant 7: a day looked back at is the day as it was, in opinions, diffs and calibration."""

import random
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from lorebank import Bank, ChangeKind, Opinion, UsageError
from lorebank.workspace.layout import LogPattern, named_day
from support import FIXTURES, WORDS_ONLY

YEAR = FIXTURES / "year"


def _day_of(path: str) -> date | None:
    return named_day(path, LogPattern.compile()).day


DAYS = sorted(
    day for file in YEAR.rglob("*.md") if (day := _day_of(file.relative_to(YEAR).as_posix()))
)
LAST = DAYS[-1]


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bank]:
    root = Path(shutil.copytree(YEAR, tmp_path_factory.mktemp("whole") / "year"))
    with Bank.open(root, environ=WORDS_ONLY, now=LAST) as bank:
        yield bank


def test_any_day_replayed_equals_the_day_as_it_was(year: Bank, tmp_path: Path) -> None:
    """The workspace is written anew log by log, and every night is compared."""
    logs = _logs_by_day()
    root = tmp_path / "growing"
    shutil.copytree(YEAR, root, ignore=lambda folder, names: _dated(folder, names))
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        for day in dict.fromkeys(DAYS):
            for log in logs[day]:
                target = root / log.relative_to(YEAR)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(log, target)
            bank.sync()
            assert _bare(year.opinions(as_of=day)) == _bare(bank.opinions(now=day)), day
            assert year.calibration(as_of=day) == bank.calibration(now=day)


@pytest.mark.parametrize("seed", range(6))
def test_a_diff_joins_the_two_days_it_compares(seed: int, year: Bank) -> None:
    since, until = sorted(random.Random(seed).sample(DAYS, 2))
    before = {o.id: o for o in year.opinions(as_of=since - timedelta(days=1))}
    after = {o.id: o for o in year.opinions(as_of=until)}
    diff = year.belief_changes(since=since, as_of=until)
    assert (diff.since, diff.until) == (since, until)
    told = {change.opinion.id: change for change in diff.changes}
    for identity, opinion in after.items():
        old = before.get(identity)
        if identity not in told:
            assert old is not None
            assert old.status is opinion.status
            assert abs(old.confidence - opinion.confidence) < 0.005
            continue
        change = told[identity]
        assert (change.before, change.after) == (
            old.confidence if old else None,
            opinion.confidence,
        )
        assert all(since <= line.date <= until for line in change.moved)
        if old is not None:
            moved = sum(line.delta for line in change.moved)
            assert change.after - old.confidence == pytest.approx(moved)


def test_every_line_of_a_diff_opens_to_what_it_says(year: Bank) -> None:
    diff = year.belief_changes(since=DAYS[0])
    assert {change.kind for change in diff.changes} >= {ChangeKind.NEW, ChangeKind.SUPERSEDED}
    for change in diff.changes:
        for line in change.moved:
            assert line.content.split()[0] in year.get(str(line.source)).text


def test_an_explained_opinion_ends_where_it_stands(year: Bank) -> None:
    for opinion in year.opinions():
        steps = year.explain(opinion.id).steps
        assert [line for step in steps for line in step.lines] == list(opinion.evidence)
        if steps:
            assert steps[-1].after == opinion.confidence


def test_a_span_that_ends_before_it_begins_is_refused(write_log: Callable[..., Path]) -> None:
    root = write_log("2025-06-20", "- O(c=0.8) @Ada: Likes bees.")
    with (
        Bank.open(root, environ=WORDS_ONLY, now=date(2025, 6, 30)) as bank,
        pytest.raises(UsageError, match="lies after"),
    ):
        bank.belief_changes(since="2025-06-21", as_of="2025-06-20")


def _logs_by_day() -> dict[date, list[Path]]:
    found: dict[date, list[Path]] = {}
    for file in sorted(YEAR.rglob("*.md")):
        day = _day_of(file.relative_to(YEAR).as_posix())
        if day is not None:
            found.setdefault(day, []).append(file)
    return found


def _dated(folder: str, names: Sequence[str]) -> set[str]:
    place = Path(folder).relative_to(YEAR)
    return {name for name in names if _day_of((place / name).as_posix())}


def _bare(opinions: Sequence[Opinion]) -> list[Opinion]:
    """Opinions apart from display names, which newer logs may write in another way."""
    return [replace(opinion, entities=()) for opinion in opinions]


def test_what_a_hand_decided_later_was_not_known_then(write_log: Callable[..., Path]) -> None:
    root = write_log("2025-06-01", "- O(c=0.8) @Ada: Likes bees.", "- O(c=0.7) @Ada: Trusts Bob.")
    write_log("2025-06-05", "- W @Ada: Met the postman on the bridge.")
    with Bank.open(root, environ=WORDS_ONLY, now=date(2025, 6, 30)) as bank:
        bees, bob = bank.opinions()
        met = bank.timeline()[0].id
        bank.reflect()
        page = root / "bank" / "opinions.md"
        text = page.read_text("utf-8")
        for identity, wish in ((bees.id, "pin: 0.3"), (bob.id, "retracted")):
            text = text.replace(f" ^{identity}\n", f" ^{identity}\n  {wish} since 2025-06-20\n")
        page.write_text(text, "utf-8")
        ruling = f"- {met} against {bees.id} (2025-06-10: sold them)\n"
        (root / "bank" / "evidence.md").write_text(ruling)
        bank.sync()

        def seen(day: str) -> list[tuple[str, float, str]]:
            found = bank.opinions(as_of=day)
            return sorted((o.statement, round(o.confidence, 2), o.status.value) for o in found)

        assert seen("2025-06-09") == [("Likes bees.", 0.8, "live"), ("Trusts Bob.", 0.7, "live")]
        assert seen("2025-06-19") == [("Likes bees.", 0.72, "live"), ("Trusts Bob.", 0.7, "live")]
        assert seen("2025-06-20") == [
            ("Likes bees.", 0.3, "live"),
            ("Trusts Bob.", 0.7, "retracted"),
        ]
