"""Diffs: `git apply` turns the old text into the new one."""

import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lorebank.workspace.git import unified
from support import golden

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


def test_a_change_is_shown_with_its_neighbours() -> None:
    assert unified("a\nb\nc\n", "a\nB\nc\n", "bank/world.md") == (
        "diff --git a/bank/world.md b/bank/world.md\n"
        "--- a/bank/world.md\n"
        "+++ b/bank/world.md\n"
        "@@ -1,3 +1,3 @@\n"
        " a\n"
        "-b\n"
        "+B\n"
        " c\n"
    )


def test_a_missing_final_newline_is_marked() -> None:
    assert unified("a", "a\n", "x.md").endswith(
        "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n"
    )


def test_nothing_changed_is_no_text() -> None:
    assert (unified("a", "a", "x.md"), unified(None, None, "x.md")) == ("", "")


def apply(folder: Path, old: str | None, new: str | None, path: str) -> bytes | None:
    """The file after `git apply` of the diff."""
    file = folder / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.unlink(missing_ok=True)
    if old is not None:
        file.write_bytes(old.encode())
    patch = unified(old, new, path).encode()
    command = ["git", "apply", "--whitespace=nowarn", "-"]
    done = subprocess.run(command, cwd=folder, input=patch, capture_output=True, check=False)
    assert done.stderr == b""
    return file.read_bytes() if file.exists() else None


@needs_git
@pytest.mark.parametrize(
    "path",
    ["a.md", "bank/entities/The Castle.md", "bank/Café-東京.md", 'a"b\\c.md', "tab\tnl\n.md"],
)
@golden("workspace.md")
def test_git_applies_it(tmp_path: Path, path: str, old: str | None, new: str | None) -> None:
    assert apply(tmp_path, old, new, path) == (None if new is None else new.encode())


LINES = st.lists(st.sampled_from(["a", "b", "", " ", "\r", "-", "+x", "é"]), max_size=12)


@needs_git
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(old=LINES.map("\n".join), new=LINES.map("\n".join))
def test_git_applies_any_change(tmp_path: Path, old: str, new: str) -> None:
    if old != new:
        assert apply(tmp_path, old, new, "x.md") == new.encode()
