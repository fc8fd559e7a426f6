"""Rows of slots: which property of whom each fact fixes, and which of them newer facts replace.

What replaces what is worked out when asked, never stored: it depends on the day asked about and on
who is who, and both may change without the fact's file changing. `succession` is who asks.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from datetime import date
from typing import TYPE_CHECKING, NamedTuple

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import Fact, FactKind, Origin
from lorebank.index.items import Item, iso
from lorebank.language.folding import slugify
from lorebank.records import Record
from lorebank.supersede.slots import ends_value, same_value

if TYPE_CHECKING:
    from lorebank.supersede.properties import Slot

_STATED = frozenset({FactKind.WORLD, FactKind.OBSERVATION})
DATED = "is date"
"""A property whose value is when something takes place; once over, another may follow."""


AGENTS_TRUST = 1
TRUST = "CASE WHEN {0}.quarantined THEN 0 WHEN {0}.origin = 'agent' THEN 1 ELSE 2 END"
"""How far an item (SQL, by its table's name) is trusted, which ends nothing that is trusted more:
what nobody vouches for, an agent's line, the owner's word."""


def trust_of(line: Fact | Item) -> int:
    """The same of a line that was read from the index."""
    return 0 if line.quarantined else AGENTS_TRUST if line.origin is Origin.AGENT else 2


class When(NamedTuple):
    """What puts lines in order: two files of one day have none."""

    day: str
    file: int
    line: int

    def is_after(self, other: When) -> bool:
        if self.day != other.day:
            return self.day > other.day
        return self.file == other.file and self.line > other.line


class SlotEntry(Record):
    """What one item says of a property."""

    item: int
    id: str
    values: tuple[str, ...]
    """One sentence may give two: the town moved to and the street lived in."""
    old: str
    """The value that it says it replaces; empty where it names none."""
    when: When
    until: str
    """The last day of the time that the sentence names; empty where it names none."""
    since: str = ""
    """The day from which it holds, where it was written before."""
    trust: int = 2
    """As in `TRUST`."""

    @property
    def begins(self) -> str:
        return max(self.since, self.when.day)

    @property
    def names_a_day(self) -> bool:
        """Whether the value is one day, which passes, and not `Mondays`."""
        return bool(self.until) and any(map(str.isdigit, "".join(self.values)))


class Replaced(NamedTuple):
    """What newer lines say of the properties that an item fixes."""

    by: list[tuple[SlotEntry, SlotEntry]]
    """Each that is replaced, with what replaces it."""
    is_whole: bool
    """Whether all are."""
    asked: SlotEntry | None
    """An agent's line that would replace what the owner wrote, if that were its to say."""


def slots_of(fact: Fact) -> tuple[Slot, ...]:
    """What a fact fixes; opinions and experiences fix nothing."""
    if fact.kind not in _STATED:
        return ()
    from lorebank.supersede.properties import read_slots  # an answer needs no patterns

    occurred = fact.occurred
    bounded = (
        occurred is not None
        and occurred.start is not None
        and occurred.end is not None
        and occurred.start != occurred.end
    )
    first = next((m for m in fact.mentions if m.subject), None)
    return read_slots(
        fact.content,
        subjects=(first.slug,) if first else (),
        names=(first.name,) if first else (),
        bounded=bounded,
        begun=lambda clause: _split_future_start(clause, fact),
    )


def _split_future_start(clause: str, fact: Fact) -> tuple[str, str]:
    """The clause without the words of a beginning that lay ahead, and the day ahead it names."""
    written = fact.recorded
    if written is None or not any(time.begins_after(written) for time in fact.times):
        return clause, ""
    from lorebank.dates.phrases import find_phrases
    from lorebank.dates.times import times_of

    times, phrases = times_of(clause, written), find_phrases(clause, written, "future")
    for time, phrase in zip(times, phrases, strict=False):
        if time.start is not None and time.begins_after(written):
            is_bare = time.announces(written) and len(times) == len(phrases)
            rest = f"{clause[: phrase.start]}{clause[phrase.end :]}" if is_bare else clause
            return " ".join(rest.split()).strip(" ,:"), time.start.isoformat()
    return clause, ""


def insert_slots(connection: Connection, slots: Iterable[tuple[int, Slot]]) -> None:
    """Store what facts fix, each with the number of its item."""
    connection.executemany(
        "INSERT OR IGNORE INTO slots"
        " (item, subject, about, relation, value, old, since, value_slug)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (item, s.subject, s.about, s.relation, s.value, s.old, s.since, slugify(s.value))
            for item, s in slots
        ),
    )


def items_of_slots(
    connection: Connection,
    entities: Sequence[str],
    relations: Sequence[str],
    attributes: Sequence[str],
    limit: int,
    *,
    until: date | None = None,
    within: str | None = None,
) -> list[tuple[int, str]]:
    """`(item, relation)` of facts that fix one of these properties of one of these entities.

    A property is a relation (`residence`), or an attribute by its name (`port`). Newest first; of
    the entity itself before of something of it (`mother`). `until` leaves out what was recorded
    later.
    """
    rows = select(
        connection,
        "SELECT s.item, min(s.relation) FROM json_each(?1) w"
        " CROSS JOIN aliases a ON a.entity = w.value CROSS JOIN slots s ON s.subject = a.slug"
        " JOIN items i ON i.item = s.item"
        " WHERE (s.relation IN (SELECT value FROM json_each(?2))"
        "  OR (s.relation GLOB 'is*' AND s.about IN (SELECT value FROM json_each(?6))))"
        " AND (?3 IS NULL OR i.recorded <= ?3)"
        " AND (?4 IS NULL OR s.item IN (SELECT value FROM json_each(?4)))"
        " GROUP BY s.item ORDER BY min(s.about <> '' AND s.relation NOT GLOB 'is*'),"
        " i.recorded DESC, s.item DESC LIMIT ?5",
        (entities, relations, until, within, limit, attributes),
    )
    return [(item, relation) for item, relation in rows]


def replaced_values(
    connection: Connection, items: Iterable[int], as_of: date | None, today: date | None
) -> dict[int, Replaced]:
    """Item → its properties that are replaced, or asked about; without items where none is.

    A newer line (of a later day, or further down the same log) replaces a property by another value
    of it, from the day on that it names. Facts in undated files replace nothing and are not
    replaced; no fact replaces one that is trusted more.
    """
    keys = _keys(connection, items)
    entries = _entries(connection, {key for own in keys.values() for key in own}, as_of)
    said = {(key, entry.item): entry for key, each in entries.items() for entry in each}
    last_day = iso(today or as_of) or "9999-99-99"
    begun = {key: [e for e in each if e.begins <= last_day] for key, each in entries.items()}
    found: dict[int, Replaced] = {}
    for item, own in keys.items():
        fixed = [
            (mine, key, _replacement(mine, key, begun[key], mine.trust))
            for key in dict.fromkeys(own)
            if (mine := said.get((key, item)))
        ]
        newer = [(mine, entry) for mine, _, entry in fixed if entry]
        asked = [
            _replacement(mine, key, begun[key], AGENTS_TRUST)
            for mine, key, entry in fixed
            if entry is None and mine.trust > AGENTS_TRUST
        ]
        if newer or any(asked):
            claimed = next(filter(None, asked), None)
            found[item] = Replaced(newer, len(newer) == len(fixed), claimed)
    return found


def relations_of_facts(connection: Connection) -> dict[str, frozenset[str]]:
    """Fact id → the properties that it says something holds of: `residence`, `employer`, …"""
    rows = select(
        connection,
        "SELECT i.id, json_group_array(s.relation) FROM items i JOIN slots s ON s.item = i.item"
        " WHERE i.quarantined = 0 GROUP BY i.id",
    )
    return {fact: frozenset(json.loads(relations)) for fact, relations in rows}


_Key = tuple[str, str, str]  # `(entity slug or "", about, relation)`


def _keys(connection: Connection, items: Iterable[int]) -> dict[int, list[_Key]]:
    """The properties that these items fix, under the slugs of the entities they stand for."""
    keys: dict[int, list[_Key]] = defaultdict(list)
    for item, *key in select(
        connection,
        "SELECT s.item, coalesce(m.entity, s.subject), s.about, s.relation FROM json_each(?) w"
        " CROSS JOIN slots s ON s.item = w.value"
        " LEFT JOIN mentions m ON m.item = s.item AND m.slug = s.subject",
        (items,),
    ):
        keys[item].append((key[0], key[1], key[2]))
    return keys


def _entries(
    connection: Connection, keys: Collection[_Key], as_of: date | None
) -> defaultdict[_Key, list[SlotEntry]]:
    """All dated entries of these properties, by whatever name; what begins last comes first."""
    found: defaultdict[_Key, list[SlotEntry]] = defaultdict(list)
    if not keys:
        return found
    written: dict[str, set[str]] = {key[0]: {key[0]} for key in keys}
    for entity, slug in select(
        connection,
        "SELECT a.entity, a.slug FROM json_each(?) w CROSS JOIN aliases a ON a.entity = w.value",
        (sorted(written.keys() - {""}),),
    ):
        written[entity].add(slug)
    asked = [
        (slug, about, relation, entity)
        for entity, about, relation in sorted(keys)
        for slug in sorted(written[entity])
    ]
    for entity, about, relation, *row in select(
        connection,
        "SELECT w.value ->> 3, s.about, s.relation, s.item, i.id, json_group_array(s.value),"
        " max(s.old), max(s.since), i.recorded, i.file, i.start_line, coalesce(i.occurred_end, ''),"
        f" {TRUST.format('i')} FROM json_each(?) w CROSS JOIN slots s"
        " ON s.subject = w.value ->> 0 AND s.about = w.value ->> 1 AND s.relation = w.value ->> 2"
        " JOIN items i ON i.item = s.item WHERE i.recorded IS NOT NULL"
        " AND (?2 IS NULL OR i.recorded <= ?2)"
        " GROUP BY w.value ->> 3, s.about, s.relation, s.item",
        (asked, as_of),
    ):
        item, fact, values, old, since, recorded, file, line, until, trust = row
        said = tuple(json.loads(values))
        when = When(recorded, file, line)
        entry = SlotEntry(item, fact, said, old, when, until, since, trust)
        found[entity, about, relation].append(entry)
    for own in found.values():
        own.sort(key=lambda entry: (entry.begins, entry.when), reverse=True)
    return found


def _replacement(
    mine: SlotEntry, key: _Key, entries: Sequence[SlotEntry], trust: int
) -> SlotEntry | None:
    """The newest later entry, trusted as much, that leaves no room for this one; `None` where the
    newest agrees.

    What begins last holds, whenever it was written.
    """
    for entry in entries:
        if entry.begins < mine.begins:
            break
        if entry.trust < trust:
            continue
        if entry.begins == mine.begins and not entry.when.is_after(mine.when):
            continue
        if key[2] == DATED and mine.names_a_day and entry.when.day > mine.until:
            continue  # the next appointment
        if any(same_value(ours, theirs) for ours in entry.values for theirs in mine.values):
            return None
        # Who moved from Vim to Emacs did not move out of Berlin.
        if not entry.old or any(ends_value(entry.old, value) for value in mine.values):
            return entry
    return None
