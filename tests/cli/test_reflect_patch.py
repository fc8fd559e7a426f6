"""`lorebank reflect` at a terminal and in a script: hunk by hunk, taken back, checked."""

import json
import os
import select
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

PROMPT = "? help"
Run = Callable[..., Any]
Talk = Callable[[Path, Sequence[str]], str]


@pytest.fixture
def talk(environment: dict[str, str]) -> Talk:
    """Runs `lorebank reflect --interactive` at a terminal of its own and answers its prompts."""
    pty = pytest.importorskip("pty")

    def talk(root: Path, answers: Sequence[str]) -> str:
        command = [sys.executable, "-m", "lorebank", "-w", str(root), "reflect", "--interactive"]
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(sys.executable, command, environment | {"NO_COLOR": "1", "TERM": "xterm"})
        said, waiting, answered, key = "", list(answers), 0, ""
        try:
            while True:
                if key and not select.select([terminal], [], [], 0.5)[0]:
                    # What is pressed before the program listens is dropped: press it again.
                    os.write(terminal, key.encode())
                try:
                    data = os.read(terminal, 4096)
                except OSError:  # the terminal is gone with its process
                    break
                if not data:
                    break
                said += data.decode("utf-8", "replace")
                while said.count(PROMPT) > answered:
                    answered += 1
                    key = waiting.pop(0) if waiting else "q"  # a question too many ends it
                    os.write(terminal, key.encode())
        finally:
            os.close(terminal)
            os.waitpid(pid, 0)
        assert not waiting
        return said

    return talk


def test_changes_are_decided_one_by_one(workspace: Path, talk: Talk) -> None:
    said = talk(workspace, ["n", "y", "?", "s", "q"])
    pages = sorted(p.name for p in (workspace / "bank").rglob("*.md") if "refl" not in str(p))
    assert pages == ["Peter.md"]
    assert "new page bank/entities/Maya.md" in said
    assert "leave it out, now and until its evidence changes" in said
    assert "1 page changed" in said
    rejected = (workspace / "bank" / "reflections" / "rejected.md").read_text("utf-8")
    assert rejected.count("bank/entities/") == 1
    assert "bank/entities/Maya.md" in rejected


def test_a_fact_is_one_decision_with_all_its_places(
    workspace: Path, talk: Talk, lorebank: Run
) -> None:
    lorebank("reflect", cwd=workspace)
    log = workspace / "memory" / "2025-12-10.md"
    log.write_text("## Retain\n- W @Maya: Borrowed the long ladder.\n", "utf-8")
    said = talk(workspace, ["y"])
    assert "1 of 1" in said
    told = [p.name for p in (workspace / "bank").rglob("*.md") if "ladder" in p.read_text("utf-8")]
    assert {"Maya.md", "today.md"} <= set(told)


def test_all_about_somebody_is_accepted_at_once(workspace: Path, talk: Talk, lorebank: Run) -> None:
    lorebank("reflect", cwd=workspace)
    log = workspace / "memory" / "2025-12-10.md"
    lines = ("- W @Maya: Borrowed the long ladder.", "- O(c=0.8) @Maya: Hates wet paint.")
    log.write_text("## Retain\n" + "\n".join(lines) + "\n", "utf-8")
    said = talk(workspace, ["a"])  # whatever is asked after that is answered with "quit"
    assert "all else about Maya" not in said  # that is told on `?` only
    page = (workspace / "bank" / "entities" / "Maya.md").read_text("utf-8")
    assert "ladder" in page
    assert "wet paint" in page


def test_scripts_accept_and_reject_by_id(workspace: Path, lorebank: Run) -> None:

    shown = json.loads(lorebank("reflect", "--dry-run", "--json", cwd=workspace).out)
    ids = {hunk["path"]: hunk["id"] for hunk in shown["hunks"]}
    index, maya = ids["bank/index.md"], ids["bank/entities/Maya.md"]
    done = lorebank("reflect", "--accept", index, "--reject", maya, "--json", cwd=workspace)
    assert json.loads(done.out)["changed"] == ["bank/index.md"]
    left = json.loads(lorebank("reflect", "--check", "--json", cwd=workspace).out)["hunks"]
    assert {hunk["path"] for hunk in left} == ids.keys() - {
        "bank/index.md",
        "bank/entities/Maya.md",
    }


def test_each_added_line_that_states_something_is_cited(workspace: Path, lorebank: Run) -> None:
    patch = lorebank("reflect", "--dry-run", "--diff", cwd=workspace).out
    added = [line for line in patch.splitlines() if line.startswith(("+- ", "+| "))]
    said = [line for line in added if not line.startswith("+- [[")]  # the index only counts
    assert len(said) > 20
    assert [line for line in said if "#L" not in line] == []


@pytest.mark.parametrize("beside", ["--dry-run", "--check", "--diff", "--since=7d"])
def test_an_undo_with_anything_else_undoes_nothing(
    workspace: Path, lorebank: Run, beside: str
) -> None:
    lorebank("reflect", cwd=workspace)
    pages = {p: p.read_bytes() for p in (workspace / "bank").rglob("*.md")}
    refused = lorebank("reflect", "--undo", beside, cwd=workspace)
    assert refused.code == 2
    assert "--undo takes only the name of a run" in refused.err
    assert {p: p.read_bytes() for p in (workspace / "bank").rglob("*.md")} == pages


@pytest.mark.parametrize(
    "given", [("--judge", "i-1", "for"), ("--settled", "--judge"), ("--settled", "rule")]
)
def test_an_inbox_does_one_thing_at_a_time(
    workspace: Path, lorebank: Run, given: tuple[str, ...]
) -> None:
    refused = lorebank("inbox", *given, cwd=workspace)
    assert (refused.code, "exclude each other" in refused.err) == (2, True)
