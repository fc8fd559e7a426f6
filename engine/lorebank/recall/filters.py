"""Filters: what a flag or a field of the question asked for, as days, kinds and names.

A filter that is not understood is an error, never "no filter".
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any

from lorebank.dates.query import parse_bound
from lorebank.domain.facts import FactKind, Interval, Origin
from lorebank.errors import UsageError
from lorebank.index.items import NOTE
from lorebank.index.selection import Selection
from lorebank.language.folding import fold
from lorebank.records import dataclass

DATE_HINT = "use 2025-11-27, 30d, 'last week' or 'November 2025'"


@dataclass(frozen=True, slots=True)
class Filters:
    """Nothing outside of these may be answered."""

    wanted: Selection = Selection()
    unwanted: Selection = Selection()
    """`-word`, `NOT word`, `-"a phrase"`, `-kind:note`."""


_FIELDS = {
    "entity": "entities",
    "kind": "kinds",
    "tag": "tags",
    "origin": "origins",
    "by": "authors",
    "path": "paths",
}
"""Field of a question → field of `Selection` that lists what it asks for."""


def exclusions(unwanted: Selection) -> Iterator[tuple[str, Selection]]:
    """Each exclusion as a question would write it, without the minus, and alone: `tea`,
    `"a phrase"`, `kind:note`."""
    for word in unwanted.words:
        yield (f'"{word}"' if " " in word else word), Selection(words=(word,))
    for key, name in _FIELDS.items():
        for value in getattr(unwanted, name):
            only: Any = (value,)
            yield f"{key}:{value}", Selection(**{name: only})


def parse_tag(text: str) -> str:
    """A tag as tags are kept: folded, without the `#` before it."""
    return fold(text.removeprefix("#").strip("/"))


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
