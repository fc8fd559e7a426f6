"""Rows of slots: which property of whom each fact fixes, and which of them newer facts replace.

What replaces what is worked out when asked, never stored: it depends on the day asked about and on
who is who, and both may change without the fact's file changing. `succession` is who asks.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import TYPE_CHECKING

from lorebank.database.connection import Connection, select
from lorebank.domain import Fact, FactKind
from lorebank.language.folding import slugify
from lorebank.records import dataclass
from lorebank.supersede.values import SlotKind, same_value

if TYPE_CHECKING:
    from lorebank.supersede.properties import Slot

_STATED = frozenset({FactKind.WORLD, FactKind.OBSERVATION})
_SWAP = "*"
_DATED = frozenset({"is date", "due"})
"""Properties whose value is when something takes place; once over, another may follow."""


@dataclass(frozen=True, slots=True)
class SlotEntry:
    """What one item says of a property."""

    item: int
    id: str
    kind: SlotKind
    values: tuple[str, ...]
    """One sentence may give two: the town moved to and the street lived in."""
    when: tuple[str, int, int]
    """The day of the log; within one file of that day, the line."""
    until: str
    """The last day of the time that the sentence names; empty where it names none."""
    trusted: bool = True

    @property
    def names_a_day(self) -> bool:
        """Whether the value is one day, which passes, and not `Mondays`."""
        return bool(self.until) and any(map(str.isdigit, "".join(self.values)))


def slots_of(fact: Fact) -> tuple[Slot, ...]:
    """What a fact fixes; opinions and experiences fix nothing."""
    if fact.kind not in _STATED:
        return ()
    from lorebank.supersede.properties import (
        read_slots,  # an answer from the index needs no patterns
    )

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
    )


def insert_slots(connection: Connection, item: int, slots: Iterable[Slot]) -> None:
    """Store what a fact fixes."""
    connection.executemany(
        "INSERT OR IGNORE INTO slots (item, subject, about, relation, value, kind, value_slug)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (item, s.subject, s.about, s.relation, s.value, s.kind.value, slugify(s.value))
            for s in slots
        ],
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
        (
            json.dumps(list(entities)),
            json.dumps(list(relations)),
            until.isoformat() if until else None,
            within,
            limit,
            json.dumps(list(attributes)),
        ),
    )
    return [(item, relation) for item, relation in rows]


def replaced_values(
    connection: Connection, items: Iterable[int], as_of: date | None
) -> dict[int, tuple[list[tuple[SlotEntry, SlotEntry]], bool]]:
    """Item → its properties that are replaced, each with what replaces it; and whether all are.

    A newer line (of a later day, or further down the same log) replaces a property by another value
    of it, or by saying that it is over. Facts in undated files replace nothing and are not
    replaced; facts in quarantine replace nothing that is trusted.
    """
    keys = _keys(connection, items)
    if not keys:
        return {}
    rivals = _rivals(connection, {key for found in keys.values() for key in found}, as_of)
    found: dict[int, tuple[list[tuple[SlotEntry, SlotEntry]], bool]] = {}
    for item, own in keys.items():
        fixed = [_fixed_by(item, key, rivals) for key in dict.fromkeys(own)]
        held = [one for one in fixed if one and one[0].kind is not SlotKind.ENDS]
        newer = [(mine, entry) for mine, entry in held or filter(None, fixed) if entry]
        if newer:
            found[item] = (newer, len(newer) == len(held or fixed))
    return found


def _fixed_by(
    item: int, key: _Key, rivals: Mapping[_Key, Sequence[SlotEntry]]
) -> tuple[SlotEntry, SlotEntry | None] | None:
    """What an item says of a property, and what replaces that; `None` for an undated item."""
    own = [entry for entry in rivals[key] if entry.item == item]
    # Of "moved from Berlin to Lisbon" the end of Berlin never lapses; Lisbon may.
    mine = min(own, key=lambda entry: entry.kind is SlotKind.ENDS, default=None)
    if mine is None:
        return None
    others = [*rivals[key], *rivals[_swap_of(key)]]
    if key[2] in _DATED and mine.names_a_day:
        others = [e for e in others if e.when[0] <= mine.until]  # else the next appointment
    return mine, _replacement(mine, others)


def relations_of_facts(
    connection: Connection, facts: Collection[str] | None = None
) -> dict[str, frozenset[str]]:
    """Fact id → the properties that it says something holds of: `residence`, `employer`, …

    Of all facts, or of those of these ids.
    """
    return {
        fact: frozenset(json.loads(relations))
        for fact, relations in select(
            connection,
            "SELECT i.id, json_group_array(s.relation) FROM items i JOIN slots s ON s.item = i.item"
            " WHERE s.kind <> 'ends' AND s.relation <> :swap AND i.quarantined = 0"
            f" AND {of_facts(facts)} GROUP BY i.id",
            {"swap": _SWAP, "facts": listed(facts)},
        )
    }


def of_facts(facts: Collection[str] | None) -> str:
    """A condition on items, which takes `_listed` as `:facts`."""
    return "1" if facts is None else "i.id IN (SELECT value FROM json_each(:facts))"


def listed(facts: Collection[str] | None) -> str | None:
    return None if facts is None else json.dumps(sorted(facts))


_Key = tuple[str, str, str]
"""`(entity slug or "", about, relation)`."""


def _swap_of(key: _Key) -> _Key:
    return (key[0], "", _SWAP)


def _keys(connection: Connection, items: Iterable[int]) -> dict[int, list[_Key]]:
    """The properties that these items fix, under the slugs of the entities they stand for."""
    keys: dict[int, list[_Key]] = defaultdict(list)
    rows = select(
        connection,
        "SELECT s.item, coalesce(m.entity, s.subject), s.about, s.relation FROM json_each(?) w"
        " CROSS JOIN slots s ON s.item = w.value"
        " LEFT JOIN mentions m ON m.item = s.item AND m.slug = s.subject",
        (json.dumps(list(items)),),
    )
    for item, entity, about, relation in rows:
        if relation != _SWAP:
            keys[item].append((entity, about, relation))
    return keys


def _rivals(
    connection: Connection, keys: Iterable[_Key], as_of: date | None
) -> defaultdict[_Key, list[SlotEntry]]:
    """All dated entries of these properties, whatever name the entity was called by."""
    wanted = {wanted for key in keys for wanted in (key, _swap_of(key))}
    names = {key[0] for key in wanted}
    written: dict[str, set[str]] = {name: {name} for name in names}
    for entity, slug in select(
        connection,
        "SELECT a.entity, a.slug FROM json_each(?) w CROSS JOIN aliases a ON a.entity = w.value",
        (json.dumps(sorted(names - {""})),),
    ):
        written[entity].add(slug)
    asked = [
        (slug, about, relation, entity)
        for entity, about, relation in sorted(wanted)
        for slug in sorted(written[entity])
    ]
    found: defaultdict[_Key, list[SlotEntry]] = defaultdict(list)
    for entity, about, relation, *row in select(
        connection,
        "SELECT w.value ->> 3, s.about, s.relation, s.item, i.id, s.kind,"
        " json_group_array(s.value), i.recorded, i.file, i.start_line,"
        " coalesce(i.occurred_end, ''), i.quarantined = 0"
        " FROM json_each(?) w CROSS JOIN slots s"
        " ON s.subject = w.value ->> 0 AND s.about = w.value ->> 1 AND s.relation = w.value ->> 2"
        " JOIN items i ON i.item = s.item WHERE i.recorded IS NOT NULL"
        " AND (?2 IS NULL OR i.recorded <= ?2)"
        " GROUP BY w.value ->> 3, s.about, s.relation, s.item, s.kind",
        (json.dumps(asked), as_of.isoformat() if as_of else None),
    ):
        item, fact, kind, values, recorded, file, line, until, trusted = row
        said = tuple(json.loads(values))
        when = (recorded, file, line)
        entry = SlotEntry(item, fact, SlotKind(kind), said, when, until, bool(trusted))
        found[entity, about, relation].append(entry)
    return found


def _replacement(mine: SlotEntry, entries: Sequence[SlotEntry]) -> SlotEntry | None:
    """The newest later entry that leaves no room for this one; `None` where the newest agrees."""
    later = sorted((e for e in entries if _is_later(e, mine)), key=lambda e: e.when, reverse=True)
    for entry in later:
        agrees = any(same_value(ours, theirs) for ours in entry.values for theirs in mine.values)
        if entry.kind is SlotKind.ENDS:
            if mine.kind is not SlotKind.ENDS and _is_ended(mine, entry):
                return entry
        elif mine.kind is SlotKind.ENDS:
            if agrees:
                return entry
        elif agrees:
            return None
        elif entry.kind is SlotKind.HOLDS and not _came_from_elsewhere(mine, entry, later):
            return entry
    return None


def _came_from_elsewhere(mine: SlotEntry, entry: SlotEntry, later: Sequence[SlotEntry]) -> bool:
    """Whether a sentence says which value it replaces, and that is another: who `moved from Vim to
    Emacs` did not move out of Berlin."""
    left = [e for e in later if e.item == entry.item and e.kind is SlotKind.ENDS]
    return bool(left) and not any(_is_ended(mine, e) for e in left)


def _is_ended(mine: SlotEntry, entry: SlotEntry) -> bool:
    from lorebank.supersede.properties import ends_value  # few answers come upon an end

    return any(ends_value(over, ours) for over in entry.values for ours in mine.values)


def _is_later(entry: SlotEntry, mine: SlotEntry) -> bool:
    """Recorded on a later day, or further down the same file; two files of a day have no order.

    What is in quarantine takes the place of nothing that is trusted.
    """
    if entry.item == mine.item or (mine.trusted and not entry.trusted):
        return False
    if entry.when[0] != mine.when[0]:
        return entry.when[0] > mine.when[0]
    return entry.when[1] == mine.when[1] and entry.when[2] > mine.when[2]
