"""A marked block in a crontab; every other byte of it stays. Pure.

The block goes to the top: variables set further down (`SHELL`, `CRON_TZ`) hold for the lines below
them and cannot change what this one does. The log line of a run is appended to
`.memory/reflect.log`; what goes wrong is left to cron, which mails it.
"""

from __future__ import annotations

import re
import shlex
from datetime import time

from lorebank.schedule.job import Job

_LINE = re.compile(r"^(\d{1,2}) (\d{1,2}) \* \* \* ", re.MULTILINE)


def cron_block(job: Job) -> str:
    """The block, three lines."""
    return f"{_begin(job.name)}\n{_cron_line(job)}\n{_end(job.name)}\n"


def with_block(crontab: bytes, job: Job) -> bytes:
    """The crontab with the job's block, put in place of an earlier one or at the top."""
    block = cron_block(job).encode()
    place = _place(crontab, job.name)
    if place is None:
        return block + crontab
    return crontab[: place[0]] + block + crontab[place[1] :]


def without_block(crontab: bytes, name: str) -> bytes:
    """The crontab without the job's block: to the byte what it was before."""
    place = _place(crontab, name)
    return crontab if place is None else crontab[: place[0]] + crontab[place[1] :]


def find_block(crontab: bytes, name: str) -> str | None:
    """The text of the job's block; `None` where it has none."""
    place = _place(crontab, name)
    return None if place is None else crontab[place[0] : place[1]].decode("utf-8", "replace")


def read_at(block: str) -> time | None:
    """The time of day a block of ours names; `None` where it was rewritten by hand."""
    found = _LINE.search(block)
    if found is None or int(found[1]) > 59 or int(found[2]) > 23:
        return None
    return time(int(found[2]), int(found[1]))


def _place(crontab: bytes, name: str) -> tuple[int, int] | None:
    """Where the block begins and ends; a begin without its end is no block of ours any more."""
    begin, end = (re.escape(mark(name).encode()) for mark in (_begin, _end))
    found = re.search(rb"^%b\r?\n(?:.*\n)*?%b(?:\r?\n|\Z)" % (begin, end), crontab, re.MULTILINE)
    return found.span() if found else None


def _begin(name: str) -> str:
    return f"# BEGIN {name}: written by `lorebank schedule install`"


def _end(name: str) -> str:
    return f"# END {name}"


def _cron_line(job: Job) -> str:
    """The folder is entered first, so that one that was moved is not recreated for its log."""
    enter = f"cd {shlex.quote(job.workspace)} && mkdir -p .memory"
    run = f"{shlex.join(job.command)} >> .memory/reflect.log"
    # An unescaped % ends the command for cron, inside quotes as well.
    command = f"{enter} && {run}".replace("%", "\\%")
    return f"{job.at.minute} {job.at.hour} * * * {command}"
