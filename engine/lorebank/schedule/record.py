"""The record of a scheduled workspace, `.memory/schedule.json`: since when, at what time, last run.

It is kept only where a run is scheduled, and only believed on the machine that scheduled it: a
workspace may be shared. Like all of `.memory/` it may be deleted; what is missed is then not
noticed until the next `schedule install`.
"""

from __future__ import annotations

import json
import platform
from dataclasses import asdict, replace
from datetime import datetime, time, timedelta
from pathlib import Path

from lorebank.errors import UsageError
from lorebank.records import dataclass
from lorebank.schedule.job import parse_at
from lorebank.workspace.atomic import write_atomic
from lorebank.workspace.layout import DERIVED_FOLDER, ensure_derived_folder

GRACE = timedelta(minutes=15)
"""A run may take so long before it counts as missed."""
_FILE = "schedule.json"


@dataclass(frozen=True, slots=True)
class Record:
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


def read_record(root: Path) -> Record | None:
    """The record of this machine; `None` where there is none that can be read."""
    file = root / DERIVED_FOLDER / _FILE
    try:
        if file.is_symlink():
            return None
        fields = json.loads(file.read_bytes())
        record = Record(
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


def write_record(root: Path, record: Record) -> None:
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


def missed_run(record: Record, now: datetime) -> datetime | None:
    """The newest night that should have been reflected by now and was not; `None` where none."""
    latest = now - GRACE
    due = datetime.combine(latest.date(), record.at)
    if due > latest:
        due -= timedelta(days=1)
    done = max(record.since, record.last_run or record.since)
    return due if done < due else None


def _stamp(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")
