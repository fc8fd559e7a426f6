"""The time that a fact's own text names, resolved against the day it was written down."""

from __future__ import annotations

import re
from datetime import date

from lorebank.dates.lexicon import lexicon
from lorebank.dates.phrases import DatePhrase, may_hold_date, phrases_at
from lorebank.dates.spans import Moment, Prefer
from lorebank.dates.tokens import tokenize
from lorebank.domain import Interval

__all__ = ["occurred_interval"]

_PAST_ENDINGS = ("ed", "ieron", "aron", "aram", "eram", "iram")
_FUTURE_ENDINGS = (
    "ranno",
    "iremo",
    "eremo",
    "aremos",
    "eremos",
    "iremos",
    "eront",
    "iront",
    "erons",
)
_PAST_PARTICIPLE = re.compile(r"ge\w{2,}(?:t|en)")
_SOME_DAY = date(2000, 6, 15)
_OTHER_DAY = date(2011, 2, 2)


def occurred_interval(text: str, recorded: date | None) -> Interval | None:
    """The interval that the text names; None where it names none.

    Open years, months and weeks are settled by the sentence's tense (`met on Friday` is the one
    before, `will meet on Friday` the one after), and without one to the nearest repetition. Without
    a recorded day only dates that stand by themselves (`2025-11-27`, `May 2024`) count.
    Of several phrases the first closed one counts, else the first. What happens again and again
    (`every Friday`, `in winter he skis`) names no time.
    """
    if not may_hold_date(text):
        return None
    if recorded is None:
        return _first(_absolute(text))
    words = tokenize(text).words
    future = _in_future(words)
    prefer: Prefer = "future" if future else ("past" if _in_past(words) else "near")
    found = phrases_at(text, Moment(recorded, prefer, ahead=future))
    return _first(tuple(p for p in found if not _is_habitual(p, prefer, words)))


def _is_habitual(phrase: DatePhrase, prefer: Prefer, words: list[str]) -> bool:
    """`always calls on Sunday`, `in winter he skis`: a time that comes again and again."""
    if not phrase.repeating:
        return False
    if not lexicon().habit.isdisjoint(words):
        return True
    return phrase.granularity == "season" and prefer == "near"


def _first(phrases: tuple[DatePhrase, ...]) -> Interval | None:
    closed = [p for p in phrases if p.interval.start and p.interval.end]
    found = closed or list(phrases)
    return found[0].interval if found else None


def _absolute(text: str) -> tuple[DatePhrase, ...]:
    """The phrases that mean the same whatever the day."""
    one = phrases_at(text, Moment(_SOME_DAY))
    return tuple(p for p in one if p in phrases_at(text, Moment(_OTHER_DAY)))


def _in_future(words: list[str]) -> bool:
    known = lexicon().future
    return any(
        word in known or (len(word) > 5 and word.endswith(_FUTURE_ENDINGS)) for word in words
    )


def _in_past(words: list[str]) -> bool:
    known = lexicon().past
    return any(
        word in known
        or (len(word) > 4 and word.endswith(_PAST_ENDINGS))
        or (len(word) > 5 and _PAST_PARTICIPLE.fullmatch(word) is not None)
        for word in words
    )
