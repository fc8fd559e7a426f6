"""The writer lock: one at a time, told by name, freed by death."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from lorebank.errors import LockHeld, WorkspaceError
from lorebank.workspace.lock import WriterLock

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


def test_the_derived_folder_is_made_and_kept_out_of_git(tmp_path: Path) -> None:
    with WriterLock(tmp_path):
        assert (tmp_path / ".memory" / ".gitignore").read_text() == "*\n"


def test_a_derived_folder_or_lock_that_is_a_link_is_refused(tmp_path: Path) -> None:
    root, other = tmp_path / "root", tmp_path / "other"
    root.mkdir()
    other.mkdir()
    (root / ".memory").symlink_to(other)
    with pytest.raises(WorkspaceError, match="symbolic link"), WriterLock(root):
        pass
    assert list(other.iterdir()) == []
    (other / ".memory").mkdir()
    (tmp_path / "precious").write_text("text")
    (other / ".memory" / "lock").symlink_to(tmp_path / "precious")
    with pytest.raises(WorkspaceError), WriterLock(other):
        pass
    assert (tmp_path / "precious").read_text() == "text"
