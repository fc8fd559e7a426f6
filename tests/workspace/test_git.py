"""A commit runs no program that the repository's configuration names, unless told to."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from lorebank.workspace.git import commit_files

pytestmark = pytest.mark.skipif(
    os.name == "nt" or shutil.which("git") is None, reason="needs git and a POSIX shell"
)


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=True)
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> tuple[Path, Path]:
    """A repository whose hook, filter, monitor and signer each leave a file in a folder."""
    root, traces = tmp_path / "ws", tmp_path / "traces"
    (root / "bank").mkdir(parents=True)
    traces.mkdir()
    program = tmp_path / "program"
    program.write_text(f'#!/bin/sh\ntouch "{traces}/$(basename "$0")"\ncat\n', encoding="utf-8")
    program.chmod(0o755)
    git(root, "init", "--quiet")
    hook = root / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    shutil.copy(program, hook)
    for key, value in {
        "user.name": "Ana",
        "user.email": "ana@example.org",
        "commit.gpgSign": "true",
        "gpg.program": str(program),
        "core.fsmonitor": str(program),
        "filter.odd.clean": str(program),
        "filter.odd.required": "true",
    }.items():
        git(root, "config", key, value)
    (root / ".gitattributes").write_text("*.md filter=odd\n", encoding="utf-8")
    (root / "bank/world.md").write_text("# World\n", encoding="utf-8")
    return root, traces


def test_no_program_runs(repository: tuple[Path, Path]) -> None:
    root, traces = repository
    (root / "mine.md").write_text("not for this commit\n", encoding="utf-8")
    made = commit_files(root, ["bank/world.md"], "Reflect")
    assert list(traces.iterdir()) == []
    assert git(root, "-c", "core.fsmonitor=false", "show", f"{made}:bank/world.md") == "# World\n"
    assert git(root, "ls-tree", "-r", "--name-only", made).split() == ["bank/world.md"]


def test_they_run_where_the_owner_says_so(repository: tuple[Path, Path]) -> None:
    root, traces = repository
    for key in ("commit.gpgSign", "core.fsmonitor"):
        git(root, "config", "--unset", key)
    commit_files(root, ["bank/world.md"], "Reflect", run_programs=True)
    assert {trace.name for trace in traces.iterdir()} == {"pre-commit", "program"}
