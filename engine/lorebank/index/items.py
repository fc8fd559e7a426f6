"""Rows of facts and passages: written by sync, read by everything that shows a fact."""

from __future__ import annotations

import json
from collections.abc import Collection, Hashable, Iterable, Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import Any, NamedTuple

from lorebank.database.connection import Connection, Memo, execute, select
from lorebank.domain.answers import NamedIn
from lorebank.domain.facts import (
    NOBODY,
    Author,
    Citation,
    EvidenceMark,
    Fact,
    FactKind,
    Interval,
    Mention,
    Origin,
    Stance,
)
from lorebank.index.finding import FURTHER, TRUSTED, bounds

NOTE = "note"  # the kind of an item that is a passage of prose rather than a fact

_KEPT = 16_000  # rows kept in memory, some 2 KB each
_AT_ONCE = 10_000  # rows of facts in memory beside the facts made of them
_KINDS = 8  # kinds of what is derived from them; each day asked about is one
ENDS = "ends"  # beside the stances of evidence marks: the mark `(ends f-…)`


class Item(NamedTuple):
    """A row of `items` as recall ranks it: a fact, or a passage of prose.

    A tuple, as each question makes some hundred of them.
    """

    item: int
    id: str
    kind: str
    path: str
    start_line: int
    end_line: int
    recorded: date | None
    times: tuple[Interval, ...]  # all the times that its text names
    content: str
    confidence: float | None
    entities: tuple[str, ...]  # slugs of the entities it mentions, in order
    subjects: frozenset[str]  # those that it is about: they stand before the colon
    names: tuple[str, ...]  # the same as display names
    ordinal: int
    file: int
    origin: Origin = Origin.OWNER
    quarantined: bool = False
    author: Author = NOBODY
    dialogue: bool = False  # whether it is a turn of a dialogue

    @property
    def occurred(self) -> Interval | None:
        return self.times[0] if self.times else None

    @property
    def citation(self) -> Citation:
        return Citation(self.path, self.start_line, self.end_line)


def item_places(connection: Connection) -> frozenset[str]:
    """Where each fact and passage stands, as a citation is written: `path#L12`, `path#L12-L15`."""
    return frozenset(
        str(Citation(path, first, last))
        for path, first, last in select(
            connection,
            "SELECT f.path, i.start_line, i.end_line FROM items i JOIN files f ON f.file = i.file",
        )
    )


def first_below_headings(connection: Connection, items: Iterable[int]) -> dict[int, str]:
    """Item → the heading that it is the first to stand below, for those of the items that are."""
    return dict(
        select(
            connection,
            "SELECT i.item, i.heading FROM json_each(?) w CROSS JOIN items i ON i.item = w.value"
            " WHERE i.heading <> '' AND NOT EXISTS (SELECT 1 FROM items b WHERE b.file = i.file"
            "  AND b.ordinal = i.ordinal - 1 AND b.heading = i.heading)",
            (items,),
        )
    )


def load_items(connection: Connection, items: Sequence[int]) -> dict[int, Item]:
    """The rows of these item numbers, with their entities; unknown numbers are left out."""
    if not items:
        return {}
    mentions = _mentions(connection, items)
    rows = select(
        connection,
        "SELECT i.item, i.id, i.kind, f.path, i.start_line, i.end_line, i.recorded,"
        f" i.occurred_start, i.occurred_end, {_FURTHER_TIMES},"
        " i.content, i.confidence, i.ordinal, i.file, i.origin, i.quarantined, i.author, f.dialogue"
        " FROM json_each(?) w CROSS JOIN items i ON i.item = w.value"
        " JOIN files f ON f.file = i.file",
        (items,),
    )
    return {row[0]: _item(row, mentions.get(row[0], ())) for row in rows}


class ItemCache:
    """Rows of `items` kept between questions, which mostly meet the same ones."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._known: Memo[int, Item] = Memo(connection)
        self._derived: Memo[Hashable, dict[Any, Any]] = Memo(connection)

    def load(self, items: Collection[int]) -> dict[int, Item]:
        known = self._known.current()
        if len(known) > _KEPT:
            known.clear()
        known.update(load_items(self.connection, [n for n in items if n not in known]))
        return {number: known[number] for number in items if number in known}

    def derived(self, kind: Hashable) -> dict[Any, Any]:
        """What questions worked out of the rows, by kind; for them to read and add to."""
        kinds = self._derived.current()
        if len(kinds) > _KINDS:
            kinds.clear()
        found = kinds.setdefault(kind, {})
        if len(found) > _KEPT:
            found.clear()
        return found


_Row = tuple[Any, ...]
_FURTHER_TIMES = (
    "(SELECT json_group_array(json_array(t.start, t.end)) FROM further_times t"
    " WHERE t.item = i.item)"
)
_ORIGINS = {origin.value: origin for origin in Origin}
_FACT_KINDS = {kind.value: kind for kind in FactKind}


def _item(row: _Row, mentions: tuple[_Row, ...]) -> Item:
    recorded, start, end, further, content, confidence = row[6:12]
    ordinal, file, origin, quarantined, author, dialogue = row[12:]
    return Item._make(
        (
            *row[:6],
            stored_day(recorded),
            _times(start, end, further),
            content,
            confidence,
            *_mentioned(mentions),
            ordinal,
            file,
            _ORIGINS[origin],
            bool(quarantined),
            _author(author),
            bool(dialogue),
        )
    )


@lru_cache(maxsize=4096)
def _mentioned(
    mentions: tuple[_Row, ...],
) -> tuple[tuple[str, ...], frozenset[str], tuple[str, ...]]:
    """Slugs, slugs of subjects, and names; most facts mention the same few people."""
    return (
        tuple(dict.fromkeys([slug for slug, _, _ in mentions])),
        frozenset([slug for slug, _, subject in mentions if subject]),
        tuple(dict.fromkeys([name for _, name, _ in mentions])),
    )


_FACT_QUERY = f"""
    SELECT i.item, i.id, i.kind, i.content, i.file,
           f.path, i.start_line, i.end_line, i.confidence, i.recorded,
           i.occurred_start, i.occurred_end, i.marks, i.details, i.heading,
           i.origin, i.quarantined, i.author, {_FURTHER_TIMES},
           i.start, i.length
    FROM items i JOIN files f ON f.file = i.file
    WHERE i.kind <> 'note' AND {{condition}}
    ORDER BY {{order}}
"""
_OLDEST_FIRST = "i.recorded IS NULL DESC, i.recorded, f.path, i.start_line"


def load_facts(connection: Connection, items: Iterable[int]) -> tuple[Fact, ...]:
    """The facts of these item numbers, oldest first; passages are left out."""
    return _facts(connection, "i.item IN (SELECT value FROM json_each(?))", (items,))


def all_facts(connection: Connection) -> tuple[Fact, ...]:
    """Every fact but those in quarantine, undated ones first, then oldest first; without their
    lines as they are written (`raw`), which nobody reads of all."""
    return _facts(connection, TRUSTED, (), with_raw=False)


def facts_by_id(connection: Connection, fact_id: str) -> tuple[Fact, ...]:
    """The facts of one id, or of a unique beginning of it; several where lines say the same."""
    exact = _facts(connection, "i.id = ?", (fact_id,))
    if exact:
        return exact
    return _facts(connection, "substr(i.id, 1, ?) = ?", (len(fact_id), fact_id))


def facts_of_files(connection: Connection, paths: Sequence[str]) -> tuple[Fact, ...]:
    """Every fact of these files, those in quarantine too."""
    return _facts(connection, "f.path IN (SELECT value FROM json_each(?))", (paths,))


def facts_of_ids(connection: Connection, ids: Iterable[str]) -> dict[str, Fact]:
    """Id → the oldest fact of that id."""
    found = _facts(connection, "i.id IN (SELECT value FROM json_each(?))", (sorted(ids),))
    return {fact.id: fact for fact in reversed(found)}


def facts_by_place(connection: Connection, path: str, line: int) -> Fact | None:
    found = _facts(connection, "f.path = ? AND i.start_line = ?", (path, line))
    return found[0] if found else None


def facts_by_entity(connection: Connection, entities: Sequence[str]) -> tuple[Fact, ...]:
    """Facts that mention any of these entities, oldest first; "" stands for mentioning nobody.

    Without those in quarantine.
    """
    return _facts(
        connection,
        f"{TRUSTED} AND (i.item IN (SELECT m.item FROM mentions m"
        "  WHERE m.entity IN (SELECT value FROM json_each(?1)))"
        " OR (?2 AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.item = i.item)))",
        (entities, "" in entities),
    )


def facts_saying(connection: Connection, contents: Iterable[str]) -> tuple[Fact, ...]:
    """The facts that say just one of these, oldest first."""
    return _facts(
        connection,
        f"{TRUSTED} AND i.content IN (SELECT value FROM json_each(?))",
        (sorted(contents),),
    )


def recorded_since(connection: Connection, day: str) -> frozenset[str]:
    """The entities with facts recorded on an ISO day or later."""
    found = select(
        connection,
        "SELECT DISTINCT m.entity FROM items i JOIN mentions m ON m.item = i.item"
        " WHERE i.recorded >= ? AND i.kind <> 'note'",
        (day,),
    )
    return frozenset(entity for (entity,) in found)


def newest_recorded(connection: Connection, until: date | None = None) -> date | None:
    """The last day that anything was recorded on, up to a day."""
    found = connection.execute(
        f"SELECT max(recorded) FROM items i WHERE kind <> 'note' AND {TRUSTED}"
        " AND (?1 IS NULL OR recorded <= ?1)",
        (iso(until),),
    ).get
    return stored_day(str(found)) if found else None


def marked_facts(connection: Connection) -> tuple[Fact, ...]:
    """Facts whose writer marked which opinion they speak to, oldest first; none in quarantine."""
    return _facts(connection, f"i.marks IS NOT NULL AND {TRUSTED}", ())


def facts_by_time(
    connection: Connection, *, entity: str | None, interval: Interval | None, named: bool = False
) -> tuple[Fact, ...]:
    """Facts in the order in which they happened, newest first; undated ones last.

    `named` adds the facts whose text names the entity without marking it.

    A fact lies in `interval` when the time it names overlaps it or, where it names none, when
    it was written then.
    """
    condition, bound = _by_time(entity, interval, named=named)
    return _facts(connection, condition, bound, order=_NEWEST_FIRST)


def prose_by_time(
    connection: Connection, *, entity: str, interval: Interval | None
) -> tuple[NamedIn, ...]:
    """The passages that name an entity, marked or not, in the same order."""
    condition, bound = _by_time(entity, interval, named=True)
    rows = select(
        connection,
        "SELECT i.content, f.path, i.start_line, i.end_line, i.recorded"
        " FROM items i JOIN files f ON f.file = i.file"
        f" WHERE i.kind = 'note' AND {condition} ORDER BY {_NEWEST_FIRST}",
        bound,
    )
    return tuple(
        NamedIn(" ".join(content.split()), Citation(path, first, last), stored_day(day))
        for content, path, first, last, day in rows
    )


_NEWEST_FIRST = (
    "coalesce(i.occurred_start, i.recorded) IS NULL,"
    " coalesce(i.occurred_start, i.recorded) DESC, i.recorded DESC, f.path, i.start_line"
)


def _by_time(
    entity: str | None, interval: Interval | None, *, named: bool
) -> tuple[str, tuple[str, ...]]:
    """The condition on `items i` of a timeline, and what it binds."""
    conditions = ["1"]
    bound: list[str] = []
    if entity is not None:
        also = " UNION SELECT item FROM plain_mentions WHERE entity = ?1" if named else ""
        conditions.append(f"i.item IN (SELECT item FROM mentions WHERE entity = ?1{also})")
        bound.append(entity)
    if interval is not None:
        start, end = bounds(interval)
        conditions.append(
            "((coalesce(i.occurred_end, i.occurred_start, i.recorded) >= ?"
            "  AND coalesce(i.occurred_start, i.recorded, i.occurred_end) <= ?)"
            f" OR {FURTHER.format(start='?', end='?')})"
        )
        bound.extend((start, end, end, start))
    return " AND ".join(conditions), tuple(bound)


def _facts(
    connection: Connection,
    condition: str,
    bound: Sequence[object],
    order: str = _OLDEST_FIRST,
    *,
    with_raw: bool = True,
) -> tuple[Fact, ...]:
    query = _FACT_QUERY.format(condition=condition, order=order)
    rows = execute(connection, query, bound)
    once: dict[str, str] = {}  # of many facts, few paths and headings
    facts: list[Fact] = []
    while part := list(islice(rows, _AT_ONCE)):
        facts += _facts_of(connection, part, once, with_raw)
    return tuple(facts)


def _facts_of(
    connection: Connection, rows: Sequence[_Row], once: dict[str, str], with_raw: bool
) -> Iterator[Fact]:
    mentions = _mentions(connection, [row[0] for row in rows])
    # Cut out here: SQLite walks a text from its beginning to find an offset, for each row.
    texts = dict(
        select(
            connection,
            "SELECT file, text FROM files WHERE file IN (SELECT value FROM json_each(?))",
            ({row[4] for row in rows if with_raw},),
        )
    )
    for row in rows:
        item, id_, kind, content, file, path, first, last, confidence, recorded = row[:10]
        begins, ends, marks, details, heading, origin, quarantined, author, further = row[10:19]
        times, (evidence, ended) = _times(begins, ends, further), _marks(marks)
        yield Fact(
            id_,
            _FACT_KINDS[kind],
            content,
            texts[file][row[19] : row[19] + row[20]] if with_raw else "",
            Citation(once.setdefault(path, path), first, last),
            _mentions_of(mentions.get(item, ())),
            confidence,
            stored_day(recorded),
            times[0] if times else None,
            times,
            evidence,
            ended,
            once.setdefault(heading, heading),
            tuple(json.loads(details)) if details else (),
            _ORIGINS[origin],
            bool(quarantined),
            _author(author),
        )


def _mentions(connection: Connection, items: Sequence[int]) -> dict[int, tuple[_Row, ...]]:
    """Item → `(slug, name, is its subject)` of the entities that its mentions stand for."""
    found: dict[int, tuple[_Row, ...]] = {}
    for item, *mention in select(
        connection,
        "SELECT m.item, m.entity, coalesce(e.name, m.name), m.subject FROM json_each(?) w"
        " CROSS JOIN mentions m ON m.item = w.value LEFT JOIN entities e ON e.slug = m.entity"
        " ORDER BY m.item, m.position",
        (items,),
    ):
        found[item] = (*found.get(item, ()), tuple(mention))
    return found


@lru_cache(maxsize=4096)
def _mentions_of(rows: tuple[_Row, ...]) -> tuple[Mention, ...]:
    """Most facts mention the same few people."""
    return tuple([Mention(name, entity, bool(subject)) for entity, name, subject in rows])


@lru_cache(maxsize=256)
def _author(stored: str | None) -> Author:
    if not stored:
        return NOBODY
    from lorebank.markdown.origin import parse_author  # few lines have an author

    return parse_author(stored)


@lru_cache(maxsize=256)
def _marks(stored: str | None) -> tuple[tuple[EvidenceMark, ...], tuple[str, ...]]:
    """Which opinions a line speaks to, and the facts that it says it ends."""
    marks = json.loads(stored) if stored else ()
    return (
        tuple(EvidenceMark(Stance(said), opinion) for said, opinion in marks if said != ENDS),
        tuple(fact for said, fact in marks if said == ENDS),
    )


@lru_cache(maxsize=4096)
def stored_day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def iso(day: date | None) -> str | None:
    return day.isoformat() if day else None


@lru_cache(maxsize=4096)
def _times(start: str | None, end: str | None, further: str) -> tuple[Interval, ...]:
    first = _interval(start, end)
    if first is None:
        return ()
    if further == "[]":
        return (first,)
    return (first, *(Interval(stored_day(a), stored_day(b)) for a, b in json.loads(further)))


def _interval(start: str | None, end: str | None) -> Interval | None:
    if start is None and end is None:
        return None
    return Interval(stored_day(start), stored_day(end))
