"""A run that ends early: killed at each step by name, refused by the disk, outrun by an editor."""

import io
import json
import os
import resource
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, WorkspaceError
from support import WORDS_ONLY, snapshot

pytestmark = pytest.mark.skipif(os.name == "nt", reason="signals and limits of POSIX")

NOW = date(2025, 12, 20)
JOURNAL = "bank/reflections/2025-12-20.md"
RECORD = ".memory/undo/2025-12-20-2.pending.zip"
FIRST = """\
- O(c=0.7) @Ada: Likes green tea.
- W @Ada: Lives in Porto.
- B @Ada @Bruno: Repaired the boat.
- W @Bruno: Sails on Sundays.
- W @Carl: Owns a kayak.
- W @Carl: Rows alone.
- B: Painted the fence.
- W: The harbour freezes every winter.
"""
THEN = """\
- O(c=0.7) @Ada: Likes green tea.
- W @Ada: Lives in Porto.
- B @Ada @Bruno: Repaired the boat.
- W @Bruno: Sails on Sundays.
- B: Painted the fence.
- W: The harbour freezes every winter.
- W @Dora: Owns a violin.
- W @Dora: Sings in a choir.
"""
PROGRAM = """
import json, os, signal, sys
from datetime import date
from pathlib import Path
from lorebank import Bank
root, stop, gone = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
steps = []
def watch(event, arguments):
    global stop
    if event not in ("os.link", "os.rename", "os.remove"):
        return
    path = Path(os.fsdecode(arguments[0 if event == "os.remove" else 1]))
    if path.suffix not in (".md", ".zip"):
        return
    if len(steps) == stop and not gone:
        os.kill(os.getpid(), signal.SIGKILL)
    if len(steps) == stop:
        stop = -1
        (root / gone).unlink()
    steps.append([event == "os.remove", path.relative_to(root).as_posix()])
sys.addaudithook(watch)
with Bank.open(root, now=date(2025, 12, 20)) as bank:
    bank.reflect()
print(json.dumps(steps))
"""
"""Reflects; just before the step of that number (a file put in place, or removed) it kills itself
or removes another file."""
STEPS = [
    [False, RECORD],
    [False, "bank/entities/Ada.md"],
    [False, "bank/entities/Bruno.md"],
    [True, "bank/entities/Carl.md"],
    [False, "bank/entities/Dora.md"],
    [False, "bank/experience.md"],
    [False, "bank/index.md"],
    [False, "bank/opinions.md"],
    [False, "bank/today.md"],
    [False, RECORD],
    [False, JOURNAL],
    [False, ".memory/undo/2025-12-20-2.zip"],
]


def reflect_in_a_process(root: Path, stop: int, gone: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(root), str(stop), gone],
        env=os.environ | WORDS_ONLY,
        capture_output=True,
        text=True,
    )


def opened(root: Path) -> Bank:
    return Bank.open(root, environ=WORDS_ONLY, now=NOW)


def write(root: Path, lines: str, *, extra: str = "") -> None:
    log = root / "memory" / "2025-12-01.md"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text(f"# Log\n\n{extra}## Retain\n\n{lines}", "utf-8")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A bank with pages that the next run changes, one that it makes and one that it removes."""
    root = tmp_path / "bank"
    write(root, FIRST)
    with opened(root) as bank:
        bank.reflect()
    write(root, THEN, extra="Two lines more.\n\n")
    return root


def test_the_steps_of_a_run(root: Path) -> None:
    done = reflect_in_a_process(root, -1)
    assert json.loads(done.stdout) == STEPS


@pytest.mark.parametrize("stop", range(len(STEPS)), ids=[path for _, path in STEPS])
def test_a_run_killed_before_a_step_is_completed_by_the_next(root: Path, stop: int) -> None:
    before = snapshot(root)
    whole = root.with_name("whole")
    whole.mkdir()
    for path, data in before.items():
        (whole / path).parent.mkdir(parents=True, exist_ok=True)
        (whole / path).write_bytes(data)
    with opened(whole) as bank:
        undisturbed = bank.reflect()
    complete = snapshot(whole)

    assert reflect_in_a_process(root, stop).returncode == -signal.SIGKILL
    for path, data in snapshot(root).items():
        assert path.endswith(".lorebank-tmp") or data in (before.get(path), complete.get(path))
    with opened(root) as bank:
        report = bank.reflect()
        # Pages and journal, byte for byte; the run bears its own name, and nothing is left over.
        assert snapshot(root) == complete
        assert not (root / RECORD).exists()
        assert (report.run, report.journal) == (undisturbed.run, JOURNAL)
        assert report.resumed == (None if stop == 0 else undisturbed.run)
        assert report.changed == (undisturbed.changed if stop < len(STEPS) - 1 else ())
        assert bank.reflect().changed == ()
        bank.undo_reflect()
    assert snapshot(root) == before


def test_undo_takes_back_a_run_that_was_killed_and_it_stays_taken_back(root: Path) -> None:
    before = snapshot(root)
    reflect_in_a_process(root, 5)
    assert snapshot(root) != before
    with opened(root) as bank:
        assert bank.undo_reflect().run == "2025-12-20-2"
    assert {p: b for p, b in snapshot(root).items() if not p.endswith("tmp")} == before
    assert not (root / RECORD).exists()


@pytest.mark.parametrize("stop", range(1, 6))
def test_undo_takes_back_pages_that_a_killed_run_had_moved(root: Path, stop: int) -> None:
    ledger = "# Identity\n\n- merge @Bruno → @Ada (2025-12-19: one person)\n"
    (root / "bank" / "identity.md").write_text(ledger, "utf-8")
    before = snapshot(root)
    assert reflect_in_a_process(root, stop).returncode == -signal.SIGKILL
    with opened(root) as bank:
        bank.undo_reflect()
    assert {p: b for p, b in snapshot(root).items() if not p.endswith("tmp")} == before


def test_a_page_edited_after_the_kill_keeps_the_edit_and_is_told_in_a_journal(root: Path) -> None:
    reflect_in_a_process(root, 4)
    for name in ("Ada", "Bruno", "Dora"):  # written, written, still to be made
        page = root / "bank" / "entities" / f"{name}.md"
        page.write_text((page.read_text("utf-8") if page.exists() else "") + "\nMine.\n", "utf-8")
    with opened(root) as bank:
        assert bank.reflect().resumed == "2025-12-20-2"
        assert bank.reflect().changed == ()
    journal = (root / JOURNAL).read_text("utf-8")
    for name in ("Ada", "Bruno", "Dora"):
        assert "Mine." in (root / "bank" / "entities" / f"{name}.md").read_text("utf-8")
        assert f"- `bank/entities/{name}.md`:" in journal.partition("## Run 2")[2]


def test_a_record_holds_no_secret_and_the_page_keeps_it(root: Path) -> None:
    secret = "sk-proj-" + "aB3dE6gH9jK2mN5pQ8sT1vW4yZ7" * 2
    page = root / "bank" / "entities" / "Ada.md"
    for file in (page, root / JOURNAL):
        file.write_text(file.read_text("utf-8") + f"\nThe key is {secret}\n", "utf-8")
    before = snapshot(root)
    assert reflect_in_a_process(root, 2).returncode == -signal.SIGKILL
    with opened(root) as bank:
        records = [(root / RECORD).read_bytes()]
        report = bank.reflect()
        records += [(root / RECORD.replace(".pending", "")).read_bytes()]
        for record in map(io.BytesIO, records):
            with zipfile.ZipFile(record) as archive:
                held = b"\n".join(map(archive.read, archive.namelist()))
            assert secret.encode() not in held
            assert b"## Run 1" not in held, "of a journal only what its run added"
        assert report.resumed == "2025-12-20-2"
        assert secret in page.read_text("utf-8")
        assert "bank/entities/Ada.md" in report.changed
        bank.undo_reflect()
    assert {p: b for p, b in snapshot(root).items() if not p.endswith("tmp")} == before


def test_a_record_that_cannot_be_read_is_named_and_hinders_nothing(root: Path) -> None:
    (root / RECORD).write_bytes(b"PK\x03\x04 cut off")
    with opened(root) as bank:
        report = bank.reflect()
        kept = RECORD.replace(".pending", "")
        assert [(p.path, p.code) for p in report.problems] == [(kept, "run-lost")]
        assert (report.run, report.resumed) == ("2025-12-20-3", None)
        assert bank.reflect().problems == ()
    assert (root / kept).read_bytes() == b"PK\x03\x04 cut off"


def test_a_record_never_writes_outside_the_bank(root: Path, tmp_path: Path) -> None:
    reflect_in_a_process(root, 4)
    record = root / RECORD
    with zipfile.ZipFile(record) as archive:
        held = {name: archive.read(name) for name in archive.namelist()}
    told = json.loads(held.pop("manifest.json"))
    told["changes"]["bank/../../stolen.md"] = told["changes"].pop("bank/entities/Dora.md")
    with zipfile.ZipFile(record, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)
        archive.writestr("manifest.json", json.dumps(told))
    with opened(root) as bank:
        assert [p.code for p in bank.reflect().problems] == ["run-lost"]
    assert not (tmp_path / "stolen.md").exists()


# -- disks and editors -------------------------------------------------------------------------


def lorebank(root: Path, *arguments: str, **more: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "lorebank", "--workspace", str(root), *arguments],
        env=os.environ | WORDS_ONLY,
        capture_output=True,
        text=True,
        **more,  # type: ignore[call-overload]
    )


@contextmanager
def read_only(page: Path) -> Iterator[None]:
    page.chmod(0o444)
    try:
        yield
    finally:
        page.chmod(0o644)


@pytest.mark.skipif(os.name != "nt" and os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_page_is_named_and_the_others_are_written(root: Path) -> None:
    page = root / "bank" / "entities" / "Ada.md"
    before = page.read_bytes()
    with read_only(page):
        done = lorebank(root, "reflect")
        assert (done.returncode, page.read_bytes()) == (1, before)
        assert "bank/entities/Ada.md" in done.stderr
        assert "read-only" in done.stderr
        assert "bank/entities/Ada.md" not in (root / JOURNAL).read_text("utf-8").rpartition("##")[2]
        assert (root / "bank" / "entities" / "Dora.md").exists()
        assert not (root / RECORD).exists()
    assert lorebank(root, "reflect").returncode == 0
    assert page.read_bytes() != before


def test_a_full_disk_ends_the_run_with_an_error_and_loses_nothing(root: Path) -> None:
    """`RLIMIT_FSIZE` stands in for a full disk: the largest page does not fit any more."""
    log = root / "memory" / "2025-12-02.md"
    log.write_text("## Retain\n\n" + "".join(f"- W @Ada: Owns {'x' * n}.\n" for n in range(400)))
    before = snapshot(root)

    def fill() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (60_000, 60_000))

    with opened(root) as bank:
        bank.sync()
    done = lorebank(root, "reflect", preexec_fn=fill)
    assert done.returncode not in (0, 2)
    assert done.stderr.startswith("lorebank: ") or "error" in done.stderr.lower()
    assert "Traceback" not in done.stderr
    left = snapshot(root)
    with opened(root) as bank:
        bank.reflect()
        assert bank.reflect().changed == ()
    complete = snapshot(root)
    assert set(before) - {"bank/entities/Carl.md"} <= set(left) & set(complete)
    for path in set(before) & set(left):
        assert left[path] in (before[path], complete.get(path)), path


def test_a_bank_that_is_a_link_is_refused_and_nothing_is_written(root: Path) -> None:
    elsewhere = root.with_name("elsewhere")
    (root / "bank").rename(elsewhere)
    (root / "bank").symlink_to(elsewhere)
    before = snapshot(elsewhere)
    done = lorebank(root, "reflect")
    assert done.returncode == WorkspaceError.exit_code
    assert "bank: is a symbolic link" in done.stderr
    assert snapshot(elsewhere) == before


EDITOR = """
import os, sys
from pathlib import Path
page, lines = Path(sys.argv[1]), int(sys.argv[2])
for number in range(lines):
    while True:
        text = page.read_text("utf-8")
        beside = page.with_name(f".editor-{number}")
        beside.write_text(text + f"\\nMine {number}.\\n", "utf-8")
        if page.read_text("utf-8") == text:
            beside.replace(page)
            break
    print(number, flush=True)
    sys.stdin.readline()
"""
"""Appends a line whenever it is told to, as an editor saves: a new file in the old one's place."""


def test_what_an_editor_saves_during_runs_is_never_overwritten(root: Path) -> None:
    page = root / "bank" / "entities" / "Ada.md"
    lines = 25
    with subprocess.Popen(
        [sys.executable, "-c", EDITOR, str(page), str(lines)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as editor:
        assert editor.stdin
        assert editor.stdout
        for number in range(lines):
            log = root / "memory" / "2025-12-03.md"
            facts = "".join(f"- W @Ada: Owns boat {n}.\n" for n in range(number + 1))
            log.write_text(f"## Retain\n\n{facts}", "utf-8")
            editor.stdout.readline()
            editor.stdin.write("\n")
            editor.stdin.flush()
            with opened(root) as bank:
                bank.reflect()
    with opened(root) as bank:
        bank.reflect()
        assert bank.reflect().changed == ()
    text = page.read_text("utf-8")
    assert [f"Mine {n}." for n in range(lines) if f"\nMine {n}.\n" not in text] == []
    assert f"Owns boat {lines - 1}." in text


@pytest.mark.parametrize("gone", ["bank/entities/Ada.md", "bank/world.md", "bank/opinions.md"])
def test_a_page_deleted_in_mid_run_is_written_anew(root: Path, gone: str) -> None:
    """Deleted after it was read: the run finds it gone, and plans it again."""
    done = reflect_in_a_process(root, 1, gone)
    assert (done.returncode, done.stderr) == (0, "")
    with opened(root) as bank:
        bank.reflect()
        assert bank.reflect().changed == ()
    assert (root / gone).exists()
    assert "Lives in Porto." in (root / "bank" / "entities" / "Ada.md").read_text("utf-8")


def test_a_journal_that_cannot_be_written_is_an_error_and_is_written_later(root: Path) -> None:
    journal = root / JOURNAL
    journal.unlink()
    journal.mkdir()
    with opened(root) as bank:
        for _ in range(2):
            with pytest.raises(WorkspaceError, match=r"2025-12-20\.md: cannot be read"):
                bank.reflect()
    journal.rmdir()
    with opened(root) as bank:
        assert bank.reflect().run == "2025-12-20-2"
    assert "- `bank/entities/Dora.md`: new" in journal.read_text("utf-8")
