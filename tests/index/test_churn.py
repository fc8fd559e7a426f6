"""Notes come and go: the files of the index do not grow by it, and shrink when most has gone."""

import random
from pathlib import Path

import apsw
import numpy as np
import pytest

from lorebank import Bank
from lorebank.database.connection import open_index, vacuum_if_worthwhile
from lorebank.index.vectors import insert_vectors
from tiny_model import PIECES, write_model

NOUNS = "boat bees roof harbour storm engine keys winter ledger market bridge lantern"
WORDS = NOUNS.split(" ")


def write_logs(root: Path, seed: int) -> None:
    draw = random.Random(seed)
    (root / "memory").mkdir(exist_ok=True)
    for day in range(1, 6):
        facts = (
            f"- W @Ada{draw.randrange(20)}: the boat {' '.join(draw.choices(WORDS, k=9))} {seed}."
            for _ in range(60)
        )
        text = "\n".join(["# Day", "", "## Retain", *facts, ""])
        (root / "memory" / f"2026-01-{day:02}.md").write_text(text)


def sizes(root: Path) -> tuple[int, int]:
    """Bytes of the index and of the cache, once nothing is left in their logs."""
    found = []
    for name in ("index.sqlite", "embeddings.sqlite"):
        file = root / ".memory" / name
        connection = apsw.Connection(str(file))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        connection.close()
        found.append(file.stat().st_size)
    return found[0], found[1]


def test_f68_f74_ten_rounds_of_other_notes_do_not_grow_the_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    vectors = np.random.default_rng(1).normal(size=(len(PIECES), 512)).astype(np.float32)
    environ = {
        "LOREBANK_CONFIG": "/nonexistent",
        "LOREBANK_EMBEDDER__LOCAL__MODEL_PATH": str(write_model(tmp_path / "model", vectors)),
        "LOREBANK_EMBEDDER__CACHE__MAX_ENTRIES": "300",
    }
    root = tmp_path / "workspace"
    root.mkdir()
    seen: list[tuple[int, int]] = []
    for round_ in range(10):
        write_logs(root, round_)
        with Bank.open(root, environ=environ) as bank:
            report = bank.sync()
            assert (report.embedded >= 300, report.pending) == (True, 0)
            counts = bank.status().counts
        seen.append(sizes(root))
    assert counts["pending"] == 0
    index, cache = zip(*seen, strict=True)
    assert max(index) < index[0] * 1.1
    # 300 entries, and those of the present run beside them.
    assert max(cache) < cache[0] * 2.2
    assert max(cache[3:]) < cache[2] * 1.05


def test_a_file_that_is_mostly_free_pages_is_made_smaller(tmp_path: Path) -> None:
    path = tmp_path / "index.sqlite"
    connection = open_index(path)
    vector = np.ones(1536, np.float32).tobytes()
    insert_vectors(connection, [(row, 0, vector) for row in range(4000)])
    full = int(connection.pragma("page_count"))
    connection.execute("DELETE FROM vectors WHERE item >= 2500")
    assert not vacuum_if_worthwhile(connection)  # more than half is in use
    connection.execute("DELETE FROM vectors WHERE item >= 100")
    writer = apsw.Connection(str(path))
    writer.execute("BEGIN IMMEDIATE")
    assert not vacuum_if_worthwhile(connection)  # another process writes
    writer.execute("ROLLBACK")
    writer.close()
    assert vacuum_if_worthwhile(connection)
    assert int(connection.pragma("page_count")) < full / 20
    assert connection.execute("SELECT count(*), max(item) FROM vectors").fetchall() == [(100, 99)]
    assert not vacuum_if_worthwhile(connection)
    connection.close()


def test_a_small_file_is_left_as_it_is(tmp_path: Path) -> None:
    connection = open_index(tmp_path / "index.sqlite")
    insert_vectors(connection, [(row, 0, b"\0" * 6144) for row in range(500)])
    connection.execute("DELETE FROM vectors")
    assert not vacuum_if_worthwhile(connection)
    connection.close()
