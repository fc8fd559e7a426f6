"""A task of the Windows Task Scheduler, as XML. Pure.

`StartWhenAvailable` makes Windows itself catch up a night on which the machine was off.
"""

from __future__ import annotations

import re
from datetime import time
from subprocess import list2cmdline
from xml.sax.saxutils import escape

from lorebank.schedule.job import Job

_FIRST_DAY = "2025-01-01"
_START = re.compile(r"<StartBoundary>[-0-9]+T(\d\d):(\d\d):00</StartBoundary>")


def task_name(name: str) -> str:
    """The task's path in the Task Scheduler."""
    return f"\\lorebank\\{name}"


def task_xml(job: Job) -> str:
    """The text that `schtasks /Create /XML` reads, to be written as UTF-16; its times are local."""
    program, *arguments = job.command
    return f"""\
<?xml version="1.0" encoding="UTF-16"?>
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <RegistrationInfo>
    <Description>lorebank: nightly reflection of {escape(job.workspace)}</Description>
  </RegistrationInfo>
  <Triggers>
    <CalendarTrigger>
      <StartBoundary>{_FIRST_DAY}T{job.at:%H:%M}:00</StartBoundary>
      <ScheduleByDay>
        <DaysInterval>1</DaysInterval>
      </ScheduleByDay>
    </CalendarTrigger>
  </Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <StartWhenAvailable>true</StartWhenAvailable>
    <ExecutionTimeLimit>PT1H</ExecutionTimeLimit>
    <Priority>7</Priority>
  </Settings>
  <Actions>
    <Exec>
      <Command>{escape(program)}</Command>
      <Arguments>{escape(list2cmdline(arguments))}</Arguments>
    </Exec>
  </Actions>
</Task>
"""


def read_at(xml: str) -> time | None:
    """The time of day a task of ours names; `None` where it was rewritten by hand."""
    found = _START.search(xml)
    return time(int(found[1]), int(found[2])) if found else None
