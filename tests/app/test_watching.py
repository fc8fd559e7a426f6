"""Answers are fresh: edits are noticed, and nothing is called fresh that nobody looked at."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path
from threading import Thread

import pytest

from lorebank import Bank
from lorebank.app import workspace
from lorebank.app.watching import Watcher, is_remote, keep_up
from lorebank.domain.facts import SyncReport
from support import WORDS_ONLY


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    with Bank.init(tmp_path / "notes", environ=WORDS_ONLY) as made:
        made.retain("The oars are red.")
        yield made


@pytest.fixture
def watcher(bank: Bank) -> Iterator[Watcher]:
    found = Watcher(bank.root)
    found.start()
    _until(lambda: found.is_watching)
    bank.workspace.watcher = found
    yield found
    found.stop()


def _until(holds: Callable[[], bool], seconds: float = 10.0) -> None:
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.02)


def _edit(bank: Bank) -> None:
    (bank.root / "memory/2025-12-09.md").write_text("## Retain\n- W: The hull is blue.\n")


def _knows(bank: Bank) -> bool:
    return any("hull" in hit.content for hit in bank.recall("hull").hits)


def _is_fresh(bank: Bank) -> bool:
    return bool(bank.recall("hull").index["fresh"])


def test_a_hand_edit_is_told_and_nothing_is_looked_at_meanwhile(
    bank: Bank, watcher: Watcher, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank.recall("oars")
    _edit(bank)
    _until(lambda: _knows(bank))
    _until(lambda: watcher.changes == bank.workspace.changes_seen)
    monkeypatch.setattr(bank.workspace, "walk", lambda: pytest.fail("looked without need"))
    assert _is_fresh(bank)


def test_without_a_watcher_an_answer_is_fresh_only_after_a_look(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank.workspace.next_walk = 0.0
    assert _is_fresh(bank)
    bank.workspace.next_walk = time.monotonic() + 60
    _edit(bank)
    assert not _is_fresh(bank) and not _knows(bank)
    bank.workspace.next_walk = 0.0
    assert _knows(bank)
    assert bank.workspace.next_walk - time.monotonic() <= workspace._LONGEST_GAP_S


def test_a_slow_first_sync_does_not_put_the_next_look_off(
    bank: Bank, monkeypatch: pytest.MonkeyPatch
) -> None:
    bank.workspace.next_walk = 0.0
    now = iter([1000.0, 1060.0])
    monkeypatch.setattr(workspace.time, "monotonic", lambda: next(now, 1060.0))
    bank.workspace.sync_if_stale()
    assert bank.workspace.next_walk <= 1001.0


@pytest.mark.parametrize("watched", [True, False])
def test_a_deleted_index_is_noticed_at_once(
    bank: Bank, watched: bool, request: pytest.FixtureRequest
) -> None:
    if watched:
        request.getfixturevalue("watcher")
    assert bank.recall("oars").hits
    bank.workspace.next_walk = time.monotonic() + 60
    for file in (bank.root / ".memory").glob("index.sqlite*"):
        file.unlink()
    assert bank.recall("oars").hits
    assert (bank.root / ".memory/index.sqlite").exists()


def test_the_background_reads_what_changed(bank: Bank, watcher: Watcher) -> None:
    reports: list[SyncReport] = []

    def keep() -> None:
        with Bank.open(bank.root, environ=WORDS_ONLY) as own:
            keep_up(own.catch_up, watcher, reports.append)

    thread = Thread(target=keep)
    thread.start()
    _edit(bank)
    _until(lambda: any("memory/2025-12-09.md" in r.added for r in reports), 20)
    watcher.stop()
    thread.join()


def test_folders_of_other_machines_are_told_by_their_mount(tmp_path: Path) -> None:
    mounts = tmp_path / "mounts"
    mounts.write_text("/dev/sda / ext4 rw\nnas:/x /mnt/nas nfs4 rw\nhost /mnt/nas/in ext4 rw\n")
    told = {path: is_remote(Path(path), mounts) for path in ("/home", "/mnt/nas/a", "/mnt/nas/in")}
    assert told == {"/home": False, "/mnt/nas/a": True, "/mnt/nas/in": False}
    assert not is_remote(Path("/home"), tmp_path / "absent")
