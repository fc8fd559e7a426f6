"""An SQLite that was built without FTS5: vectors answer, nothing fails, and it is said."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from lorebank import Bank

ENVIRON = {"LOREBANK_CONFIG": "/nonexistent"}
QUESTION = "how did we stop the Baileys crash"
REASON = "this SQLite was built without FTS5"


@contextmanager
def no_fts5() -> Iterator[None]:
    """Every connection opened inside has no module but that of JSON."""

    def drop(connection: apsw.Connection) -> None:
        connection.drop_modules(["json_each", "json_tree"])

    apsw.connection_hooks.append(drop)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(drop)


def test_f57_without_full_text_the_vectors_answer(root: Path) -> None:
    with no_fts5(), Bank.open(root, environ=ENVIRON) as bank:
        report = bank.sync()
        assert (report.pending, report.problems) == (0, ())
        answer = bank.recall(QUESTION)
        assert answer.hits[0].source.path == "memory/2025-11-27.md"
        assert answer.retrievers_skipped == {"lexical": REASON}
        assert answer.notes == (f"no words are looked for: {REASON}",)
        found = bank.search("Baileys crash")
        assert found[0].path == "memory/2025-11-27.md"
        assert found[0].provider == "local"


@pytest.mark.parametrize(("question", "there"), [("network -router", 0), ("network", 1)])
def test_f57_a_word_that_must_not_be_there_is_not(root: Path, question: str, there: int) -> None:
    with no_fts5(), Bank.open(root, environ=ENVIRON) as bank:
        bank.sync()
        hits = bank.recall(question).hits
        assert len(hits) > 3
        assert sum("router" in hit.content.lower() for hit in hits) == there


def test_f57_everything_else_works(root: Path) -> None:
    with no_fts5(), Bank.open(root, environ=ENVIRON) as bank:
        bank.sync()
        assert bank.timeline("Peter") and bank.opinions()
        assert bank.reflect(dry_run=True).changed
        assert bank.recall("what happened in November 2025?").hits
        (root / "memory" / "2026-01-05.md").write_text("## Retain\n- W @Ada: Keeps bees.\n")
        bank.sync()
        assert bank.recall("who keeps insects").hits[0].content.endswith("Keeps bees.")
        (root / "memory" / "2026-01-05.md").unlink()
        bank.sync()
        assert bank.check() == ()


def test_f57_an_index_of_either_kind_is_made_anew_for_the_other(root: Path) -> None:
    with Bank.open(root, environ=ENVIRON) as bank:
        bank.sync()
        expected = [hit.source for hit in bank.recall(QUESTION).hits]
    with no_fts5(), Bank.open(root, environ=ENVIRON) as bank:
        assert bank.recall(QUESTION).retrievers_skipped == {"lexical": REASON}
        assert bank.recall(QUESTION).retrievers_used == ("semantic",)
    with Bank.open(root, environ=ENVIRON) as bank:
        answer = bank.recall(QUESTION)
        assert ([hit.source for hit in answer.hits], answer.notes) == (expected, ())
        assert bank.check() == ()
