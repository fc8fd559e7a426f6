"""Lines of the notes that name a time which lay ahead when they were written."""

from __future__ import annotations

import re
from datetime import date

from lorebank.database.connection import Connection, select
from lorebank.domain import Citation, Interval
from lorebank.index.items import NOTE, load_items
from lorebank.index.succession import fates_of_facts
from lorebank.records import dataclass
from lorebank.trust.quarantine import TRUSTED

_MARKER = re.compile(r"\A(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?")
"""A list marker, with its box: prose is kept as it stands in the file."""


@dataclass(frozen=True, slots=True)
class Appointment:
    """One line, typed or prose, and the times that it names."""

    text: str
    source: Citation
    recorded: date | None
    times: tuple[Interval, ...]
    entities: tuple[str, ...]
    """Slugs, of names without a mark as well."""
    typed: bool
    """Whether it is a fact rather than prose."""
    replaced: bool
    """Whether a newer fact replaces it."""


def appointments_known_on(connection: Connection, day: date) -> list[Appointment]:
    """Every line recorded by a day that names a time after its own day, the oldest first. Tasks
    are not among them: they tell on their own whether they are done."""
    numbers = [
        number
        for (number,) in select(
            connection,
            f"SELECT i.item FROM items i JOIN files f ON f.file = i.file WHERE {TRUSTED}"
            " AND (coalesce(i.occurred_end, i.occurred_start) > coalesce(i.recorded, '')"
            "  OR EXISTS (SELECT 1 FROM further_times t WHERE t.item = i.item"
            "   AND coalesce(t.end, t.start) > coalesce(i.recorded, '')))"
            " AND (i.recorded IS NULL OR i.recorded <= ?) AND f.path NOT GLOB 'bank/*'"
            " AND i.item NOT IN (SELECT item FROM tasks)"
            " ORDER BY coalesce(i.recorded, ''), f.path, i.start_line",
            (day.isoformat(),),
        )
    ]
    plain = _named(connection)
    replaced = fates_of_facts(connection, as_of=day).superseded
    items = load_items(connection, numbers)
    return [
        Appointment(
            _MARKER.sub("", item.content.strip()),
            item.citation,
            item.recorded,
            item.times if item.kind != NOTE else _first_ahead(item.times, item.recorded),
            tuple(dict.fromkeys((*item.entities, *plain.get(number, ())))),
            item.kind != NOTE,
            item.id in replaced,
        )
        for number, item in ((number, items[number]) for number in numbers)
    ]


def _first_ahead(times: tuple[Interval, ...], day: date | None) -> tuple[Interval, ...]:
    """The first time of a passage that lies ahead: of prose the others are seldom appointments."""
    ahead = (
        t for t in times if day is None or max(filter(None, (t.start, t.end)), default=day) > day
    )
    return tuple(ahead)[:1]


def _named(connection: Connection) -> dict[int, tuple[str, ...]]:
    found: dict[int, tuple[str, ...]] = {}
    for item, entity in select(connection, "SELECT item, entity FROM plain_mentions"):
        found[item] = (*found.get(item, ()), entity)
    return found
