"""Forgetting: no byte stays, everything comes back until it is purged, a kill loses nothing."""

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank, ConcurrentEdit, NotFound, UsageError, WorkspaceError
from lorebank.forgetting.undo import carried, read_run, store_of
from support import WORDS_ONLY, golden, snapshot

NOW = date(2025, 12, 20)
SECRET = "keeps a zweikanalig teapot"
Copy = Callable[[str], Path]


def opened(root: Path) -> Bank:
    return Bank.open(root, environ=WORDS_ONLY, now=NOW)


def holding(root: Path, text: str) -> list[str]:
    """Every file below a folder that holds a text, archives opened."""
    found = []
    for path in sorted(root.rglob("*")):
        if not path.is_file():
            continue
        data = path.read_bytes()
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                data += b"\n".join(map(archive.read, archive.namelist()))
        if any(word in data for word in (text.encode(), b"zweikanalig")):
            found.append(path.relative_to(root).as_posix())
    return found


@pytest.fixture
def planted(copy_fixture: Copy) -> Path:
    """A workspace in which one odd sentence got everywhere: pages, journal, proposals, undo."""
    root = copy_fixture("harbour")
    with (root / "memory" / "2025-12-09.md").open("a", encoding="utf-8") as log:
        log.write(f"- O(c=0.9) @Peter: Always {SECRET} on WhatsApp.\n- W @Ada: Lives in Porto.\n")
    with opened(root) as bank:
        bank.reflect()
        bank.retain("W @Ada: Sold her car.", day="2025-12-09")  # keeps a copy of that log
        bank.retain("W @Peter: Bought a second kettle.", day="2025-12-10")
        bank.reflect(now=date(2025, 12, 21))
        bank.recall(SECRET)
    return root


def id_of(bank: Bank, text: str) -> str:
    return bank.recall(text, k=1).hits[0].id


def test_no_byte_of_it_is_left_once_it_is_purged(planted: Path) -> None:
    assert len(holding(planted, SECRET)) > 4
    with opened(planted) as bank:
        report = bank.forget(id_of(bank, SECRET), purge=True)
    assert [line.text for line in report.lines] == [f"Always {SECRET} on WhatsApp."]
    assert report.purged is not None
    assert report.purged.copies  # reflect kept copies of pages that told of it
    assert holding(planted, SECRET) == []


@pytest.mark.parametrize("order", [{"match": "ZWEIKANALIG"}, {"entity": "Peter"}])
def test_nor_by_any_other_order(planted: Path, order: dict[str, str]) -> None:
    with opened(planted) as bank:
        bank.forget(**order, purge=True)
    assert holding(planted, SECRET) == []


def test_only_the_undo_store_holds_it_until_then(planted: Path) -> None:
    with opened(planted) as bank:
        run = bank.forget(id_of(bank, SECRET)).run
        kept = holding(planted, SECRET)
        assert kept[0] == f".memory/forgotten/{run}.zip"
        assert all(path.startswith(".memory/undo/") for path in kept[1:])
        assert bank.purge_forgotten().runs == (run,)
    assert holding(planted, SECRET) == []


def test_undo_restores_every_file_byte_for_byte(planted: Path) -> None:
    before = snapshot(planted)
    with opened(planted) as bank:
        bank.forget(entity="Peter")
        assert snapshot(planted) != before
        assert "bank/entities/Peter.md" not in snapshot(planted)
        bank.undo_forget()
        assert snapshot(planted) == before
        assert bank.check() == ()
        with pytest.raises(NotFound):
            bank.undo_forget()


def test_a_dry_run_names_every_line_and_writes_nothing(planted: Path) -> None:
    before = snapshot(planted)
    with opened(planted) as bank:
        wanted = id_of(bank, SECRET)
        dry = bank.forget(wanted, dry_run=True)
        assert snapshot(planted) == before
        assert store_of(planted).names() == ()
        done = bank.forget(wanted)
    assert (dry.lines, dry.pages, dry.derived, dry.opinions) == (
        done.lines,
        done.pages,
        done.derived,
        done.opinions,
    )
    assert dry.derived["facts"] == 1
    assert {line.source.path for line in dry.pages} >= {
        "bank/opinions.md",
        "bank/entities/Peter.md",
        "bank/reflections/2025-12-20.md",
    }


def test_every_other_citation_still_holds(planted: Path) -> None:
    with opened(planted) as bank:
        bank.forget(id_of(bank, SECRET))
        kettle = bank.recall("Ada lives in Porto", k=1).hits[0]
        assert "Porto" in bank.get(str(kettle.source)).text
        for entity in ("Peter", "warelay"):
            for fact in bank.entity(entity).facts:
                assert bank.get(str(fact.citation)).text.strip()


def test_the_index_is_what_a_rebuild_gives_and_reflect_derives_the_rest(planted: Path) -> None:
    with opened(planted) as bank:
        bank.forget(id_of(bank, SECRET))
        assert bank.check() == ()
        report = bank.reflect(now=date(2025, 12, 22))
        assert not [p for p in report.problems if p.code == "hand-edit-kept"]
        assert not [o for o in bank.opinions() if SECRET in o.statement]
    pages = "".join(p.read_text("utf-8") for p in (planted / "bank").rglob("*.md"))
    assert SECRET not in pages


def test_lines_of_a_file_whole_files_and_days(planted: Path) -> None:
    with opened(planted) as bank:
        cut = bank.forget(source="memory/2025-12-09.md#L1-L9")
        assert {line.source.start_line for line in cut.lines} <= set(range(1, 10))
        text = (planted / "memory/2025-12-09.md").read_text("utf-8")
        assert text.startswith("\n" * 9)
        whole = bank.forget(source="memory/2025-12-09.md")
        assert whole.files == ("memory/2025-12-09.md",)
        assert not (planted / "memory/2025-12-09.md").exists()
        old = bank.forget(before="2025-11-20")
        assert set(old.files) == {name for name in old.files if name.startswith("memory/2025-11-1")}
        assert old.files
        for _ in range(3):
            bank.undo_forget()
        assert SECRET in (planted / "memory/2025-12-09.md").read_text("utf-8")


def test_what_was_appended_since_stays_below_what_comes_back(planted: Path) -> None:
    log = planted / "memory" / "2025-12-09.md"
    before = log.read_bytes()
    with opened(planted) as bank:
        bank.forget(id_of(bank, SECRET))
        log.write_bytes(log.read_bytes() + b"- W @Ada: Has a cat.\n")
        bank.undo_forget()
        assert log.read_bytes() == before + b"- W @Ada: Has a cat.\n"


def test_a_note_changed_otherwise_is_not_overwritten(planted: Path) -> None:
    log = planted / "memory" / "2025-12-09.md"
    with opened(planted) as bank:
        bank.forget(id_of(bank, SECRET))
        log.write_bytes(b"# New\n" + log.read_bytes())
        with pytest.raises(ConcurrentEdit):
            bank.undo_forget()
        assert bank.undo_forget(force=True).kept == ("memory/2025-12-09.md",)
        assert log.read_bytes().startswith(b"# New\n")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, UsageError),
        ({"match": "a", "source": "memory.md"}, UsageError),
        ({"source": "memory/none.md"}, NotFound),
        ({"entity": "Nobody"}, NotFound),
        ({"source": "../outside.md"}, NotFound),
    ],
)
def test_an_order_that_means_nothing_is_refused(
    planted: Path, given: dict[str, str], error: type[Exception]
) -> None:
    with opened(planted) as bank, pytest.raises(error):
        bank.forget(**given)


def test_what_a_person_wrote_on_a_page_stays(planted: Path) -> None:
    page = planted / "bank" / "entities" / "Peter.md"
    own = "\nMy own words about tea.\n"
    page.write_text(page.read_text("utf-8") + own, "utf-8")
    with opened(planted) as bank:
        bank.forget(id_of(bank, SECRET))
    assert page.read_text("utf-8").endswith(own)
    assert SECRET not in page.read_text("utf-8")


def test_what_was_decided_on_a_belief_outlives_a_line_of_its_evidence(copy_fixture: Copy) -> None:
    root = copy_fixture("harbour")
    page = root / "bank" / "opinions.md"
    with opened(root) as bank:
        bank.reflect()
        held = next(o for o in bank.opinions("Peter") if len(o.evidence) == 2)
        text = page.read_text("utf-8")
        line = next(each for each in text.splitlines() if each.endswith(f"^{held.id}"))
        page.write_text(text.replace(line, f"{line}\n  - pin: 0.3"), "utf-8")
        bank.reflect()
        bank.forget(source=str(held.evidence[-1].source))
        assert f"{held.statement} · **0.30** ^{held.id}" in page.read_text("utf-8")
        bank.reflect()
        assert bank.explain(held.id).opinion.pinned == 0.3
        bank.forget(source=str(held.source))
        assert held.id not in page.read_text("utf-8")


def test_somebody_who_writes_meanwhile_loses_nothing(planted: Path) -> None:
    log = planted / "memory" / "2025-12-09.md"
    stop = threading.Event()
    written: list[str] = []

    def append() -> None:
        while not stop.is_set() and len(written) < 200:
            line = f"- W @Ada: Line number {len(written)}.\n"
            with log.open("a", encoding="utf-8") as file:
                file.write(line)
            written.append(line)
            time.sleep(0.05)

    writer = threading.Thread(target=append)
    writer.start()
    with opened(planted) as bank:
        report = bank.forget(match="zweikanalig")
        stop.set()
        writer.join()
        if report.problems:
            bank.forget(match="zweikanalig")
    text = log.read_text("utf-8")
    assert "zweikanalig" not in text
    assert [line for line in written if line not in text] == []


_FORGET = """
import sys
from datetime import date
from lorebank import Bank
from support import WORDS_ONLY
with Bank.open(sys.argv[1], environ=WORDS_ONLY, now=date(2025, 12, 20)) as bank:
    print("ready", flush=True)
    bank.forget(match="zweikanalig")
"""


def test_a_kill_at_any_instant_is_finished_by_the_next_run(planted: Path, tmp_path: Path) -> None:
    before = snapshot(planted)
    paths = [str(Path(__file__).parents[1]), *sys.path]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}
    chance = random.Random(5)
    for attempt in range(4):
        root = Path(shutil.copytree(planted, tmp_path / f"copy-{attempt}"))
        process = subprocess.Popen(
            [sys.executable, "-c", _FORGET, str(root)], env=environment, stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(chance.uniform(0.0, 0.4))
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        with opened(root) as bank:
            bank.forget(match="zweikanalig")
            kept = store_of(root).names()
            assert kept
            assert not any(read_run(root, name).pending for name in kept)
            for name in reversed(kept):
                bank.undo_forget(name)
            assert snapshot(root) == before
            bank.forget(match="zweikanalig", purge=True)
            bank.purge_forgotten()
        assert holding(root, SECRET) == []


def test_a_purge_takes_what_a_killed_writer_left_too(planted: Path) -> None:
    left = planted / ".memory" / "forgotten" / ".2025-12-20-1.pending.zip.0123456789ab.lorebank-tmp"
    with opened(planted) as bank:
        bank.forget(match="zweikanalig")
        left.write_text(SECRET, "utf-8")
        bank.purge_forgotten()
    assert holding(planted, SECRET) == []


def test_a_store_that_names_files_elsewhere_restores_nothing(planted: Path) -> None:
    with opened(planted) as bank:
        run = bank.forget(id_of(bank, SECRET)).run
        archive = planted / ".memory" / "forgotten" / f"{run}.zip"
        with zipfile.ZipFile(archive, "w") as forged:
            forged.writestr("0.before", "owned")
            manifest = '{"texts": [], "hashes": [], "files": {"../owned.md": [0, false, false]}}'
            forged.writestr("manifest.json", manifest)
        with pytest.raises(Exception, match="not a note of this workspace"):
            bank.undo_forget(run)
    assert not (planted.parent / "owned.md").exists()


# -- a forgotten entity's name is content too, and a forget that was killed can be finished ------


NAME = re.compile(rb"(?i)\bPeter\b")


def traces(root: Path) -> list[str]:
    """Every place that still says the name: file names, bytes, archives read open."""
    found = []
    for file in (p for p in root.rglob("*") if p.is_file()):
        data = file.read_bytes()
        if file.suffix == ".zip":
            with zipfile.ZipFile(file) as archive:
                data = b"".join(n.encode() + archive.read(n) for n in archive.namelist())
        if NAME.search(data) or NAME.search(file.name.encode()):
            found.append(file.relative_to(root).as_posix())
    return found


def test_nothing_says_the_name_after_forget_and_purge(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.reflect()
        (root / "memory/2025-12-20.md").write_text(
            "# Saturday\n\n## Retain\n- W @Peter: Bought a canoe.\n", encoding="utf-8"
        )
        bank.reflect()
        bank.forget(entity="Peter", purge=True)
        bank.reflect()
    assert traces(root) == []


def test_a_killed_forget_is_finished_by_the_same_command(root: Path) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        run = bank.forget(entity="Peter").run
    kept = root / ".memory" / "forgotten"
    (kept / f"{run}.zip").rename(kept / f"{run}.pending.zip")  # killed before its last step
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        report = bank.forget(entity="Peter")
        assert report.run == run
        with pytest.raises(NotFound, match="no entity 'Peter'"):
            bank.forget(entity="Peter")


def test_of_a_paragraph_only_the_sentences_go_that_name_somebody(tmp_path: Path) -> None:
    log = tmp_path / "memory" / "2025-12-01.md"
    log.parent.mkdir()
    log.write_text(
        "# Log\n\n- Peter brought the oars. The ferry was late again,\n  and full. We left.\n"
        "\nThe mast is up. Peter and Ada painted it. The sails are dry.\n\n- W @Peter: Rows.\n"
    )
    before = log.read_bytes()
    with opened(tmp_path) as bank:
        report = bank.forget(entity="Peter")
        assert "Peter and Ada painted it." in [line.text for line in report.lines]
        assert log.read_text() == (
            "# Log\n\n- The ferry was late again,\n  and full. We left.\n"
            "\nThe mast is up. The sails are dry.\n\n\n"
        )
        bank.undo_forget()
    assert log.read_bytes() == before


# -- only the lines that hold it go --------------------------------------------------------------

LIST = "- Byrne: baker\n- Nuala: mill\n  who mends\n  - Zeb is her brother\n  - likes tea\n- Cara\n"


@pytest.mark.parametrize(
    ("text", "order", "left"),
    [
        ("Ann: one.\nZeb owes 40.\nBob: two.\n", {"match": "zeb"}, "Ann: one.\n\nBob: two.\n"),
        ("a one.\nb two.\nc three.\n", {"source": "bank/p.md#L4"}, "a one.\n\nc three.\n"),
        ("It is in the old\nmill house.\nSo be it.\n", {"match": "old mill"}, "\n\nSo be it.\n"),
        (LIST, {"match": "Zeb"}, LIST.replace("  - Zeb is her brother", "")),
        (LIST, {"match": "mends"}, LIST.replace("- Nuala: mill\n  who mends", "- …\n")),
        (LIST, {"source": "bank/p.md#L4"}, LIST.replace("- Nuala: mill\n  who mends", "- …\n")),
        (LIST, {"match": "Cara"}, LIST.replace("- Cara", "")),
        ("- [ ] call Zeb\n  by May\n- [ ] eat\n", {"match": "by May"}, "\n\n- [ ] eat\n"),
        ("- W @Orla: Sells rye\n  and oats.\n\nBye.\n", {"match": "oats"}, "\n\n\nBye.\n"),
        ("Planning.\nHannah.\nAnn's.\n", {"match": "Ann"}, "Planning.\nHannah.\n\n"),
        ("Planning.\nHannah.\nAnnas.\n", {"match": "ann*"}, "Planning.\nHannah.\n\n"),
        ("Planning.\nHannah.\nOut.\n", {"match": "*ann*"}, "\n\nOut.\n"),
        ("5 * 3 is.\n5 x 3 is.\n", {"match": "5 * 3"}, "\n5 x 3 is.\n"),
        ("東京都に住む。\n京都。\n", {"match": "東京"}, "\n京都。\n"),
    ],
)
def test_nothing_beside_the_lines_meant_goes(
    tmp_path: Path, text: str, order: dict[str, str], left: str
) -> None:
    page = tmp_path / "bank" / "p.md"
    page.parent.mkdir()
    page.write_text(f"# P\n\n{text}", "utf-8")
    before = page.read_bytes()
    with opened(tmp_path) as bank:
        dry = bank.forget(dry_run=True, **order)
        done = bank.forget(**order)
        assert dry.lines == done.lines
        assert page.read_text("utf-8") == f"# P\n\n{left}"
        bank.undo_forget()
    assert page.read_bytes() == before


# -- what was interrupted is finished as what it was ----------------------------------------------


@pytest.fixture
def two(tmp_path: Path) -> Path:
    """Two things to forget in one log, with pages made of them."""
    log = tmp_path / "memory" / "2025-12-01.md"
    log.parent.mkdir()
    log.write_text(
        "## Retain\n- W @Priya: Lives in Galway.\n- W @Priya: Has a key.\n"
        "- W @Tomas: Is allergic to sesame.\n- W @Tomas: Plays chess.\n"
    )
    with opened(tmp_path) as bank:
        bank.reflect()
    return tmp_path


def fail_at(monkeypatch: pytest.MonkeyPatch, where: str, number: int) -> None:
    """Let the n-th file that is written fail, as on a disk that is full."""
    from lorebank.workspace import atomic

    count = iter(range(1, 1000))

    def failing(path: Path, data: bytes | None, *, expected: bytes | None) -> None:
        if path.suffix == ".md" and next(count) >= number:
            raise WorkspaceError(f"{path}: cannot be written: no space")
        atomic.replace_bytes(path, data, expected=expected)

    monkeypatch.setattr(f"{where}.replace_bytes", failing)


def test_a_forget_that_failed_is_finished_by_any_command_as_its_own_run(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, said = snapshot(two), []
    with monkeypatch.context() as patch, opened(two) as bank:
        fail_at(patch, "lorebank.forgetting.forget", 3)
        with pytest.raises(WorkspaceError, match=r"run 2025-12-20-1.* is unfinished"):
            bank.forget(match="Priya")
        with pytest.raises(WorkspaceError, match=r"run 2025-12-20-1.* is unfinished"):
            bank.forget(match="sesame")
        fact = bank.retain("W @Kit: Rows.")  # a line is never refused
        assert (two / fact.citation.path).read_text().count("Rows") == 1
        (two / fact.citation.path).unlink()
    with Bank.open(two, environ=WORDS_ONLY, now=NOW, say=said.append) as bank:
        assert [p.code for p in bank.status().problems] == ["interrupted"]
        bank.forget(match="sesame", purge=True)
        assert "run 2025-12-20-1" in said[0]
        assert "finished" in said[0]
        log = two / "memory" / "2025-12-01.md"
        assert log.read_text() == "## Retain\n\n\n\n- W @Tomas: Plays chess.\n"
        assert bank.undo_forget().run == "2025-12-20-1"  # what was purged stays away
        assert log.read_text() == before["memory/2025-12-01.md"].decode().replace(
            "- W @Tomas: Is allergic to sesame.", ""
        )
    assert holding_word(two, "sesame") == []


def test_a_line_written_meanwhile_does_not_stop_it(
    two: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch, opened(two) as bank:
        fail_at(patch, "lorebank.forgetting.forget", 1)
        with pytest.raises(WorkspaceError):
            bank.forget(match="Priya")
    log = two / "memory" / "2025-12-01.md"
    with log.open("a") as file:
        file.write("- W @Kit: Rows.\n")
    with opened(two) as bank:
        assert bank.sync(embed=False).problems == ()
    assert "Priya" not in log.read_text()
    assert log.read_text().endswith("- W @Tomas: Plays chess.\n- W @Kit: Rows.\n")


@pytest.mark.parametrize("what", ["forget", "reflect"])
def test_an_undo_that_was_interrupted_is_finished(
    two: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(two) as bank:
        if what == "forget":
            before = snapshot(two)
            bank.forget(match="Priya")
        else:
            before = {"memory/2025-12-01.md": (two / "memory/2025-12-01.md").read_bytes()}
        with monkeypatch.context() as patch:
            fail_at(patch, "lorebank.workspace.run_store", 2)
            with pytest.raises(WorkspaceError):
                bank.undo_forget() if what == "forget" else bank.undo_reflect()
        assert [p.code for p in bank.status().problems] == ["interrupted"]
        assert snapshot(two) != before
        bank.sync(embed=False)
        assert bank.status().problems == ()
    assert snapshot(two) == before


def test_a_record_that_cannot_be_read_stops_nothing(two: Path) -> None:
    kept = two / ".memory" / "forgotten" / "2025-12-20-1.pending.zip"
    kept.parent.mkdir(exist_ok=True)
    kept.write_bytes(b"damaged")
    said: list[str] = []
    with Bank.open(two, environ=WORDS_ONLY, now=NOW, say=said.append) as bank:
        bank.sync(embed=False)
        assert "cannot be read" in said[0]
        assert bank.status().problems == ()
        assert kept.with_name("2025-12-20-1.zip").exists()


# -- what is purged is in no other run ------------------------------------------------------------


def holding_word(root: Path, word: str) -> list[str]:
    return [path for path in holding(root, word) if not path.startswith(".memory/index")]


def test_a_purge_reaches_what_the_same_order_kept_before(two: Path) -> None:
    with opened(two) as bank:
        first = bank.forget(match="Galway").run
        report = bank.forget(match="Galway", purge=True)
        assert report.purged is not None
        assert report.purged.runs == (first,)
    assert holding_word(two, "Galway") == []


def test_a_purge_takes_lines_out_of_what_other_runs_keep(two: Path) -> None:
    with opened(two) as bank:
        first = bank.forget(match="Plays chess").run
        report = bank.forget(match="Galway", purge=True)
        assert report.purged is not None
        assert report.purged.mended == (first,)
        assert holding_word(two, "Galway") == []
        bank.undo_forget()
        text = (two / "memory" / "2025-12-01.md").read_text()
        assert text.startswith("## Retain\n\n- W @Priya: Has a key.\n")
        assert text.endswith("- W @Tomas: Plays chess.\n")


def test_a_purge_without_words_says_what_it_did_not_search(two: Path) -> None:
    (two / "sub").mkdir()
    (two / "sub" / "a.txt").write_text("Galway")
    with opened(two) as bank:
        bank.forget(before="2025-12-05")
        assert bank.purge_forgotten().unread == ("sub/a.txt",)


def test_two_runs_are_taken_back_in_any_order(two: Path) -> None:
    log = two / "memory" / "2025-12-01.md"
    before = log.read_bytes()
    with opened(two) as bank:
        first = bank.forget(match="Galway").run
        second = bank.forget(match="chess").run
        bank.undo_forget(first)
        bank.undo_forget(second)
    assert log.read_bytes() == before


@golden("forgetting.md")
def test_a_change_is_carried_over_only_where_each_line_is_known(
    old: str, new: str, present: str, wanted: str | None
) -> None:
    found = carried(old.encode(), new.encode(), present.encode())
    assert found == (None if wanted is None else wanted.encode())


def test_a_purge_leaves_another_run_the_lines_that_hold_a_name_within_a_word(
    tmp_path: Path,
) -> None:
    note = tmp_path / "memory" / "2025-12-01.md"
    note.parent.mkdir()
    lines = "- W @Al: Is tall.\n- W @Peter: Walks over the Alps.\n- W @Peter: Met Al there.\n"
    note.write_text(f"# Monday\n\n## Retain\n{lines}", encoding="utf-8")
    with opened(tmp_path) as bank:
        bank.forget(match="Peter")
        bank.forget(entity="Al", purge=True)
        bank.undo_forget()
    left = "- W @Peter: Walks over the Alps.\n"
    assert [line for line in lines.splitlines(True) if line in note.read_text("utf-8")] == [left]


def test_a_line_of_bytes_that_are_no_text_is_forgotten_too(tmp_path: Path) -> None:
    note = tmp_path / "memory" / "2025-12-01.md"
    note.parent.mkdir()
    before = b"# Monday\n\n## Retain\n- W @Ada: Odd \xff\xfe bytes stand in this line.\n"
    note.write_bytes(before)
    with opened(tmp_path) as bank:
        run = bank.forget(match="bytes").run
        assert b"\xff" not in note.read_bytes()
        bank.undo_forget(run)
    assert note.read_bytes() == before


NAMED = {
    "title": b"---\ntitle: Dinghy of Quintessa\n---\nIt is blue.\n",
    "tags": b"---\ntags:\n  - boats\n  - quintessa\naliases: [Quintessa V.]\n---\nIt is blue.\n",
    "question": b"---\nquestion: what does Quintessa sail?\n---\n# Boats\n",
    "heading": b"# Quintessa and the harbour\n\nIt is blue.\n",
    "comment": b"# h\n\n<!-- ask Quintessa about it -->\nIt is blue.\n",
    "address": b"# l\n\nSee [it](https://example.org/people/quintessa). It is blue.\n",
    "odd line": b"# d\n\n## Retain\n- w(@Quintessa) drinks rum\n- W @Ada: Is here.\n",
    "emphasis": b"# e\n\nIt is _Quintessa_ herself. It is blue.\n",
    "code": b"# c\n\n```\nowner = 'Quintessa'\n```\n",
    "table": b"| who | what |\n|---|---|\n| QUINTESSA | dinghy |\n| Ada | canoe |\n",
    "other bytes": b"# b\n\nQuintessa lent a caf\xe9 rope. A caf\xe9 is blue.\n",
    "windows": b"\xef\xbb\xbf# Quintessa\r\n\r\nIt is blue.\r\n",
    "utf-16": "\ufeff# u\n\nQuintessa lent a rope.\nIt is blue.\n".encode("utf-16-le"),
}


def naming_quintessa(root: Path, path: str, data: bytes) -> Path:
    """A workspace with a log that names somebody, and one file more."""
    for place, text in (
        ("memory/2025-12-01.md", b"## Retain\n- W @Quintessa: Lives in Ghent.\n"),
        (path, data),
    ):
        (root / place).parent.mkdir(parents=True, exist_ok=True)
        (root / place).write_bytes(text)
    return root / path


@pytest.mark.parametrize("kind", NAMED)
def test_a_name_goes_from_whatever_line_holds_it(tmp_path: Path, kind: str) -> None:
    note = naming_quintessa(tmp_path, "memory/note.md", NAMED[kind])
    with opened(tmp_path) as bank:
        report = bank.forget(entity="Quintessa")
        assert report.is_done
        bank.undo_forget()
        assert note.read_bytes() == NAMED[kind]
        report = bank.forget(entity="Quintessa", purge=True)
        assert bank.check() == ()
    assert (report.is_done, report.problems) == (True, ())
    assert report.searched
    data = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"quintessa" not in data.replace(b"\0", b"").lower()
    if b"blue" in NAMED[kind]:
        assert b"blue" in note.read_bytes()


@golden("forgetting.md")
def test_what_is_left_of_a_name_is_said_with_its_place(
    tmp_path: Path, path: str, data: bytes, place: str, code: str
) -> None:
    file = naming_quintessa(tmp_path, path, data)
    with opened(tmp_path) as bank:
        report = bank.forget(entity="Quintessa", purge=True)
    [left] = report.problems
    assert f"{left.path}:{left.line}".endswith(place)
    assert left.code == code
    assert report.is_done == (code in ("left-with-host", "left-maybe"))
    assert file.read_bytes() == data


def test_a_line_is_looked_for_in_every_file_however_it_was_named(tmp_path: Path) -> None:
    naming_quintessa(
        tmp_path, "memory/2025-12-03.md", b"Ada says: Quintessa, **lives** in Ghent!\n"
    )
    (tmp_path / "old.bin").write_bytes(b"\0\1lives in ghent.\0")
    (tmp_path / "a.txt").write_bytes(b"\nHe lives in\nGhent.\nLives in Ghent now.\n")
    with opened(tmp_path) as bank:
        [fact] = {hit.id for hit in bank.recall("Ghent").hits if hit.id.startswith("f-")}
        for order in ({"source": "memory/2025-12-01.md#L2"}, {"before": "2025-12-02"}):
            report = bank.forget(**order)
            found = [(each.path, each.line, each.code) for each in report.problems]
            assert sorted(found) == [
                ("a.txt", 4, "left-maybe"),
                ("memory/2025-12-03.md", 1, "left-maybe"),
                ("old.bin", 0, "left-maybe"),
            ]
            assert report.is_done
            bank.undo_forget()
        report = bank.forget(fact, purge=True)
        assert len(report.problems) == 3
        assert report.purged is not None
        assert not report.purged.unread


def test_a_name_that_no_note_marks_is_looked_for_before_it_is_called_unknown(
    tmp_path: Path,
) -> None:
    naming_quintessa(tmp_path, "a.txt", b"Zebulon\n")
    with opened(tmp_path) as bank:
        for purge in (False, True):
            report = bank.forget(entity="Zebulon", purge=purge)
            assert [(left.path, left.code) for left in report.problems] == [("a.txt", "left")]
            assert report.run is None
            assert not report.is_done
        with pytest.raises(NotFound):
            bank.forget(entity="Zebulun")


def test_archives_are_searched_too(tmp_path: Path) -> None:
    naming_quintessa(tmp_path, "memory/note.md", b"It is blue.\n")
    with zipfile.ZipFile(tmp_path / "old.zip", "w") as archive:
        archive.writestr("notes/a.md", "One.\nQuintessa.\n")
        archive.writestr("b.md", "One.\n")
    with opened(tmp_path) as bank:
        [left] = bank.forget(entity="Quintessa").problems
    assert (left.path, left.line, left.code) == ("old.zip!notes/a.md", 2, "left")


def test_a_word_is_no_name(tmp_path: Path) -> None:
    text = b"# Garden\n\nThe rose is red. Will it last?\n\n## Retain\n- W @Ada: Cut a rose.\n"
    note = naming_quintessa(tmp_path, "memory/note.md", text)
    people = b"## Retain\n- W @Rose: Moved.\n- W @Will: Called.\n"
    (tmp_path / "memory" / "2025-12-02.md").write_bytes(people)
    with opened(tmp_path) as bank:
        report = bank.forget(entity="Rose", purge=True)
        assert [(left.line, left.code) for left in report.problems] == [
            (3, "left-maybe"),
            (6, "left-maybe"),
        ]
        assert bank.forget(entity="Will", purge=True).problems == ()
    assert note.read_bytes() == text
