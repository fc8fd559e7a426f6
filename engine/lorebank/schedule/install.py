"""Install a job with the system's scheduler, and remove it: the only module that calls it.

A crontab that cannot be read is not changed. Installing twice changes nothing; removing restores
the earlier state.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from datetime import time
from pathlib import Path

from lorebank.errors import ScheduleError
from lorebank.records import Record
from lorebank.schedule import schedulers
from lorebank.schedule.job import Job, job_name
from lorebank.workspace.atomic import read_if_exists
from lorebank.workspace.run_store import Change, apply_change

SYSTEMS = ("systemd", "cron", "launchd", "windows")
TIMEOUT_S = 60.0  # chosen by hand: a scheduler that has not answered by then is stuck
_NO_CRONTAB = ("no crontab for", "can't open")
"""Messages of `crontab -l` without a crontab, by implementation."""
_OTHER_WAYS = "use another --system, or put `lorebank schedule print` where your scheduler reads it"
_REMEDIES = {
    "crontab": "install a cron daemon (the package is cron or cronie)",
    "systemctl": "use --system cron where no systemd runs",
    "launchctl": "launchd is a part of macOS",
    "schtasks": "the Task Scheduler is a part of Windows",
}


class Scheduled(Record):
    system: str
    at: time | None  # `None` if the entry was edited by hand
    active: bool | None = None  # whether the scheduler has it enabled; `None` if unknown
    files: tuple[Path, ...] = ()  # empty for cron


def default_system(environ: Mapping[str, str]) -> str:
    """This machine's scheduler; on Linux without systemd, cron if installed."""
    if sys.platform == "win32":
        return "windows"
    if sys.platform == "darwin":
        return "launchd"
    if shutil.which("systemctl") and _succeeds(("systemctl", "--user", "show-environment")):
        return "systemd"
    return "cron" if shutil.which("crontab") else "systemd"


def texts(job: Job, system: str, environ: Mapping[str, str]) -> dict[str, str]:
    if system == "cron":
        return {"crontab": schedulers.cron_block(job)}
    scheduler = _scheduler_for(system, job.workspace, environ)
    return dict(zip(map(str, scheduler.paths), scheduler.texts(job), strict=True))


def install(job: Job, system: str, environ: Mapping[str, str]) -> bool:
    """Returns whether anything changed; raises `ScheduleError`."""
    if system == "cron":
        return _rewrite_crontab(lambda before: schedulers.with_block(before, job))
    scheduler = _scheduler_for(system, job.workspace, environ)
    _require(scheduler.tool)
    written = texts(job, system, environ).items()
    wanted = {Path(path): text.encode(scheduler.encoding) for path, text in written}
    before = {path: read_if_exists(path) for path in wanted}
    try:
        for path, data in wanted.items():
            _write(path, data)
        for command in scheduler.cleanup_commands:
            _succeeds(command)
        for command in scheduler.enable_commands:
            _run_or_raise(command)
    except ScheduleError:
        for path, earlier in before.items():
            _write(path, earlier)
        raise
    return before != wanted


def remove(workspace: str, system: str, environ: Mapping[str, str]) -> bool:
    """Remove a workspace's job; returns whether there was one."""
    if system == "cron":
        return _rewrite_crontab(
            lambda before: schedulers.without_block(before, job_name(workspace))
        )
    scheduler = _scheduler_for(system, workspace, environ)
    there = [path for path in scheduler.paths if path.exists()]
    known = there and shutil.which(scheduler.tool)
    for command in scheduler.disable_commands if known else ():
        _succeeds(command)
    for path in there:
        path.unlink()
    for command in scheduler.after_remove_commands if known else ():
        _succeeds(command)
    return bool(there)


def find_scheduled(workspace: str, environ: Mapping[str, str]) -> tuple[Scheduled, ...]:
    """The schedulers that have a workspace's job."""
    found = []
    for system in schedulers.FILE_SCHEDULERS:
        scheduler = _scheduler_for(system, workspace, environ)
        if all(path.is_file() for path in scheduler.paths):
            text = scheduler.paths[-1].read_bytes().decode(scheduler.encoding, "replace")
            active = _succeeds(scheduler.status_command) if shutil.which(scheduler.tool) else None
            found.append(Scheduled(system, scheduler.parse_time(text), active, scheduler.paths))
    if shutil.which("crontab"):
        block = schedulers.find_block(_read_crontab(), job_name(workspace))
        found += [Scheduled("cron", schedulers.cron_time(block))] if block else []
    return tuple(found)


def _scheduler_for(
    system: str, workspace: str, environ: Mapping[str, str]
) -> schedulers.FileScheduler:
    home = Path.home()
    config_home = Path(environ.get("XDG_CONFIG_HOME", ""))
    if not config_home.is_absolute():
        config_home = home / ".config"
    owner = schedulers.Owner(home, config_home, getattr(os, "getuid", lambda: 0)())
    return schedulers.FILE_SCHEDULERS[system](workspace, owner)


def _write(path: Path, data: bytes | None) -> None:
    apply_change(path, Change(read_if_exists(path), data))


def _rewrite_crontab(change: Callable[[bytes], bytes]) -> bool:
    """Returns whether it changed; an empty crontab is removed."""
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
    output = done.stderr.decode("utf-8", "replace").strip()
    if any(phrase in output.lower() for phrase in _NO_CRONTAB):
        return b""
    raise ScheduleError(
        f"crontab -l failed: {output or f'exit {done.returncode}'}", hint=_OTHER_WAYS
    )


def _require(tool: str) -> None:
    if shutil.which(tool) is None:
        hint = f"{_REMEDIES[tool]}; or {_OTHER_WAYS}"
        raise ScheduleError(f"{tool} was not found, so nothing was scheduled", hint=hint)


def _run_or_raise(command: tuple[str, ...], *, text: bytes = b"") -> None:
    done = _run(command, text=text)
    if done.returncode:
        output = done.stderr.decode("utf-8", "replace").strip().split("\n")[-1]
        reason = output or f"exit {done.returncode}"
        message = f"{' '.join(command)} failed, and nothing was changed: {reason}"
        raise ScheduleError(message, hint=f"{_REMEDIES[command[0]]}; or {_OTHER_WAYS}")


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
        raise ScheduleError(f"{' '.join(command)} failed: {problem}", hint=_OTHER_WAYS) from problem
