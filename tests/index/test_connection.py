"""Opening the index: another schema means a fresh one, a link or a locked folder is refused."""

import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import pytest

from lorebank import Bank, WorkspaceError
from lorebank.database.connection import (
    BUSY_TIMEOUT_MS,
    SCHEMA_VERSIONS,
    open_in_memory,
    open_index,
    select,
)
from lorebank.index.finding import _LYING_IN
from support import WORDS_ONLY

CURRENT = SCHEMA_VERSIONS["schema.sql"]


@pytest.mark.parametrize("version", [0, CURRENT + 1, 2_000_000])
def test_another_schema_version_is_rebuilt_from_the_files(root: Path, version: int) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        before = bank.timeline()
    stored = apsw.Connection(str(root / ".memory" / "index.sqlite"))
    stored.pragma("user_version", version)
    stored.execute("DELETE FROM items; DROP TABLE chunks; CREATE TABLE foreign_table (x)")
    stored.close()
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.timeline() == before
        assert bank.check() == ()
    stored = apsw.Connection(str(root / ".memory" / "index.sqlite"))
    assert stored.pragma("user_version") == CURRENT
    tables = [n for (n,) in stored.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")]
    assert "foreign_table" not in tables
    stored.close()


@pytest.mark.parametrize("schema", SCHEMA_VERSIONS)
def test_an_outdated_database_is_made_anew_in_place(tmp_path: Path, schema: str) -> None:
    """Two processes may open it at once: neither may delete what the other has made of it."""
    path = tmp_path / "index.sqlite"
    other = apsw.Connection(str(path))
    other.execute("CREATE TABLE old (x); INSERT INTO old VALUES ('said once')")
    connection = open_index(path, schema)
    tables = "SELECT name FROM sqlite_schema WHERE type = 'table'"
    assert ("old",) not in other.execute(tables).fetchall()
    assert b"said once" not in path.read_bytes()
    connection.close()
    other.close()


def test_an_index_of_this_version_is_kept(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    connection = open_index(path)
    connection.execute("INSERT INTO meta (key, value) VALUES ('k', 'v')")
    connection.close()
    connection = open_index(path)
    assert connection.execute("SELECT value FROM meta WHERE key = 'k'").get == "v"
    connection.close()


def test_a_linked_index_is_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere.sqlite").write_bytes(b"mine")
    (tmp_path / "index.sqlite").symlink_to(tmp_path / "elsewhere.sqlite")
    with pytest.raises(WorkspaceError, match="is a link"):
        open_index(tmp_path / "index.sqlite")
    assert (tmp_path / "elsewhere.sqlite").read_bytes() == b"mine"


def test_a_linked_derived_folder_is_refused(write_log: Callable[..., Path]) -> None:
    root = write_log("2026-01-02", "- W @Ada: Keeps bees.")
    (root / "other").mkdir()
    (root / ".memory").symlink_to(root / "other")
    with pytest.raises(WorkspaceError, match="symbolic link"):
        Bank.open(root, environ=WORDS_ONLY)
    assert list((root / "other").iterdir()) == []


def test_two_banks_see_what_the_other_wrote(write_log: Callable[..., Path]) -> None:
    root = write_log("2026-01-02", "- W @Ada: Keeps bees.")
    with Bank.open(root, environ=WORDS_ONLY) as one, Bank.open(root, environ=WORDS_ONLY) as other:
        one.sync()
        other.sync()
        one.retain("W @Ada: Sold the hives.", day="2026-01-03")
        other.sync()
        assert len(other.timeline()) == 2
        assert other.check() == one.check() == ()


def test_threads_that_meet_an_empty_index_all_get_their_answer(root: Path) -> None:

    def ask(name: str) -> str:
        with Bank.open(root, environ=WORDS_ONLY) as bank:
            return bank.entity(name).entity.name

    names = ["Peter", "Maya", "Andy", "warelay"]
    started = time.monotonic()
    with ThreadPoolExecutor(len(names)) as threads:
        assert list(threads.map(ask, names)) == names
    assert time.monotonic() - started < BUSY_TIMEOUT_MS / 1000, "nobody waited out the timeout"


_CUT_SHORT = """
import os, sys
from lorebank import Bank
with Bank.open(sys.argv[1], environ={"LOREBANK_EMBEDDER__PROVIDER": "none"}) as bank:
    bank.sync()
    os.truncate(sys.argv[1] + "/.memory/index.sqlite", 8 * 4096)
    print(len(bank.recall("heron").hits))
"""


def test_an_index_cut_short_while_it_is_open_is_rebuilt(write_log: Callable[..., Path]) -> None:
    """Read through a memory map it ended the process with SIGBUS."""
    for day in range(1, 29):
        lines = [f"- W @Ana: Counted heron {day} at mile {mile}." for mile in range(200)]
        root = write_log(f"2025-02-{day:02}", *lines)
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        bank.sync()
    command = [sys.executable, "-c", _CUT_SHORT, str(root)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "10\n")


def test_what_lies_in_some_days_is_looked_up_by_day() -> None:
    query = f"EXPLAIN QUERY PLAN SELECT item FROM items WHERE item IN {_LYING_IN}"
    plan = select(open_in_memory(None), query, ("2026-01-01", "2026-01-31"))
    assert "SCAN i" not in [row[-1] for row in plan]
