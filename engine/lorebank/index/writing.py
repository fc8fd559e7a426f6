"""Writing what was read: the rows of one file, out and in."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import date
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

from lorebank.database.connection import Connection, select
from lorebank.domain.facts import (
    NOBODY,
    PROMISE,
    Chunk,
    Citation,
    Diagnostic,
    Fact,
    Interval,
    Passage,
    Task,
    digest,
)
from lorebank.index.embedding import item_text, sentences_to_embed
from lorebank.index.embedding_cache import text_hash
from lorebank.index.finding import insert_codes
from lorebank.index.items import ENDS, iso
from lorebank.index.slots import insert_slots
from lorebank.index.status import ADVICE
from lorebank.index.succession import insert_changes, insert_line_rulings
from lorebank.index.tasks import insert_tasks
from lorebank.language.words import searchable
from lorebank.markdown.origin import format_author, read_origin_mark
from lorebank.markdown.properties import find_tags
from lorebank.names.entities import insert_names
from lorebank.trust.quarantine import insert_confirmations

if TYPE_CHECKING:
    from lorebank.index.reading import ReadFile
    from lorebank.supersede.properties import Slot

_NEIGHBOUR_CHARACTERS = 160
"""Of each neighbour: enough for what it is about; more made the index a fifth larger."""
_LONG_LINE = 1_000
_FEWEST_TURNS = 4  # of a dialogue; a day's facts are seldom as many, or in turns. By hand.
_SHOWN_NAME = re.compile(r"\[\[[^\[\]|\n]+\|([^\[\]\n]+)\]\]")
_MONTHS = "january february march april may june july august september october november december"
_WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday"


_OF_ITEMS = "mentions further_times plain_mentions slots changes vectors sentences codes tags tasks"
"""Tables with a row, or some, for each item."""
_OF_FILES = "file_tags items chunks confirmations line_rulings names contexts files"


def delete_files(connection: Connection, paths: Sequence[str]) -> None:
    """Remove those of these files that are there, with everything that was read out of them."""
    query = "SELECT file, path FROM files WHERE path IN (SELECT value FROM json_each(?))"
    for file, path in select(connection, query, (paths,)):
        # Items and chunks last: the others are found by them.
        for table in [*_OF_ITEMS.split(), "items_fts"]:
            key = "rowid" if table == "items_fts" else "item"
            connection.execute(
                f"DELETE FROM {table} WHERE {key} IN (SELECT item FROM items WHERE file = ?)",
                (file,),
            )
        connection.execute(
            "DELETE FROM chunks_fts WHERE rowid IN (SELECT chunk FROM chunks WHERE file = ?)",
            (file,),
        )
        for table in _OF_FILES.split():
            connection.execute(f"DELETE FROM {table} WHERE file = ?", (file,))
        connection.execute("DELETE FROM diagnostics WHERE path = ?", (path,))


def marked_lines(connection: Connection) -> frozenset[tuple[str, str, str, int]]:
    """`(fact id, marks, path, line)` of facts marked as speaking to an opinion of anybody."""
    return frozenset(
        select(
            connection,
            "SELECT i.id, i.marks, f.path, i.start_line FROM items i JOIN files f"
            " ON f.file = i.file WHERE i.marks IS NOT NULL AND i.quarantined = 0",
        )
    )


def insert_files(connection: Connection, files: Sequence[tuple[ReadFile, int]]) -> None:
    """Write some files, each with its time stamp, and everything that was read out of them; their
    paths must be free. A statement runs once for all of them: rows are few a file, and as many
    calls cost as much as the rows."""
    first = _next_number(connection, "file", "files")
    item = _next_number(connection, "item", "items")
    written: list[_Written] = []
    for file, (read, _) in enumerate(files, start=first):
        starts = _line_starts(read.text)
        written.append(_Written(file, read, starts, _entries(read, starts, item)))
        item += len(written[-1].entries)
    connection.executemany(
        "INSERT INTO files (file, path, role, size, mtime_ns, hash, recorded, title, origin,"
        " dialogue, text) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [
            (
                file,
                read.source.path,
                read.source.role,
                read.source.size,
                mtime_ns,
                read.hash,
                iso(read.source.recorded),
                read.title,
                read.origin.value,
                int(_is_dialogue(read)),
                read.text,
            )
            for file, (read, mtime_ns) in enumerate(files, start=first)
        ],
    )
    _insert_items(connection, written)
    _insert_chunks(connection, written)
    connection.executemany(
        "INSERT INTO contexts (scope, file, text) VALUES (?, ?, ?)",
        [
            (read.context_scope, file, read.context)
            for file, read, *_ in written
            if read.context and read.origin.trusted  # else it would speak for its neighbours
        ],
    )
    for file, read, *_ in written:
        if read.names:
            insert_names(connection, file, read.names)
        if read.confirmations:
            insert_confirmations(connection, file, read.confirmations)
        if read.line_rulings or any(fact.ends for fact in read.facts):
            insert_line_rulings(connection, file, read)
    insert_diagnostics(connection, [d for read, _ in files for d in read.diagnostics])
    insert_diagnostics(connection, [d for read, _ in files for d in read.advice], ADVICE)


def _next_number(connection: Connection, key: str, table: str) -> int:
    return int(connection.execute(f"SELECT coalesce(max({key}), 0) + 1 FROM {table}").get)


def _is_dialogue(read: ReadFile) -> bool:
    """Whether people take turns: nothing but lines of one speaker each, mostly another's next, and
    speakers come back.

    A log of as many subjects as lines is none: its lines do not speak to each other.
    """
    speakers = [{m.slug for m in fact.mentions if m.subject} for fact in read.facts]
    if read.passages or len(speakers) < _FEWEST_TURNS or any(len(each) != 1 for each in speakers):
        return False
    turns = sum(one != other for one, other in pairwise(speakers))
    come_back = len(speakers) >= 2 * len(set().union(*speakers))
    return come_back and 2 * turns >= len(speakers)


def insert_diagnostics(
    connection: Connection, diagnostics: Sequence[Diagnostic], source: str = ""
) -> None:
    """Note what was found; `source` stands before each code, where it is no problem of a file."""
    connection.executemany(
        "INSERT INTO diagnostics (path, line, code, message) VALUES (?, ?, ?, ?)",
        [(d.path, d.line, f"{source}{d.code}", d.message) for d in diagnostics],
    )


class _Entry(NamedTuple):
    """An item to write, with what several of its tables say of it."""

    item: int
    said: Fact | Passage
    times: tuple[Interval, ...]
    slots: tuple[Slot, ...]
    task: Task | None
    start: int
    length: int
    raw: str  # the text that it stands in
    words: str  # what is searched

    @property
    def fact(self) -> Fact | None:
        return self.said if isinstance(self.said, Fact) else None

    @property
    def day(self) -> str:
        """When a fact happened, else was written."""
        occurred = self.times[0].start if self.times else None
        return iso(occurred or (self.fact.recorded if self.fact else None)) or ""


class _Written(NamedTuple):
    """A file that is being written."""

    file: int
    read: ReadFile
    starts: Sequence[int]
    entries: Sequence[_Entry]


def _insert_items(connection: Connection, written: Sequence[_Written]) -> None:
    entries = [entry for each in written for entry in each.entries]
    connection.executemany(
        "INSERT INTO items (item, file, ordinal, id, kind, start_line, end_line, start, length,"
        " heading, recorded, occurred_start, occurred_end, content, confidence, marks, details,"
        " embedding, origin, author, quarantined)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            _item_row(entry, each.file, ordinal, each.read)
            for each in written
            for ordinal, entry in enumerate(each.entries)
        ),
    )
    connection.executemany(
        "INSERT INTO items_fts (rowid, text, around, entities, day, title)"
        " VALUES (?, ?, ?, ?, ?, ?)",
        (row for each in written for row in _search_rows(each.entries, each.read)),
    )
    connection.executemany(
        "INSERT INTO sentences (item, part, embedding) VALUES (?, ?, ?)",
        (
            (entry.item, part, text_hash(text))
            for entry in entries
            if not entry.fact
            for part, text in enumerate(sentences_to_embed(entry.raw), start=1)
        ),
    )
    insert_codes(connection, ((entry.item, entry.words) for entry in entries))
    connection.executemany(
        "INSERT INTO further_times (item, position, start, end) VALUES (?, ?, ?, ?)",
        [
            (entry.item, position, iso(time.start), iso(time.end))
            for entry in entries
            for position, time in enumerate(entry.times[1:], start=1)
        ],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO tags (item, tag) VALUES (?, ?)",
        [(entry.item, tag) for entry in entries for tag in find_tags(entry.raw)],
    )
    connection.executemany(
        "INSERT OR IGNORE INTO file_tags (file, tag) VALUES (?, ?)",
        [(each.file, tag) for each in written if each.entries for tag in each.read.tags],
    )
    connection.executemany(
        "INSERT INTO mentions (item, position, slug, entity, name, subject, day)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (entry.item, position, m.slug, m.slug, m.name, int(m.subject), entry.day)
            for entry in entries
            for position, m in enumerate(entry.fact.mentions if entry.fact else ())
        ],
    )
    insert_slots(connection, ((entry.item, slot) for entry in entries for slot in entry.slots))
    insert_changes(connection, ((entry.item, entry.fact) for entry in entries if entry.fact))
    insert_tasks(connection, ((entry.item, entry.task) for entry in entries if entry.task))


def _entries(read: ReadFile, starts: Sequence[int], first: int) -> list[_Entry]:
    """The items of a file in the order of its lines, numbered on from the `first`."""
    tasks = {task.citation: task for task in read.tasks}
    boxes = [
        (Passage(read.text[start : start + length], task.citation), task)
        for task in read.tasks
        if task.kind != PROMISE
        for start, length in [_extent(task.citation, starts)]
    ]
    said: list[tuple[Fact | Passage, tuple[Interval, ...], tuple[Slot, ...]]] = [
        *((f, f.times, slots) for f, slots in zip(read.facts, read.slots, strict=True)),
        *((passage, times, ()) for passage, times in read.passages),
        *((passage, (task.due,) if task.due else (), ()) for passage, task in boxes),
    ]
    said.sort(key=lambda entry: (entry[0].citation.start_line, entry[0].citation.end_line))
    entries = []
    places = _places([each for each, _, _ in said], read.text, starts)
    for item, (each, times, slots) in enumerate(said, start=first):
        start, length = places[item - first]
        raw = read.text[start : start + length]
        words = raw
        if isinstance(
            each, Fact
        ):  # of `[[Peter|Pete]]`, which reads "Peter", both are searched for
            words = " ".join([each.content, *each.details, *_SHOWN_NAME.findall(each.raw)])
        task = tasks.get(each.citation)
        text = each.content if isinstance(each, Fact) else each.text
        if task is not None and task.kind == PROMISE and task.text not in text:
            task = None  # another part of a long line
        entries.append(_Entry(item, each, times, slots, task, start, length, raw, words))
    return entries


def _item_row(entry: _Entry, file: int, ordinal: int, read: ReadFile) -> tuple[Any, ...]:
    said, fact = entry.said, entry.fact
    occurred = entry.times[0] if entry.times else None
    if fact:
        origin, author = fact.origin, fact.author
        subjects = [mention.name for mention in fact.mentions if mention.subject]
        embedded = item_text(fact.content, said.heading, subjects)
    else:
        _, marked, author = read_origin_mark(entry.raw)
        origin = read.origin.least_trusted(marked)
        embedded = item_text(entry.raw, said.heading)
    return (
        entry.item,
        file,
        ordinal,
        fact.id if fact else _note_id(read.source.path, said),
        fact.kind.value if fact else "note",
        said.citation.start_line,
        said.citation.end_line,
        entry.start,
        entry.length,
        said.heading,
        iso(fact.recorded if fact else read.source.recorded),
        iso(occurred.start) if occurred else None,
        iso(occurred.end) if occurred else None,
        fact.content if fact else entry.raw,
        fact.confidence if fact else None,
        _marks(fact) if fact else None,
        json.dumps(fact.details, ensure_ascii=False) if fact and fact.details else None,
        text_hash(embedded),
        origin.value,
        (format_author(author) or None) if author is not NOBODY else None,
        int(not origin.trusted),  # until `refresh_quarantine` lets out what is confirmed
    )


def _search_rows(entries: Sequence[_Entry], read: ReadFile) -> Iterator[tuple[Any, ...]]:
    title = _title_words(read)
    heads = [entry.words[:_NEIGHBOUR_CHARACTERS] for entry in entries]
    for place, entry in enumerate(entries):
        around = [
            entry.said.heading,
            *heads[max(0, place - 1) : place],
            *heads[place + 1 : place + 2],
        ]
        names = [mention.name for mention in entry.fact.mentions] if entry.fact else []
        yield (
            entry.item,
            searchable(entry.words),
            searchable(" ".join(around)),
            searchable(" ".join(dict.fromkeys(names))),
            _day_words(read.source.recorded, entry.times),
            title,
        )


def _marks(fact: Fact) -> str | None:
    marks = [[mark.stance.value, mark.opinion_id] for mark in fact.marks]
    marks += [[ENDS, ended] for ended in fact.ends]
    return json.dumps(marks) if marks else None


def _insert_chunks(connection: Connection, written: Sequence[_Written]) -> None:
    rows: list[tuple[Any, ...]] = []
    searched: list[tuple[Any, ...]] = []
    number = _next_number(connection, "chunk", "chunks")
    for file, read, starts, _ in written:
        title = _title_words(read)
        places = _places(read.chunks, read.text, starts)
        for ordinal, chunk in enumerate(read.chunks):
            at = chunk.citation
            extent = (at.start_line, at.end_line, *places[ordinal])
            rows.append((number, file, ordinal, *extent, chunk.heading))
            searched.append((number, searchable(chunk.text), searchable(chunk.heading), title))
            number += 1
    connection.executemany(
        "INSERT INTO chunks (chunk, file, ordinal, start_line, end_line, start, length, heading)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        rows,
    )
    connection.executemany(
        "INSERT INTO chunks_fts (rowid, text, heading, title) VALUES (?, ?, ?, ?)", searched
    )


def _title_words(read: ReadFile) -> str:
    return searchable(f"{read.source.path} {read.title} {read.context}".rstrip())


def _places(
    entries: Sequence[Fact | Passage | Chunk], text: str, starts: Sequence[int]
) -> list[tuple[int, int]]:
    """Offset and length of each entry: its lines, or its own part where a long line was cut up."""
    places: list[tuple[int, int]] = []
    line, behind = None, 0
    for entry in entries:
        start, length = _extent(entry.citation, starts)
        if not isinstance(entry, Fact) and length > len(entry.text) + _LONG_LINE:
            # The parts of a line that says the same again and again follow each other.
            found = text.find(entry.text, behind if entry.citation == line else start)
            if not start <= found < start + length:
                found = max(start, text.find(entry.text, start, start + length))
            line, behind = entry.citation, found + len(entry.text)
            start, length = found, min(length, len(entry.text))
        places.append((start, length))
    return places


def _day_words(recorded: date | None, times: tuple[Interval, ...]) -> str:
    days = [recorded, *(day for time in times for day in (time.start, time.end))]
    return " ".join(_words_of_day(day) for day in dict.fromkeys(days) if day)


@lru_cache(maxsize=1024)
def _words_of_day(day: date) -> str:
    month, weekday = _MONTHS.split()[day.month - 1], _WEEKDAYS.split()[day.weekday()]
    return f"{day.isoformat()} {day.day} {month} {weekday}"


def _line_starts(text: str) -> list[int]:
    """Offset of each line, and of the end of the text as the last entry."""
    starts = [0, *(found.end() for found in re.finditer("\n", text))]
    if starts[-1] != len(text):
        starts.append(len(text) + 1)
    return starts


def _extent(place: Citation, starts: Sequence[int]) -> tuple[int, int]:
    """Offset and length of some lines in the text, the last line ending left out."""
    start = starts[place.start_line - 1]
    return start, max(0, starts[min(place.end_line, len(starts) - 1)] - 1 - start)


def _note_id(path: str, passage: Fact | Passage) -> str:
    text = passage.raw if isinstance(passage, Fact) else passage.text
    return "n-" + digest(f"{path}\n{text}", 5)
