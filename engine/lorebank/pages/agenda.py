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
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta

from lorebank.database.connection import Connection
from lorebank.dates.phrases import DatePhrase, find_phrases
from lorebank.dates.times import says_moved, times_of
from lorebank.domain.answers import Agenda, AgendaItem, AgendaKind
from lorebank.domain.facts import PROMISE, Citation, Interval, Task, TaskState
from lorebank.index.tasks import (
    Appointment,
    appointments_known_on,
    load_tasks,
    named_in,
    perhaps_over,
    says_off,
    undated,
    yearly_words,
)
from lorebank.language.statements import Statement, statement_in_any_language
from lorebank.language.words import content_words, likely_languages, words
from lorebank.records import Record
from lorebank.supersede.endings import read_change

AGENDA_DAYS = 14
_LONGEST = 7
"""Days: a longer time, such as a month or a season, keeps no day free. On two workspaces by other
hands 31 held no appointment more."""
_SAME = 0.5
"""Share of the shorter line's words that two lines about one appointment have in common."""
_SAME_OF_ONE = 0.2
"""The same where both name one entity, on the same day."""
_INSIDE = re.compile(r"(?<=[^.!?:]\s)\w+")
"""A word that begins no sentence."""

_SENTENCE_END = re.compile(
    r"(?:[^\W\d]{4}|\d{3}|[)\]])[.][\"'”’)]*\s+|[!?…][\"'”’)]*\s+|[。！？]"
    r"|[.][\"'”’)]*\s*\n|\n\s*\n"
)
"""A dot behind a short word or number (`Dr.`, `13. März`) ends none for certain."""


class _Entry(Record):
    """An appointment with what it is compared by."""

    line: Appointment
    when: Interval
    words: frozenset[str]
    topic: frozenset[str]
    """Its words beside days, numbers and names: what makes two things of one month, person or
    place alike."""
    moved: Citation | None = None
    """A newer line that may move it."""

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
    standing = _standing([_with_next(line, today) for line in lines])
    moved = {line.source for line in lines} - {entry.line.source for entry in standing}
    lines_on: defaultdict[Interval | None, list[Appointment]] = defaultdict(list)
    for line in lines:
        for when in line.times:
            lines_on[when].append(line)
    shown = {
        entry: _shown(entry)
        for entry in standing
        if (entry.when.end or entry.day) >= today and entry.day <= until
    }
    due = []
    tasks = load_tasks(connection, until=today, state=TaskState.OPEN)
    said: dict[Task | _Entry, tuple[str, date | None]] = {t: (t.text, t.recorded) for t in tasks}
    said.update((entry, (text, entry.line.recorded)) for entry, text in shown.items())
    perhaps = perhaps_over(connection, said, today)
    for task in tasks:
        # One to be done by a later day can be done now.
        is_later = task.due is not None and task.due.start is not None and task.due.start > until
        if is_later or (task.kind == PROMISE and task.citation in moved):
            continue
        last = (task.due.end or task.due.start) if task.due else None
        late = last is not None and last < today
        kind, names = AgendaKind(task.kind), task.entities
        done = _called_off(task, lines_on.get(task.due, ()))
        done = done or task.perhaps_done or perhaps.get(task)
        due.append(
            AgendaItem(
                task.text,
                task.citation,
                task.due,
                kind,
                late,
                open=True,
                entities=names,
                perhaps_done=done,
            )
        )
    known = {(item.source, item.when) for item in due}  # what is promised for a day is no event
    coming = [
        AgendaItem(
            text,
            e.line.source,
            e.when,
            AgendaKind.EVENT,
            entities=_named(text, e.line),
            subject=e.line.subject,
            perhaps_moved=e.moved,
            perhaps_off=perhaps.get(e),
        )
        for e, text in shown.items()
        if (e.line.source, e.when) not in known
    ]

    def order(item: AgendaItem) -> tuple[bool, date, Citation]:
        return not item.overdue, _day(item.when) if item.when else date.max, item.source

    return Agenda(today, until, tuple(sorted((*coming, *due), key=order)))


def _called_off(task: Task, lines: Sequence[Appointment]) -> Citation | None:
    """Of lines that name the day of a task the one that calls it off, about an entity that the
    task names."""
    for line in lines:
        if set(task.entities).intersection(line.entities):
            off = {when for when, phrase in _phrases_of(line) if _is_off(line.text, phrase)}
            if task.due in off:
                return line.source
    return None


def _with_next(line: Appointment, today: date) -> Appointment:
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
    if content_words(between) or (not behind and between.strip(" ,:-")):
        return line
    comes = (_in_year(day, year) for year in (today.year, today.year + 1))
    coming = next(each for each in comes if each >= today)
    return replace(line, times=(Interval(coming, coming),))


def _in_year(day: date, year: int) -> date:
    try:
        return day.replace(year=year)
    except ValueError:  # 29 February
        return date(year, 3, 1)


def _standing(lines: Sequence[Appointment]) -> list[_Entry]:
    """The appointments that no newer line moves, each once, in the words of the newer or typed
    line; `lines` are oldest first."""
    entries: list[_Entry] = []
    for line in lines:
        denied = {when for when, phrase in _phrases_of(line) if _is_denied(line.text, phrase)}
        off = {when for when, phrase in _phrases_of(line) if _is_off(line.text, phrase)}
        gone = denied | off | _days_left(line)
        ahead = [t for t in line.times if _lies_ahead(t, line.recorded) and t not in gone]
        telling = frozenset(word for word in content_words(line.text) if not word.isdigit())
        new = _Entry(line, Interval(None, None), telling, _topic(line))
        known = [e for e in entries if set(e.line.entities) & set(line.entities)]
        over, perhaps = _moved(new, ahead, known)
        over += [e for e in known if e.when in denied]
        over += [e for e in entries if any(_same(e, replace(new, when=when)) for when in gone)]
        if not over and len(ahead) == 1 and says_moved(line.text):
            # In another language no word is the same: it can only mean the one that is known.
            spoken = set(likely_languages(words(line.text)))
            foreign = [e for e in known if spoken.isdisjoint(likely_languages(words(e.line.text)))]
            over = foreign if len(known) == 1 else []
        entries = [
            replace(entry, moved=line.source) if entry in perhaps else entry
            for entry in entries
            if entry not in over
        ]
        left = {entry.when for entry in over}
        for new in (replace(new, when=when) for when in ahead if when not in left):
            same = (n for n, entry in enumerate(entries) if _same(entry, new))
            twin = None if line.replaced else next(same, None)
            if twin is None:
                entries.append(new)
            elif line.typed or not entries[twin].line.typed:
                entries[twin] = new
    return [entry for entry in entries if not entry.line.replaced]


def _topic(line: Appointment) -> frozenset[str]:
    text = undated(line.text, line.recorded) if line.recorded else line.text
    said, spoken = set(content_words(text)), Statement(text)
    names = {
        w for slug in line.entities if said.issuperset(slug.split("-")) for w in slug.split("-")
    }
    if any(map(spoken.puts_subjects_first, spoken.languages)):
        large = (word for word in _INSIDE.findall(text) if word[0].isupper())
        names.update(content_words(" ".join(large)))
    return frozenset(word for word in said - names if not word[0].isdigit())


def _phrases_of(line: Appointment) -> list[tuple[Interval, DatePhrase]]:
    """The times of a line with the words that name them, where each is of one."""
    if line.recorded is None:
        return []
    phrases = find_phrases(line.text, line.recorded, "future")  # `in a week` is a phrase as well
    times = times_of(line.text, line.recorded)
    return list(zip(times, phrases, strict=True)) if len(times) == len(phrases) else []


def _days_left(line: Appointment) -> set[Interval]:
    """The days from which the line says that something was moved: `from 2 to 9 December`."""
    if len(line.times) < 2 or line.recorded is None or not _says_changed(line.text):
        return set()
    spans = (phrase.interval for phrase in find_phrases(line.text, line.recorded, "near"))
    ends = [(Interval(s.start, s.start), Interval(s.end, s.end)) for s in spans]
    left = {old for old, new in ends if old != new and {old, new} <= set(line.times)}
    over = [set(thing) for thing in read_change(line.text).objects]
    for when, phrase in _phrases_of(line):
        # "on 9 May instead of 2 May", "the 9th; they cannot come on the 2nd"
        said, before = set(words(phrase.text)), len(line.text[: phrase.start].split())
        is_over = any(thing <= said or said <= thing for thing in over)
        is_not = {before - 2, before - 1} & Statement(line.text).words_of("not")
        if phrase.interval.end is None or is_over or is_not:
            left.add(when)
    return left


def _is_denied(text: str, phrase: DatePhrase) -> bool:
    """Whether a denial stands right before the words: `not on Friday`, `nicht am Freitag`."""
    before = len(text[: phrase.start].split())
    return before - 1 in Statement(text).words_of("not")


def _is_off(text: str, phrase: DatePhrase) -> bool:
    """Whether the sentence of a day says that it is called off: `… on 3 May was cancelled`."""
    return says_off(_sentence_at(text, phrase.start))


def _shown(entry: _Entry) -> str:
    """The words of an appointment: of prose the sentence that names its day."""
    text = entry.line.text
    place = next((p.start for when, p in _phrases_of(entry.line) if when == entry.when), None)
    if entry.line.typed or place is None:
        return text
    return _sentence_at(text, place)


def _named(text: str, line: Appointment) -> tuple[str, ...]:
    return line.entities if line.typed else named_in(line.text, text, line.entities)


def _sentence_at(text: str, place: int) -> str:
    ends = [0, *(end.end() for end in _SENTENCE_END.finditer(text)), len(text)]
    start = max(end for end in ends if end <= place)
    return text[start : min(end for end in ends if end > place)].strip()


def _lies_ahead(when: Interval, written: date | None) -> bool:
    first, last = when.start, when.end
    if first is None or last is None:
        day = first or last
        return day is not None and (written is None or day > written)
    return (last - first).days <= _LONGEST and (written is None or first > written)


def _moved(
    new: _Entry, ahead: Sequence[Interval], known: Sequence[_Entry]
) -> tuple[list[_Entry], list[_Entry]]:
    """The appointments that a newer line moves to another day, and those that it may move."""
    text, topic = new.line.text, new.topic
    others = [entry for entry in known if ahead and entry.when not in ahead]
    named = [
        entry
        for entry in others
        if entry.when in new.line.times
        or (new.words & entry.words and _names_day(text, entry.day.day))
    ]
    if not _says_changed(text):
        least = {entry: _SAME_OF_ONE if entry in named else _SAME for entry in others}
        return [], [entry for entry in others if _overlap(topic, entry.topic) >= least[entry]]
    if named:  # of two things on the old day the one that the line is about
        return [entry for entry in named if topic & entry.topic] or named, []
    alike = [entry for entry in others if _overlap(topic, entry.topic) >= _SAME]
    if len({entry.when for entry in alike}) == 1:
        return alike, []
    return [], [entry for entry in others if topic & entry.topic]


def _says_changed(text: str) -> bool:
    """Whether a line says that something is not as it was: moved, now, instead, a day earlier."""
    spoken = statement_in_any_language(text)
    return bool(says_moved(text) or read_change(text) or spoken.says_anywhere("other_day"))


def _names_day(text: str, day: int) -> bool:
    """Whether a number is the day of a month: none that tells an hour, `at 10`, `10 Uhr`."""
    said = statement_in_any_language(text)
    hours = said.words_of("clock")
    return any(
        number not in hours and re.match(rf"\W?{day}(?!\w*[:,-]?\d)", word)
        for number, word in enumerate(said.words)
    )


def _same(one: _Entry, other: _Entry) -> bool:
    if one.day != other.day or one.line.replaced:
        return False
    ours, theirs = set(one.line.entities), set(other.line.entities)
    if not ours.isdisjoint(theirs):
        return _overlap(one.topic, other.topic) >= _SAME_OF_ONE
    # Two people at the dentist's are two.
    return not (ours and theirs) and _overlap(one.words, other.words) >= _SAME


def _overlap(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / max(min(len(one), len(other)), 1)
