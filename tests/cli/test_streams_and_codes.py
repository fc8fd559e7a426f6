"""Exit codes, what goes to which stream, and JSON from every command."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from support import golden

Run = Callable[..., Any]


@pytest.mark.parametrize("line", ["recal x", "recall", "entity Petr", "recall x --since someday"])
def test_a_mistake_is_told_the_same_under_json(line: str, lorebank: Run, workspace: Path) -> None:
    """How each mistake reads stands in `transcripts/mistakes.md`."""
    said = lorebank(*line.split(), cwd=workspace)
    told = lorebank("--json", *line.split(), cwd=workspace)
    assert (said.out, told.err, told.code) == ("", "", said.code)
    error = json.loads(told.out)["error"]
    assert said.err == f"error: {error['message']}\nhint: {error['hint']}\n"


def test_no_workspace_is_code_3(lorebank: Run, tmp_path: Path) -> None:
    assert lorebank("recall", "x", cwd=tmp_path).code == 3
    assert lorebank("-w", str(tmp_path / "none"), "status").code == 3
    assert lorebank("status", env={"LOREBANK_WORKSPACE": str(tmp_path / "none")}).code == 3


def test_a_day_that_is_none_is_code_3(lorebank: Run, workspace: Path) -> None:
    outcome = lorebank("recall", "x", cwd=workspace, env={"LOREBANK_NOW": "soon"})
    assert (outcome.code, outcome.err) == (
        3,
        "error: LOREBANK_NOW is not a day: 'soon'\nhint: write it as 2025-11-27\n",
    )


def test_check_is_code_6_until_the_index_is_made(lorebank: Run, workspace: Path) -> None:
    codes = [
        lorebank("index", *flags, cwd=workspace).code for flags in (["--check"], [], ["--check"])
    ]
    assert codes == [6, 0, 0]


def test_diff_prints_the_patch_alone(lorebank: Run, workspace: Path) -> None:
    outcome = lorebank("reflect", "--dry-run", "--diff", cwd=workspace)
    report = json.loads(lorebank("reflect", "--dry-run", "--json", cwd=workspace).out)
    assert outcome.out == report["diff"]
    assert outcome.err.startswith("read 23 facts: ")


def test_a_held_lock_is_code_5(lorebank: Run, workspace: Path) -> None:
    from lorebank.workspace.lock import WriterLock

    with WriterLock(workspace):
        outcome = lorebank("reflect", cwd=workspace)
    assert outcome.code == 5


@pytest.mark.parametrize("place", ["before", "after"])
def test_global_options_stand_before_or_after(place: str, lorebank: Run, workspace: Path) -> None:
    options = ["--json", "-w", str(workspace)]
    line = ["recall", "goose"]
    outcome = lorebank(*(options + line if place == "before" else line + options))
    assert json.loads(outcome.out)["query"]["text"] == "goose"


def test_the_last_workspace_named_wins(lorebank: Run, workspace: Path, tmp_path: Path) -> None:
    outcome = lorebank("-w", str(tmp_path / "none"), "status", "--json", "-w", str(workspace))
    assert json.loads(outcome.out)["workspace"] == str(workspace)


def _an_id(lorebank: Run, workspace: Path) -> str:
    answer = json.loads(lorebank("recall", "goose", "--json", cwd=workspace).out)
    return next(str(hit["id"]) for hit in answer["hits"] if hit["id"].startswith("f-"))


@golden("commands.md")
def test_each_command_prints_one_object_under_json(
    arguments: list[str], keys: set[str], lorebank: Run, workspace: Path
) -> None:
    lorebank("index", cwd=workspace)
    filled = [_an_id(lorebank, workspace) if each == "ID" else each for each in arguments]
    form = [] if "--format" in filled else ["--json"]
    outcome = lorebank(*filled, *form, cwd=workspace)
    payload = json.loads(outcome.out)
    assert (outcome.code, outcome.err, payload["schema_version"]) == (0, "", 1)
    assert keys <= payload.keys()


def test_jsonl_is_one_hit_a_line(lorebank: Run, workspace: Path) -> None:
    lines = lorebank("recall", "goose", "--format", "jsonl", cwd=workspace).out.splitlines()
    sources = [json.loads(line)["source"] for line in lines]
    assert sources == json_sources(lorebank, workspace)


def json_sources(lorebank: Run, workspace: Path) -> list[str]:
    answer = json.loads(lorebank("recall", "goose", "--json", cwd=workspace).out)
    return [hit["source"] for hit in answer["hits"]]


def test_get_prints_bytes_as_they_are(lorebank: Run, workspace: Path) -> None:
    text = "one\r\ntwo\x1b[0m without an end"
    (workspace / "memory" / "odd.md").write_bytes(text.encode())
    outcome = lorebank("get", "memory/odd.md", cwd=workspace)
    assert outcome.out == text


def test_a_traceback_only_when_asked_for(lorebank: Run, workspace: Path) -> None:
    assert "Traceback" not in lorebank("entity", "Petr", cwd=workspace).err
    assert "Traceback" in lorebank("entity", "Petr", "--verbose", cwd=workspace).err


def test_piped_bytes_that_are_no_text_are_refused(lorebank: Run, workspace: Path) -> None:
    outcome = lorebank("retain", cwd=workspace, stdin=b"W @Ana: caf\xe9")
    assert (outcome.code, outcome.err) == (
        2,
        "error: standard input is not valid UTF-8 at byte 11; nothing written\n",
    )


@pytest.mark.skipif(sys.platform == "win32", reason="arguments are Unicode there")
def test_an_argument_that_is_no_text_is_refused(
    environment: dict[str, str], workspace: Path
) -> None:
    done = subprocess.run(
        [os.fsencode(sys.executable), b"-m", b"lorebank", b"recall", b"caf\xe9"],
        cwd=workspace,
        env=environment,
        capture_output=True,
    )
    assert (done.returncode, done.stderr) == (2, b"error: argument 2 is not valid UTF-8\n")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGPIPE there")
@pytest.mark.parametrize("command", ["get", "recall", "timeline"])
def test_a_reader_that_leaves_is_no_error(
    command: str, environment: dict[str, str], workspace: Path
) -> None:
    long = "W @Ana: " + "Went for a walk by the harbour. " * 1000
    (workspace / "memory" / "long.md").write_text(f"## Retain\n- {long}\n")
    line = {"get": ["memory/long.md"], "recall": ["walk"], "timeline": []}[command]
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = subprocess.run(
            [sys.executable, "-m", "lorebank", command, *line],
            cwd=workspace,
            env=environment,
            stdout=writing,
            stderr=subprocess.PIPE,
        )
    finally:
        os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_said(environment: dict[str, str], workspace: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full here")
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "lorebank", "timeline"],
            cwd=workspace,
            env=environment,
            stdout=full,
            stderr=subprocess.PIPE,
        )
    said = (
        b"error: no space left on device\nhint: free some space on that disk, then run it again\n"
    )
    assert (done.returncode, done.stderr) == (1, said)


def test_letters_the_terminal_lacks_are_escaped(lorebank: Run, workspace: Path) -> None:
    env = {"PYTHONIOENCODING": "ascii"}
    outcome = lorebank("retain", "W @Ana: Moved to Kraków.", cwd=workspace)
    assert outcome.code == 0
    shown = lorebank("recall", "Ana moved", "-k", "1", cwd=workspace, env=env)
    assert shown.out.split("\n")[0] == "Moved to Krak\\xf3w."


def test_names_complete_from_the_index(lorebank: Run, workspace: Path) -> None:
    env = {
        "_LOREBANK_COMPLETE": "bash_complete",
        "COMP_WORDS": f"lorebank -w {workspace} entity Pe",
        "COMP_CWORD": "4",
    }
    done = subprocess.run(
        [sys.executable, "-c", "from lorebank.cli.root import run; run([])"],
        env=os.environ | env | {"LOREBANK_EMBEDDER__PROVIDER": "none"},
        capture_output=True,
        text=True,
    )
    assert done.stdout == "plain,Peter\n"


def test_a_forget_that_leaves_something_says_so_by_its_code(lorebank: Run, tmp_path: Path) -> None:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2025-12-01.md").write_text(
        "## Retain\n- W @Mei: Sings.\n- W @Bo: Hm.\n"
    )
    (tmp_path / "beside.txt").write_text("Mei\n")
    done = lorebank("forget", "--entity", "Mei", "--purge")
    assert done.code == 6, done
    assert "beside.txt:1" in done.err
    assert lorebank("forget", "--entity", "Bo").code == 0
