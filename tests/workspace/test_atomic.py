"""Atomic writes: the old content or the new one, and never over an unseen edit."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lorebank.errors import ConcurrentEdit, LockHeld, PathRefused, WorkspaceError
from lorebank.workspace.atomic import remove_temporaries, write_atomic
from lorebank.workspace.layout import ensure_derived_folder
from lorebank.workspace.lock import WriterLock


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_a_file_is_made_with_its_folders(tmp_path: Path) -> None:
    path = tmp_path / "memory" / "deep" / "a.md"
    write_atomic(path, b"new\r\n\xff", expected=None)
    assert (path.read_bytes(), names(path.parent)) == (b"new\r\n\xff", ["a.md"])


def test_a_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o640)
    write_atomic(path, b"new", expected=b"old")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o640)
    assert names(tmp_path) == ["a.md"]


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    (tmp_path / "usual.md").write_bytes(b"")
    write_atomic(tmp_path / "a.md", b"", expected=None)
    assert (tmp_path / "a.md").stat().st_mode == (tmp_path / "usual.md").stat().st_mode


@pytest.mark.parametrize(
    ("present", "expected"),
    [(b"theirs", b"mine"), (b"theirs", None), (b"", None), (None, b"mine"), (None, b"")],
)
def test_an_unseen_edit_is_never_overwritten(
    tmp_path: Path, present: bytes | None, expected: bytes | None
) -> None:
    path = tmp_path / "a.md"
    if present is not None:
        path.write_bytes(present)
    with pytest.raises(ConcurrentEdit):
        write_atomic(path, b"new", expected=expected)
    assert (path.read_bytes() if path.exists() else None) == present
    assert names(tmp_path) == ([] if present is None else ["a.md"])


def test_a_link_is_refused_and_what_it_points_to_stays(tmp_path: Path) -> None:
    target = tmp_path / "target.md"
    target.write_bytes(b"old")
    link = tmp_path / "link.md"
    link.symlink_to(target)
    for expected in (b"old", None):
        with pytest.raises(PathRefused):
            write_atomic(link, b"new", expected=expected)
    assert (target.read_bytes(), link.is_symlink()) == (b"old", True)


def test_a_folder_in_the_place_of_the_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.md").mkdir()
    with pytest.raises(WorkspaceError):
        write_atomic(tmp_path / "a.md", b"new", expected=b"old")
    (tmp_path / "b").write_bytes(b"")
    with pytest.raises(WorkspaceError):
        write_atomic(tmp_path / "b" / "a.md", b"new", expected=None)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write all")
def test_a_read_only_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"old")
    path.chmod(0o444)
    with pytest.raises(WorkspaceError, match="read-only"):
        write_atomic(path, b"new", expected=b"old")
    assert path.read_bytes() == b"old"


def test_a_long_name_can_be_written(tmp_path: Path) -> None:
    path = tmp_path / f"{'é' * 120}.md"
    write_atomic(path, b"x", expected=None)
    assert path.read_bytes() == b"x"


WRITER = """
import sys
from pathlib import Path
from lorebank.workspace.atomic import write_atomic
path, now = Path(sys.argv[1]), Path(sys.argv[1]).read_bytes()
print("writing", flush=True)
while True:
    after = (b"b" if now[:1] == b"a" else b"a") * len(now)
    write_atomic(path, after, expected=now)
    now = after
"""


@pytest.mark.skipif(os.name == "nt", reason="SIGKILL is of POSIX")
def test_a_kill_at_any_instant_leaves_the_old_or_the_new_content(tmp_path: Path) -> None:
    path = tmp_path / "a.md"
    path.write_bytes(b"a" * 300_000)
    for wait_ms in (0, 1, 2, 3, 5, 8, 11, 17):
        command = [sys.executable, "-c", WRITER, str(path)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "writing\n"
            time.sleep(wait_ms / 1000)
            writer.kill()
        assert path.read_bytes() in (b"a" * 300_000, b"b" * 300_000)
    remove_temporaries(tmp_path)
    assert names(tmp_path) == ["a.md"]


def test_only_what_killed_writers_left_is_removed(tmp_path: Path) -> None:
    for name in (".a.md.0123456789ab.lorebank-tmp", "a.md", ".hidden.md", "b.lorebank-tmp"):
        (tmp_path / name).write_bytes(b"")
    assert remove_temporaries(tmp_path) == (".a.md.0123456789ab.lorebank-tmp",)
    assert names(tmp_path) == [".hidden.md", "a.md", "b.lorebank-tmp"]


# -- the writer lock: one at a time, told by name, freed by death --------------------------------


HOLDER = """
import sys
from pathlib import Path
from lorebank.workspace.lock import WriterLock
with WriterLock(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""

COUNTER = """
import sys
from pathlib import Path
from lorebank.workspace.lock import WriterLock
root = Path(sys.argv[1])
for _ in range(20):
    with WriterLock(root, timeout_s=30):
        count = int((root / "count").read_text())
        (root / "count").write_text(str(count + 1))
"""


@contextmanager
def holder(root: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock until it is told a line or killed."""
    command = [sys.executable, "-c", HOLDER, str(root)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, text=True, **pipes) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        yield process
        process.kill()


def test_another_process_is_named_and_nothing_is_waited_for_beyond_the_limit(
    tmp_path: Path,
) -> None:
    with holder(tmp_path) as process, pytest.raises(LockHeld) as caught:
        WriterLock(tmp_path, timeout_s=0.05).__enter__()
    assert f"process {process.pid} on " in caught.value.message
    assert "gave up after 0.05 s" in caught.value.message


def test_a_killed_holder_frees_the_lock(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        process.kill()
        process.wait()
        with WriterLock(tmp_path, timeout_s=2):
            own = (tmp_path / ".memory" / "lock").read_text()
    assert own.startswith(f"process {os.getpid()} on ")


def test_a_waiting_writer_gets_its_turn(tmp_path: Path) -> None:
    with holder(tmp_path) as process:
        assert process.stdin is not None
        process.stdin.write("done\n")
        process.stdin.flush()
        with WriterLock(tmp_path, timeout_s=5):
            assert process.wait(timeout=5) == 0


def test_the_lock_is_free_again_after_an_error_and_can_be_taken_twice(tmp_path: Path) -> None:
    lock = WriterLock(tmp_path, timeout_s=0)
    for _ in range(2):
        with pytest.raises(RuntimeError), lock:
            raise RuntimeError
    with lock, pytest.raises(LockHeld), WriterLock(tmp_path, timeout_s=0):
        pass
    assert (tmp_path / ".memory" / "lock").read_text() == ""


def test_two_processes_never_write_at_once(tmp_path: Path) -> None:
    (tmp_path / "count").write_text("0")
    command = [sys.executable, "-c", COUNTER, str(tmp_path)]
    writers = [subprocess.Popen(command) for _ in range(2)]
    assert [writer.wait() for writer in writers] == [0, 0]
    assert (tmp_path / "count").read_text() == "40"


def test_git_ignores_the_derived_folder_once_a_full_disk_has_room_again(tmp_path: Path) -> None:
    ignore = ensure_derived_folder(tmp_path) / ".gitignore"
    ignore.write_text("")
    ensure_derived_folder(tmp_path)
    assert ignore.read_text() == "*\n"
    ignore.write_text("index*\n")
    ensure_derived_folder(tmp_path)
    assert ignore.read_text() == "index*\n"


def test_a_derived_folder_or_lock_that_is_a_link_is_refused(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (root / ".memory").symlink_to(other)
    with pytest.raises(WorkspaceError, match="symbolic link") as refused, WriterLock(root):
        pass
    assert "kept there for undo exists nowhere else" in refused.value.hint
    assert list(other.iterdir()) == []
    (other / ".memory").mkdir()
    (tmp_path / "precious").write_text("text")
    (other / ".memory" / "lock").symlink_to(tmp_path / "precious")
    with pytest.raises(WorkspaceError), WriterLock(other):
        pass
    assert (tmp_path / "precious").read_text() == "text"
