"""The nightly run as text: what is written for it, where it stands, what was missed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from lorebank.cli.render.look import Look
from lorebank.schedule.install import Scheduled
from lorebank.schedule.job import Job
from lorebank.schedule.record import Record

_LABEL = 11


def printed_lines(written: Mapping[str, str]) -> list[str]:
    """The texts as they stand; where there are several, each below its path in a comment."""
    lines: list[str] = []
    for path, text in written.items():
        if len(written) > 1:
            lines += ["", f"# {path}"] if lines else [f"# {path}"]
        lines += text.removesuffix("\n").split("\n")
    return lines


def installed_lines(system: str, job: Job, *, changed: bool) -> list[str]:
    """One line: what stands where, and since when."""
    how = "scheduled" if changed else "scheduled already"
    return [f"{how} with {system}: every night at {job.at:%H:%M} ({job.name})"]


def status_lines(
    look: Look, found: Sequence[Scheduled], record: Record | None, missed: datetime | None
) -> list[str]:
    """Where it stands, the last run, what was missed."""
    rows = [("scheduled", _where(look, each)) for each in found] or [("scheduled", "not at all")]
    if record is not None:
        rows.append(("last run", _minute(record.last_run) if record.last_run else "none yet"))
        rows.append(("missed", look.warn(_minute(missed)) if missed else "none"))
        rows.append(("catch-up", "the next command runs it" if record.catch_up else "said only"))
    return [f"{look.dim(f'{label:<{_LABEL}}')}{text}" for label, text in rows]


def _where(look: Look, each: Scheduled) -> str:
    at = f"at {each.at:%H:%M}" if each.at else "at a time written by hand"
    doubt = "" if each.active is not False else look.warn(", not active: install it again")
    files = f": {', '.join(map(str, each.files))}" if each.files else ""
    return f"{at}, by {each.system}{doubt}{files}"


def missed_line(missed: datetime) -> str:
    """What a command says of a night nobody reflected."""
    return f"the reflection of {_minute(missed)} was missed; `lorebank reflect` catches up"


def _minute(moment: datetime) -> str:
    return moment.isoformat(" ", "minutes")
