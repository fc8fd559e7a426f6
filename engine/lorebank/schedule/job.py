"""The nightly job of a workspace: its installation, its record, the nights missed.

The record, `.memory/schedule.json`, says since when, at what time, and when the last run was. It is
kept only where a run is scheduled, and only believed on the machine that scheduled it: a workspace
may be shared. Like all of `.memory/` it may be deleted; what is missed is then not noticed until
the next `schedule install`.

What was there is never overwritten unread: a crontab that cannot be read is left alone. Installing
twice changes nothing; removing leaves what was there before installing.
"""

from __future__ import annotations

import json
import os
import platform
import re
import shutil
import subprocess
import sys
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace
from datetime import datetime, time, timedelta
from hashlib import blake2b
from pathlib import Path

from lorebank.errors import ScheduleError, UsageError
from lorebank.records import Record
from lorebank.schedule.schedulers import (
    FILE_SCHEDULERS,
    Owner,
    Place,
    cron_block,
    cron_time,
    find_block,
    with_block,
    without_block,
)
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import DERIVED_FOLDER, ensure_derived_folder

DEFAULT_AT = "03:30"
_AT = re.compile(r"\A([01]?[0-9]|2[0-3]):([0-5][0-9])\Z")
_UNFIT = frozenset({"Cc", "Cs"})
"""Control characters, and bytes of a path that are no text."""


class Job(Record):
    """One workspace's nightly reflection."""

    workspace: str
    """Absolute path."""
    at: time
    """Local time, whole minutes."""
    python: str
    """Absolute path of the interpreter that has lorebank."""

    def __post_init__(self) -> None:
        for text in (self.workspace, self.python):
            if any(unicodedata.category(letter) in _UNFIT for letter in text):
                raise UsageError(
                    f"{text!r} cannot be scheduled: no scheduler takes such letters in a path",
                    hint="rename the folder",
                )

    @property
    def name(self) -> str:
        """What the job is called in every scheduler; a workspace has one."""
        return job_name(self.workspace)

    @property
    def command(self) -> tuple[str, ...]:
        """The command line, word by word; `-P` keeps the folder it runs in off the import path."""
        run = ("-P", "-m", "lorebank", "-w", self.workspace, "reflect", "--quiet")
        return (self.python, *run)


def job_name(workspace: str) -> str:
    """`lorebank-` and 8 hex digits, from the workspace's absolute path.

    >>> job_name("/home/ada/notes")
    'lorebank-f1e74320'
    """
    path = workspace.encode("utf-8", "surrogatepass")
    return f"lorebank-{blake2b(path, digest_size=4).hexdigest()}"


def parse_at(text: str) -> time:
    """A time of day on a 24-hour clock: `03:30`, `3:30`; `UsageError` for anything else."""
    found = _AT.match(text.strip())
    if found is None:
        raise UsageError(f"--at {text!r} is not a time of day", hint="write it as 03:30")
    return time(int(found[1]), int(found[2]))


GRACE = timedelta(minutes=15)
"""A run may take so long before it counts as missed."""
_FILE = "schedule.json"


class ScheduleRecord(Record):
    """What is known of a schedule; times are local."""

    system: str
    """`systemd`, `cron`, `launchd` or `windows`."""
    at: time
    since: datetime
    """When it was installed: nights before are not missed."""
    catch_up: bool = False
    """Whether the next command may catch up a missed night unasked."""
    last_run: datetime | None = None
    host: str = ""


def read_record(root: Path) -> ScheduleRecord | None:
    """The record of this machine; `None` where there is none that can be read."""
    file = root / DERIVED_FOLDER / _FILE
    try:
        if file.is_symlink():
            return None
        fields = json.loads(file.read_bytes())
        record = ScheduleRecord(
            system=str(fields["system"]),
            at=parse_at(fields["at"]),
            since=datetime.fromisoformat(fields["since"]),
            catch_up=fields["catch_up"] is True,
            last_run=datetime.fromisoformat(fields["last_run"]) if fields["last_run"] else None,
            host=str(fields["host"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError, UsageError):
        return None
    return record if record.host == platform.node() else None


def write_record(root: Path, record: ScheduleRecord) -> None:
    """Keep a record, as one of this machine."""
    file = ensure_derived_folder(root) / _FILE
    fields = asdict(replace(record, host=platform.node())) | {
        "at": f"{record.at:%H:%M}",
        "since": _stamp(record.since),
        "last_run": _stamp(record.last_run) if record.last_run else None,
    }
    before = file.read_bytes() if file.exists() else None
    write_atomic(file, (json.dumps(fields, indent=2) + "\n").encode(), expected=before)


def delete_record(root: Path) -> None:
    """Forget the schedule, if there is one."""
    (root / DERIVED_FOLDER / _FILE).unlink(missing_ok=True)


def note_run(root: Path, now: datetime) -> None:
    """Keep in mind that a run ended well now; nothing where none is scheduled."""
    record = read_record(root)
    if record is not None:
        write_record(root, replace(record, last_run=now))


def missed_run(record: ScheduleRecord, now: datetime) -> datetime | None:
    """The newest night that should have been reflected by now and was not; `None` where none."""
    latest = now - GRACE
    due = datetime.combine(latest.date(), record.at)
    if due > latest:
        due -= timedelta(days=1)
    done = max(record.since, record.last_run or record.since)
    return due if done < due else None


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


SYSTEMS = ("systemd", "cron", "launchd", "windows")
TIMEOUT_S = 60.0
"""Chosen by hand: a scheduler that has not answered by then is stuck."""
_NO_CRONTAB = ("no crontab for", "can't open")
"""What `crontab -l` says, in its several makes, where the user has none."""
_ABSENT = "name another --system, or put `lorebank schedule print` where your scheduler reads it"
_REMEDIES = {
    "crontab": "install a cron daemon (the package is cron or cronie)",
    "systemctl": "use --system cron where no systemd runs",
    "launchctl": "launchd is a part of macOS",
    "schtasks": "the Task Scheduler is a part of Windows",
}


class Scheduled(Record):
    """A job as a scheduler has it."""

    system: str
    at: time | None
    """`None` where the entry was rewritten by hand."""
    files: tuple[Path, ...] = ()
    """Empty for cron."""
    active: bool | None = None
    """Whether the scheduler knows of it; `None` where it cannot be asked."""


def default_system(environ: Mapping[str, str]) -> str:
    """The scheduler this machine has; cron where a Linux without a running systemd has one."""
    if sys.platform == "win32":
        return "windows"
    if sys.platform == "darwin":
        return "launchd"
    if shutil.which("systemctl") and _succeeds(("systemctl", "--user", "show-environment")):
        return "systemd"
    return "cron" if shutil.which("crontab") else "systemd"


def texts(job: Job, system: str, environ: Mapping[str, str]) -> dict[str, str]:
    """What would be written: path → text; for cron, the block under the name `crontab`."""
    if system == "cron":
        return {"crontab": cron_block(job)}
    place = _place(system, job.workspace, environ)
    return dict(zip(map(str, place.paths), place.texts(job), strict=True))


def install(job: Job, system: str, environ: Mapping[str, str]) -> bool:
    """Schedule the job; returns whether anything changed.

    `ScheduleError` where the scheduler is not there or refuses.
    """
    if system == "cron":
        return _rewrite_crontab(lambda before: with_block(before, job))
    place = _place(system, job.workspace, environ)
    _require(place.tool)
    written = texts(job, system, environ).items()
    wanted = {Path(path): text.encode(place.encoding) for path, text in written}
    before = {path: path.read_bytes() if path.exists() else None for path in wanted}
    try:
        for path, data in wanted.items():
            _write(path, data)
        for command in place.before_enabling:
            _succeeds(command)
        for command in place.enabling:
            _run_or_raise(command)
    except ScheduleError:
        for path, earlier in before.items():
            _write(path, earlier)
        raise
    return before != wanted


def remove(workspace: str, system: str, environ: Mapping[str, str]) -> bool:
    """Take a workspace's job back; returns whether there was one."""
    if system == "cron":
        return _rewrite_crontab(lambda before: without_block(before, job_name(workspace)))
    place = _place(system, workspace, environ)
    there = [path for path in place.paths if path.exists()]
    known = there and shutil.which(place.tool)
    for command in place.disabling if known else ():
        _succeeds(command)
    for path in there:
        path.unlink()
    for command in place.after_removing if known else ():
        _succeeds(command)
    return bool(there)


def find_scheduled(workspace: str, environ: Mapping[str, str]) -> tuple[Scheduled, ...]:
    """Where a workspace's job stands at present, scheduler by place."""
    found = []
    for system in FILE_SCHEDULERS:
        place = _place(system, workspace, environ)
        if all(path.is_file() for path in place.paths):
            text = place.paths[-1].read_bytes().decode(place.encoding, "replace")
            active = _succeeds(place.asking) if shutil.which(place.tool) else None
            found.append(Scheduled(system, place.read_at(text), place.paths, active))
    if shutil.which("crontab"):
        block = find_block(_read_crontab(), job_name(workspace))
        found += [Scheduled("cron", cron_time(block))] if block else []
    return tuple(found)


def _place(system: str, workspace: str, environ: Mapping[str, str]) -> Place:
    home = Path.home()
    config_home = Path(environ.get("XDG_CONFIG_HOME", ""))
    if not config_home.is_absolute():
        config_home = home / ".config"
    owner = Owner(home, config_home, getattr(os, "getuid", lambda: 0)())
    return FILE_SCHEDULERS[system](workspace, owner)


def _write(path: Path, data: bytes | None) -> None:
    """Give a file these bytes, if it has others; none takes it away."""
    before = path.read_bytes() if path.exists() else None
    if data is None:
        path.unlink(missing_ok=True)
    elif before != data:
        write_atomic(path, data, expected=before)


def _rewrite_crontab(change: Callable[[bytes], bytes]) -> bool:
    """Give the user's crontab another text, if it has one; an empty one is taken away."""
    _require("crontab")
    before = _read_crontab()
    after = change(before)
    if after == before:
        return False
    _run_or_raise(("crontab", "-") if after else ("crontab", "-r"), text=after)
    return True


def _read_crontab() -> bytes:
    done = _run(("crontab", "-l"))
    if done.returncode == 0:
        return done.stdout
    said = done.stderr.decode("utf-8", "replace").strip()
    if any(phrase in said.lower() for phrase in _NO_CRONTAB):
        return b""
    raise ScheduleError(f"crontab -l failed: {said or f'exit {done.returncode}'}", hint=_ABSENT)


def _require(tool: str) -> None:
    if shutil.which(tool) is None:
        hint = f"{_REMEDIES[tool]}; or {_ABSENT}"
        raise ScheduleError(f"{tool} is not there, so nothing was scheduled", hint=hint)


def _run_or_raise(command: tuple[str, ...], *, text: bytes = b"") -> None:
    done = _run(command, text=text)
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        reason = said or f"exit {done.returncode}"
        message = f"{' '.join(command)} failed, and nothing was changed: {reason}"
        raise ScheduleError(message, hint=f"{_REMEDIES[command[0]]}; or {_ABSENT}")


def _succeeds(command: tuple[str, ...]) -> bool:
    return _run(command).returncode == 0


def _run(command: tuple[str, ...], *, text: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(
            command,
            input=text,
            capture_output=True,
            timeout=TIMEOUT_S,
            env=os.environ | {"LC_ALL": "C"},
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise ScheduleError(f"{' '.join(command)} failed: {problem}", hint=_ABSENT) from problem
