"""Invariants 1, 3 and 8 of ARCHITECTURE.md: the index is a cache, and every citation opens."""

import os
import random
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

from lorebank import Bank, FactKind, WorkspaceError
from lorebank.app import questions
from lorebank.app.workspace import synced_first
from lorebank.beliefs import materialise
from lorebank.language.folding import fold
from support import FIXTURES, WORDS_ONLY

WORKSPACES = ("harbour", "year", "messy")


@pytest.mark.parametrize("name", WORKSPACES)
def test_an_index_kept_up_by_small_steps_equals_one_made_anew(
    name: str, copy_fixture: Callable[[str], Path]
) -> None:
    root = copy_fixture(name)
    chance = random.Random(name)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        for _ in range(12):
            _edit_something(root, chance)
            bank.sync()
        assert bank.check() == ()


def test_a_deleted_index_comes_back_the_same(copy_fixture: Callable[[str], Path]) -> None:
    root = copy_fixture("year")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        before = [bank.timeline(), bank.entities(), bank.opinions()]
    shutil.rmtree(root / ".memory")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert [bank.timeline(), bank.entities(), bank.opinions()] == before


@pytest.mark.parametrize("garbage", [b"", b"not a database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_damaged_index_is_made_anew(garbage: bytes, copy_fixture: Callable[[str], Path]) -> None:
    root = copy_fixture("harbour")
    (root / ".memory").mkdir()
    (root / ".memory" / "index.sqlite").write_bytes(garbage)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.recall("Baileys").hits[0].source.path == "memory/2025-11-27.md"


@pytest.mark.parametrize("name", WORKSPACES)
def test_every_citation_opens_to_its_fact(name: str, copy_fixture: Callable[[str], Path]) -> None:
    with Bank.open(copy_fixture(name), environ=WORDS_ONLY) as bank:
        facts = bank.timeline()
        assert facts
        for fact in facts:
            shown = bank.get(str(fact.citation)).text.replace("\0", " ")
            public = re.sub(r"<private>.*?</private>", "", shown, flags=re.DOTALL)
            assert public.split() == fact.raw.split()
            first_word = fold(fact.content).split()[0].strip(".,:;!?\"'“”„»«")
            assert first_word in fold(shown).replace("&lt;", "<")


def test_a_file_that_goes_takes_its_facts_with_it(write_log: Callable[..., Path]) -> None:
    root = write_log("2026-01-02", "- W @Ada: Keeps bees on the roof.")
    write_log("2026-01-03", "- W @Ada: Sold the hives.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert [fact.content for fact in bank.timeline()] == [
            "Sold the hives.",
            "Keeps bees on the roof.",
        ]
        (root / "memory" / "2026-01-03.md").unlink()
        report = bank.sync()
        assert report.removed == ("memory/2026-01-03.md",)
        assert [fact.content for fact in bank.timeline()] == ["Keeps bees on the roof."]


def test_a_line_more_forms_again_what_those_hold_whom_it_is_about(
    write_log: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = ["- O(c=0.8) @Ada: Likes bees.", "- O(c=0.8) @Rui: Likes the mill."]
    root = write_log("2026-01-02", *lines)
    formed: list[set[str]] = []
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()

        def form(index: Any, root: Path, holders: set[str], *how: Any) -> None:
            formed.append({*holders})
            refresh(index, root, holders, *how)

        refresh = materialise.refresh_opinions
        monkeypatch.setattr(materialise, "refresh_opinions", form)
        write_log("2026-01-02", *lines, "- W @Rui: Owns a kettle.")
        bank.sync()
        write_log("2026-01-02", "- W @Rui: Owns a kettle.", *lines)
        bank.sync()
    assert formed == [{"rui"}, {"ada", "rui"}], "of lines that stand elsewhere the places change"


def test_nothing_changed_means_nothing_read(copy_fixture: Callable[[str], Path]) -> None:
    with Bank.open(copy_fixture("harbour"), environ=WORDS_ONLY) as bank:
        first = bank.sync()
        second = bank.sync()
    assert len(first.added) == first.files
    assert (second.added, second.changed, second.removed) == ((), (), ())


def test_two_edits_of_the_same_size_in_one_tick_are_both_seen(
    write_log: Callable[..., Path],
) -> None:
    root = write_log("2026-01-02", "- W @Ada: Has 3 hives.")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
        for count in range(4, 9):
            write_log("2026-01-02", f"- W @Ada: Has {count} hives.")
            bank.sync()
            assert [fact.content for fact in bank.timeline()] == [f"Has {count} hives."]


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps no time of change")
def test_an_edit_under_the_old_time_and_size_is_seen(write_log: Callable[..., Path]) -> None:
    root = write_log("2026-01-02", "- W @Ada: Keeps beehives.")
    file = root / "memory/2026-01-02.md"
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        time.sleep(2.1)  # until the time is trusted
        bank.sync()
        before = file.stat()
        file.write_text(file.read_text("utf-8").replace("beehives", "skylarks"), "utf-8")
        os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
        bank.sync()
        assert [fact.content for fact in bank.timeline()] == ["Keeps skylarks."]


def test_what_cannot_be_read_whole_is_named(copy_fixture: Callable[[str], Path]) -> None:
    with Bank.open(copy_fixture("messy"), environ=WORDS_ONLY) as bank:
        codes = {problem.code for problem in bank.sync().problems}
        assert {"utf8-invalid", "lone-cr", "date-invalid", "kind-unknown"} <= codes
        assert {problem.code for problem in bank.status().problems} >= codes


def _edit_something(root: Path, chance: random.Random) -> None:
    """One edit as people make them: a line added, dropped or moved, a file added or removed."""
    files = sorted(path for path in root.rglob("*.md") if ".memory" not in path.parts)
    file = chance.choice(files)
    action = chance.choice(("add", "drop", "swap", "new", "remove"))
    if action == "remove" and len(files) > 5:
        file.unlink()
    elif action == "new":
        day = chance.randrange(1, 28)
        (root / "memory" / f"2025-10-{day:02}.md").write_text(
            f"## Retain\n- O(c=0.{day % 9 + 1}) @Peter: Likes plan {day}.\n- W @Ada @Peter: Met.\n"
        )
    else:
        lines = file.read_bytes().split(b"\n")
        place = chance.randrange(len(lines))
        if action == "add":
            lines.insert(place, b"- W @Zoe: Was here on %d May 2025." % chance.randrange(1, 28))
        elif action == "drop":
            del lines[place]
        else:
            chance.shuffle(lines)
        file.write_bytes(b"\n".join(lines))


def test_kinds_have_one_letter_each() -> None:
    assert [kind.letter for kind in FactKind] == ["W", "B", "O", "S"]


# -- a damaged, missing or unwritable index never changes an answer, and is never silent ---------


PAGE = 4096
QUESTION = "what does Peter prefer?"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes, list[str]]:
    root = tmp_path_factory.mktemp("damage") / "ws"
    shutil.copytree(FIXTURES / "harbour", root)
    with Bank.open(root) as bank:
        bank.sync(embed=False)
        sources = [str(hit.source) for hit in bank.recall(QUESTION).hits]
    return root, (root / ".memory/index.sqlite").read_bytes(), sources


def put_index(root: Path, data: bytes) -> None:
    for file in root.glob(".memory/index.sqlite*"):
        file.unlink()
    (root / ".memory/index.sqlite").write_bytes(data)


def damaged_copies(data: bytes) -> Iterator[tuple[int, bytes]]:
    """Every third page, in turn zeroed and filled with noise."""
    noise = random.Random(17)
    for page in range(0, len(data) // PAGE, 3):
        bad = bytes(PAGE) if page % 2 else noise.randbytes(PAGE)
        yield page, data[: page * PAGE] + bad + data[(page + 1) * PAGE :]


def test_one_damaged_page_changes_no_answer_and_is_told(indexed) -> None:
    root, data, sources = indexed
    for page, bad in damaged_copies(data):
        put_index(root, bad)
        with Bank.open(root) as bank:
            assert bank.check(), f"page {page}: the check sees nothing"
        put_index(root, bad)
        with Bank.open(root) as bank:
            found = [str(hit.source) for hit in bank.recall(QUESTION).hits]
        assert found == sources, f"page {page}"


def test_index_repairs_what_it_finds_damaged(indexed) -> None:
    root, data, _ = indexed
    for _, bad in list(damaged_copies(data))[::6]:
        put_index(root, bad)
        said: list[str] = []
        with Bank.open(root, say=said.append) as bank:
            bank.sync(embed=False)
            assert bank.check() == ()
        assert any("damaged" in line for line in said)


def test_damage_that_no_question_meets_is_told_the_next_day(indexed) -> None:
    root, data, sources = indexed
    put_index(root, data)
    connection = apsw.Connection(str(root / ".memory/index.sqlite"))
    connection.execute("UPDATE meta SET value = '2001-01-01' WHERE key = 'checked'")
    connection.close()
    data = (root / ".memory/index.sqlite").read_bytes()
    for page, bad in list(damaged_copies(data))[::4]:
        put_index(root, bad)
        said: list[str] = []
        with Bank.open(root, say=said.append) as bank:
            assert [str(hit.source) for hit in bank.recall(QUESTION).hits] == sources
        assert any("damaged" in line for line in said), f"page {page}"


def test_pages_in_each_others_place_are_not_taken_for_an_error_of_ours(indexed) -> None:
    root, data, sources = indexed
    pages = [data[at : at + PAGE] for at in range(0, len(data), PAGE)]
    for first, second in zip(range(1, 40, 5), range(len(pages) - 1, 40, -7), strict=False):
        swapped = [*pages]
        swapped[first], swapped[second] = pages[second], pages[first]
        put_index(root, b"".join(swapped))
        with Bank.open(root) as bank:
            assert [str(hit.source) for hit in bank.recall(QUESTION).hits] == sources


@pytest.mark.parametrize("name", ["index", "embeddings"])
@pytest.mark.parametrize("thing", ["folder", "link", *(["pipe"] if hasattr(os, "mkfifo") else [])])
def test_something_else_in_place_of_a_database_is_told(indexed, thing: str, name: str) -> None:
    root, data, sources = indexed
    put_index(root, data)
    file = root / f".memory/{name}.sqlite"
    file.unlink(missing_ok=True)
    if thing == "folder":
        file.mkdir()
    elif thing == "link":
        file.symlink_to(root / "elsewhere.sqlite")
    else:
        os.mkfifo(file)
    try:
        with Bank.open(root) as bank:
            answer = bank.recall(QUESTION)
            assert [str(hit.source) for hit in answer.hits] == sources
            if name == "index":
                assert any("is not a file); it is kept in memory" in note for note in answer.notes)
                with pytest.raises(WorkspaceError, match="is not a file"):
                    bank.sync()
    finally:
        file.rmdir() if thing == "folder" else file.unlink(missing_ok=True)


@pytest.mark.parametrize("lock", ["normal", "exclusive"])
def test_an_index_that_another_holds_is_answered_from_and_lines_are_noted(
    indexed, tmp_path: Path, lock: str
) -> None:
    origin, data, sources = indexed
    put_index(origin, data)
    root = tmp_path / "ws"
    shutil.copytree(origin, root)
    holder = apsw.Connection(str(root / ".memory/index.sqlite"))
    holder.execute(f"PRAGMA locking_mode = {lock}; BEGIN EXCLUSIVE")
    try:
        with Bank.open(root) as bank:
            before = time.monotonic()
            fact = bank.retain("W @Peter: Keeps a spare key at the harbour office.")
            assert time.monotonic() - before < 3, "whoever notes a line waits for nobody"
            assert "spare key" in (root / fact.citation.path).read_text("utf-8")
            bank.workspace.wait_ms = 50
            assert [str(hit.source) for hit in bank.recall(QUESTION, k=3).hits] == sources[:3]
            [hit] = bank.recall("spare key", k=1).hits
            assert hit.id == fact.id
    finally:
        holder.close()


def test_rows_of_two_times_are_asked_for_again(indexed, monkeypatch: pytest.MonkeyPatch) -> None:
    root, data, sources = indexed
    put_index(root, data)
    other = apsw.Connection(str(root / ".memory/index.sqlite"))
    recall, asked = questions.recall, []

    def meets_a_writer(*args: Any, **kwargs: Any) -> Any:
        asked.append(args)
        if len(asked) == 1:
            other.execute("INSERT INTO meta VALUES ('other', '1')")
            raise KeyError(49)
        return recall(*args, **kwargs)

    with Bank.open(root) as bank:
        bank.recall(QUESTION)
        again = synced_first(meets_a_writer)
        assert [str(h.source) for h in again(bank.workspace, QUESTION).hits] == sources
        with pytest.raises(KeyError):
            synced_first(lambda ws: {}[49])(bank.workspace)
    other.close()


@pytest.mark.parametrize("change", ["DROP TABLE mentions", "DELETE FROM items WHERE item % 2"])
def test_a_lost_table_and_lost_rows_are_noticed(indexed, change: str) -> None:
    root, data, sources = indexed
    put_index(root, data)
    connection = apsw.Connection(str(root / ".memory/index.sqlite"))
    connection.execute(change)
    connection.close()
    said: list[str] = []
    with Bank.open(root, say=said.append) as bank:
        assert [str(hit.source) for hit in bank.recall(QUESTION).hits] == sources
    assert any("rebuilt from the Markdown files" in line for line in said)


def test_without_a_derived_folder_the_answer_comes_from_memory(indexed, tmp_path: Path) -> None:
    _, _, sources = indexed
    root = tmp_path / "ws"
    shutil.copytree(FIXTURES / "harbour", root)
    (root / ".memory").write_text("in the way", encoding="utf-8")
    with Bank.open(root) as bank:
        answer = bank.recall(QUESTION)
        assert [str(hit.source) for hit in answer.hits] == sources
        assert any("kept in memory" in note for note in answer.notes)
        assert any(p.code == "index-in-memory" for p in bank.status().problems)
        with pytest.raises(WorkspaceError, match="cannot be written"):
            bank.sync()


def mounted(*arguments: str) -> bool:
    return subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode == 0


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root may mount")
@pytest.mark.parametrize("kind", ["read-only", "full"])
def test_a_read_only_mount_and_a_full_disk_are_answered_from(
    indexed, tmp_path: Path, kind: str
) -> None:
    _, data, sources = indexed
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounted("-t", "tmpfs", "-o", "size=4m", "tmpfs", str(disk)):
        pytest.skip("nothing can be mounted here")
    try:
        shutil.copytree(FIXTURES / "harbour", disk / "ws")
        if kind == "full":
            with pytest.raises(OSError), (disk / "filler").open("wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(PAGE))
        else:
            (disk / "ws/.memory").mkdir()
            put_index(disk / "ws", data)
            log = disk / "ws/.memory/index.sqlite-wal"
            writer = apsw.Connection(str(log).removesuffix("-wal"))
            writer.execute("INSERT INTO meta VALUES ('left', 'by a killed process')")
            left = log.read_bytes()
            writer.close()
            log.write_bytes(left)
            mounted("-o", "remount,ro", str(disk))
        before = {p: p.read_bytes() for p in (disk / "ws").rglob("*.md")}
        with Bank.open(disk / "ws") as bank:
            assert [str(hit.source) for hit in bank.recall(QUESTION).hits] == sources
            assert not any("damaged" in found.message for found in bank.doctor())
            with pytest.raises(WorkspaceError):
                bank.retain("W @Peter: Keeps a spare key at the harbour office.")
        assert {p: p.read_bytes() for p in (disk / "ws").rglob("*.md")} == before
    finally:
        subprocess.run(["umount", str(disk)], check=False)
