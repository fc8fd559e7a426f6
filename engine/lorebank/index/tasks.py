"""What is to be done or lies ahead: tasks and promises with what became of them, and appointments.

The same words again are the same task: what the newest line says of it holds, so a task carried
from log to log is listed once, and one that a later log ticks off is done. People tick things off
in other words, so a tick also settles the open task with which it shares most, if that is enough;
where each names a thing of its own, the task stays open and points at the tick.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from datetime import date
from functools import lru_cache
from typing import Any

from lorebank.database.connection import Connection, has_full_text, select
from lorebank.dates.phrases import find_phrases
from lorebank.dates.spans import add_months
from lorebank.dates.times import coming_times, times_of
from lorebank.domain.facts import PROMISE, Citation, Interval, Task, TaskState
from lorebank.index.finding import TRUSTED, entities_in_text
from lorebank.index.items import NOTE, Item, iso, load_items, stored_day
from lorebank.index.lexical import any_of
from lorebank.index.succession import successors
from lorebank.language.folding import slugify
from lorebank.language.statements import (
    lines_of,
    sentences,
    statement_in_any_language,
    yearly_words,
)
from lorebank.language.words import COMMON_START, content_words, overlap, same_word, words
from lorebank.markdown.plain import plain_text
from lorebank.records import Record

_TICKED = 0.5
"""Share of the words of the shorter line that a task has in common with what may be about it. Where
all words of one had to stand in the other, 16 of 65 lines were wrongly listed, not 6, and 104 of
188, not 52."""
_SHARED = 2
_ANY_DAY = date(2000, 1, 1)
_BEGINNING = COMMON_START - 1  # letters that all forms of a word have in common


def insert_tasks(connection: Connection, tasks: Iterable[tuple[int, Task]]) -> None:
    """Note which items are a task, or hold one."""
    for item, task in tasks:
        start, end = (iso(task.due.start), iso(task.due.end)) if task.due else (None, None)
        same = " ".join(words(task.text))
        connection.execute(
            "INSERT OR IGNORE INTO tasks VALUES (?, ?, ?, ?, ?, ?, ?)",
            (item, task.kind, task.text, task.state.value, start, end, same),
        )


def load_tasks(
    connection: Connection,
    *,
    until: date | None = None,
    state: TaskState | None = None,
    own_promises: bool = False,
) -> tuple[Task, ...]:
    """The tasks as they stood at the end of the day `until`: each once, by its newest line, the
    oldest first; of one state where `state` is given. With `own_promises` only those of a line
    that is about nobody else."""
    only = (
        f" AND t.kind = '{PROMISE}'"
        " AND NOT EXISTS (SELECT 1 FROM mentions m WHERE m.item = t.item AND m.subject = 1)"
    )
    newest: dict[str, Task] = {}
    for item, kind, text, said, start, end, same, recorded, of, content, *place in select(
        connection,
        "SELECT t.item, t.kind, t.text, t.state, t.due_start, t.due_end, t.words, i.recorded,"
        " i.kind, i.content, f.path, i.start_line, i.end_line FROM tasks t"
        " JOIN items i ON i.item = t.item"
        f" JOIN files f ON f.file = i.file WHERE {TRUSTED} AND (?1 IS NULL OR i.recorded IS NULL"
        f" OR i.recorded <= ?1){only if own_promises else ''}"
        " ORDER BY coalesce(i.recorded, ''), f.path, i.start_line, t.text",
        (until,),
    ):
        settles = TaskState(said) is not TaskState.OPEN
        known = [same]
        if settles and same not in newest:
            known, perhaps = _match_tick(newest, text)
            for key in perhaps:
                newest[key] = replace(newest[key], perhaps_done=Citation(*place))
        before = next(iter([newest.pop(key) for key in known if key in newest]), None)
        due = Interval(stored_day(start), stored_day(end)) if start or end else None
        names = _entities(connection, item)
        newest[same] = Task(
            text,
            TaskState(said),
            _place_in(content, text, Citation(*place)),
            due or (before.due if before else None),  # copied on without its day
            kind,
            stored_day(recorded),
            named_in(content, text, names) if of == NOTE else names,
        )
    return tuple(task for task in newest.values() if state in (None, task.state))


class _Said(Record):
    """The words of a task."""

    words: frozenset[str]
    first: frozenset[str]
    """What is to be done without what is added to it: `VAT return, due Saturday`."""
    telling: frozenset[str]
    """Numbers and names, but for those of a day: they make two tasks of one."""


def _match_tick(tasks: Mapping[str, Task], tick: str) -> tuple[list[str], list[str]]:
    """The keys of the open tasks that a tick in not quite their words settles, several where the
    nearest was noted again in a few words more; where there are none, of those that it may be
    about."""
    said = _said(tick)
    wanted = {key: _said(t.text) for key, t in tasks.items() if t.state is TaskState.OPEN}
    near = {key: _alike(said, task) for key, task in wanted.items()}
    best = max(near, key=lambda key: near[key], default="")
    alike = [k for k in near if near[k] >= _TICKED and wanted[best].words <= wanted[k].words]
    settled = [key for key in alike if not _is_other(said, wanted[key])]
    return settled, [] if settled else alike


def _alike(one: _Said, other: _Said) -> float:
    heads = overlap(one.first, other.first) if len(one.first & other.first) > 1 else 0.0
    return max(overlap(one.words, other.words), heads)


def _is_other(one: _Said, other: _Said) -> bool:
    """Whether each names something that the other does not (`Call Anna`, `Call Ben`), or they share
    one word of several (`buy milk`, `buy bread`). On two workspaces by other hands 8 of 253 lines
    stay listed by that, with `done?`; without it such a tick closes the wrong task."""
    both = one.words & other.words
    shares_little = len(both) < _SHARED and both not in (one.words, other.words)
    return shares_little or bool(one.telling - other.words and other.telling - one.words)


@lru_cache(maxsize=16_384)  # every tick is compared with every open task
def _said(text: str) -> _Said:
    first_part = re.split(r"[,;(]|\s[–—-]\s", text, maxsplit=1)[0]
    telling = (
        word
        for word in undated(text, _ANY_DAY, "day").split()
        if word != word.lower() or re.search(r"\d", word)
    )
    return _Said(
        frozenset(content_words(text)),
        frozenset(content_words(first_part)),
        frozenset(content_words(" ".join(telling))),
    )


def undated(text: str, day: date, only: str = "") -> str:
    """A text without the times that it names, or those of one length."""
    for phrase in reversed(find_phrases(text, day)):
        if only in ("", phrase.granularity):
            text = f"{text[: phrase.start]} {text[phrase.end :]}"
    return text


def possible_completions(
    connection: Connection, wanted: Mapping[Any, tuple[str, date | None]], until: date
) -> dict[Any, Citation]:
    """Where later lines, by the end of a day, may say in other words that open tasks are done, or
    that events are called off: of each its text and the day of its log.

    Of the lines beside tasks the one whose sentence shares most words with a task, the first of
    several: two at least, half of those of the shorter, and it says more. In two workspaces by
    other hands, of which one was read, 22 of 23 tasks behind which such a line stood were done:
    enough to put them aside, not to settle them. With an event it shares half, and says that
    something is off.
    """
    keys = list(wanted)
    before = [iso(day) or "" for _, day in wanted.values()]
    least = [_SHARED if isinstance(key, Task) else 1 for key in keys]
    about = [_telling(undated(text, day)) if day else [] for text, day in wanted.values()]
    holding: defaultdict[str, list[int]] = defaultdict(list)
    for number, telling in enumerate(about):
        for word in telling if len(telling) >= least[number] else ():
            holding[word[:_BEGINNING]].append(number)
    if not holding or not has_full_text(connection):
        return {}
    found: dict[int, tuple[int, Citation]] = {}
    for content, recorded, promise, *place in select(
        connection,
        "SELECT i.content, i.recorded, t.text, f.path, i.start_line, i.end_line FROM items_fts"
        " JOIN items i ON i.item = items_fts.rowid JOIN files f ON f.file = i.file"
        " LEFT JOIN tasks t ON t.item = i.item"
        f" WHERE items_fts MATCH ?1 AND {TRUSTED} AND i.recorded <= ?2"
        f" AND f.path NOT GLOB 'bank/*' AND coalesce(t.kind, '{PROMISE}') = '{PROMISE}'"
        " ORDER BY i.recorded DESC, f.path DESC, i.start_line DESC",
        (any_of(sorted({word for telling in about for word in telling})), until),
    ):
        for sentence in sentences(content):
            if promise and plain_text(sentence) in promise:
                continue
            said = _telling(sentence)
            # As many beginnings are shared as words at least, and are sooner counted.
            forms: defaultdict[str, list[str]] = defaultdict(list)
            for word in said:
                forms[word[:_BEGINNING]].append(word)
            shared = Counter(number for each in forms for number in holding.get(each, ()))
            for number, most in shared.items():
                telling = about[number]
                needed = _TICKED * min(len(said), len(telling))
                needed = max(needed, found[number][0] if number in found else least[number])
                if most < needed or before[number] >= recorded:
                    continue
                both = sum(
                    any(same_word(word, each) for each in forms.get(word[:_BEGINNING], ()))
                    for word in telling
                )
                if len(said) > both >= needed and (
                    isinstance(keys[number], Task) or mentions_cancellation(sentence)
                ):
                    found[number] = both, _place_in(content, sentence, Citation(*place))
    return {keys[number]: place for number, (_, place) in found.items()}


@lru_cache(8)  # asked for each day that a sentence names
def mentions_cancellation(sentence: str) -> bool:
    return statement_in_any_language(sentence).find("off") is not None


def _telling(text: str) -> list[str]:
    return [word for word in content_words(text) if not word.isdigit()]


def _place_in(text: str, sentence: str, place: Citation) -> Citation:
    """Of the lines of a text those on which one of its sentences stands."""
    before, found, _ = text.partition(sentence)
    if not found or text.count("\n") != place.end_line - place.start_line:
        return place
    first = place.start_line + before.count("\n")
    return replace(place, start_line=first, end_line=first + sentence.count("\n"))


def named_in(passage: str, sentence: str, entities: tuple[str, ...]) -> tuple[str, ...]:
    """Which of a passage's entities, by slug, one of its sentences is about: those it names, else
    those of the nearest sentence before it on its line that names any, as in "I promised her"."""
    parts = (line.partition(sentence) for line in lines_of(passage))
    before = next((before for before, found, _ in parts if found), "")
    for text in (sentence, *reversed(sentences(before))):
        # A part of a name is enough, but for one like the article of `the-skerry`.
        whole, said = f"-{slugify(text)}-", set(map(slugify, content_words(text)))
        if named := tuple(
            slug for slug in entities if f"-{slug}-" in whole or said.intersection(slug.split("-"))
        ):
            return named
    return ()


def _entities(connection: Connection, item: int) -> tuple[str, ...]:
    [(named,)] = select(
        connection,
        "SELECT json_group_array(entity) FROM (SELECT entity FROM mentions WHERE item = ?1"
        " UNION SELECT entity FROM plain_mentions WHERE item = ?1 ORDER BY entity)",
        (item,),
    )
    return tuple(json.loads(named))


_LIST = r"(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?"
_MARKER = re.compile(rf"\A{_LIST}")
"""A list marker, with its box: prose is kept as it stands in the file."""
_HEAD = re.compile(rf"^(?:{_LIST})?\**(?P<name>[^\W\d_][^:.,;!?\n*]{{0,60}})\**:\**\s", re.M)
"""What an item of a list is about: `- Ana: our aunt. Born 3 May 1950.`"""


class Appointment(Record):
    """One line, typed or prose, and the times that it names."""

    text: str
    source: Citation
    recorded: date | None
    times: tuple[Interval, ...]
    entities: tuple[str, ...]  # slugs, of names without a mark as well
    subject: str  # the name of whom a fact is about, where its text does not say so
    typed: bool  # whether it is a fact rather than prose
    replaced: bool  # whether a newer fact replaces it


def appointments_known_on(connection: Connection, day: date) -> list[Appointment]:
    """Every line recorded by a day that names a time after its own day or a day that comes back
    every year, the oldest first. Tasks are not among them: they tell on their own whether they are
    done."""
    returning, _ = yearly_words()
    yearly = " OR ".join("i.content LIKE ?" for _ in returning)
    numbers = [
        number
        for (number,) in select(
            connection,
            f"SELECT i.item FROM items i JOIN files f ON f.file = i.file WHERE {TRUSTED}"
            " AND (coalesce(i.occurred_end, i.occurred_start) > coalesce(i.recorded, '')"
            "  OR EXISTS (SELECT 1 FROM further_times t WHERE t.item = i.item"
            "   AND coalesce(t.end, t.start) > coalesce(i.recorded, ''))"
            "  OR (coalesce(i.occurred_start, '') = coalesce(i.occurred_end, '')"
            f"   AND ({yearly}))"
            "  OR f.role = 'core')"
            " AND (i.recorded IS NULL OR i.recorded <= ?) AND f.path NOT GLOB 'bank/*'"
            f" AND i.item NOT IN (SELECT item FROM tasks WHERE kind <> '{PROMISE}')"
            " ORDER BY coalesce(i.recorded, ''), f.path, i.start_line",
            (*(f"%{word}%" for word in returning), day),
        )
    ]
    plain = entities_in_text(connection, numbers)
    replaced = successors(connection, numbers, as_of=day)
    found = []
    for number, item in load_items(connection, numbers).items():
        said = item.content.strip()
        names = tuple(dict.fromkeys((*item.entities, *plain.get(number, ()))))
        if item.recorded is None:
            parts = _standing_days(said, day)
        else:
            parts = [(said, item.times)] if item.kind != NOTE else _sentences_ahead(said, item)
        found += [
            Appointment(
                _MARKER.sub("", text),
                _place_in(said, text, item.citation),
                item.recorded,
                times,
                names if item.kind != NOTE else named_in(said, text, names),
                _subject(item) or ("" if item.recorded else _head_above(said, text)),
                item.kind != NOTE,
                number in replaced,
            )
            for text, times in parts
        ]
    return found


def returning_in(
    connection: Connection, interval: Interval, day: date
) -> list[tuple[Citation, tuple[str, ...]]]:
    """The lines known on a day of what comes back every year and does in the interval (`born on
    17 August 1981`), with the slugs that each names."""
    first, last = interval.start, interval.end
    if first is None or last is None:
        return []
    return [
        (line.source, line.entities)
        for line in appointments_known_on(connection, day)
        if yearly_words()[1].search(line.text)
        for time in line.times[:1]
        if time.start is not None and time.start == time.end
        if any(
            first <= add_months(time.start, 12 * (year - time.start.year)) <= last
            for year in range(first.year, last.year + 1)
        )
    ]


def _subject(item: Item) -> str:
    for slug, name in zip(item.entities, item.names, strict=True):
        if slug in item.subjects:
            return _unless_named(name, item.content)
    return ""


def _head_above(said: str, sentence: str) -> str:
    """What the item of a list is about on which a sentence stands that does not name it."""
    heads = list(_HEAD.finditer(said, 0, said.find(sentence)))
    return _unless_named(heads[-1]["name"], sentence) if heads else ""


def _unless_named(name: str, text: str) -> str:
    return "" if f"-{slugify(name)}-" in f"-{slugify(text)}-" else name


def _standing_days(said: str, day: date) -> list[tuple[str, tuple[Interval, ...]]]:
    """The sentences of a text of no day that name times to come, with those."""
    returning = yearly_words()[1]
    found = (
        (text, coming_times(text, day, every_year=bool(returning.search(text))))
        for text in (_MARKER.sub("", sentence) for sentence in sentences(said))
    )
    return [(text, times) for text, times in found if times]


def _sentences_ahead(said: str, item: Item) -> list[tuple[str, tuple[Interval, ...]]]:
    """The sentences of a passage that name times ahead, with those."""
    day = item.recorded
    lasts = ((t, max(filter(None, (t.start, t.end)), default=day)) for t in item.times)
    ahead = [t for t, last in lasts if day is None or (last and last > day)]
    found, known = [], set[Interval]()
    for sentence in sentences(said):
        own = times_of(sentence, day)
        times = [t for t in own if t in ahead and t not in known]
        if not times and not re.search(r"\d", sentence):
            # `On Wednesday` is the coming one, whatever day another sentence names.
            times = [t for t in own if day and t.start and t.start > day]
        found += [(sentence, tuple(times))] if times else []
        known.update(times)
    # `The 29th` counts from a day that another sentence names.
    return found if not ahead or ahead[0] in known else [(said, tuple(ahead[:1])), *found]
