"""What is written for each scheduler: the command survives its quoting, the time is local."""

import json
import os
import plistlib
import shlex
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from datetime import datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank import UsageError
from lorebank.schedule import schedulers
from lorebank.schedule.job import (
    GRACE,
    Job,
    ScheduleRecord,
    delete_record,
    job_name,
    missed_run,
    note_run,
    parse_at,
    read_record,
    write_record,
)
from lorebank.schedule.schedulers import FILE_SCHEDULERS, Owner
from support import golden

PATHS = st.text(st.characters(exclude_categories=("Cc", "Cs"), exclude_characters="/"), min_size=1)
TIMES = st.times().map(lambda when: when.replace(second=0, microsecond=0))
JOBS = st.builds(
    Job,
    workspace=PATHS.map(lambda name: f"/home/ada/{name}"),
    at=TIMES,
    python=st.just("/opt/my python/bin/python3"),
)
OWNER = Owner(Path("/home/ada"), Path("/home/ada/.config"), 1000)
PLAIN = Job("/home/ada/notes", time(3, 5), "/usr/bin/python3")


def at_of(system: str, text: str) -> time | None:
    return FILE_SCHEDULERS[system]("/home/ada/notes", OWNER).parse_time(text)


@pytest.mark.parametrize(
    ("text", "at"),
    [("03:30", time(3, 30)), ("3:05", time(3, 5)), ("23:59", time(23, 59)), (" 0:00 ", time(0))],
)
def test_a_time_of_day(text: str, at: time) -> None:
    assert parse_at(text) == at


@golden("schedule.md")
def test_what_is_no_time_of_day_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="time of day"):
        parse_at(text)


def test_a_workspace_has_one_name_and_another_has_another() -> None:
    assert job_name("/home/ada/notes") == PLAIN.name == "lorebank-f1e74320"
    assert job_name("/home/ada/notes2") != PLAIN.name


@golden("schedule.md")
def test_a_path_that_no_scheduler_takes_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match="cannot be scheduled"):
        Job(path, time(3), "/usr/bin/python3")


def test_the_units_of_systemd() -> None:
    assert schedulers.service_unit(PLAIN) == (
        "[Unit]\n"
        "Description=lorebank: nightly reflection of /home/ada/notes\n"
        "\n"
        "[Service]\n"
        "Type=oneshot\n"
        'ExecStart="/usr/bin/python3" "-P" "-m" "lorebank" "-w" "/home/ada/notes"'
        ' "reflect" "--quiet"\n'
        "Nice=10\n"
        "IOSchedulingClass=idle\n"
    )
    timer = schedulers.timer_unit(PLAIN)
    assert "\nOnCalendar=*-*-* 03:05:00\nPersistent=true\n" in timer


@given(JOBS)
def test_systemd_reads_the_command_as_it_was(job: Job) -> None:
    line = next(x for x in schedulers.service_unit(job).split("\n") if x.startswith("ExecStart="))
    words = shlex.split(line.removeprefix("ExecStart="))
    first, *rest = [word.replace("%%", "%") for word in words]
    assert (first, *(word.replace("$$", "$") for word in rest)) == job.command
    assert line.count("%") % 2 == 0
    assert at_of("systemd", schedulers.timer_unit(job)) == job.at


@pytest.mark.skipif(not shutil.which("systemd-analyze"), reason="this machine has no systemd")
def test_systemd_itself_finds_nothing_wrong(tmp_path: Path) -> None:
    home = tmp_path / 'it\'s 100% "my" $HOME'
    home.mkdir()
    job = Job(str(home), time(3, 30), shutil.which("true") or "/bin/true")
    for name, text in (
        ("x.service", schedulers.service_unit(job)),
        ("x.timer", schedulers.timer_unit(job)),
    ):
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(tmp_path / "x.timer")],
        capture_output=True,
        env=os.environ | {"XDG_RUNTIME_DIR": str(tmp_path)},
    )
    assert (done.returncode, done.stderr) == (0, b"")


@given(JOBS)
def test_cron_runs_the_command_as_it_was(job: Job) -> None:
    begin, line, end = schedulers.cron_block(job).split("\n")[:3]
    assert begin.startswith("#") and end.startswith("#")
    command = line.split(" ", 5)[5].replace("\\%", "%")
    words = shlex.split(command)
    assert words[:6] == ["cd", job.workspace, "&&", "mkdir", "-p", ".memory"]
    assert tuple(words[7:-2]) == job.command
    assert schedulers.cron_time(schedulers.cron_block(job)) == job.at


@given(
    crontab=st.binary(max_size=60) | st.text("\n #*%ab\r", max_size=60).map(str.encode),
    first=TIMES,
    second=TIMES,
)
def test_a_crontab_keeps_every_other_byte(crontab: bytes, first: time, second: time) -> None:
    job, later = (Job("/home/ada/notes", at, "/usr/bin/python3") for at in (first, second))
    once = schedulers.with_block(crontab, job)
    assert schedulers.with_block(once, job) == once
    changed = schedulers.with_block(once, later)
    assert schedulers.find_block(changed, job.name) == schedulers.cron_block(later)
    assert schedulers.without_block(changed, job.name) == crontab
    other = Job("/home/ada/other", first, "/usr/bin/python3")
    both = schedulers.with_block(changed, other)
    assert schedulers.without_block(schedulers.without_block(both, job.name), other.name) == crontab


def test_a_block_moved_by_hand_is_replaced_where_it_stands() -> None:
    block = schedulers.cron_block(PLAIN).encode()
    crontab = b"SHELL=/bin/sh\n" + block + b"0 5 * * * backup\n"
    later = Job(PLAIN.workspace, time(4), PLAIN.python)
    assert schedulers.with_block(crontab, later) == (
        b"SHELL=/bin/sh\n" + schedulers.cron_block(later).encode() + b"0 5 * * * backup\n"
    )
    assert schedulers.without_block(crontab, PLAIN.name) == b"SHELL=/bin/sh\n0 5 * * * backup\n"


@given(JOBS)
def test_launchd_reads_the_command_as_it_was(job: Job) -> None:
    text = schedulers.agent_plist(job, "/Users/ada/Library/Logs/x.log")
    agent = plistlib.loads(text.encode())
    assert tuple(agent["ProgramArguments"]) == job.command
    assert agent["StartCalendarInterval"] == {"Hour": job.at.hour, "Minute": job.at.minute}
    assert agent["Label"] == schedulers.agent_label(job.name)
    assert at_of("launchd", text) == job.at


@golden("schedule.md")
def test_an_agent_rewritten_by_hand_has_no_time(text: str) -> None:
    assert at_of("launchd", text) is None


def test_windows_reads_the_command_as_it_was() -> None:
    job = Job(r"C:\Users\Ada & Co\my <notes>", time(22, 15), r"C:\Python 3\python.exe")
    task = ElementTree.fromstring(schedulers.task_xml(job).encode("utf-16"))
    space = {"t": "http://schemas.microsoft.com/windows/2004/02/mit/task"}
    assert task.findtext(".//t:Command", namespaces=space) == job.python
    assert task.findtext(".//t:Arguments", namespaces=space) == (
        r'-P -m lorebank -w "C:\Users\Ada & Co\my <notes>" reflect --quiet'
    )
    assert task.findtext(".//t:StartBoundary", namespaces=space) == "2025-01-01T22:15:00"
    assert task.findtext(".//t:StartWhenAvailable", namespaces=space) == "true"
    assert at_of("windows", schedulers.task_xml(job)) == job.at


AT = time(3, 30)
INSTALLED = datetime(2025, 12, 1, 20, 0)


def record(last_run: str | None = None) -> ScheduleRecord:
    return ScheduleRecord(
        "cron", AT, INSTALLED, last_run=datetime.fromisoformat(last_run) if last_run else None
    )


@golden("schedule.md")
def test_the_newest_night_missed(last_run: str | None, now: str, missed: str | None) -> None:
    expected = datetime.fromisoformat(missed) if missed else None
    assert missed_run(record(last_run), datetime.fromisoformat(now)) == expected


MINUTES = st.times().map(lambda at: at.replace(second=0, microsecond=0))
MOMENTS = st.datetimes(datetime(2025, 12, 2), datetime(2026, 3, 1))


@given(at=MINUTES, now=MOMENTS, ran=MOMENTS)
def test_a_missed_night_lies_between_the_last_run_and_now(
    at: time, now: datetime, ran: datetime
) -> None:
    kept = ScheduleRecord("cron", at, INSTALLED, last_run=min(ran, now))
    missed = missed_run(kept, now)
    if missed is None:
        nights = (datetime.combine(now.date() - timedelta(days=back), at) for back in range(3))
        assert max(n for n in nights if n + GRACE <= now) <= min(ran, now)
    else:
        assert min(ran, now) < missed <= now - GRACE
        assert missed.time() == at


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    kept = ScheduleRecord(
        "systemd", AT, INSTALLED, catch_up=True, last_run=datetime(2025, 12, 2, 3, 30, 7)
    )
    write_record(tmp_path, kept)
    found = read_record(tmp_path)
    assert found is not None
    assert (found.system, found.at, found.since, found.catch_up, found.last_run) == (
        ("systemd", AT, INSTALLED, True, datetime(2025, 12, 2, 3, 30, 7))
    )
    note_run(tmp_path, datetime(2025, 12, 3, 4, 0))
    again = read_record(tmp_path)
    assert again is not None and again.last_run == datetime(2025, 12, 3, 4, 0)
    delete_record(tmp_path)
    assert read_record(tmp_path) is None


def test_a_run_nobody_scheduled_is_not_kept(tmp_path: Path) -> None:
    note_run(tmp_path, datetime(2025, 12, 3, 4, 0))
    assert list(tmp_path.iterdir()) == []


def test_the_record_of_another_machine_is_not_believed(tmp_path: Path) -> None:
    write_record(tmp_path, record())
    file = tmp_path / ".memory" / "schedule.json"
    told = json.loads(file.read_text())
    file.write_text(json.dumps(told | {"host": told["host"] + "-other"}))
    assert read_record(tmp_path) is None


@golden("schedule.md")
def test_a_record_that_cannot_be_read_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "schedule.json").write_text(text, "latin-1")
    assert read_record(tmp_path) is None
