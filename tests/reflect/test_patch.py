"""A patch, not a rewrite: taken in part, taken back, held back, committed; and never more work
than there is news."""

import os
import random
import shutil
import subprocess
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from lorebank import Bank, ConcurrentEdit, NotFound, PathRefused
from lorebank.nightly.run_record import RunRecord, save_run
from lorebank.settings import config
from lorebank.workspace.run_store import Change
from support import WORDS_ONLY, snapshot

NOW = date(2025, 12, 20)
Copy = Callable[[str], Path]
WriteLog = Callable[..., Path]


def opened(root: Path, *flags: config.Change) -> Bank:
    return Bank.open(root, environ=WORDS_ONLY, now=NOW, flags=flags)


# -- undo --------------------------------------------------------------------------------------


def test_undo_restores_every_byte_run_by_run(copy_fixture: Copy) -> None:
    root = copy_fixture("year")
    states = [snapshot(root)]
    with opened(root) as bank:
        bank.reflect(day="2025-06-30")
        states.append(snapshot(root))
        second = bank.reflect()
        assert (second.run, second.journal) == ("2025-12-20-1", "bank/reflections/2025-12-20.md")
        assert bank.undo_reflect().run == "2025-12-20-1"
        assert snapshot(root) == states[1]
        assert bank.undo_reflect("2025-06-30-1").kept == ()
    assert snapshot(root) == states[0]


def test_undo_never_touches_a_page_that_was_changed_since(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    before = snapshot(root)
    with opened(root) as bank:
        run = bank.reflect().run
        world = root / "bank" / "index.md"
        world.write_text(world.read_text("utf-8") + "\nMine.\n", "utf-8")
        now = snapshot(root)
        with pytest.raises(ConcurrentEdit, match=r"bank/index\.md") as refused:
            bank.undo_reflect()
        assert snapshot(root) == now
        assert str(run) in refused.value.hint
        assert bank.undo_reflect(force=True).kept == ("bank/index.md",)
    assert snapshot(root) == before | {"bank/index.md": now["bank/index.md"]}


def test_undo_brings_back_the_pages_that_moved_in_the_run(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    page = root / "bank/entities/Maya.md"
    with opened(root) as bank:
        bank.reflect()
        page.write_text(page.read_text("utf-8") + "\nShe taught me knots.\n", "utf-8")
        bank.reflect()
        with (root / "bank/identity.md").open("a", encoding="utf-8") as ledger:
            ledger.write("- merge @Maya → @Peter\n")
        before = snapshot(root)
        run = bank.reflect()
        assert not page.exists()
        assert bank.undo_reflect().run == run.run
        assert snapshot(root) == before
        assert bank.check() == ()
        again = bank.reflect()
        assert (again.run, again.patch) == (run.run, run.patch)


def test_undo_brings_back_a_page_that_moved_where_nothing_else_changed(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    with opened(root) as bank:
        bank.reflect()
        (root / "bank/identity.md").write_text("- merge @Ibis → @Heron\n", "utf-8")
        for name in ("Ibis", "Heron"):
            (root / f"bank/entities/{name}.md").write_text(f"# {name}\n\nA bird.\n", "utf-8")
        before = snapshot(root)
        run = bank.reflect()
        assert "bank/entities/Ibis.md" in run.changed
        assert bank.undo_reflect(run.run).kept == ()
        assert snapshot(root) == before


def test_undo_without_a_run_says_so(copy_fixture: Copy) -> None:
    with opened(copy_fixture("harbour")) as bank:
        with pytest.raises(NotFound, match="no run can be undone"):
            bank.undo_reflect()
        bank.reflect()
        with pytest.raises(NotFound, match="2020-01-01-1"):
            bank.undo_reflect("2020-01-01-1")


@pytest.mark.parametrize("path", ["../outside.md", "bank/../../outside.md", "memory.md", "bank/x"])
def test_undo_writes_nothing_but_pages_of_the_bank(copy_fixture: Copy, path: str) -> None:
    root = copy_fixture("harbour")
    save_run(root, RunRecord("2025-12-20-1", {path: Change(b"planted", None)}))
    before = snapshot(root.parent)
    with opened(root) as bank, pytest.raises(PathRefused):
        bank.undo_reflect()
    assert snapshot(root.parent) == before


# -- hunks -------------------------------------------------------------------------------------


def test_a_rejected_change_stays_away_until_it_reads_differently(write_log: WriteLog) -> None:
    root = write_log("2025-12-01", "- W @Peter: Lives in Berlin.", "- W @Peter: Plays chess.")
    with opened(root) as bank:
        bank.reflect()
        write_log("2025-12-02", "- W @Peter: Owns a boat.", "- O @Peter: Likes rowing.")
        hunks = bank.reflect(dry_run=True).hunks
        boat = {h.id for h in hunks if "Owns a boat" in h.diff}
        report = bank.reflect(reject=boat)
        assert report.rejected == len(boat) > 0
        pages = snapshot(root, journal=False)
        assert b"Owns a boat" not in b"".join(d for p, d in pages.items() if p.startswith("bank/"))
        assert b"Likes rowing" in pages["bank/opinions.md"]
        assert bank.reflect().changed == ()
        shutil.rmtree(root / ".memory")
    with opened(root) as bank:
        assert bank.reflect().changed == ()
        write_log("2025-12-02", "- W @Peter: Owns a red boat.", "- O @Peter: Likes rowing.")
        bank.reflect()
    assert "Owns a red boat" in (root / "bank" / "entities" / "Peter.md").read_text("utf-8")


def test_only_accepted_changes_are_made_and_the_rest_is_proposed_again(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    with opened(root) as bank:
        hunks = bank.reflect(dry_run=True).hunks
        first = next(hunk for hunk in hunks if hunk.path == "bank/index.md")
        assert bank.reflect(accept=[first.id]).changed == ("bank/index.md",)
        again = bank.reflect(dry_run=True).hunks
        assert [h.id for h in again] == [h.id for h in hunks if h.id != first.id]
        assert bank.reflect(accept=[]).run is None


@pytest.mark.parametrize("seed", range(4))
def test_taken_in_any_parts_the_patch_comes_to_the_same_pages(
    copy_fixture: Copy, seed: int
) -> None:
    root = copy_fixture("harbour")
    chance = random.Random(seed)
    whole = Path(shutil.copytree(root, root.parent / "whole"))
    with opened(whole) as bank:
        bank.reflect(day="2025-11-27")
        bank.reflect()
    with opened(root) as bank:
        bank.reflect(day="2025-11-27")
        for _ in range(4):
            hunks = bank.reflect(dry_run=True).hunks
            bank.reflect(accept=[hunk.id for hunk in hunks if chance.random() < 0.5])
        bank.reflect()
        assert bank.reflect().changed == ()
    mine, theirs = snapshot(root, journal=False), snapshot(whole, journal=False)
    opinions = "bank/opinions.md"
    assert sorted(mine.pop(opinions).split(b"\n")) == sorted(theirs.pop(opinions).split(b"\n"))
    assert mine == theirs


# -- the brake ---------------------------------------------------------------------------------


def test_a_page_that_would_lose_too_much_is_left_alone_and_says_what(write_log: WriteLog) -> None:
    words = ["chess", "the flute", "cards", "go", "the drums", "golf", "darts", "tennis"]
    root = write_log("2025-12-01", "- W @Peter: Lives in Berlin.")
    write_log("2025-12-02", *(f"- W @Peter: Plays {word}." for word in words))
    page = root / "bank" / "entities" / "Peter.md"
    with opened(root) as bank:
        bank.reflect()
        full = page.read_bytes()
        (root / "memory" / "2025-12-02.md").unlink()
        report = bank.reflect()
        assert set(report.held) == {"bank/entities/Peter.md"}
        assert page.read_bytes() == full
        told = next(p for p in report.problems if p.path == "bank/entities/Peter.md")
        assert (told.code, told.message[:27]) == ("vanish-limit", "8 of 9 entries would vanish")
        assert "“Plays chess.”" in told.message
        assert bank.reflect(force=True).held == ()
    assert not page.exists()  # one line is left, and no page is kept for one line


def test_what_is_replaced_or_reworded_does_not_count_as_lost(write_log: WriteLog) -> None:
    root = write_log(
        "2025-12-01", "- W @Peter: Lives in Berlin.", "- W @Ann: Lives in Rome.", "- W @Zoe: Sails."
    )
    with opened(root) as bank:
        bank.reflect()
        write_log("2025-12-02", "- W @Peter: Lives in Lisbon.", "- W @Ann: Lives in Graz.")
        assert bank.reflect().held == ()
        write_log("2025-12-02", "- W @Peter: Lives in Lisboa.", "- W @Ann: Lives in old Graz.")
        assert bank.reflect().held == ()


# -- others at work ----------------------------------------------------------------------------


def test_a_page_changed_while_it_is_written_is_read_again(
    copy_fixture: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copy_fixture("harbour")
    page = root / "bank" / "entities" / "Peter.md"
    flush = os.fsync

    def somebody_writes_meanwhile(descriptor: int) -> None:
        """Called first when the way back is kept: all is read and planned, no page written."""
        if not page.exists():
            page.parent.mkdir(parents=True)
            page.write_text("# Peter\n\nMine, just now.\n", "utf-8")
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", somebody_writes_meanwhile)
    with opened(root) as bank:
        report = bank.reflect()
        assert "bank/entities/Peter.md" in report.changed
        text = page.read_text("utf-8")
        assert text.startswith("---\n") and "Mine, just now." in text
        assert "lorebank:begin summary" in text
        assert bank.reflect().changed == ()
        bank.undo_reflect()
    assert page.read_text("utf-8") == "# Peter\n\nMine, just now.\n"


# -- git ---------------------------------------------------------------------------------------


def git(root: Path, *arguments: str) -> str:
    settings = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    done = subprocess.run(
        ["git", *settings, *arguments], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout


@pytest.fixture
def repository(copy_fixture: Copy, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = copy_fixture("harbour")
    for role in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{role}_NAME", "Ann")
        monkeypatch.setenv(f"GIT_{role}_EMAIL", "ann@example.org")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    git(root, "init", "--quiet")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message", "first")
    return root


def test_one_commit_holds_the_run_and_nothing_else(repository: Path) -> None:
    (repository / "memory.md").write_text("changed\n", "utf-8")
    (repository / "staged.md").write_text("staged\n", "utf-8")
    git(repository, "add", "staged.md")
    with opened(repository) as bank:
        report = bank.reflect(commit=True)
        again = bank.reflect(commit=True)
    assert (again.commit, again.problems) == (None, ())
    assert git(repository, "rev-parse", "HEAD").strip() == report.commit
    committed = git(repository, "show", "--name-only", "--format=", "HEAD").split()
    assert committed == sorted([*report.changed, str(report.journal)])
    assert git(repository, "log", "-1", "--format=%s").strip() == (
        f"Reflect 2025-12-20-1: {len(report.changed)} pages, "
        f"{len(report.opinions_moved)} opinions moved"
    )
    assert git(repository, "status", "--short").splitlines() == [" M memory.md", "A  staged.md"]


def test_a_refused_commit_is_told_and_leaves_nothing_staged(repository: Path) -> None:
    hook = repository / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n", "utf-8")
    hook.chmod(0o755)
    with opened(repository, config.Change("reflect.run_git_programs", True, "test")) as bank:
        report = bank.reflect(commit=True)
    assert [(p.code, p.message) for p in report.problems] == [
        ("not-committed", "no commit was made: not today")
    ]
    assert report.changed and git(repository, "diff", "--cached", "--name-only") == ""


def test_without_a_repository_the_pages_are_written_all_the_same(
    copy_fixture: Copy, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = copy_fixture("harbour")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(root.parent))
    with opened(root) as bank:
        report = bank.reflect(commit=True)
    assert [p.code for p in report.problems] == ["not-committed"]
    assert (root / "bank" / "index.md").exists()


# -- no more work than news ----------------------------------------------------------------------

PEOPLE = ["Ann", "Ben", "Cleo", "Dana", "Ed"]
PLACES = ["Rome", "Graz", "Oslo", "Bern"]


def some_lines(chance: random.Random) -> list[str]:
    who, other = chance.sample(PEOPLE, 2)
    return chance.sample(
        [
            f"- W @{who}: Lives in {chance.choice(PLACES)}.",
            f"- W @{who} @{other}: Share a boat since {chance.choice(PLACES)}.",
            f"- B @{who}: Mended the sail with @{other}.",
            f"- O(c=0.{chance.randrange(3, 9)}) @{who}: Likes {chance.choice(['tea', 'rye'])}.",
            f"- O @{who}: No longer likes {chance.choice(['tea', 'rye'])}.",
            f"- W: The harbour in {chance.choice(PLACES)} is closed.",
        ],
        chance.randrange(1, 5),
    )


@pytest.mark.parametrize("seed", range(6))
def test_night_by_night_comes_to_the_pages_of_one_night(write_log: WriteLog, seed: int) -> None:
    """What is remembered of settled pages never hides news: lines come, change and go, pages are
    edited, decisions are made."""
    chance = random.Random(seed)
    day = date(2025, 1, 1)
    for _ in range(8):
        root = write_log(day.isoformat(), *some_lines(chance))
        day += timedelta(days=chance.randrange(1, 30))
        logs = sorted((root / "memory").glob("*.md"))
        match chance.randrange(4):
            case 0:
                chance.choice(logs).unlink()
            case 1:
                write_log(chance.choice(logs).stem, *some_lines(chance))
            case 2:
                opinions = root / "bank" / "opinions.md"
                text = opinions.read_text("utf-8") if opinions.exists() else ""
                place = text.rfind("<!-- lorebank:end opinions")
                if place > 0:
                    decided = chance.choice(["pin: 0.2\n", "retracted\n"])
                    opinions.write_text(text[:place] + decided + text[place:], "utf-8")
        with opened(root) as bank:
            bank.reflect(force=True)
            night = snapshot(root, journal=False)
            believed = bank.opinions()
        shutil.rmtree(root / ".memory")
        with opened(root) as bank:
            assert bank.opinions() == believed
            assert bank.reflect(force=True).patch == ""
        assert snapshot(root, journal=False) == night
