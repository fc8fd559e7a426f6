"""A nightly job (workspace, time, command), and the record of its runs.

The record `.memory/schedule.json` exists only if a run is scheduled, and counts only on the machine
that scheduled it, since workspaces may be shared. If it is deleted, missed runs go unnoticed until
the next `schedule install`.
"""

from __future__ import annotations

import json
import platform
import re
import unicodedata
from dataclasses import replace
from datetime import datetime, time, timedelta
from pathlib import Path
from typing import Any

from lorebank.domain.facts import digest
from lorebank.errors import UsageError
from lorebank.records import Record
from lorebank.workspace.atomic import read_if_exists, read_json, write_atomic
from lorebank.workspace.layout import DERIVED_FOLDER, ensure_derived_folder

DEFAULT_AT = "03:30"
_AT = re.compile(r"\A([01]?[0-9]|2[0-3]):([0-5][0-9])\Z")

_UNSCHEDULABLE = frozenset({"Cc", "Cs"})  # control characters and undecodable bytes


class Job(Record):
    workspace: str  # absolute path
    at: time  # local time, whole minutes
    python: str  # absolute path of the interpreter that has lorebank

    def __post_init__(self) -> None:
        for text in (self.workspace, self.python):
            if any(unicodedata.category(letter) in _UNSCHEDULABLE for letter in text):
                raise UsageError(
                    f"{text!r} cannot be scheduled: it has control characters or is not UTF-8",
                    hint="rename the folder",
                )

    @property
    def name(self) -> str:
        """The job's name in every scheduler."""
        return job_name(self.workspace)

    @property
    def command(self) -> tuple[str, ...]:
        """`-P` keeps the current folder off the import path."""
        run = ("-P", "-m", "lorebank", "-w", self.workspace, "reflect", "--quiet")
        return (self.python, *run)


def job_name(workspace: str) -> str:
    """`lorebank-` and 8 hex digits, from the workspace's absolute path.

    >>> job_name("/home/ada/notes")
    'lorebank-f1e74320'
    """
    return f"lorebank-{digest(workspace, 4)}"


def parse_at(text: str) -> time:
    """A time of day on a 24-hour clock: `03:30`, `3:30`; `UsageError` for anything else."""
    found = _AT.match(text.strip())
    if found is None:
        raise UsageError(f"--at {text!r} is not a time of day", hint="write it as 03:30")
    return time(int(found[1]), int(found[2]))


GRACE = timedelta(minutes=15)  # a run counts as missed after this
SCHEDULE_FILE = "schedule.json"


class ScheduleRecord(Record):
    """Times are local."""

    system: str  # `systemd`, `cron`, `launchd` or `windows`
    at: time
    since: datetime  # when it was installed; earlier nights do not count as missed
    catch_up: bool = False  # whether the next command runs a missed night
    last_run: datetime | None = None
    host: str = ""


def read_record(root: Path) -> ScheduleRecord | None:
    """The record of this machine, if there is a valid one."""
    file = root / DERIVED_FOLDER / SCHEDULE_FILE
    stored: Any = None if file.is_symlink() else read_json(file)
    try:
        record = ScheduleRecord.from_dict(stored)
    except (ValueError, TypeError):
        return None
    is_whole = record.since is not None and isinstance(record.catch_up, bool)
    is_whole = is_whole and record.at is not None and record.at.tzinfo is None
    return record if is_whole and record.host == platform.node() else None


def is_damaged(root: Path) -> bool:
    """Whether there is a record that nobody can read, so that missed runs go unnoticed."""
    file = root / DERIVED_FOLDER / SCHEDULE_FILE
    return file.is_file() and not isinstance(read_json(file), dict)


def write_record(root: Path, record: ScheduleRecord) -> None:
    """Save a record for this machine."""
    file = ensure_derived_folder(root) / SCHEDULE_FILE
    fields = replace(record, host=platform.node()).to_dict()
    text = json.dumps(fields, indent=2) + "\n"
    write_atomic(file, text.encode(), expected=read_if_exists(file))


def delete_record(root: Path) -> None:
    (root / DERIVED_FOLDER / SCHEDULE_FILE).unlink(missing_ok=True)


def note_run(root: Path, now: datetime) -> None:
    """Record a successful run, if one is scheduled."""
    record = read_record(root)
    if record is not None:
        write_record(root, replace(record, last_run=now))


def missed_run(record: ScheduleRecord, now: datetime) -> datetime | None:
    """The latest missed run, if any."""
    latest = now - GRACE
    due = datetime.combine(latest.date(), record.at)
    if due > latest:
        due -= timedelta(days=1)
    done = max(record.since, record.last_run or record.since)
    return due if done < due else None
