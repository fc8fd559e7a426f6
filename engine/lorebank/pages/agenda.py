"""The agenda: what the notes say is to come, and which tasks and promises are open.

An appointment is any line of the notes, typed or prose, that names a time which lay ahead when it
was written. Lines about one appointment are one entry. What a newer line moves, replaces or calls
off is left out, on the word of the newer line alone: it names the old day beside a new one, or is
about the same thing on another day.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta

from lorebank.database.connection import Connection
from lorebank.domain import (
    PROMISE,
    Agenda,
    AgendaItem,
    AgendaKind,
    Citation,
    Interval,
    Task,
    TaskState,
)
from lorebank.index.appointments import Appointment, appointments_known_on
from lorebank.index.tasks import load_tasks
from lorebank.language.words import content_words
from lorebank.records import dataclass

AGENDA_DAYS = 14
_LONGEST = 31
"""Days: a time without an exact end, such as a season or a year, is no appointment."""
_SAME = 0.5
"""Share of the shorter line's words that two lines about one appointment have in common."""
_SAME_OF_ONE = 0.2
"""The same where both name one entity, on the same day."""


@dataclass(frozen=True, slots=True)
class _Entry:
    """An appointment with what it is compared by."""

    line: Appointment
    when: Interval
    words: frozenset[str]

    @property
    def day(self) -> date:
        """The day that it stands under."""
        return _day(self.when)


def _day(when: Interval) -> date:
    """Its beginning, or by when it is due."""
    day = when.start or when.end
    assert day is not None
    return day


def read_agenda(connection: Connection, today: date, days: int = AGENDA_DAYS) -> Agenda:
    """The agenda of `days` days from `today` on, as the notes up to that day have it."""
    until = today + timedelta(days=days)
    lines = appointments_known_on(connection, today)
    standing = _standing(lines)
    moved = {line.source for line in lines} - {entry.line.source for entry in standing}
    coming = [
        AgendaItem(
            entry.line.text,
            entry.line.source,
            entry.when,
            AgendaKind.EVENT,
            entities=entry.line.entities,
        )
        for entry in standing
        if (entry.when.end or entry.day) >= today and entry.day <= until
    ]
    known = {item.source for item in coming}
    tasks = [
        _of_task(task, today)
        for task in load_tasks(connection, until=today, state=TaskState.OPEN)
        if task.citation not in known and not (task.kind == PROMISE and task.citation in moved)
    ]
    due = [item for item in tasks if item.when is None or _day(item.when) <= until]
    return Agenda(today, until, tuple(sorted((*coming, *due), key=_first_due)))


def _of_task(task: Task, today: date) -> AgendaItem:
    last = (task.due.end or task.due.start) if task.due else None
    return AgendaItem(
        task.text,
        task.citation,
        task.due,
        AgendaKind(task.kind),
        overdue=last is not None and last < today,
        open=True,
        entities=task.entities,
    )


def _first_due(item: AgendaItem) -> tuple[bool, date, Citation]:
    return not item.overdue, _day(item.when) if item.when else date.max, item.source


def _standing(lines: Sequence[Appointment]) -> list[_Entry]:
    """The appointments that no newer line moves, each once; `lines` are oldest first."""
    entries: list[_Entry] = []
    for line in lines:
        entries = [entry for entry in entries if not _moves(line, entry)]
        when = _appointed(line)
        if when is None or line.replaced:
            continue
        new = _Entry(line, when, frozenset(content_words(line.text)))
        twin = next((n for n, entry in enumerate(entries) if _same(entry, new)), None)
        if twin is None:
            entries.append(new)
        elif line.typed or not entries[twin].line.typed:
            entries[twin] = new
    return entries


def _appointed(line: Appointment) -> Interval | None:
    """The last of the line's times that lay ahead when it was written: "moved from A to B"."""
    ahead = [when for when in line.times if _lies_ahead(when, line.recorded)]
    return max(ahead, key=lambda when: when.start or when.end or date.min, default=None)


def _lies_ahead(when: Interval, written: date | None) -> bool:
    first, last = when.start, when.end
    if first is None or last is None:
        day = first or last
        return day is not None and (written is None or day > written)
    return (last - first).days <= _LONGEST and (written is None or first > written)


def _moves(line: Appointment, entry: _Entry) -> bool:
    """Whether a newer line puts an appointment off: it names its day, and another one to come."""
    when = _appointed(line)
    if when is None or when == entry.when or not set(line.entities) & set(entry.line.entities):
        return False
    if any(time == entry.when for time in line.times):
        return True
    return _overlap(frozenset(content_words(line.text)), entry.words) >= _SAME


def _same(one: _Entry, other: _Entry) -> bool:
    if one.day != other.day:
        return False
    shares_a_name = bool(set(one.line.entities) & set(other.line.entities))
    return _overlap(one.words, other.words) >= (_SAME_OF_ONE if shares_a_name else _SAME)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)
