"""Reflect runs: nothing lost, doubled or counted twice; whole pages at any instant."""

import gc
import os
import re
import shutil
import subprocess
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.index.sync import gc_paused
from lorebank.pages.facts import BankContent
from support import WORDS_ONLY, golden, pages_of, snapshot

NOW = date(2025, 12, 20)
WORKSPACES = ("harbour", "year", "messy")
Copy = Callable[[str], Path]


def opened(root: Path) -> Bank:
    return Bank.open(root, environ=WORDS_ONLY, now=NOW)


@pytest.mark.parametrize("name", WORKSPACES)
def test_twice_in_a_row_changes_nothing(name: str, copy_fixture: Copy) -> None:
    root = copy_fixture(name)
    with opened(root) as bank:
        bank.reflect()
        before = snapshot(root)
        again = bank.reflect()
        assert (again.changed, again.patch, again.journal) == ((), "", None)
        assert snapshot(root) == before
        bank.reflect(now=date(2027, 1, 1))  # what is over by then leaves “Coming up”
        assert bank.reflect(now=date(2027, 1, 1)).changed == ()


@pytest.mark.parametrize("name", WORKSPACES)
def test_a_dry_run_writes_nothing_and_tells_all(name: str, copy_fixture: Copy) -> None:
    root = copy_fixture(name)
    other = Path(shutil.copytree(root, root.parent / "other"))
    before = snapshot(root)
    with opened(root) as bank:
        report = bank.reflect(dry_run=True)
    assert snapshot(root) == before
    with opened(other) as bank:
        real = bank.reflect()
    assert (report.changed, report.diff()) == (real.changed, real.diff())
    environment = os.environ | {"GIT_CEILING_DIRECTORIES": str(root.parent)}
    applied = subprocess.run(
        ["git", "apply", "--whitespace=nowarn", "-"],
        cwd=root,
        env=environment,
        input=report.diff().encode(),
        capture_output=True,
        check=False,
    )
    assert applied.stderr.decode() == ""
    assert snapshot(root) == snapshot(other, journal=False)


def test_a_hand_edit_inside_a_block_is_kept_and_reported(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    page = root / "bank" / "entities" / "Peter.md"
    with opened(root) as bank:
        bank.reflect()
        text = page.read_text("utf-8")
        end = re.search(r"<!-- lorebank:end summary", text)
        assert end
        page.write_text(text[: end.start()] + "He is my brother.\n" + text[end.start() :], "utf-8")
        report = bank.reflect()
        assert [(p.path, p.code) for p in report.problems] == [
            ("bank/entities/Peter.md", "hand-edit-kept")
        ]
        assert page.read_text("utf-8").count("He is my brother.") == 1
        assert bank.reflect().changed == ()
    assert page.read_text("utf-8").count("He is my brother.") == 1


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"], ids=["plain", "bom"])
def test_line_endings_and_byte_order_mark_are_kept(copy_fixture: Copy, mark: bytes) -> None:
    root = copy_fixture("harbour")
    page = root / "bank" / "entities" / "Peter.md"
    page.parent.mkdir(parents=True)
    page.write_bytes(mark + b"# Peter\r\n\r\nMine.  \r\n")
    with opened(root) as bank:
        bank.reflect()
        data = page.read_bytes()
        assert data.startswith(mark) and data.count(b"\xef\xbb\xbf") == bool(mark)
        assert b"lorebank:begin" in data
        assert data.count(b"\n") == data.count(b"\r\n")
        assert b"# Peter\r\n\r\nMine.  \r\n" in data
        assert bank.reflect().changed == ()


@golden("beliefs.md")
def test_a_retracted_line_leaves_the_bank_as_without_it(copy_fixture: Copy, line: str) -> None:
    root = copy_fixture("harbour")
    log = root / "memory" / "2025-12-09.md"
    with opened(root) as bank:
        bank.reflect()
        before, text = snapshot(root, journal=False), log.read_bytes()
        log.write_bytes(text.rstrip(b"\n") + b"\n" + line.encode() + b"\n")
        assert bank.reflect().changed
        assert snapshot(root, journal=False) != before
        log.write_bytes(text)
        bank.reflect()
    assert snapshot(root, journal=False) == before


def test_what_reflect_writes_is_never_evidence(copy_fixture: Copy) -> None:
    root = copy_fixture("year")
    with opened(root) as bank:
        before = (bank.sync().facts, bank.opinions(), [f.id for f in bank.timeline()])
        for _ in range(2):
            bank.reflect()
        after = (bank.sync().facts, bank.opinions(), [f.id for f in bank.timeline()])
    assert after == before


def test_decisions_by_hand_outlive_the_index(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    page = root / "bank" / "opinions.md"
    with opened(root) as bank:
        bank.reflect()
        one, other = (o.id for o in bank.opinions()[:2])
        for opinion, decision in ((one, "pin: 0.25"), (other, "retracted")):
            text = page.read_text("utf-8")
            line = f" ^{opinion}\n"
            page.write_text(text.replace(line, f"{line}{decision}\n"), "utf-8")
        bank.reflect()
        shown = snapshot(root)
    shutil.rmtree(root / ".memory")
    with opened(root) as bank:
        held = {o.id: o for o in bank.opinions()}
        assert (held[one].pinned, held[one].confidence) == (0.25, 0.25)
        assert held[other].status.value == "retracted"
        assert bank.reflect().changed == ()
    assert snapshot(root) == shown


@pytest.mark.parametrize(
    ("name", "day"), [("harbour", date(2025, 11, 27)), ("year", date(2025, 7, 1))]
)
def test_a_replayed_day_is_that_day(copy_fixture: Copy, name: str, day: date) -> None:
    root = copy_fixture(name)
    then = as_on(day, root)
    with opened(then) as bank:
        bank.reflect(now=day)
        believed = bank.opinions(now=day)
    with opened(root) as bank:
        assert bank.opinions(as_of=day) == believed
        bank.reflect(day=day)
    assert pages_of(root) == pages_of(then)


def as_on(day: date, root: Path) -> Path:
    """A copy of the workspace without the logs of later days."""
    then = Path(shutil.copytree(root, root.parent / f"{day}", ignore=lambda *_: {".memory"}))
    for log in (then / "memory").glob("????-??-??*.md"):
        if log.stem[:10] > day.isoformat():
            log.unlink()
    return then


def test_a_linked_page_is_left_alone_and_named(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    outside = root.parent / "outside.md"
    outside.write_text("mine\n")
    (root / "bank").mkdir()
    (root / "bank" / "world.md").symlink_to(outside)
    with opened(root) as bank:
        report = bank.reflect()
    assert [(p.path, p.code) for p in report.problems] == [("bank/world.md", "page-skipped")]
    assert outside.read_text() == "mine\n"
    assert "bank/opinions.md" in report.changed


@pytest.mark.parametrize("linked", ["bank", "bank/entities"])
def test_a_linked_folder_is_never_written_through(copy_fixture: Copy, linked: str) -> None:
    root = copy_fixture("harbour")
    outside = root.parent / "outside"
    outside.mkdir()
    (root / linked).parent.mkdir(exist_ok=True)
    (root / linked).symlink_to(outside)
    with opened(root) as bank:
        try:
            bank.reflect()
        except Exception as problem:
            assert type(problem).__module__ == "lorebank.errors"
    assert list(outside.rglob("*")) == []


def test_a_page_that_is_no_utf8_is_left_alone_and_named(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    (root / "bank").mkdir()
    (root / "bank" / "world.md").write_bytes(b"caf\xe9\n")
    with opened(root) as bank:
        report = bank.reflect()
    assert [(p.path, p.code) for p in report.problems] == [("bank/world.md", "page-skipped")]
    assert (root / "bank" / "world.md").read_bytes() == b"caf\xe9\n"


def test_only_what_had_news_is_looked_at_with_since(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    with opened(root) as bank:
        changed = bank.reflect(since="2025-12-09").changed
        mentioned = {s for f in bank.timeline() if f.recorded == date(2025, 12, 9) for s in f.slugs}
        pages = {e.page for e in bank.entities() if e.slug in mentioned and e.page}
    assert {path for path in changed if path.startswith("bank/entities/")} == pages


def test_an_empty_workspace_has_no_news(tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    with opened(tmp_path) as bank:
        report = bank.reflect()
    assert report.problems == ()
    assert not list(tmp_path.glob("bank/reflections/*")) or report.changed


def test_a_summary_states_no_superseded_fact_as_current(write_log: Callable[..., Path]) -> None:
    root = write_log("2025-01-02", "- W @Peter: Lives in Berlin.", "- W @Peter: Is 50.")
    write_log("2025-03-02", "- W @Peter: Lives in Lisbon.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect(day="2025-02-01")
        page = root / "bank" / "entities" / "Peter.md"
        assert "- Lives in Berlin." in page.read_text("utf-8")
        bank.reflect(day="2025-03-02")
        text = page.read_text("utf-8")
        assert "- Lives in Lisbon. ([" in text
        assert " · until 2025-03-02: Lives in Berlin. ([" in text
        assert text.count("Lives in Berlin.") == 1


def test_a_folder_with_a_pages_name_is_left_alone_and_named(harbour: Bank) -> None:
    page = harbour.root / "bank" / "opinions.md"
    page.unlink(missing_ok=True)
    page.mkdir(parents=True)
    report = harbour.reflect()
    assert [each.path for each in report.problems] == ["bank/opinions.md"]
    assert "bank/entities/Peter.md" in report.changed


def test_what_a_run_read_is_free_when_it_ends(harbour: Bank) -> None:
    with gc_paused():
        harbour.reflect()
        left = [each for each in gc.get_objects() if isinstance(each, BankContent)]
    assert not left, "the facts of a night wait for a search for cycles"


def test_the_morning_page_counts_what_the_inbox_will_list(tmp_path: Path) -> None:
    logs = {
        2: ["- W @Odd: Works at the boatyard on Mondays.", "- W @Odd: Drives a grey van."],
        9: [
            "- W @Odd: Has found a job in the harbour office.",
            "- W @Odd: Bought a red estate car.",
        ],
    }
    (tmp_path / "memory").mkdir()
    for day, lines in logs.items():
        text = "\n".join(["## Retain", *lines, ""])
        (tmp_path / f"memory/2026-02-{day:02}.md").write_text(text, "utf-8")
    environ = {"LOREBANK_CONFIG": "/nonexistent"}
    with Bank.open(tmp_path, environ=environ, now=date(2026, 2, 10)) as bank:
        bank.reflect()
        page = (tmp_path / "bank/today.md").read_text("utf-8")
        total = bank.inbox().total
        wait = "1 decision waits" if total == 1 else f"{total} decisions wait"
        assert total and f"{wait}: `lorebank inbox`" in page
        assert bank.reflect().changed == ()
