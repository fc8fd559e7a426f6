"""The time that a question asks about, and bounds that are given as text."""

from __future__ import annotations

import re
import warnings
from datetime import date, datetime, time
from functools import reduce
from typing import TYPE_CHECKING

from lorebank.dates.lexicon import LANGUAGES, lexicon
from lorebank.dates.phrases import DatePhrase, find_phrases
from lorebank.domain.facts import LONGEST_MONTH, Interval

if TYPE_CHECKING:
    from lorebank.dates.spans import Tense

_EARLIER_YEARS = 5
"""That a day without a year is looked for in; chosen by hand."""
_DURATION = re.compile(r"\s*(\d{1,5})\s*([dwmy])\s*", re.IGNORECASE)
_UNITS = {"d": "day", "w": "week", "m": "month", "y": "year"}
_YEAR = re.compile(r"\s*(\d{4})\s*")


def query_interval(text: str, now: date) -> DatePhrase | None:
    """The time that a question asks about; None where it names none.

    Several phrases make one interval: a lower and an upper bound meet (`since May … before July`);
    phrases joined by `and`, `or` or a comma are spanned from the first day to the last (`last week
    and this week`); of others the first counts. Years, months and weeks left open are past ones.
    """
    found = find_phrases(text, now)
    if not found:
        return None
    bounds = [p for p in found if p.interval.start is None or p.interval.end is None]
    if len(bounds) > 1:
        met = reduce(_meet, (p.interval for p in bounds))
        if met.start is None or met.end is None or met.start <= met.end:
            return _joined(text, bounds, met)
    group = [found[0]]
    for phrase in found[1:]:
        if not _is_joint(text[group[-1].end : phrase.start]):
            break
        group.append(phrase)
    if len(group) == 1:
        return group[0]
    return _joined(text, group, reduce(_span, (p.interval for p in group)))


def _is_joint(between: str) -> bool:
    """Whether what stands between two phrases joins them: `,`, `and`, a word between clauses."""
    said = between.strip().removeprefix(",").strip().lower()
    joins = (cues["joins"] for cues in lexicon().cues.values() if "joins" in cues)
    if said in ("", "/", "、") or any(re.fullmatch(words, said) for words in joins):
        return bool(between.strip())
    return lexicon().means(said, "AND")


def other_times(phrase: DatePhrase, now: date) -> tuple[Interval, ...]:
    """What else a phrase may mean that leaves its year, month or week open.

    The coming repetition, then, of what comes back every year, those of earlier years, newest
    first; nothing for a phrase that names its time in full.
    """
    if not phrase.repeating or phrase.interval.start is None or phrase.interval.end is None:
        return ()
    coming = _same_phrase(phrase, now, "future")
    earlier: list[Interval | None] = []
    begins = coming.start if coming else None
    if begins is None or (begins - phrase.interval.start).days > LONGEST_MONTH:
        from lorebank.dates.spans import add_months

        days = (add_months(now, -12 * years) for years in range(1, _EARLIER_YEARS + 1))
        earlier = [_same_phrase(phrase, day) for day in days]
    found = (i for i in (coming, *earlier) if i is not None and i != phrase.interval)
    return tuple(dict.fromkeys(found))


def looks_ahead(text: str) -> bool:
    """Whether a question speaks of what is to come: `what is planned for 14 March?`."""
    from lorebank.dates.times import tense_of  # as in `phrases`: only where a time is named

    return tense_of(text) == "future"


def parse_bound(text: str, now: date, *, side: str) -> date | None:
    """The day that a bound given as text stands for; None where it is not understood.

    `30d`, `2w`, `6m` and `1y` (and `30 days`) count back from `now`; of a phrase, `side` (`start`
    or `end`) says which of its days is meant. The whole text has to be the phrase. Languages that
    the rules do not know are read by dateparser.
    """
    duration = _DURATION.fullmatch(text)
    try:
        if duration:
            from lorebank.dates.spans import moved

            return moved(now, -int(duration[1]), _UNITS[duration[2].lower()])
        if _YEAR.fullmatch(text):
            return date(int(text), 1, 1) if side == "start" else date(int(text), 12, 31)
    except (ValueError, OverflowError):
        return None
    interval = _whole(text, now) or _whole(f"{text} ago", now) or _whole(f"in {text}", now)
    if interval is None:
        interval = _in_another_language(text, now)
    if interval is None:
        return None
    near, far = (interval.start, interval.end)
    return (near or far) if side == "start" else (far or near)


def _same_phrase(phrase: DatePhrase, now: date, tense: Tense = "asked") -> Interval | None:
    found = find_phrases(phrase.text, now, tense)
    return found[0].interval if len(found) == 1 and found[0].interval.start else None


def _whole(text: str, now: date) -> Interval | None:
    """The interval of a text that is one phrase and nothing else."""
    found = find_phrases(text, now)
    if len(found) != 1:
        return None
    rest = text[: found[0].start] + text[found[0].end :]
    return found[0].interval if not any(c.isalnum() for c in rest) else None


def _in_another_language(text: str, now: date) -> Interval | None:
    """A whole text as dateparser reads it, in a language of which there are no rules; what it takes
    for one of the others, the rules have refused."""
    from dateparser.date import DateDataParser  # a quarter of a second, where nothing else reads it

    from lorebank.dates.spans import unit_days

    settings = {
        "RELATIVE_BASE": datetime.combine(now, time(12)),
        "PREFER_DATES_FROM": "past",
        "PREFER_DAY_OF_MONTH": "first",
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own date formats without a year
        try:
            found = DateDataParser(settings=settings).get_date_data(text)
        except (ValueError, OverflowError, KeyError):
            return None
    if found.date_obj is None or found.locale is None or found.locale.split("-")[0] in LANGUAGES:
        return None
    unit = found.period if found.period in ("week", "month", "year") else "day"
    return Interval(*unit_days(found.date_obj.date(), unit, 0))


def _meet(one: Interval, other: Interval) -> Interval:
    starts = [day for day in (one.start, other.start) if day]
    ends = [day for day in (one.end, other.end) if day]
    return Interval(max(starts, default=None), min(ends, default=None))


def _span(one: Interval, other: Interval) -> Interval:
    start = min(one.start, other.start) if one.start and other.start else None
    return Interval(start, max(one.end, other.end) if one.end and other.end else None)


def _joined(text: str, phrases: list[DatePhrase], interval: Interval) -> DatePhrase:
    start, end = phrases[0].start, phrases[-1].end
    return DatePhrase(text[start:end], start, end, interval, "range")
