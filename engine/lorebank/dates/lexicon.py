"""The lexicon: every language's words, merged into one table from first token to meanings.

The table is read from `words.tsv`, which `lorebank.dates.compiling` writes from the modules under
`languages/`: a process that asks one question should not spend its time on folding nine languages.

Tags of `WORDS`, with the values they take:

  MONTH (1–12)        a month by a name that can stand alone
  MON (1–12)          the same and abbreviations, only beside a day or year
  WEEKDAY (0–6)       from Monday; WDAY: abbreviations, only beside a date
  UNIT                day, week, weekend, fortnight, month, quarter, half, year, decade
  DURATION (6, "month")             half a year
  NUM, ORD, DAY       numbers, ordinals (-1 is the last), days of the month in words
  DAYWORD (offset)    yesterday, tomorrow; DAYPART: morning, night
  UNITWORD ("year", -1)             去年, 先月, Vorjahr
  EDGE_WORD ("end", "year")         Jahresende, 月底
  REL_PRE, REL_POST (offset)        last, this, next, before or behind the unit
  TRAIL_PRE, TRAIL_POST (-1, 1)     the past month
  SPAN_PRE, SPAN_POST (-1, 1)       the last … days
  AGO_PRE, AGO, AHEAD_PRE, AHEAD    … ago, … from now
  WEEKDAYS, SEASONS   the plurals in `two Fridays ago`; DAYPARTS: mornings, nights
  SEASON, HOLIDAY     keys of `lorebank.dates.calendar` and `lorebank.dates.holidays`
  SCHOOL_YEAR (9)     school year, by its first month; SAME_TIME: this time last year
  TO_DATE ("year")    year to date; WEEK_ON: the `week` of `Monday week`
  ERA (2018)          令和, by the year before its first; FIRST_YEAR: 元
  QUARTER, HALF (n)   Q3, H1
  DECADE (1980)       eighties; DECADE_PRE, DECADE_THE, DECADE_POST: the words around `80`
  PART, PART_POST     early, mid, late, start, end; opening, closing may be either of two
  WEEK_OF, WEEK_OF_POST, WEEK_NO, DAY_NEXT_TO (-1, 1), WEEK_NEXT_TO (-1, 1)
  DAY_PRE             `el día` before a day of the month
  NIAN, YUE, RI, ORD_PRE            年, 月, 日, 第
  IN, IN_POST, ART, ON              what licenses a date; ON one in digits
  SINCE, UNTIL, BEFORE, AFTER, AROUND, each also with _POST; ONWARDS
  FROM, TO, BETWEEN, AND, RANGE_POST, OF, THE
  EVERY, NOT          what makes the words behind it, or itself, no date
"""

from __future__ import annotations

import json
from dataclasses import field
from functools import cache
from pathlib import Path
from typing import Any

from lorebank.records import dataclass

LANGUAGES = ("en", "es", "pt", "fr", "de", "it", "nl", "zh", "ja")

ALL = (1 << len(LANGUAGES)) - 1
"""The set of all languages; a set of languages is an integer, one bit each."""

ANCHORS = frozenset(
    {
        "MONTH", "WEEKDAY", "WEEKDAYS", "UNIT", "DURATION", "DAYWORD", "UNITWORD", "SEASON",
        "SEASONS", "HOLIDAY", "DECADE", "EDGE_WORD", "SCHOOL_YEAR", "TO_DATE", "NIAN", "YUE", "RI",
    }
)  # fmt: skip
"""Tags of which every date phrase without a digit holds one."""

WORDS_FILE = Path(__file__).with_name("words.tsv")


def language_bit(code: str) -> int:
    return 1 << LANGUAGES.index(code)


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

    rows: dict[str, str]
    """First token → its readings as JSON, longest first."""
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
            found = tuple(_reading(entry) for entry in json.loads(row))
            self._read[word] = found
        return found


def _reading(entry: list[Any]) -> Reading:
    rest, tag, value, languages, collides = entry
    value = tuple(value) if isinstance(value, list) else value
    return Reading(tuple(rest.split()), tag, value, languages, bool(collides))


@cache
def lexicon() -> Lexicon:
    """The merged lexicon, read at the first call."""
    rows = dict(
        line.split("\t", 1) for line in WORDS_FILE.read_text(encoding="utf-8").split("\n") if line
    )
    marks = rows.pop("@marks").split(" ")
    vague: dict[str, list[tuple[str, ...]]] = {}
    for phrase in rows.pop("@vague").split("|"):
        first, *rest = phrase.split(" ")
        vague.setdefault(first, []).append(tuple(rest))
    return Lexicon(
        anchors=frozenset(rows.pop("@anchors").split(" ")),
        marks=dict(zip(marks[::2], map(int, marks[1::2]), strict=True)),
        vague={first: tuple(rests) for first, rests in vague.items()},
        past=frozenset(rows.pop("@past").split(" ")),
        future=frozenset(rows.pop("@future").split(" ")),
        habit=frozenset(rows.pop("@habit").split(" ")),
        rows=rows,
    )
