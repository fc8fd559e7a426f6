"""The lexicon: the `[dates]` section of every language, as one table from first token to meanings.

`ENTRIES` names what a section may hold. A spelling with `~` before it is a common word of another
language too: it counts only where another word of the text belongs to its own language.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import field
from functools import cache
from typing import Any

from lorebank.dates.tokens import tokenize
from lorebank.errors import ConfigurationError
from lorebank.languages import Sections, compiled, language_files, split
from lorebank.records import dataclass

LANGUAGES = tuple(path.stem for path in language_files())

ALL = (1 << len(LANGUAGES)) - 1
"""The set of all languages; a set of languages is an integer, one bit each."""

ENTRIES = {
    "month": ("MONTH", "MON"),  # a month by a name that can stand alone
    "month_short": ("MON",),  # abbreviations, which count only beside a day or year
    "month_number": ("MNUM",),
    "weekday": ("WEEKDAY",),  # from Monday
    "weekday_short": ("WDAY",),  # only beside a date or a time of the clock
    "weekday_plural": ("WEEKDAYS",),  # `two Fridays ago`
    "season": ("SEASON",),
    "season_plural": ("SEASONS",),
    "unit": ("UNIT",),  # day, week, weekend, fortnight, month, quarter, half, year, decade
    "duration": ("DURATION",),  # "6 month" = "half a year"
    "number": ("NUM",),
    "ordinal": ("ORD",),  # -1 is the last
    "day_of_month": ("DAY",),
    "relative_day": ("DAYWORD",),  # -1 = "yesterday"
    "part_of_day": ("DAYPART",),
    "parts_of_day": ("DAYPARTS",),  # `on Wednesday afternoons`
    "relative_unit": ("UNITWORD",),  # "month -1" = "先月"
    "edge": ("EDGE_WORD",),  # "end year" = "Jahresende"
    "relative": ("REL_PRE",),  # last, this, next: before the unit
    "relative_after": ("REL_POST",),
    "trailing": ("TRAIL_PRE",),  # `the past month`
    "trailing_after": ("TRAIL_POST",),
    "window": ("SPAN_PRE",),  # `the last … days`
    "window_after": ("SPAN_POST",),
    "ago_before": ("AGO_PRE",),
    "ago": ("AGO",),
    "ahead_before": ("AHEAD_PRE",),  # `in … days`
    "ahead": ("AHEAD",),  # `… from now`
    "holiday": ("HOLIDAY",),  # the keys of `lorebank.dates.holidays`
    "school_year": ("SCHOOL_YEAR",),  # by its first month
    "same_time": ("SAME_TIME",),  # `this time last year`
    "to_date": ("TO_DATE",),  # `year to date`
    "week_on": ("WEEK_ON",),  # the `week` of `Monday week`
    "era": ("ERA",),  # 令和, by the year before its first
    "first_year": ("FIRST_YEAR",),
    "quarter": ("QUARTER",),
    "half": ("HALF",),
    "decade": ("DECADE",),
    "decade_before": ("DECADE_PRE",),
    "decade_article": ("DECADE_THE",),
    "decade_after": ("DECADE_POST",),
    "part": ("PART",),  # early, mid, late, start, end; opening, closing may be either of two
    "part_after": ("PART_POST",),
    "week_of": ("WEEK_OF",),
    "week_of_after": ("WEEK_OF_POST",),
    "week_number": ("WEEK_NO",),
    "day_next_to": ("DAY_NEXT_TO",),  # -1 = "day before", 1 = "day after"
    "week_next_to": ("WEEK_NEXT_TO",),
    "day_before_number": ("DAY_PRE",),  # `el día 3`
    "year_sign": ("NIAN",),  # 年
    "month_sign": ("YUE",),  # 月
    "day_sign": ("RI",),  # 日
    "ordinal_sign": ("ORD_PRE",),  # 第
    "in": ("IN",),  # what licenses a date
    "in_after": ("IN_POST",),
    "article": ("ART",),
    "on": ("ON",),  # what licenses one in digits
    "since": ("SINCE",),
    "until": ("UNTIL",),
    "until_after": ("UNTIL_POST",),
    "before": ("BEFORE",),
    "before_after": ("BEFORE_POST",),
    "after": ("AFTER",),
    "after_after": ("AFTER_POST",),
    "around": ("AROUND",),
    "around_after": ("AROUND_POST",),
    "onwards": ("ONWARDS",),
    "from": ("FROM",),
    "to": ("TO",),
    "between": ("BETWEEN",),
    "and": ("AND",),
    "range_after": ("RANGE_POST",),
    "of": ("OF",),
    "the": ("THE",),
    "every": ("EVERY",),
    "never": ("NOT",),  # what is no date although its words are
}  # fmt: skip
"""What a `[dates]` section may hold → the tags of its words in rules."""

_LISTS = ("marks", "vague", "past", "future", "habit")
"""What it may hold besides: lists of words that say something of the whole sentence."""

ANCHORS = frozenset(
    {
        "MONTH", "WEEKDAY", "WEEKDAYS", "UNIT", "DURATION", "DAYWORD", "UNITWORD", "SEASON",
        "SEASONS", "HOLIDAY", "DECADE", "EDGE_WORD", "SCHOOL_YEAR", "TO_DATE", "NIAN", "YUE", "RI",
    }
)  # fmt: skip
"""Tags of which every date phrase without a digit holds one."""


def language_bit(code: str) -> int:
    """The set of that one language; empty where it has no file."""
    return 1 << LANGUAGES.index(code) if code in LANGUAGES else 0


@dataclass(frozen=True, slots=True)
class Reading:
    """One meaning of a run of tokens."""

    rest: tuple[str, ...]
    """The tokens behind the first."""
    tag: str
    value: Any
    languages: int
    collides: bool
    """Counts only where another word of the text belongs to its language."""


@dataclass(slots=True)
class Lexicon:
    """All words of all languages."""

    rows: dict[str, tuple[tuple[Any, ...], ...]]
    """First token → the fields of its readings, longest first."""
    anchors: frozenset[str]
    """Words, the longest of their entry, of which a date phrase without a digit holds one."""
    marks: dict[str, int]
    """Common word → its languages: evidence of which language a text is in."""
    vague: dict[str, tuple[tuple[str, ...], ...]]
    """First token → the tokens behind it, for phrases that name no definite time."""
    past: frozenset[str]
    """Words that put a sentence in the past."""
    future: frozenset[str]
    """Words that put a sentence in the future."""
    habit: frozenset[str]
    """Words that make a sentence speak of what happens again and again."""
    _read: dict[str, tuple[Reading, ...]] = field(default_factory=dict)

    def readings(self, word: str) -> tuple[Reading, ...]:
        """The meanings of the runs of tokens that begin with the word, longest first."""
        found = self._read.get(word)
        if found is None:
            row = self.rows.get(word)
            if row is None:
                return ()
            found = self._read[word] = tuple(Reading(*fields) for fields in row)
        return found


@cache
def lexicon() -> Lexicon:
    """The lexicon of all languages, read at the first call."""
    return Lexicon(**compiled("dates", _tables))


def _tables(languages: Sections) -> dict[str, Any]:
    meanings: dict[tuple[tuple[str, ...], str, Any, bool], int] = defaultdict(int)
    marks: dict[str, int] = defaultdict(int)
    vague: dict[str, set[tuple[str, ...]]] = defaultdict(set)
    lists: dict[str, set[str]] = {"past": set(), "future": set(), "habit": set()}
    for code, section in languages.items():
        bit = language_bit(code)
        for entry, value, spelling in _spellings(code, section):
            tokens = tuple(tokenize(spelling.lstrip("~")).words)
            for tag in ENTRIES[entry]:
                meanings[tokens, tag, value, spelling.startswith("~")] |= bit
            if entry == "unit":
                meanings[tokens, f"U_{value.upper()}", value, spelling.startswith("~")] |= bit
        for word in split(section.get("marks", "")):
            marks[tokenize(word).words[0]] |= bit
        for phrase in split(section.get("vague", "")):
            first, *rest = tokenize(phrase).words
            vague[first].add(tuple(rest))
        for name, words in lists.items():
            words.update(tokenize(word).words[0] for word in split(section.get(name, "")))
    rows: dict[str, list[tuple[Any, ...]]] = defaultdict(list)
    for (tokens, tag, value, collides), bits in meanings.items():
        rows[tokens[0]].append((tokens[1:], tag, value, bits, collides))
    return {
        "rows": {
            first: tuple(sorted(found, key=lambda fields: -len(fields[0])))
            for first, found in rows.items()
        },
        "anchors": frozenset(
            max(tokens, key=len) for tokens, tag, _, _ in meanings if tag in ANCHORS
        ),
        "marks": dict(marks),
        "vague": {first: tuple(sorted(rests)) for first, rests in vague.items()},
        **{name: frozenset(words) for name, words in lists.items()},
    }


def _spellings(code: str, section: dict[str, Any]) -> Iterator[tuple[str, Any, str]]:
    """Entry, value and spelling of every word of a section."""
    for entry, words in section.items():
        if entry == "numerals":
            yield from _han_numerals()
        elif entry not in ENTRIES and entry not in _LISTS:
            raise ConfigurationError(
                f"languages/{code}.toml: [dates] holds '{entry}', which nothing reads",
                hint=f"use one of: {', '.join((*_LISTS, *ENTRIES))}",
            )
        elif entry in ENTRIES:
            for value, spellings in _values(entry, words):
                yield from ((entry, value, spelling) for spelling in split(spellings))


def _values(entry: str, words: Any) -> Iterator[tuple[Any, str]]:
    """Value and spellings: of one text, of a list in order, or of a table by value."""
    if isinstance(words, str):
        yield None, words
    elif isinstance(words, list):  # from January, from Monday
        yield from enumerate(words, 0 if entry.startswith("weekday") else 1)
    else:
        yield from ((_value(key), spellings) for key, spellings in words.items())


def _value(key: str) -> Any:
    """`3` is a number, `6 month` a pair, `christmas` itself."""
    parts = [int(part) if re.fullmatch(r"-?\d+", part) else part for part in key.split(" ")]
    return parts[0] if len(parts) == 1 else tuple(parts)


def _han_numerals() -> Iterator[tuple[str, int, str]]:
    """Numbers, ordinals, days and months in Han letters: 一 … 九十九."""
    digits = "零一二三四五六七八九"
    for number in range(1, 100):
        tens, ones = divmod(number, 10)
        written = (
            ("" if tens < 2 else digits[tens]) + ("十" if tens else "") + digits[ones] * (ones > 0)
        )
        yield "number", number, written
        for entry, last in (("ordinal", 12), ("day_of_month", 31), ("month_number", 12)):
            if number <= last:
                yield entry, number, written
