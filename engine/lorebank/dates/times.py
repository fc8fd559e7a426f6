"""The times that a note's own text names, resolved against the day it was written down.

A year, month or week that the text leaves open is settled by the tense of its clause: `met on
Friday` is the last one, `will meet on Friday` the coming one, either of them today where today is
Friday. Without a tense, what comes back every week or month is the coming one and what comes back
every year the nearest. Several times are all kept, in the order of the text.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from lorebank.dates.lattice import count_marks
from lorebank.dates.lexicon import ALL, LANGUAGES, language_bit, lexicon, speaking, tokenize
from lorebank.dates.phrases import DatesLeft, Found, read_phrases
from lorebank.dates.spans import Days, Moment, Tense, next_anniversary, of_year, one_day
from lorebank.domain.facts import LONGEST_READ, Interval
from lorebank.records import Mutable

if TYPE_CHECKING:
    from lorebank.dates.rules_bounds import Meaning

_SENTENCE_END = r"[.;!?。！？；]\s|[。！？；]|\n"
_PAUSE = r"[,:–—，、]\s|[，(（)）]| - "
_DAY = re.compile(r"[^\d.]\d\d?\Z")
_LONGEST_CLAUSE = 1_000
"""Characters that are looked at for its tense; no clause of prose comes near."""
_EPOCH = 1970
"""The year that clocks fall back to: `the car radio thinks it is 1970`, `reads 1/1/1970`; the year
itself is meant where the clause is in the past."""
_SHORTEST_REPORT = 3
"""Words: `said the shop opens on Friday`, where no `that` says that something was reported."""
_SOME_DAY, _OTHER_DAY = date(2000, 6, 15), date(2011, 2, 2)
"""Of another weekday, day of the month, month and year: what names the same day from both stands by
itself."""


def times_of(
    text: str, recorded: date | None, *, tense: Tense | None = None, left: DatesLeft | None = None
) -> tuple[Interval, ...]:
    """The times that the text names, in its order, each once; empty where it names none. Of what
    was moved from one day to another the new day comes first.

    Without a recorded day only dates that stand by themselves (`2025-11-27`, `May 2024`) count.
    `tense` says which one the whole text is in, whatever its words. What happens again and again
    (`every Friday`, `in winter he skis`) names no time; nor does a text where none are `left`.
    """
    if left is None:
        left = DatesLeft(LONGEST_READ)
    if left.count <= 0:
        return ()
    if recorded is None:
        some = _read(text, _SOME_DAY, tense, left, True)
        other = _read(text, _OTHER_DAY, tense, replace(left), True)  # the same dates once more
        return tuple(interval for interval in some if interval in other)
    return _read(text, recorded, tense, left)


def coming_times(text: str, today: date, *, every_year: bool = False) -> tuple[Interval, ...]:
    """The times from `today` on that a sentence of a page kept up by hand names: those with their
    year, and the next of what comes back, of `11 March` that of this year or the next, of `due on
    the 5th` that of this month or the next.

    What depends on the day on which it was written (`on Friday`, `in 3 days`) names none there,
    nor does what began, or happened by the tense of its clause. With `every_year` a day comes back
    though its year is told, and whatever the tense.
    """
    phrases = [p for p in read_phrases(text, today) if not _comes_each_week(p)]
    if not phrases:
        return ()
    has_year = not all(phrase.meaning.repeating for phrase in phrases)
    settled = set(times_of(text, None)) if has_year else set[Interval]()
    found: list[Interval] = []
    named: Days | None = None
    for clause, phrase in _in_clauses(text, phrases):
        from lorebank.dates.rules_bounds import resolve  # see `phrases`

        parts, comes_back = [phrase.meaning], phrase.meaning.repeating
        if comes_back and phrase.meaning.is_range_of_days:  # due on 1 May and 1 November
            parts = [replace(parts[0], spans=(s,), modifier="exact") for s in parts[0].spans]
        cycle = parts[0].spans[0].cycle
        if named and cycle and cycle.period == "month":
            continue  # flight on 3 May 2027, back on the 31st
        times = [time for part in parts for time in resolve(part, Moment(today, "future"))]
        named = _named(tuple(times), today) or named
        if not comes_back:
            found += [time for time in times if time in settled]
        elif every_year or clause.tense != "past":
            found += times
    if every_year:
        found = [_anniversary(time, today) for time in found]
    return tuple(dict.fromkeys(t for t in found if (t.end or t.start or today) >= today))


def _comes_each_week(phrase: Found) -> bool:
    return phrase.meaning.repeating and phrase.meaning.is_weekly


def _anniversary(time: Interval, today: date) -> Interval:
    """The next return of a day that is over; any other time as it is."""
    day = time.start
    if day is None or day != time.end or day >= today:
        return time
    coming = next_anniversary(day, today)
    return Interval(coming, coming)


@lru_cache(8)  # asked for each phrase of a text
def tense_of(text: str) -> Tense:
    """Whether a whole text speaks of what was or of what is to come."""
    return _tense(_languages_of(text, []), text, text)


def says_moved(text: str) -> bool:
    """Whether a text says that something was put off or brought forward."""
    return _holds(_languages_of(text, []), "moved", text)


@lru_cache(8)
def tells_hours(text: str) -> bool:
    """Whether a text speaks of what is so again and again: `what is open on Saturday?`."""
    languages = _languages_of(text, [])
    usual = _holds(languages, "hours", text) or _holds(languages, "habit", text)
    return usual and _tense(languages, text, text) == "near"


def _read(
    text: str, recorded: date, given: Tense | None, left: DatesLeft, settled: bool = False
) -> tuple[Interval, ...]:
    text = text[:LONGEST_READ]
    phrases = read_phrases(text, recorded, left)
    if not phrases:
        return ()
    times: list[Interval] = []
    named: Days | None = None
    anchor: Meaning | None = None
    has_weekdays = sum(p.meaning.is_weekly for p in phrases) > 1
    has_deadline = any(p.meaning.is_deadline for p in phrases)
    for clause, phrase in _in_clauses(text, phrases):
        if settled and phrase.meaning.repeating:
            continue
        if clause.tells_hours and not phrase.meaning.repeating:
            continue  # Filipino `bukas`, which is open and tomorrow
        meaning, tense = phrase.meaning, given or clause.tense
        if not given:
            meaning, tense = _in_clause(clause, phrase)
        if meaning.modifier == "from" and _is_of_a_sum(text, phrase.start):
            tense = "past"
        is_planned = has_deadline and meaning.granularity in ("day", "range")
        is_planned = is_planned and not meaning.is_deadline
        if tense == "near" and (is_planned or any(t.start and t.start > recorded for t in times)):
            tense = "future"  # the bath in May, the garden not before autumn
        weekly = has_weekdays and meaning.is_weekly
        may_move = meaning.is_range_of_days or meaning.modifier in ("from", "to")
        whole = _sentence_around(text, phrase, clause.text) if weekly or may_move else clause.text
        if _names_no_time(phrase, whole if weekly else clause.text, tense, clause.languages):
            continue
        says_moved = may_move and _holds(clause.languages, "moved", whole)
        is_moved = meaning.is_range_of_days and says_moved
        if is_moved:
            meaning, tense = replace(meaning, modifier="each"), "near"
        elif meaning.modifier == "to" and not says_moved:
            continue
        elif meaning.modifier in ("from", "to") and says_moved:
            meaning = replace(meaning, modifier="exact")
        from lorebank.dates.rules_bounds import resolve  # see `phrases`

        if anchor and meaning.is_counted and tense == "past" and named and named[0] > recorded:
            days = resolve(anchor, Moment(recorded, "past"))  # Tuesday MOT, two days later it broke
            times[-1:], named = days, _named(days, recorded)
        last = times[-1].start if times else None
        told = last if last and last <= recorded else None
        intervals = resolve(meaning, Moment(recorded, tense, named, told))
        times.extend(reversed(intervals) if is_moved else intervals)
        named, anchor = _named(intervals, recorded) or named, meaning
    return tuple(dict.fromkeys(times))


def _in_clause(clause: _Clause, phrase: Found) -> tuple[Meaning, Tense]:
    """What a phrase means where it stands in its clause, and its own tense there."""
    meaning, tense, languages = phrase.meaning, clause.tense, clause.languages
    if meaning.modifier == "before" and _plans(clause, phrase):
        is_done = tense == "past" or _is_planned(clause, phrase)
        meaning = replace(meaning, modifier="exact") if is_done else meaning  # gevraagd voor 1 mei
    if tense == "past" and meaning.modifier == "until":
        tense = "past" if _holds(languages, "past", clause.text) else "near"  # krankgeschrieben
    if tense == "past":
        put_off = _holds(languages, "moved", clause.text)
        if any(_plans(clause, p) for p in (clause.phrases if put_off else [phrase])):
            tense = "near"  # `Friday's lesson was put off to Monday`
    says = _holds(languages, "told", clause.text)
    report = _tense_of_report(clause, phrase) if says else None
    is_plan = report == "near" and meaning.granularity == "season"
    return meaning, "future" if is_plan else report or tense


def _is_of_a_sum(text: str, start: int) -> bool:
    """`the £340 from October`."""
    article, *amount = _ahead_of(text, start).split()[-2:] or [""]
    return _is_article(article) and re.search(r"\d", "".join(amount)) is not None


def _sentence_around(text: str, phrase: Found, clause: str) -> str:
    """The clause of a phrase with what stands before and behind it in its sentence."""
    behind = text[phrase.end : phrase.end + _LONGEST_CLAUSE]
    before = re.split(_SENTENCE_END, _ahead_of(text, phrase.start))[-1]
    return " ".join([before, clause, re.split(_SENTENCE_END, behind, maxsplit=1)[0]])


def _says_again(languages: _Languages, undated: str) -> bool:
    """Whether a clause says nothing but a date and `and again`, in the tense of the one before."""
    patterns = [p for code in languages for cue in ("again", "joins") if (p := _pattern(code, cue))]
    rest = undated.lower()
    for pattern in patterns:
        rest = pattern.sub("", rest)
    return rest != undated.lower() and not re.search(r"\w", rest)


def _named(intervals: tuple[Interval, ...], recorded: date) -> Days | None:
    """The days from which `the 29th` or `the week after` counts on."""
    if not intervals or intervals[-1].start is None or intervals[-1].end is None:
        return None
    first, last = intervals[-1].start, intervals[-1].end
    near = first == last or recorded < first > last - timedelta(7)
    return (first, last) if near else None


def _names_no_time(phrase: Found, clause: str, tense: Tense, languages: _Languages) -> bool:
    meaning = phrase.meaning
    if meaning.ahead:  # built in 3 days; pays within 30 days
        return tense == "past" or (meaning.modifier == "until" and tense != "future")
    if not meaning.repeating:
        days = meaning.spans[0].days
        doubtful = not meaning.licensed or days == of_year("year", _EPOCH)
        if doubtful and meaning.granularity == "year" and tense != "past":
            return re.search(r"[^\W\d]", clause) is not None
        return days == one_day(date(_EPOCH, 1, 1))
    if meaning.modifier in ("exact", "each") and _holds(languages, "habit", clause):
        return True  # and not `since May the bus is always late`
    if meaning.usual and tense == "near":
        return True  # works Monday, Tuesday and Friday
    if meaning.is_span_of_week and tense != "future" and _holds(languages, "hours", clause):
        return True
    return tense == "near" and meaning.granularity == "season" and meaning.modifier == "exact"


def _languages_of(text: str, phrases: Sequence[Found]) -> tuple[str, ...]:
    """The languages that most common words of the text belong to, of those of its phrases."""
    shared = ALL
    for phrase in phrases:
        shared = shared & phrase.languages or shared
    votes = count_marks(tokenize(text).words, lexicon().marks)
    known = {
        code: votes.get(index, 0)
        for index, code in enumerate(LANGUAGES)
        if shared >> index & 1 and code in lexicon().cues
    }
    most = max(known.values(), default=0)
    return tuple(code for code, count in known.items() if count == most)


class _Clause(Mutable):
    """A clause with the phrases that it holds."""

    start: int
    text: str
    whole: str
    """The text that it is from."""
    languages: _Languages
    phrases: Sequence[Found]
    tense: Tense = "near"
    tells_hours: bool = False
    """`Bukas ang botika mula Lunes hanggang Biyernes`: of certain days every week."""


def _in_clauses(text: str, phrases: Sequence[Found]) -> Iterator[tuple[_Clause, Found]]:
    """Each phrase with its clause."""
    languages = _languages_of(text, phrases)
    tense: Tense = "near"
    starts = [phrase.start for phrase in phrases]
    for start, end in _clauses(text, phrases, languages):
        inside = phrases[bisect_left(starts, start) : bisect_left(starts, end)]
        if not inside:
            continue
        clause = _Clause(start, text[start:end], text, languages, inside)
        undated = _without(text, start, end, inside)
        if not _says_again(languages, undated):
            tense = _tense(languages, clause.text, undated)
        clause.tense = tense
        in_week = any(phrase.meaning.is_span_of_week for phrase in inside)
        clause.tells_hours = in_week and _holds(languages, "hours", clause.text)
        for phrase in inside:
            yield clause, phrase


def _clauses(text: str, phrases: Sequence[Found], languages: _Languages) -> list[tuple[int, int]]:
    """Where each clause begins and ends.

    A piece that is a date and nothing else (`Next week, …`) belongs to the piece behind it, or at
    the end of a sentence to the one before.
    """
    starts = [phrase.start for phrase in phrases]
    pieces: list[tuple[int, int, bool]] = []
    start = 0
    cuts = (
        (m.start() if m[0][0] in ",，、" else m.end(), m.lastgroup == "sentence")
        for m in _boundary(languages).finditer(text)
    )
    for end, ends_sentence in (*cuts, (len(text), True)):
        before, behind = bisect_left(starts, start), bisect_left(starts, end)
        between = text[max(phrases[behind - 1].end, start) : end].strip() if behind else ""
        if behind and end < phrases[behind - 1].end and end < len(text):
            continue  # a comma inside a phrase
        last = phrases[behind - 1].end
        numbered = _has_trait(languages, "ordinal_dot") and _DAY.search(
            text, max(0, last - 3), last
        )
        if ends_sentence and between == "." and text[end:] and (numbered or text[end].islower()):
            continue  # am 8. Kontrolle, vom 20.11. auf den 27.11. verlegt
        if _is_only_dates(text[start:end], start, phrases[before:behind]):
            if not ends_sentence:
                continue
            if pieces and not pieces[-1][2]:
                start = pieces.pop()[0]
        pieces.append((start, end, ends_sentence))
        start = end
    return [piece[:2] for piece in pieces]


def _is_only_dates(piece: str, start: int, inside: Sequence[Found]) -> bool:
    if not inside:
        return False
    rest = piece[: inside[0].start - start] + piece[inside[-1].end - start :]
    return re.search(r"\w", rest) is None


_Languages = tuple[str, ...]


def _without(text: str, start: int, end: int, phrases: Sequence[Found]) -> str:
    """The clause without its dates, which are in no tense: `Weihnachten` is no past of `weihen`."""
    pieces = []
    for phrase in phrases:
        pieces.append(text[start : phrase.start])
        start = phrase.end
    return " — ".join([*pieces, text[start:end]])


@lru_cache(maxsize=64)  # several dates of one clause share its tense
def _tense(languages: _Languages, clause: str, undated: str) -> Tense:
    if _holds(languages, "future", clause) and not _holds(languages, "undone", clause):
        return "future"
    past = _holds(languages, "past", undated) or _is_perfect(languages, undated)
    # What was called off is most often still to come.
    return "past" if past and not _holds(languages, "off", clause) else "near"


def _tense_of_report(clause: _Clause, phrase: Found) -> Tense | None:
    """The tense of the part of the clause that holds the phrase, where somebody said, heard or
    decided something: `said on Friday | that the shop opens on 3 May`. None where nobody did, or
    where what stands between (`told my sister on Friday`) is too little to be what was said.
    """
    at, languages = phrase.start - clause.start, clause.languages
    before = clause.text[max(0, at - _LONGEST_CLAUSE) : at].lower()
    patterns = [pattern for code in languages if (pattern := _pattern(code, "told"))]
    said = max((m for p in patterns for m in p.finditer(before)), key=re.Match.end, default=None)
    if said is None:
        behind = clause.text[at : at + _LONGEST_CLAUSE].lower()
        says = min((m.end() for p in patterns for m in p.finditer(behind)), default=0)
        teller = clause.text[: at + says]  # El lunes me enteré | de que el juicio es …
        return "past" if _tense(languages, teller, teller) == "past" else None
    between = before[said.end() :].split()
    end = phrase.end - clause.start
    behind = clause.text[end : end + _LONGEST_CLAUSE]
    if not between or _opens_report(languages, *behind.split()[:1]):
        return _tense(languages, before, before)
    opened = _opens_report(languages, said.group().split()[-1], between[0])
    opened = opened or (len(between) >= _SHORTEST_REPORT and _is_article(between[0]))
    meaning = phrase.meaning
    comes_often = any(span.cycle and span.cycle.period != "year" for span in meaning.spans)
    is_bound = meaning.modifier in ("until", "before")
    if comes_often and not (opened or is_bound):
        return None
    report = " — ".join((before[said.end() :], behind))
    return _tense(languages, report, report)


def _opens_report(languages: _Languages, *words: str) -> bool:
    """Whether one of the words is a `that`, elided or not: `qu'on`."""
    return any(_holds(languages, "that", re.split("['’]", word)[0]) for word in words)


@lru_cache(maxsize=64)  # as above
def _holds(languages: _Languages, cue: str, clause: str) -> bool:
    """Whether the clause holds a word or an ending of that kind."""
    written = _uncapitalised(clause)
    return any(
        _counts(code, f"not_{cue}", match) and not _is_subject(code, written, match.end())
        for code in languages
        if (pattern := _pattern(code, cue))
        for match in pattern.finditer(written)
    )


def _is_subject(code: str, written: str, end: int) -> bool:
    """`Lotte is …`, `Fred has …`: the first word, where a verb stands behind it."""
    auxiliary = None if " " in written[:end] else _pattern(code, "auxiliary")
    return auxiliary is not None and auxiliary.match(written, end + 1) is not None


def _ahead_of(text: str, start: int) -> str:
    """As much of the text before a place as is looked at."""
    return text[max(0, start - _LONGEST_CLAUSE) : start]


def _plans(clause: _Clause, phrase: Found) -> bool:
    """`booked for Friday`: by the word before the phrase, or its first."""
    start, before = phrase.start, clause.text[: phrase.start - clause.start]
    first = clause.whole[start : start + _LONGEST_CLAUSE].split()[:1]
    words = _ahead_of(clause.whole, start).split()[-1:] + (first if before.strip(" ,") else [])
    return _any_is(clause.languages, "planned", words)


def _is_planned(clause: _Clause, phrase: Found) -> bool:
    """Whether the word before it is a participle that tells of no deed: `geboekt`."""
    return _any_is(clause.languages, "not_past", _ahead_of(clause.whole, phrase.start).split()[-1:])


def _any_is(languages: _Languages, cue: str, words: Sequence[str]) -> bool:
    patterns = [_pattern(code, cue) for code in languages]
    return any(p.fullmatch(word.lower()) for p in patterns if p for word in words)


def _is_perfect(languages: _Languages, undated: str) -> bool:
    """`ha pagato`, `est parti`; `Pagado el 25`, `ricetta chiesta venerdì`, `im Mai verlängert`."""
    written = _uncapitalised(undated)
    for code in languages:
        participle, last = _pattern(code, "participle"), _pattern(code, "participle_last")
        for match in participle.finditer(written) if participle else ():
            if _tells_deed(code, written, match) and _counts(code, "not_past", match):
                return True
        for match in last.finditer(written) if last else ():
            if not written[match.end() :].strip(" .!—") and _counts(code, "not_past", match):
                return True
    return False


def _tells_deed(code: str, written: str, match: re.Match[str]) -> bool:
    """Whether a participle stands behind its auxiliary, opens the clause before an article or its
    auxiliary, or stands between a noun and a day."""
    auxiliary = _pattern(code, "auxiliary")
    before, behind = written[: match.start()], written[match.end() :]
    opens = " ," if _has_trait((code,), "verb_second") else " —,"  # `am Montag bezahlt die Oma`
    if not before.strip(opens):
        word = "".join(tokenize(behind).words[:1])
        return auxiliary is None or _is_article(word) or auxiliary.fullmatch(word) is not None
    if auxiliary is not None and auxiliary.search(before) is not None:
        return True
    return behind.lstrip().startswith("—") and before.split()[-1] not in lexicon().marks


def _has_trait(languages: _Languages, trait: str) -> bool:
    return any(speaking(trait) & language_bit(code) for code in languages)


def _is_article(word: str) -> bool:
    the, article, to = (lexicon().means(word, tag) for tag in ("THE", "ARTICLE", "IN"))
    return (the or article) and not to  # `sortie au zoo` is no deed


def _counts(code: str, exceptions: str, match: re.Match[str]) -> bool:
    """Whether what was found is no exception, alone or behind the word before: `the rented`."""
    pattern, word = _pattern(code, exceptions), match.group()
    before = " ".join([*match.string[: match.start()].split()[-1:], word])
    return pattern is None or not (pattern.fullmatch(word) or pattern.fullmatch(before))


@lru_cache(maxsize=64)
def _uncapitalised(clause: str) -> str:
    """The clause in small letters without what is capitalised inside it: a name, or a noun."""
    first, *rest = clause[:_LONGEST_CLAUSE].strip().split(" ")
    return " ".join([first.lower(), *(word for word in rest if not word[:1].isupper())])


@cache
def _pattern(code: str, cue: str) -> re.Pattern[str] | None:
    words = lexicon().cues.get(code, {}).get(cue)
    return re.compile(rf"(?<![^\W\d_])(?:{words})(?![^\W\d_])") if words else None


@cache
def _boundary(languages: _Languages) -> re.Pattern[str]:
    joins = "|".join(words for code in languages if (words := lexicon().cues[code].get("joins")))
    between = rf"|\s(?:{joins})(?=\s)" if joins else ""
    return re.compile(rf"(?P<sentence>{_SENTENCE_END})|(?P<pause>{_PAUSE}{between})")
