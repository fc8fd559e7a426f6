"""The files and commands of each scheduler. Pure.

systemd (`Persistent=true`) and Windows (`StartWhenAvailable`) catch up on a night when the machine
was off. launchd catches up after sleep only; otherwise the next command does.

For cron a marked block goes to the top of the crontab, where variables set further down (`SHELL`,
`CRON_TZ`) do not apply to it. A run's log line is appended to `.memory/reflect.log`; cron mails
errors.
"""

from __future__ import annotations

import plistlib
import re
import shlex
from collections.abc import Callable
from datetime import time
from functools import partial
from pathlib import Path
from subprocess import list2cmdline
from xml.parsers.expat import ExpatError
from xml.sax.saxutils import escape

from lorebank.records import Record
from lorebank.schedule.job import Job, job_name

Command = tuple[str, ...]
_SYSTEMCTL = ("systemctl", "--user")
_CALENDAR = re.compile(r"^OnCalendar=\*-\*-\* (\d\d):(\d\d):00$", re.MULTILINE)
_START = re.compile(r"<StartBoundary>[-0-9]+T(\d\d):(\d\d):00</StartBoundary>")


class Owner(Record):
    home: Path
    config_home: Path  # `$XDG_CONFIG_HOME`, `~/.config` without it
    user_id: int


class FileScheduler(Record):
    tool: str
    paths: tuple[Path, ...]
    """The job's files; the last one has the time of day."""
    texts: Callable[[Job], tuple[str, ...]]
    """The contents of the files."""
    enable_commands: tuple[Command, ...]
    disable_commands: tuple[Command, ...]
    """May fail if nothing was enabled."""
    status_command: Command
    """Exits with 0 if the job is enabled."""
    parse_time: Callable[[str], time | None]
    """The time of day in our file; `None` if it was edited by hand."""
    cleanup_commands: tuple[Command, ...] = ()
    """May fail: remove an earlier installation."""
    after_remove_commands: tuple[Command, ...] = ()
    """May fail."""
    encoding: str = "utf-8"


def _systemd(workspace: str, owner: Owner) -> FileScheduler:
    name, units = job_name(workspace), owner.config_home / "systemd" / "user"
    reload = (*_SYSTEMCTL, "daemon-reload")
    return FileScheduler(
        tool="systemctl",
        paths=(units / f"{name}.service", units / f"{name}.timer"),
        texts=lambda job: (service_unit(job), timer_unit(job)),
        enable_commands=(reload, (*_SYSTEMCTL, "enable", "--now", f"{name}.timer")),
        disable_commands=((*_SYSTEMCTL, "disable", "--now", f"{name}.timer"),),
        status_command=(*_SYSTEMCTL, "is-active", f"{name}.timer"),
        parse_time=partial(_search_time, _CALENDAR),
        after_remove_commands=(reload,),
    )


def _launchd(workspace: str, owner: Owner) -> FileScheduler:
    name, library, domain = job_name(workspace), owner.home / "Library", f"gui/{owner.user_id}"
    path = library / "LaunchAgents" / f"{agent_label(name)}.plist"
    bootout = ("launchctl", "bootout", f"{domain}/{agent_label(name)}")
    return FileScheduler(
        tool="launchctl",
        paths=(path,),
        texts=lambda job: (agent_plist(job, str(library / "Logs" / f"{name}.log")),),
        enable_commands=(("launchctl", "bootstrap", domain, str(path)),),
        disable_commands=(bootout,),
        status_command=("launchctl", "print", f"{domain}/{agent_label(name)}"),
        parse_time=plist_time,
        cleanup_commands=(bootout,),
    )


def _windows(workspace: str, owner: Owner) -> FileScheduler:
    name = job_name(workspace)
    path, task = Path(workspace) / ".memory" / f"{name}.xml", f"\\lorebank\\{name}"
    return FileScheduler(
        tool="schtasks",
        paths=(path,),
        texts=lambda job: (task_xml(job),),
        enable_commands=(("schtasks", "/Create", "/F", "/TN", task, "/XML", str(path)),),
        disable_commands=(("schtasks", "/Delete", "/F", "/TN", task),),
        status_command=("schtasks", "/Query", "/TN", task),
        parse_time=partial(_search_time, _START),
        encoding="utf-16",
    )


FILE_SCHEDULERS: dict[str, Callable[[str, Owner], FileScheduler]] = {
    "systemd": _systemd,
    "launchd": _launchd,
    "windows": _windows,
}


def _search_time(pattern: re.Pattern[str], text: str) -> time | None:
    found = pattern.search(text)
    return time(int(found[1]), int(found[2])) if found else None


def service_unit(job: Job) -> str:
    """Words are quoted, specifiers and variables escaped; in the first word, `$` is literal."""
    first, *rest = ['"' + re.sub(r'(["\\])', r"\\\1", word) + '"' for word in job.command]
    command = " ".join([first, *(word.replace("$", "$$") for word in rest)])
    return _filled("job.service", workspace=job.workspace, command=command)


def timer_unit(job: Job) -> str:
    """Times are local."""
    return _filled("job.timer", workspace=job.workspace, at=f"{job.at:%H:%M}")


def _filled(file: str, **values: str) -> str:
    """A text of `texts/`; systemd takes a single `%` for a specifier."""
    text = Path(__file__).with_name("texts").joinpath(file).read_text("utf-8")
    is_xml = file.endswith(".xml")
    return text.format_map(
        {
            key: escape(value) if is_xml else value.replace("%", "%%")
            for key, value in values.items()
        }
    )


def agent_label(name: str) -> str:
    return f"org.lorebank.{name}"


def plist_time(plist: str) -> time | None:
    """The time of day in our agent; `None` if it was edited by hand."""
    try:
        when = plistlib.loads(plist.encode())["StartCalendarInterval"]
        return time(when["Hour"], when["Minute"])
    except (ExpatError, plistlib.InvalidFileException, KeyError, TypeError, ValueError):
        return None


def agent_plist(job: Job, log: str) -> str:
    """`<label>.plist`; output is appended to the file `log`."""
    agent = {
        "Label": agent_label(job.name),
        "ProgramArguments": list(job.command),
        "StartCalendarInterval": {"Hour": job.at.hour, "Minute": job.at.minute},
        "ProcessType": "Background",
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    return plistlib.dumps(agent, sort_keys=False).decode()


def task_xml(job: Job) -> str:
    """For `schtasks /Create /XML`, to be written as UTF-16; times are local."""
    program, *rest = job.command
    at, arguments = f"{job.at:%H:%M}", list2cmdline(rest)
    return _filled("job.xml", workspace=job.workspace, at=at, program=program, arguments=arguments)


_LINE = re.compile(r"^(\d{1,2}) (\d{1,2}) \* \* \* ", re.MULTILINE)


def cron_block(job: Job) -> str:
    """`cd` first, so that a moved workspace is not recreated for its log."""
    enter = f"cd {shlex.quote(job.workspace)} && mkdir -p .memory"
    run = f"{shlex.join(job.command)} >> .memory/reflect.log"
    # An unescaped % ends the command for cron, inside quotes as well.
    command = f"{enter} && {run}".replace("%", "\\%")
    line = f"{job.at.minute} {job.at.hour} * * * {command}"
    return f"{_begin_mark(job.name)}\n{line}\n{_end_mark(job.name)}\n"


def with_block(crontab: bytes, job: Job) -> bytes:
    """The crontab with the job's block, replacing an earlier one or at the top."""
    block = cron_block(job).encode()
    span = _block_span(crontab, job.name)
    if span is None:
        return block + crontab
    return crontab[: span[0]] + block + crontab[span[1] :]


def without_block(crontab: bytes, name: str) -> bytes:
    """The crontab as it was before, byte for byte."""
    span = _block_span(crontab, name)
    return crontab if span is None else crontab[: span[0]] + crontab[span[1] :]


def find_block(crontab: bytes, name: str) -> str | None:
    span = _block_span(crontab, name)
    return None if span is None else crontab[span[0] : span[1]].decode("utf-8", "replace")


def cron_time(block: str) -> time | None:
    """The time of day in our block; `None` if it was edited by hand."""
    found = _LINE.search(block)
    if found is None or int(found[1]) > 59 or int(found[2]) > 23:
        return None
    return time(int(found[2]), int(found[1]))


def _block_span(crontab: bytes, name: str) -> tuple[int, int] | None:
    """Start and end of the block; `None` if one of its marks is missing."""
    begin, end = (re.escape(mark(name).encode()) for mark in (_begin_mark, _end_mark))
    found = re.search(rb"^%b\r?\n(?:.*\n)*?%b(?:\r?\n|\Z)" % (begin, end), crontab, re.MULTILINE)
    return found.span() if found else None


def _begin_mark(name: str) -> str:
    return f"# BEGIN {name}: written by `lorebank schedule install`"


def _end_mark(name: str) -> str:
    return f"# END {name}"
