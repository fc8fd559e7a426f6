"""`lorebank schedule`: the nightly run, by the system's own scheduler."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from lorebank.cli.command import flag, group, option
from lorebank.cli.session import Session
from lorebank.errors import ScheduleError
from lorebank.records import as_json
from lorebank.render.reports import printed_lines, schedule_lines
from lorebank.schedule.install import (
    SYSTEMS,
    default_system,
    find_scheduled,
    install,
    remove,
    texts,
)
from lorebank.schedule.job import (
    DEFAULT_AT,
    Job,
    ScheduleRecord,
    delete_record,
    missed_run,
    parse_at,
    read_record,
    write_record,
)


@group("schedule")
def schedule() -> None:
    """systemd, launchd and Windows catch up on a missed night when the machine is back; otherwise
    the next command reports it, or runs it with --catch-up.

    Examples:
        lorebank schedule print --system cron
        lorebank schedule install --at 03:30
        lorebank schedule install --at 22:15 --catch-up
        lorebank schedule status
        lorebank schedule remove
    """


def _at_option(command: Callable[..., Any]) -> Callable[..., Any]:
    text = "The time of day, local."
    return option("--at", text, metavar="HH:MM", default=DEFAULT_AT, show_default=True)(command)


def _system_option(help_text: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    return option("--system", help_text, type=click.Choice(SYSTEMS))


@schedule.subcommand("print")
@_at_option
@_system_option("For which scheduler; default: this machine's.")
def print_job(session: Session, at: str, system: str | None) -> None:
    """Print what would be written; change nothing."""
    job = _job(session, at)
    chosen = system or default_system(os.environ)
    written = texts(job, chosen, os.environ)
    session.print({"system": chosen, "name": job.name, "files": written}, printed_lines(written))


@schedule.subcommand("install")
@_at_option
@_system_option("By which scheduler; default: this machine's.")
@flag("--catch-up", "Let the next command make up for a missed night.")
def install_job(session: Session, at: str, system: str | None, catch_up: bool) -> None:
    """Run reflect every night; repeat to change the time or the scheduler."""
    job = _job(session, at)
    root = Path(job.workspace)
    chosen = system or default_system(os.environ)
    changed = install(job, chosen, os.environ)
    for other in find_scheduled(job.workspace, os.environ):
        if other.system != chosen:
            remove(job.workspace, other.system, os.environ)
    before = read_record(root)
    same = before is not None and (before.system, before.at) == (chosen, job.at)
    since = before.since if before and same else session.moment
    last_run = before.last_run if before else None
    write_record(root, ScheduleRecord(chosen, job.at, since, catch_up, last_run))
    how = "scheduled" if changed else "scheduled already"
    linger = "it runs while you are logged in; always after loginctl enable-linger"
    session.print(
        {"system": chosen, "at": at, "name": job.name, "changed": changed},
        [f"{how} with {chosen}: every night at {job.at:%H:%M} ({job.name})"],
        [linger] if chosen == "systemd" else (),
    )


@schedule.subcommand("remove")
@_system_option("Only from this scheduler.")
def remove_job(session: Session, system: str | None) -> None:
    """Remove the nightly run; everything else stays as it was."""
    root = session.find_root()
    found = find_scheduled(str(root), os.environ)
    chosen = [each.system for each in found if system in (None, each.system)]
    for each in chosen:
        remove(str(root), each, os.environ)
    if len(chosen) == len(found):
        delete_record(root)
    lines = [f"removed from {each}" for each in chosen] or ["nothing was scheduled"]
    session.print({"removed": chosen}, lines)


@schedule.subcommand("status")
def show_status(session: Session) -> None:
    """Show where the nightly run is scheduled, when it last ran, and what was missed."""
    root = session.find_root()
    found = find_scheduled(str(root), os.environ)
    record = read_record(root)
    missed = missed_run(record, session.moment) if record else None
    payload = {
        "scheduled": as_json(found),
        "last_run": as_json(record and record.last_run),
        "missed": as_json(missed),
        "catch_up": record.catch_up if record else False,
    }
    session.print(payload, schedule_lines(session.look, found, record, missed))


def _job(session: Session, at: str) -> Job:
    if not sys.executable:
        raise ScheduleError("the path of this Python is not known, so nothing can be scheduled")
    return Job(str(session.find_root()), parse_at(at), str(Path(sys.executable).absolute()))
