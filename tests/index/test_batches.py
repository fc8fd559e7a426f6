"""A sync of many files writes them in batches, and one that was killed is completed by the next."""

import gc
from contextlib import suppress
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.index import sync
from lorebank.index.sync import gc_paused
from support import WORDS_ONLY


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync, "BATCH_BYTES", 600)


def test_batches_write_what_one_transaction_would(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        told: list[tuple[int, int]] = []
        report = bank.sync(progress=lambda _, done, total: told.append((done, total)))
        assert told == [(n + 1, len(report.added)) for n in range(len(report.added))]
        monkeypatch.setattr(sync, "BATCH_BYTES", 10**9)
        assert bank.check() == ()
        monkeypatch.setattr(sync, "BATCH_BYTES", 600)
        assert bank.sync(full=True).changed == report.added
        assert bank.check() == ()


def test_a_sync_killed_between_batches_is_completed_by_the_next(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    last = sorted(path for path in (root / "memory").rglob("*.md"))[-1]
    finish = sync._Run.finish
    with Bank.open(root, environ=WORDS_ONLY) as bank, monkeypatch.context() as killed:
        killed.setattr(sync._Run, "finish", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            bank.sync()
    assert sync._Run.finish is finish
    last.unlink()  # what was not read yet may be gone by then
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        assert bank.opinions() and bank.recall("what does Peter prefer?").hits
        assert bank.check() == ()


def test_what_nobody_vouches_for_is_in_quarantine_from_its_first_batch(
    root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    imported = root / "memory" / "imported" / "a.md"
    imported.parent.mkdir()
    imported.write_text("## Retain\n- W @Peter: Moved to Porto.\n")
    monkeypatch.setattr(sync._Run, "finish", lambda *_, **__: 1 / 0)
    (root / "zz.md").write_text("last")
    with Bank.open(root, environ=WORDS_ONLY) as bank:
        with pytest.raises(ZeroDivisionError):
            bank.sync()
        stored = bank.workspace.index.execute(
            "SELECT quarantined FROM items WHERE content = 'Moved to Porto.'"
        )
        assert stored.fetchall() == [(1,)]


def test_the_collector_runs_again_when_the_last_of_several_threads_is_through() -> None:
    with suppress(ZeroDivisionError), gc_paused():
        assert not gc.isenabled()
        raise ZeroDivisionError
    assert gc.isenabled()
    one, other = gc_paused(), gc_paused()
    one.__enter__()
    other.__enter__()
    one.__exit__(None, None, None)
    assert not gc.isenabled()
    other.__exit__(None, None, None)
    assert gc.isenabled()
