"""Times that a question names by an event: "before the move" ends where the notes date the move."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from functools import cache

from lorebank.dates.phrases import DatePhrase
from lorebank.domain.facts import FactKind, Interval
from lorebank.index.items import NOTE, Item
from lorebank.index.lexical import best_items, terms_held
from lorebank.language.folding import fold
from lorebank.language.words import content_words, reads_as_english, words
from lorebank.recall.candidates import Request, needs_meaning
from lorebank.recall.resolve import LOOKED_AT, determiners, head_words
from lorebank.recall.understand import phrases_of, read_cues

_EVENT_WORDS = 4
"""More words than these are a sentence, and name no event."""
_QUESTION_PART = re.compile(r"[,;?!]|\.(?:\s|$)")
_WORD = re.compile(r"[^\W_]+")


def with_event(request: Request) -> Request:
    """The request with the time that it names by an event, where the notes date that."""
    understood = request.understood
    if understood.query.interval is not None or understood.filters.wanted.as_of is not None:
        return request
    sides, bound, asking = _bounds()
    for found in bound.finditer(understood.plain):
        if fold(understood.plain[found.start() :]).startswith(asking):
            continue  # "since when" names no event
        event, dated = _event(request, found)
        if dated is None:
            continue
        time = dated.occurred or Interval(dated.recorded, dated.recorded)
        if interval := _beside(sides[fold(found[1])], time, request):
            return _with_time(request, found, event, dated, interval)
    return request


def _event(request: Request, bound: re.Match[str]) -> tuple[list[str], Item | None]:
    """The words that name an event behind a bounding word, and the line that dates it.

    What only asks is no part of it ("seit dem Umzug geändert"). English names it to the end of the
    clause, "the boat race"; in other languages its noun leads, and more may follow: "seit dem Umzug
    kaputt".
    """
    plain = request.understood.plain
    text = _QUESTION_PART.split(plain[bound.end() :], maxsplit=1)[0]
    telling = set(content_words(plain)) - read_cues(plain).asking
    named = [word for word in dict.fromkeys(words(text)) if word in telling]
    # "After the trip", "after we left", "depois da boda"; but "nach Berlin" is a way.
    has_article = words(text)[:1] != named[:1] or words(bound[1])[-1] in determiners()
    is_certain = len(named) > 1 or has_article
    fewest = max(1, len(named)) if reads_as_english(plain) else 1
    for length in range(min(len(named), _EVENT_WORDS), fewest - 1, -1):
        if dated := _dated(request, named[:length], is_certain=is_certain):
            return named[:length], dated
    return [], None


def _with_time(
    request: Request, bound: re.Match[str], event: Sequence[str], dated: Item, interval: Interval
) -> Request:
    """The request asked of a time that an event bounds; the words for it are no subject."""
    understood = request.understood
    plain, start = understood.plain, bound.start()
    behind = [m for m in _WORD.finditer(plain, bound.end()) if event[-1] in words(m.group())]
    written = plain[start : behind[0].end() if behind else len(plain)]
    days = f"{interval.start} – {interval.end}" if interval.start else f"up to {interval.end}"
    said = {*event, *words(bound[1])}
    named = zip(understood.entities, understood.query.entities, strict=True)
    read = replace(
        understood,
        phrase=DatePhrase(written, start, start + len(written), interval, "range"),
        query=replace(understood.query, interval=interval),
        terms=tuple(term for term in understood.terms if term not in said),
        subject_terms=tuple(term for term in understood.subject_terms if term not in said),
        entities=tuple(slug for slug, name in named if fold(name) not in fold(written)),
        notes=(*understood.notes, f"'{written}' was read as {days} ({dated.citation})"),
    )
    if needs_meaning(read):
        return replace(request, understood=read)
    # All of that time is asked for, and not what is near to the event.
    return replace(request, understood=read, vectors=None)


def _dated(request: Request, event: Sequence[str], *, is_certain: bool) -> Item | None:
    """The line that dates an event: it holds all its words and names a day; a fact before prose,
    the newest before what it replaces. Where an event is surely meant, the day of its log dates
    what happened (`B`) and a line that begins with it."""
    found = best_items(request.postings, event, LOOKED_AT)
    whole = (1 << len(event)) - 1
    held = terms_held(request.postings, event, found)
    rows = [item for item in found if held[item].own & whole == whole]

    def is_dated(item: Item) -> bool:
        happened = item.kind == FactKind.EXPERIENCE or head_words(item.content)[:1] == [event[0]]
        by_log = is_certain and item.recorded is not None and happened
        return item.occurred is not None or by_log

    def worth(item: Item) -> tuple[bool, bool, date, int]:
        is_fact, written = item.kind != NOTE, item.recorded or request.now
        return item.occurred is not None, is_fact, written, -item.item

    dated = filter(is_dated, request.items.load(rows).values())
    return max(dated, key=worth, default=None)


def _beside(side: str, event: Interval, request: Request) -> Interval | None:
    """The time before, after, since or until an event."""
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
