"""A systemd user timer and the service it starts, as unit files. Pure.

`Persistent=true` makes systemd itself catch up a night on which the machine was off.
"""

from __future__ import annotations

import re
from datetime import time

from lorebank.schedule.job import Job

_CALENDAR = re.compile(r"^OnCalendar=\*-\*-\* (\d\d):(\d\d):00$", re.MULTILINE)


def service_unit(job: Job) -> str:
    """The text of `<name>.service`."""
    return f"""\
[Unit]
Description=lorebank: nightly reflection of {_no_specifiers(job.workspace)}

[Service]
Type=oneshot
ExecStart={_exec_line(job)}
Nice=10
IOSchedulingClass=idle
"""


def timer_unit(job: Job) -> str:
    """The text of `<name>.timer`; its times are local."""
    return f"""\
[Unit]
Description=lorebank: nightly reflection of {_no_specifiers(job.workspace)}

[Timer]
OnCalendar=*-*-* {job.at:%H:%M}:00
Persistent=true
AccuracySec=1min

[Install]
WantedBy=timers.target
"""


def read_at(timer: str) -> time | None:
    """The time of day a timer of ours names; `None` where it was rewritten by hand."""
    found = _CALENDAR.search(timer)
    return time(int(found[1]), int(found[2])) if found else None


def _exec_line(job: Job) -> str:
    """Words in double quotes, safe from specifiers and variables; in the first, `$` is itself."""
    first, *rest = job.command
    return " ".join([_quoted(first), *(_quoted(word).replace("$", "$$") for word in rest)])


def _quoted(word: str) -> str:
    escaped = _no_specifiers(word).replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _no_specifiers(text: str) -> str:
    return text.replace("%", "%%")
