"""Filters: what a flag or a field of the question asked for, as days, kinds and names.

A filter that is not understood is an error, never "no filter".
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from lorebank.dates.query import parse_bound
from lorebank.domain import FactKind, Interval
from lorebank.errors import UsageError

__all__ = ["DATE_HINT", "Filters", "parse_day", "parse_interval"]

DATE_HINT = "use 2025-11-27, 30d, 'last week' or 'November 2025'"


@dataclass(frozen=True, slots=True)
class Filters:
    """Nothing outside of these may be answered."""

    interval: Interval | None = None
    entities: tuple[str, ...] = ()
    """Slugs."""
    kinds: tuple[FactKind, ...] = ()
    min_confidence: float | None = None
    as_of: date | None = None
    path: str | None = None


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
