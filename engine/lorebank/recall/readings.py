"""Which time a phrase without a year was meant for, where the notes must tell.

`on 11 June` is the last 11 June, unless the question looks ahead. Where nothing is noted of that
day, the coming one and those of earlier years are looked at, and the answer says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from lorebank.dates.query import looks_ahead, other_times
from lorebank.domain import Interval
from lorebank.index.finding import items_of_interval
from lorebank.recall.candidates import Request

_LONGEST_MONTH = 31


def coming_first(request: Request) -> Request | None:
    """The request with its open date taken as the coming one, where the question looks ahead."""
    if not looks_ahead(request.understood.plain):
        return None
    coming = next(other_readings(request), None)
    interval = coming.understood.query.interval if coming else None
    begins = interval.start if interval else None
    return coming if begins is not None and begins > request.now else None


def other_readings(request: Request) -> Iterator[Request]:
    """The request with its open date taken as another one: the coming first, then earlier ones."""
    understood = request.understood
    if understood.phrase is None or understood.filters.interval is not None:
        return
    for interval in other_times(understood.phrase, request.now):
        query = replace(understood.query, interval=interval)
        yield replace(request, understood=replace(understood, query=query))


def said_of_reading(request: Request, instead_of: Interval | None) -> list[str]:
    """A note on which day the phrase was read as; `instead_of`: where nothing was found."""
    phrase, interval = request.understood.phrase, request.understood.query.interval
    assert phrase is not None and interval is not None
    note = f"'{phrase.text}' was read as {_days(interval)}"
    return [f"{note}; nothing on this was found in {_days(instead_of)}" if instead_of else note]


def said_of_coming(request: Request) -> list[str]:
    """A note that the coming day of a date without its year holds something as well."""
    phrase, read_as = request.understood.phrase, request.understood.query.interval
    if phrase is None or phrase.granularity != "day" or read_as is None or read_as.end is None:
        return []
    for other in other_readings(request):
        coming = other.understood.query.interval
        if coming is None or coming.start is None or coming.start <= request.now:
            break
        if (coming.start - read_as.end).days <= _LONGEST_MONTH:
            break  # "on Friday"
        if json.loads(items_of_interval(request.connection, coming, within=request.within)):
            note = said_of_reading(request, None)[0]
            return [f"{note}; {_days(coming)} holds something as well"]
        break
    return []


def _days(interval: Interval) -> str:
    return " – ".join(dict.fromkeys(str(day) for day in (interval.start, interval.end) if day))
