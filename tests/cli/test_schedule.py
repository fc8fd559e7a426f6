"""Scheduling by the command line: a home of its own, with stand-ins for what schedulers call."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the stand-ins are shell scripts")

CRONTAB = """\
#!/bin/sh
file="$HOME/crontab.txt"
case "$1" in
  -l) [ -f "$file" ] || { echo "no crontab for ada" >&2; exit 1; }
      [ ! -f "$HOME/refuse" ] || { echo "you may not use this program" >&2; exit 1; }
      cat "$file" ;;
  -r) rm "$file" ;;
  -) cat > "$file" ;;
esac
"""
SYSTEMCTL = """\
#!/bin/sh
echo "$@" >> "$HOME/systemctl.log"
[ ! -f "$HOME/refuse" ] || { echo "Failed to connect to bus" >&2; exit 1; }
"""
MINE = b"# mine\nMAILTO=ada\n0 5 * * 1\t backup --all  \n\xff\xfe odd bytes\n"
AT_NIGHT = {"LOREBANK_NOW": "2025-12-10T03:31"}


@pytest.fixture
def home(environment: dict[str, str], tmp_path: Path) -> Path:
    """A home; `crontab` and `systemctl` come first on the path."""
    folder = tmp_path / "home"
    tools = tmp_path / "bin"
    folder.mkdir()
    tools.mkdir()
    for name, text in (("crontab", CRONTAB), ("systemctl", SYSTEMCTL)):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    environment["PATH"] = f"{tools}{os.pathsep}{environment['PATH']}"
    return folder


@pytest.fixture
def odd_workspace(workspace: Path, tmp_path: Path) -> Path:
    """A workspace whose path needs care in a shell, in cron and in systemd."""
    return workspace.rename(tmp_path / 'it\'s 100% "my" $HOME \\ notes')


def cron_command(home: Path) -> str:
    """What cron would hand to the shell for our line: after the five fields, `\\%` as `%`."""
    lines = (home / "crontab.txt").read_bytes().split(b"\n")
    return lines[1].decode().split(" ", 5)[5].replace("\\%", "%")


def test_cron_keeps_the_crontab_and_runs_the_line(
    lorebank: Run, home: Path, odd_workspace: Path, environment: dict[str, str]
) -> None:
    (home / "crontab.txt").write_bytes(MINE)
    install = ("schedule", "install", "--system", "cron", "--at", "3:05")
    first = lorebank(*install, cwd=odd_workspace)
    assert first.out.startswith("scheduled with cron: every night at 03:05")
    written = (home / "crontab.txt").read_bytes()
    assert written.endswith(MINE)
    assert lorebank(*install, cwd=odd_workspace).out.startswith("scheduled already with cron")
    assert (home / "crontab.txt").read_bytes() == written

    done = subprocess.run(
        ["/bin/sh", "-c", cron_command(home)],
        cwd=home,
        env=environment | AT_NIGHT,
        capture_output=True,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    log = (odd_workspace / ".memory" / "reflect.log").read_text()
    assert log.startswith("2025-12-10T03:31:00 reflect: 23 facts read, ")
    assert log.count("\n") == 1
    assert (odd_workspace / "bank" / "reflections" / "2025-12-10.md").exists()

    assert lorebank("schedule", "remove", cwd=odd_workspace).out == "removed from cron\n"
    assert (home / "crontab.txt").read_bytes() == MINE
    assert lorebank("schedule", "remove", cwd=odd_workspace).out == "nothing was scheduled\n"


def test_a_crontab_of_our_making_goes_when_its_only_job_goes(
    lorebank: Run, home: Path, workspace: Path
) -> None:
    lorebank("schedule", "install", "--system", "cron", cwd=workspace)
    assert (home / "crontab.txt").exists()
    lorebank("schedule", "remove", cwd=workspace)
    assert not (home / "crontab.txt").exists()


def test_a_crontab_that_cannot_be_read_is_left_alone(
    lorebank: Run, home: Path, workspace: Path
) -> None:
    (home / "crontab.txt").write_bytes(MINE)
    (home / "refuse").touch()
    outcome = lorebank("schedule", "install", "--system", "cron", cwd=workspace)
    assert (outcome.code, outcome.out) == (1, "")
    assert "crontab -l failed: you may not use this program" in outcome.err
    assert (home / "crontab.txt").read_bytes() == MINE
    assert not (workspace / ".memory" / "schedule.json").exists()


def test_systemd_gets_two_units_and_gives_them_back(
    lorebank: Run, home: Path, workspace: Path
) -> None:
    units = home / ".config" / "systemd" / "user"
    outcome = lorebank("schedule", "install", "--system", "systemd", cwd=workspace)
    assert outcome.code == 0
    timer, service = sorted(units.iterdir(), key=lambda file: file.suffix, reverse=True)
    assert (timer.suffix, service.suffix) == (".timer", ".service")
    assert f'ExecStart="{Path(sys.executable).absolute()}" "-P" "-m"' in service.read_text()
    assert (home / "systemctl.log").read_text().split("\n")[:2] == [
        "--user daemon-reload",
        f"--user enable --now {timer.name}",
    ]
    status = lorebank("schedule", "status", "--json", cwd=workspace)
    assert json.loads(status.out)["scheduled"] == [
        {"system": "systemd", "at": "03:30", "active": True, "files": [str(service), str(timer)]}
    ]
    assert lorebank("schedule", "remove", cwd=workspace).out == "removed from systemd\n"
    assert list(units.iterdir()) == []
    assert f"--user disable --now {timer.name}\n" in (home / "systemctl.log").read_text()


def test_a_refused_installation_leaves_nothing_behind(
    lorebank: Run, home: Path, workspace: Path
) -> None:
    (home / "refuse").touch()
    outcome = lorebank("schedule", "install", "--system", "systemd", cwd=workspace)
    assert outcome.code == 1
    assert "failed, and nothing was changed: Failed to connect to bus" in outcome.err
    assert [file for file in home.rglob("*") if file.suffix in (".timer", ".service")] == []
    assert not (workspace / ".memory" / "schedule.json").exists()


def test_another_scheduler_takes_the_place_of_the_first(
    lorebank: Run, home: Path, workspace: Path
) -> None:
    lorebank("schedule", "install", "--system", "cron", cwd=workspace)
    lorebank("schedule", "install", "--system", "systemd", "--at", "4:00", cwd=workspace)
    status = json.loads(lorebank("schedule", "status", "--json", cwd=workspace).out)
    assert [(each["system"], each["at"]) for each in status["scheduled"]] == [("systemd", "04:00")]
    assert not (home / "crontab.txt").exists()


@pytest.mark.parametrize("system", ["launchd", "windows"])
def test_a_scheduler_that_is_not_there_is_named_with_what_to_do(
    system: str, lorebank: Run, home: Path, workspace: Path
) -> None:
    outcome = lorebank("schedule", "install", "--system", system, cwd=workspace)
    assert (outcome.code, outcome.out) == (1, "")
    assert "was not found, so nothing was scheduled" in outcome.err
    assert "lorebank schedule print" in outcome.err


@pytest.mark.parametrize("system", ["systemd", "cron", "launchd", "windows"])
def test_print_changes_nothing(system: str, lorebank: Run, home: Path, workspace: Path) -> None:
    outcome = lorebank("schedule", "print", "--system", system, "--at", "22:15", cwd=workspace)
    assert (outcome.code, outcome.err) == (0, "")
    assert str(workspace) in outcome.out
    assert list(home.iterdir()) == []
    assert not (workspace / ".memory").exists()


def scheduled(lorebank: Run, workspace: Path, *flags: str) -> None:
    day = {"LOREBANK_NOW": "2025-12-08T20:00"}
    lorebank("schedule", "install", "--system", "cron", *flags, cwd=workspace, env=day)


def recall(lorebank: Run, workspace: Path, now: str, *flags: str) -> Any:
    return lorebank("recall", "goose", "-k", "1", *flags, cwd=workspace, env={"LOREBANK_NOW": now})


def test_a_missed_night_is_said_until_it_is_caught_up(
    lorebank: Run, home: Path, workspace: Path
) -> None:
    scheduled(lorebank, workspace)
    said = "note: the reflection of 2025-12-10 03:30 was missed; `lorebank reflect` catches up"
    assert "missed" not in recall(lorebank, workspace, "2025-12-08T21:00").err
    answer = recall(lorebank, workspace, "2025-12-10T09:00")
    assert said in answer.err.split("\n")
    assert "missed" not in answer.out
    assert recall(lorebank, workspace, "2025-12-10T09:00", "--quiet").err == ""
    assert not (workspace / "bank").exists()
    lorebank("reflect", "--dry-run", cwd=workspace, env={"LOREBANK_NOW": "2025-12-10T09:01"})
    assert said in recall(lorebank, workspace, "2025-12-10T09:02").err
    lorebank("reflect", cwd=workspace, env={"LOREBANK_NOW": "2025-12-10T09:03"})
    assert "missed" not in recall(lorebank, workspace, "2025-12-10T09:04").err
    assert "2025-12-11 03:30" in recall(lorebank, workspace, "2025-12-11T09:00").err


def test_a_missed_night_is_run_where_that_was_asked_for(
    lorebank: Run, home: Path, workspace: Path
) -> None:
    scheduled(lorebank, workspace, "--catch-up")
    answer = recall(lorebank, workspace, "2025-12-10T09:00")
    assert "caught up: 2025-12-10T09:00:00 reflect: 23 facts read, " in answer.err
    assert answer.out == recall(lorebank, workspace, "2025-12-10T09:01").out
    assert (workspace / "bank" / "reflections" / "2025-12-10.md").exists()
    assert "caught up" not in recall(lorebank, workspace, "2025-12-10T09:02").err


@pytest.mark.parametrize(("setting", "said", "ran"), [("off", False, False), ("run", False, True)])
def test_the_setting_decides(
    setting: str, said: bool, ran: bool, lorebank: Run, home: Path, workspace: Path
) -> None:
    scheduled(lorebank, workspace)
    lorebank("config", "set", "reflect.catch_up", setting, cwd=workspace)
    answer = recall(lorebank, workspace, "2025-12-10T09:00")
    assert ("was missed" in answer.err, (workspace / "bank").exists()) == (said, ran)


def test_a_quiet_run_fails_where_it_left_a_page_alone(lorebank: Run, workspace: Path) -> None:
    page = workspace / "bank" / "world.md"
    page.parent.mkdir()
    page.write_bytes(b"# World \xff\n")
    outcome = lorebank("reflect", "--quiet", cwd=workspace)
    assert outcome.code == 1
    assert outcome.out.count("\n") == 1
    assert outcome.out.endswith(", 1 page left alone\n")
    assert "bank/world.md: invalid UTF-8 at byte 8" in outcome.err
    assert page.read_bytes() == b"# World \xff\n"


def test_a_run_that_meets_another_fails_and_is_not_counted(
    lorebank: Run, home: Path, workspace: Path
) -> None:
    from lorebank.workspace.lock import WriterLock

    scheduled(lorebank, workspace)
    with WriterLock(workspace):
        outcome = lorebank("reflect", "--quiet", cwd=workspace, env=AT_NIGHT)
    assert (outcome.code, outcome.out) == (5, "")
    assert f"process {os.getpid()} on " in outcome.err
    assert "was missed" in recall(lorebank, workspace, "2025-12-10T09:00").err
