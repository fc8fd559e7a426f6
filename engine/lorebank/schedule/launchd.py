"""A launchd agent, as a property list. Pure.

launchd runs a job that the machine slept through when it wakes; one missed while it was off is
caught up by the next command.
"""

from __future__ import annotations

import plistlib
from datetime import time
from xml.parsers.expat import ExpatError

from lorebank.schedule.job import Job


def agent_label(name: str) -> str:
    """The label launchd knows a job by."""
    return f"org.lorebank.{name}"


def agent_plist(job: Job, log: str) -> str:
    """The text of `<label>.plist`; what a run prints is appended to the file `log`."""
    agent = {
        "Label": agent_label(job.name),
        "ProgramArguments": list(job.command),
        "StartCalendarInterval": {"Hour": job.at.hour, "Minute": job.at.minute},
        "ProcessType": "Background",
        "StandardOutPath": log,
        "StandardErrorPath": log,
    }
    return plistlib.dumps(agent, sort_keys=False).decode()


def read_at(plist: str) -> time | None:
    """The time of day an agent of ours names; `None` where it was rewritten by hand."""
    try:
        when = plistlib.loads(plist.encode())["StartCalendarInterval"]
        return time(when["Hour"], when["Minute"])
    except (ExpatError, plistlib.InvalidFileException, KeyError, TypeError, ValueError):
        return None
