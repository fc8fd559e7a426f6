"""Filters: what a flag or a field of the question asked for, as days, kinds and names.

A filter that is not understood is an error, never "no filter".
"""

from __future__ import annotations

from dataclasses import field
from datetime import date

from lorebank.dates.query import parse_bound
from lorebank.domain import FactKind, Interval, Origin
from lorebank.errors import UsageError
from lorebank.index.items import NOTE
from lorebank.index.selection import Selection
from lorebank.records import dataclass

DATE_HINT = "use 2025-11-27, 30d, 'last week' or 'November 2025'"


@dataclass(frozen=True, slots=True)
class Excluded:
    """What an answer may not hold: `-word`, `NOT word`, `-"a phrase"`, `-kind:note`."""

    words: tuple[str, ...] = ()
    """Words and phrases, as written."""
    entities: tuple[str, ...] = ()
    """Slugs."""
    kinds: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()

    @property
    def shown(self) -> tuple[str, ...]:
        """As a question would write them, without the minus: `tea`, `"a phrase"`, `kind:note`."""
        words = (f'"{each}"' if " " in each else each for each in self.words)
        fields = (
            ("entity", self.entities),
            ("kind", self.kinds),
            ("tag", self.tags),
            ("origin", self.origins),
        )
        return (
            *words,
            *(f"{name}:{value}" for name, values in fields for value in values),
            *(f"path:{path}" for path in self.paths),
        )


@dataclass(frozen=True, slots=True)
class Filters:
    """Nothing outside of these may be answered."""

    interval: Interval | None = None
    entities: tuple[str, ...] = ()
    """Slugs; an answer mentions any of them."""
    kinds: tuple[str, ...] = ()
    """Kinds of facts, or `note` for prose; an answer is of any of them."""
    min_confidence: float | None = None
    as_of: date | None = None
    path: str | None = None
    tags: tuple[str, ...] = ()
    """Folded; an answer bears all of them."""
    origins: tuple[str, ...] = ()
    """Whose word an answer is: any of them."""
    trusted_only: bool = False
    """Nothing that is in quarantine."""
    excluded: Excluded = field(default_factory=Excluded)

    @property
    def wanted(self) -> Selection:
        """What an item must be like."""
        return Selection(
            interval=self.interval,
            entities=self.entities,
            kinds=self.kinds,
            tags=self.tags,
            paths=() if self.path is None else (self.path,),
            min_confidence=self.min_confidence,
            recorded_until=self.as_of,
            origins=self.origins,
            trusted=self.trusted_only,
        )

    @property
    def unwanted(self) -> Selection:
        """What it may not be like."""
        return Selection(
            entities=self.excluded.entities,
            kinds=self.excluded.kinds,
            tags=self.excluded.tags,
            paths=self.excluded.paths,
            words=self.excluded.words,
            origins=self.excluded.origins,
        )


def parse_item_kind(kind: FactKind | str) -> str:
    """A kind of hit by its word, or a kind of fact by its letter; `UsageError` for anything else.

    >>> parse_item_kind("O")
    'opinion'
    """
    wanted = kind.strip().lower()
    if wanted == NOTE:
        return NOTE
    for known in FactKind:
        if wanted in (known.value, known.letter.lower()):
            return known.value
    choices = ", ".join(f"{known.value} ({known.letter})" for known in FactKind)
    raise UsageError(f"unknown kind '{kind}'", hint=f"use one of {choices}, {NOTE}")


def parse_origin(text: str) -> str:
    """An origin by its word; `UsageError` for anything else."""
    word = text.strip().lower()
    if word not in set(Origin):
        raise UsageError(f"unknown origin '{text}'", hint=f"use one of {', '.join(Origin)}")
    return word


def parse_day(
    value: date | str | None, today: date, flag: str, *, side: str = "start"
) -> date | None:
    """A day given as a date or as text; for a longer span, its first or last day (`side`)."""
    if value is None or isinstance(value, date):
        return value
    day = parse_bound(value, today, side=side)
    if day is None:
        raise UsageError(f"--{flag} '{value}' is not a date that can be understood", hint=DATE_HINT)
    return day


def parse_single_day(value: date | str | None, today: date, flag: str) -> date | None:
    """As `parse_day`; raises `UsageError` for what names more days than one, as "friday-ish" does:
    a line stands in the log of one day."""
    first = parse_day(value, today, flag)
    if first != parse_day(value, today, flag, side="end"):
        raise UsageError(f"--{flag} '{value}' is more than one day", hint=DATE_HINT)
    return first


def parse_interval(
    since: date | str | None, until: date | str | None, today: date
) -> Interval | None:
    """The span between two flags, both days included; `None` where neither was given."""
    first = parse_day(since, today, "since")
    last = parse_day(until, today, "until", side="end")
    if first is None and last is None:
        return None
    if first is not None and last is not None and last < first:
        raise UsageError(
            f"--until {last} lies before --since {first}", hint="exchange the two days"
        )
    return Interval(first, last)
