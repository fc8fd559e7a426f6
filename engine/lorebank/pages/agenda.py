"""The agenda: what the notes say is to come, and which tasks and promises are open.

An appointment is any line of the notes, typed or prose, that names a time which lay ahead when it
was written. Lines about one appointment are one entry. What a newer line moves, replaces or calls
off is left out, on the word of the newer line alone: it names the old day beside a new one, or is
about the same thing on another day.
"""

from __future__ import annotations

import re
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
from lorebank.index.tasks import Appointment, appointments_known_on, load_tasks
from lorebank.language.words import content_words
from lorebank.records import Record

AGENDA_DAYS = 14
_LONGEST = 7
"""Days: a longer time, such as a month or a season, keeps no day free. On two workspaces by other
hands 31 held no appointment more."""
_SAME = 0.5
"""Share of the shorter line's words that two lines about one appointment have in common."""
_SAME_OF_ONE = 0.2
"""The same where both name one entity, on the same day."""


class _Entry(Record):
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
    due = [
        _of_task(task, today)
        for task in load_tasks(connection, until=today, state=TaskState.OPEN)
        if _is_due(task, until) and not (task.kind == PROMISE and task.citation in moved)
    ]
    known = {(item.source, item.when) for item in due}  # what is promised for a day is no event
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
        if (entry.line.source, entry.when) not in known
    ]
    return Agenda(today, until, tuple(sorted((*coming, *due), key=_first_due)))


def _is_due(task: Task, until: date) -> bool:
    """Whether a task can be done by a day: one to be done by a later day can."""
    return task.due is None or task.due.start is None or task.due.start <= until


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
        ahead = [when for when in line.times if _lies_ahead(when, line.recorded)]
        words = frozenset(word for word in content_words(line.text) if not word.isdigit())
        moved = [entry for entry in entries if _moves(line, ahead, words, entry)]
        entries = [entry for entry in entries if entry not in moved]
        over = {entry.when for entry in moved}
        for when in ahead:
            if when not in over:
                _note(entries, _Entry(line, when, words))
    return [entry for entry in entries if not entry.line.replaced]


def _note(entries: list[_Entry], new: _Entry) -> None:
    """Add an appointment, or tell one that is known in the words of the newer or typed line."""
    live = (n for n, entry in enumerate(entries) if not entry.line.replaced)
    twin = None if new.line.replaced else next((n for n in live if _same(entries[n], new)), None)
    if twin is None:
        entries.append(new)
    elif new.line.typed or not entries[twin].line.typed:
        entries[twin] = new


def _lies_ahead(when: Interval, written: date | None) -> bool:
    first, last = when.start, when.end
    if first is None or last is None:
        day = first or last
        return day is not None and (written is None or day > written)
    return (last - first).days <= _LONGEST and (written is None or first > written)


def _moves(
    line: Appointment, ahead: Sequence[Interval], words: frozenset[str], entry: _Entry
) -> bool:
    """Whether a newer line puts an appointment off: it names its day, and another one to come."""
    others = [when for when in ahead if when != entry.when]
    if not others or not set(line.entities) & set(entry.line.entities):
        return False
    alike = _overlap(words, entry.words)
    names_its_day = re.search(rf"(?<![\w:.,-]){entry.day.day}(?!\w*[:,-]?\d)", line.text)
    return entry.when in line.times or (
        len(others) == len(ahead) and alike >= (_SAME_OF_ONE if names_its_day else _SAME)
    )


def _same(one: _Entry, other: _Entry) -> bool:
    if one.day != other.day:
        return False
    shares_a_name = bool(set(one.line.entities) & set(other.line.entities))
    return _overlap(one.words, other.words) >= (_SAME_OF_ONE if shares_a_name else _SAME)


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)
