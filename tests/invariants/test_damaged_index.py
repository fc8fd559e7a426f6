"""A damaged, missing or unwritable index never changes an answer, and is never silent."""

import os
import random
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from lorebank import Bank, WorkspaceError
from support import FIXTURES

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
    _, _, sources = indexed
    disk = tmp_path / "disk"
    disk.mkdir()
    if not mounted("-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)):
        pytest.skip("nothing can be mounted here")
    try:
        shutil.copytree(FIXTURES / "harbour", disk / "ws")
        if kind == "full":
            with pytest.raises(OSError), (disk / "filler").open("wb", buffering=0) as filler:
                while True:
                    filler.write(bytes(PAGE))
        else:
            mounted("-o", "remount,ro", str(disk))
        before = {p: p.read_bytes() for p in (disk / "ws").rglob("*.md")}
        with Bank.open(disk / "ws") as bank:
            assert [str(hit.source) for hit in bank.recall(QUESTION).hits] == sources
            with pytest.raises(WorkspaceError):
                bank.retain("W @Peter: Keeps a spare key at the harbour office.")
        assert {p: p.read_bytes() for p in (disk / "ws").rglob("*.md")} == before
    finally:
        subprocess.run(["umount", str(disk)], check=False)
