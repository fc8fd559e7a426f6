"""A scheduled night that was missed: said by the next command, and run where that was asked for.

Costs the look for one file. It comes after the command's own output, which waits for nothing.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from lorebank.cli.streams import flush
from lorebank.errors import LorebankError

if TYPE_CHECKING:
    from pathlib import Path

    from lorebank.cli.session import Session
    from lorebank.schedule.record import Record


def catch_up(session: Session) -> None:
    """Say, or run, what a schedule missed in the workspace this command was about."""
    root = session.opened
    if root is None or session.reflected or not (root / ".memory" / "schedule.json").is_file():
        return
    from lorebank.cli.render.schedule import missed_line
    from lorebank.schedule.record import missed_run, read_record

    record = read_record(root)
    missed = missed_run(record, session.moment) if record else None
    if record is None or missed is None:
        return
    wish = _wish(session, record)
    if wish == "run":
        flush()
        _run(session, root)
    elif wish == "say":
        session.note([session.error_look.warn("note: ") + missed_line(missed)])


def _wish(session: Session, record: Record) -> str:
    from lorebank.settings.config import load_config

    wish = load_config(session.opened, os.environ, session.flags).reflect.catch_up
    return "run" if wish == "say" and record.catch_up else wish


def _run(session: Session, root: Path) -> None:
    """Reflect now; the command itself went well, so that trouble here is only said."""
    from lorebank.cli.render.reports import reflect_log_line
    from lorebank.schedule.record import note_run

    try:
        with session.bank() as bank:
            report = bank.reflect()
        note_run(root, session.moment)
    except (LorebankError, OSError) as problem:
        session.note([f"a missed reflection could not be caught up: {problem}"])
        return
    session.note([f"caught up: {reflect_log_line(report, session.moment)}"])
