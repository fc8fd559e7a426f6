"""The agenda: what the notes say is to come, and which tasks and promises are open.

An appointment is any line of the notes, typed or prose, that names a time which lay ahead when it
was written. Lines about one appointment are one entry. What a newer line moves, replaces or calls
off is left out where that is certain: it names the old day, or says that something is changed and
is about the same thing. Where it is not, the appointment stands and points at the newer line.
Birthdays and anniversaries come back every year.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import lru_cache

from lorebank.database.connection import Connection
from lorebank.dates.lexicon import lexicon
from lorebank.dates.phrases import DatePhrase, find_phrases
from lorebank.dates.spans import next_anniversary
from lorebank.dates.times import says_moved, times_of
from lorebank.domain.answers import Agenda, AgendaItem, AgendaKind
from lorebank.domain.facts import PROMISE, Citation, Interval, Task, TaskState
from lorebank.index.tasks import (
    Appointment,
    appointments_known_on,
    load_tasks,
    mentions_cancellation,
    possible_completions,
    undated,
)
from lorebank.language.folding import fold
from lorebank.language.statements import (
    Statement,
    sentence_spans,
    statement_in_any_language,
    yearly_words,
)
from lorebank.language.words import content_words, likely_languages, overlap, words
from lorebank.records import Record
from lorebank.supersede.endings import read_change

AGENDA_DAYS = 14
_LONGEST = 7
"""Days: a longer time, such as a month or a season, keeps no day free. On two workspaces by other
hands 31 held no appointment more."""
_SAME = 0.5  # share of the shorter line's words that two lines about one appointment have in common
_SAME_OF_ONE = 0.2  # the same where both name one entity, on the same day
_LATE_DAYS = 3
"""What a log of as long ago wants done and is overdue for longer is mostly done: nobody goes back
to tick it. On four workspaces by other hands 16 of 50 such entries were done or pointless, and an
assistant would have told none of them."""
_STALE = timedelta(days=31)  # what is over for a month is not compared any more: no line moves it


class _Entry(Record):
    """An appointment with what it is compared by."""

    line: Appointment
    when: Interval
    names: frozenset[str]
    words: frozenset[str]
    undated: frozenset[str]
    """Its words beside days: what makes two things of different days alike."""
    topic: frozenset[str]
    """Those beside names as well: what makes two things of one person or place alike."""
    moved: Citation | None = None
    """A newer line that may move it."""


def _day(when: Interval) -> date:
    """Its beginning, or by when it is due."""
    day = when.start or when.end
    assert day is not None
    return day


def read_agenda(connection: Connection, today: date, days: int) -> Agenda:
    """The agenda of `days` days from `today` on, as the notes up to that day have it."""
    until = today + timedelta(days=min(days, (date.max - today).days))
    all_lines = appointments_known_on(connection, today)
    # A page may name hundreds of days of the year: those beyond are compared with none.
    lines = [x for x in all_lines if x.recorded or any(_day(when) <= until for when in x.times)]
    standing = _standing([_roll_anniversary(line, today) for line in lines])
    ahead = ((x, when) for x in lines for when in x.times if _lies_ahead(when, x.recorded))
    moved = {(line.source, when) for line, when in ahead}
    moved -= {(entry.line.source, entry.when) for entry in standing}
    lines_on: defaultdict[Interval | None, list[Appointment]] = defaultdict(list)
    for line in lines:
        for when in line.times:
            lines_on[when].append(line)
    shown = [e for e in standing if (e.when.end or _day(e.when)) >= today and _day(e.when) <= until]
    certain: list[AgendaItem] = []
    doubtful: list[AgendaItem] = []
    tasks = load_tasks(connection, until=today, state=TaskState.OPEN)
    said: dict[Task | _Entry, tuple[str, date | None]] = {t: (t.text, t.recorded) for t in tasks}
    said.update((entry, (entry.line.text, entry.line.recorded)) for entry in shown)
    perhaps = possible_completions(connection, said, today)
    for task in tasks:
        if task.kind == PROMISE and (task.citation, task.due) in moved:
            continue
        last = (task.due.end or task.due.start) if task.due else None
        late = (today - last).days if last else 0
        item = AgendaItem(
            task.text,
            task.citation,
            task.due,
            AgendaKind(task.kind),
            overdue=late > 0,
            open=True,
            entities=task.entities,
            perhaps_done=_called_off(task, lines_on.get(task.due, ()))
            or task.perhaps_done
            or perhaps.get(task),
        )
        is_old = task.recorded is not None and (today - task.recorded).days > _LATE_DAYS
        is_weak = item.doubt or (is_old and late > _LATE_DAYS)
        (doubtful if is_weak else certain).append(item)
    # What is promised for a day is no event.
    known = {(item.source, item.when) for item in (*certain, *doubtful)}
    coming = (
        AgendaItem(
            e.line.text,
            e.line.source,
            e.when,
            AgendaKind.EVENT,
            entities=e.line.entities,
            subject=e.line.subject,
            perhaps_moved=e.moved,
            perhaps_off=perhaps.get(e),
        )
        for e in shown
        if (e.line.source, e.when) not in known
    )
    for item in coming:
        (doubtful if item.doubt else certain).append(item)
    certain.sort(key=lambda item: item.order)
    doubtful.sort(key=lambda item: item.order)
    return Agenda(today, until, tuple(certain), tuple(doubtful))


def _called_off(task: Task, lines: Sequence[Appointment]) -> Citation | None:
    """The line among them that calls off the task of that day, by an entity of both."""
    for line in lines:
        if set(task.entities).intersection(line.entities):
            off = {when for when, phrase in _phrases_of(line) if _is_off(line.text, phrase)}
            if task.due in off:
                return line.source
    return None


def _roll_anniversary(line: Appointment, today: date) -> Appointment:
    """A line that gives the day of a birthday or the like, with the next time that it comes."""
    word = yearly_words()[1].search(line.text)
    if word is None or len(line.times) != 1 or line.times[0].start != line.times[0].end:
        return line
    phrases = find_phrases(line.text, line.recorded or today)
    day = line.times[0].start
    if day is None or len(phrases) != 1:
        return line
    # "Her birthday is on 14 May", "am 14. Mai Geburtstag"; a present may be bought on any day.
    behind = line.text[word.end() : phrases[0].start]
    between = behind if behind else line.text[phrases[0].end : word.start()]
    names = {word for slug in line.entities for word in slug.split("-")}  # "birthday of Ida"
    if set(content_words(between)) - names or (not behind and between.strip(" ,:-")):
        return line
    if not any(map(str.isdigit, line.text[phrases[0].start : phrases[0].end])):
        return line  # celebrated on Saturday
    coming = next_anniversary(day, today)
    return replace(line, times=(Interval(coming, coming),))


def _standing(lines: Sequence[Appointment]) -> list[_Entry]:
    """The appointments that no newer line moves, each once, by its newer or typed line."""
    entries = _on_pages(line for line in lines if not line.recorded)
    passed: list[_Entry] = []
    for line in lines:
        if not line.recorded:
            continue
        before = line.recorded - _STALE
        passed += [e for e in entries if (e.when.end or _day(e.when)) < before]
        entries = [e for e in entries if (e.when.end or _day(e.when)) >= before]
        phrases = _phrases_of(line)
        denied = {when for when, phrase in phrases if _is_denied(line.text, phrase)}
        off = {when for when, phrase in phrases if _is_off(line.text, phrase)}
        gone = denied | off | _days_moved_from(line, phrases)
        ahead = [t for t in line.times if _lies_ahead(t, line.recorded) and t not in gone]
        new = _entry(line)
        known = [e for e in entries if not e.names.isdisjoint(new.names)]
        over, perhaps = _moved(new, ahead, entries)
        over += [e for e in known if e.when in denied]
        over += [e for e in entries for w in gone if _same(e, replace(new, when=w))]
        if not over and len(ahead) == 1 and says_moved(line.text):
            # In another language no word is the same: it can only mean the one that is known.
            spoken = set(likely_languages(words(line.text)))
            foreign = [e for e in known if spoken.isdisjoint(likely_languages(words(e.line.text)))]
            over = foreign if len(known) == 1 else []
        is_over, may_be = set(map(id, over)), set(map(id, perhaps))
        entries = [
            replace(entry, moved=line.source) if id(entry) in may_be else entry
            for entry in entries
            if id(entry) not in is_over
        ]
        left = {entry.when for entry in over}
        on_day: defaultdict[date, list[int]] = defaultdict(list)
        for number, entry in enumerate(entries):
            on_day[_day(entry.when)].append(number)
        for new in (replace(new, when=when) for when in ahead if when not in left):
            same = (n for n in on_day[_day(new.when)] if _same(entries[n], new))
            twin = None if line.replaced else next(same, None)
            if twin is None:
                on_day[_day(new.when)].append(len(entries))
                entries.append(new)
            elif line.typed or not entries[twin].line.typed:
                entries[twin] = new
    return [entry for entry in (*passed, *entries) if not entry.line.replaced]


def _on_pages(lines: Iterable[Appointment]) -> list[_Entry]:
    """Those of pages without a day, each once: none of them is newer than another."""
    on_day: defaultdict[date, list[_Entry]] = defaultdict(list)
    for new in (replace(_entry(line), when=when) for line in lines for when in line.times):
        same_day = on_day[_day(new.when)]
        if _lies_ahead(new.when, None) and not any(_same(each, new) for each in same_day):
            same_day.append(new)
    return [entry for entries in on_day.values() for entry in entries]


def _entry(line: Appointment) -> _Entry:
    text = undated(line.text, line.recorded or _day(line.times[0]))
    said, beside_days = _words(line.text), _words(text)
    names, topic = frozenset(line.entities), _topic(line, text)
    return _Entry(line, Interval(None, None), names, said, beside_days, topic)


def _topic(line: Appointment, text: str) -> frozenset[str]:
    said = set(content_words(text))
    names = {
        w for slug in line.entities if said.issuperset(slug.split("-")) for w in slug.split("-")
    }
    return frozenset(word for word in said - names if not word[0].isdigit())


def _phrases_of(line: Appointment) -> list[tuple[Interval, DatePhrase]]:
    """The times of a line with the words that name them, where each is of one."""
    if line.recorded is None:
        return []
    phrases = find_phrases(line.text, line.recorded, "future")  # `in a week` is a phrase as well
    times = times_of(line.text, line.recorded)
    return list(zip(times, phrases, strict=True)) if len(times) == len(phrases) else []


def _days_moved_from(
    line: Appointment, phrases: Sequence[tuple[Interval, DatePhrase]]
) -> set[Interval]:
    """The days from which the line says that something was moved: `from 2 to 9 December`."""
    if len(line.times) < 2 or line.recorded is None or not _says_changed(line.text):
        return set()
    spans = (phrase.interval for phrase in find_phrases(line.text, line.recorded, "near"))
    ends = [(Interval(s.start, s.start), Interval(s.end, s.end)) for s in spans]
    left = {old for old, new in ends if old != new and {old, new} <= set(line.times)}
    over = [set(thing.words) for thing in read_change(line.text).objects]
    for when, phrase in phrases:
        # "on 9 May instead of 2 May", "the 9th; they cannot come on the 2nd"
        said, before = set(words(phrase.text)), len(line.text[: phrase.start].split())
        is_over = any(thing <= said or said <= thing for thing in over)
        is_not = {before - 2, before - 1} & _words_denying(line.text)
        if phrase.interval.end is None or is_over or is_not:
            left.add(when)
    if not left and len(phrases) == 2 and says_moved(line.text):
        (old, _), (_, new_day) = phrases
        left.update({old} if _is_destination_marked(line.text, new_day) else ())
    return left


def _is_destination_marked(text: str, phrase: DatePhrase) -> bool:
    """Whether a word right before a day says where to: "that of the 26th moves to the 27th"."""
    near = (*text[: phrase.start].split()[-1:], phrase.text.split()[0])
    return any(lexicon().means(fold(word), "TO") for word in near)


def _is_denied(text: str, phrase: DatePhrase) -> bool:
    """Whether a denial stands right before the words: `not on Friday`, `nicht am Freitag`."""
    before = len(text[: phrase.start].split())
    return before - 1 in _words_denying(text)


@lru_cache(8)  # asked for each day that a line names
def _words_denying(text: str) -> set[int]:
    return Statement(text).words_of("not")


def _is_off(text: str, phrase: DatePhrase) -> bool:
    """Whether the clause of a day says that it is called off: `… on 3 May was cancelled; …`."""
    place = phrase.start
    start, end = next(span for span in sentence_spans(text) if span[0] <= place < span[1])
    return mentions_cancellation(
        text[start:place].rpartition(";")[2] + text[place:end].partition(";")[0]
    )


def _lies_ahead(when: Interval, written: date | None) -> bool:
    first, last = when.start, when.end
    if first is None or last is None:
        day = first or last
        return day is not None and (written is None or day > written)
    begins = written is None or first > written or first == written < last
    return (last - first).days <= _LONGEST and begins


def _moved(
    new: _Entry, ahead: Sequence[Interval], entries: Sequence[_Entry]
) -> tuple[list[_Entry], list[_Entry]]:
    """The appointments that a newer line moves to another day, and those that it may move."""
    text = new.line.text
    others = [e for e in entries if _is_like(new, e) and e.when not in ahead] if ahead else []
    days = _days_named(text) if others else ()
    named = [
        entry
        for entry in others
        if entry.when in new.line.times
        or (new.words & entry.words and _day(entry.when).day in days)
    ]
    if not _says_changed(text):
        on_day = set(map(id, named))
        return [], [
            entry
            for entry in others
            if (_of_one(new, entry) or not new.names | entry.names)
            and _likeness(new, entry) >= (_SAME_OF_ONE if id(entry) in on_day else _SAME)
        ]
    if named:  # of two things on the old day the one that the line is about
        return [entry for entry in named if _likeness(new, entry)] or named, []
    near = [entry for entry in others if _likeness(new, entry) >= _SAME]
    if len({entry.when for entry in near}) == 1:
        return near, []
    # `moved` is said of an appointment; what only ends or changes has to be about the same thing.
    fewest = 1 if says_moved(text) else 2
    return [], [
        e for e in others if e in near or len(frozenset.intersection(*_topics(new, e))) >= fewest
    ]


def _of_one(one: _Entry, other: _Entry) -> bool:
    return not one.names.isdisjoint(other.names)


def _is_like(one: _Entry, other: _Entry) -> bool:
    """Whether two lines name one entity or, where one names none, two words in common."""
    if one.names and other.names:
        return _of_one(one, other)
    return len(one.undated & other.undated) > 1


def _topics(one: _Entry, other: _Entry) -> tuple[frozenset[str], frozenset[str]]:
    """The words that two appointments are compared by: beside the name of an entity of both."""
    return (one.topic, other.topic) if _of_one(one, other) else (one.undated, other.undated)


def _likeness(one: _Entry, other: _Entry) -> float:
    """How much alike two appointments are."""
    return overlap(*_topics(one, other))


def _says_changed(text: str) -> bool:
    """Whether a line says that something is not as it was: moved, now, instead, a day earlier."""
    spoken = statement_in_any_language(text)
    return bool(says_moved(text) or read_change(text) or spoken.says_anywhere("other_day"))


def _days_named(text: str) -> set[int]:
    """The numbers that are the day of a month: none that is an hour, `at 10`, `10 Uhr`."""
    said = statement_in_any_language(text)
    hours = said.words_of("clock")
    numbers = (
        re.match(r"\W?(\d{1,2})(?!\w*[:,-]?\d)", word)
        for place, word in enumerate(said.words)
        if place not in hours
    )
    return {int(number[1]) for number in numbers if number}


def _same(one: _Entry, other: _Entry) -> bool:
    if _day(one.when) != _day(other.when) or one.line.replaced:
        return False
    if _of_one(one, other):
        return one.topic == other.topic or overlap(one.topic, other.topic) >= _SAME_OF_ONE
    if (one.names and other.names) or one.undated.isdisjoint(other.undated):
        return False  # two people at the dentist's are two
    return overlap(one.words, other.words) >= _SAME


def _words(text: str) -> frozenset[str]:
    return frozenset(word for word in content_words(text) if not word.isdigit())
