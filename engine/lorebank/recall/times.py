"""Which time a question means, where the notes must tell.

"Before the move" ends where the notes date the move. "On 11 June" is the last 11 June, unless the
question looks ahead; where nothing is noted of that day, the coming one and those of earlier years
are looked at. The answer says what was read as what.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from functools import cache

from lorebank.dates.phrases import DatePhrase
from lorebank.dates.query import looks_ahead, other_times
from lorebank.domain.facts import Interval
from lorebank.index.finding import items_of_interval
from lorebank.index.items import NOTE, Item
from lorebank.index.lexical import match_items
from lorebank.language.folding import fold
from lorebank.language.words import content_words
from lorebank.recall.candidates import Request
from lorebank.recall.cues import phrases_of

_LOOKED_AT = 60
"""Lines in which the date of an event is looked for: the best matches of its words."""
_EVENT_WORDS = 4
"""More words than these are a sentence, and name no event."""
_LONGEST_MONTH = 31
_QUESTION_PART = re.compile(r"[,;?!]|\.(?:\s|$)")


# -- dates without a year -----------------------------------------------------------------------


def readings(request: Request) -> list[Request]:
    """The request with its date phrase read in each way it may be meant, the likeliest first."""
    understood = request.understood
    if understood.phrase is None or understood.filters.wanted.interval is not None:
        return [request]
    others = [
        replace(
            request,
            understood=replace(understood, query=replace(understood.query, interval=interval)),
        )
        for interval in other_times(understood.phrase, request.now)
    ]
    if others and _is_ahead(others[0]) and looks_ahead(understood.plain):
        return [others[0], request, *others[1:]]
    return [request, *others]


def said_of_reading(tried: Sequence[Request], usual: Request) -> list[str]:
    """What to say of the last reading that was tried, which was found to answer."""
    reading, phrase = tried[-1], usual.understood.phrase
    if phrase is None:
        return []
    note = f"'{phrase.text}' was read as {_days(reading)}"
    if reading is not usual:
        instead = f"; nothing on this was found in {_days(usual)}" if usual in tried else ""
        return [note + instead]
    coming = next((other for other in readings(usual) if other is not usual), None)
    if coming is None or phrase.granularity != "day" or not _is_ahead(coming):
        return []
    last, next_ = usual.understood.query.interval, coming.understood.query.interval
    assert last is not None and last.end is not None and next_ is not None
    assert next_.start is not None
    if (next_.start - last.end).days <= _LONGEST_MONTH:
        return []  # "on Friday"
    if not json.loads(items_of_interval(usual.connection, next_, within=usual.within)):
        return []
    return [f"{note}; {_days(coming)} holds something as well"]


def _is_ahead(reading: Request) -> bool:
    interval = reading.understood.query.interval
    return interval is not None and interval.start is not None and interval.start > reading.now


def _days(reading: Request) -> str:
    interval = reading.understood.query.interval
    assert interval is not None
    return " – ".join(dict.fromkeys(str(day) for day in (interval.start, interval.end) if day))


# -- events -------------------------------------------------------------------------------------


def with_event(request: Request) -> Request:
    """The request with the time that it names by an event, where the notes date that."""
    understood = request.understood
    if understood.query.interval is not None or understood.filters.wanted.as_of is not None:
        return request
    sides, bound, asking = _bounds()
    for found in bound.finditer(understood.plain):
        text = _QUESTION_PART.split(understood.plain[found.end() :], maxsplit=1)[0]
        event = content_words(text)
        asks = fold(understood.plain[found.start() :]).startswith(asking)
        if asks or not 0 < len(event) <= _EVENT_WORDS:  # "since when" names no event
            continue
        dated = _dated(request, event)
        interval = dated and _beside(sides[fold(found[1])], dated.occurred, request)
        if dated is None or interval is None:
            continue
        written = understood.plain[found.start() : found.end() + len(text)].strip()
        days = f"{interval.start} – {interval.end}" if interval.start else f"up to {interval.end}"
        names = zip(understood.entities, understood.query.entities, strict=True)
        return replace(
            request,
            understood=replace(
                understood,
                phrase=DatePhrase(
                    written, found.start(), found.end() + len(text), interval, "range", "between"
                ),
                query=replace(understood.query, interval=interval),
                subject_terms=tuple(t for t in understood.subject_terms if t not in event),
                entities=tuple(slug for slug, name in names if fold(name) not in fold(text)),
                notes=(*understood.notes, f"'{written}' was read as {days} ({dated.citation})"),
            ),
        )
    return request


def _dated(request: Request, event: Sequence[str]) -> Item | None:
    """The line that dates an event: it holds all its words and names a day; a fact before prose,
    the newest before what it replaces."""
    matches = match_items(request.vocabulary, request.postings, event, _LOOKED_AT)
    whole = (1 << len(event)) - 1
    rows = [match.row for match in matches if match.held.own & whole == whole]
    return max(
        (item for item in request.items.load(rows).values() if item.occurred is not None),
        key=lambda item: (item.kind != NOTE, item.recorded or request.now, -item.item),
        default=None,
    )


def _beside(side: str, event: Interval | None, request: Request) -> Interval | None:
    """The time before, after, since or until an event."""
    if event is None:
        return None
    first, last = event.start or event.end, event.end or event.start
    if first is None or last is None:
        return None
    if side == "before":
        return Interval(None, first - timedelta(days=1))
    if side == "until":
        return Interval(None, last)
    start = last if side == "after" else first  # what came of it may be told on the same day
    return Interval(start, request.now) if start <= request.now else None


@cache
def _bounds() -> tuple[Mapping[str, str], re.Pattern[str], tuple[str, ...]]:
    """Folded word → `before`, `after`, `since` or `until`; a pattern of these words; and how a
    question begins that asks for a time."""
    sides = ("before", "after", "since", "until")
    known = {phrase: side for side in sides for phrase in phrases_of(side)}
    either = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    return (
        {fold(phrase): side for phrase, side in known.items()},
        re.compile(rf"(?<!\w)({either})(?!\w)", re.IGNORECASE),
        tuple(map(fold, phrases_of("when"))),
    )
