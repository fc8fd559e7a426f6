"""The time that a fact's own text names, resolved against the day it was written down."""

from __future__ import annotations

import re
from datetime import date

from lorebank.dates.lexicon import lexicon
from lorebank.dates.phrases import DatePhrase, may_hold_date, phrases_at
from lorebank.dates.spans import Moment, Prefer
from lorebank.dates.tokens import tokenize
from lorebank.domain import Interval

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
_CLAUSE = re.compile(
    r"[.;!?,]\s|\s(?:and|but|und|aber|y|pero|e|mas|et|mais|ma|maar)\s|[，。；！？]"
)
_LONGEST_TEXT = 2_000
"""Characters in which clauses are told apart; a longer fact goes on in the tense of the last."""
_SOME_DAY = date(2000, 6, 15)
_OTHER_DAY = date(2011, 2, 2)


def occurred_interval(text: str, recorded: date | None) -> Interval | None:
    """The interval that the text names; None where it names none.

    Open years, months and weeks are settled by the clause's tense (`met on Friday` is the one
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
    tenses = _tenses(text)
    found = [
        phrase
        for prefer in dict.fromkeys(prefer for _, prefer in tenses)
        for phrase in phrases_at(text, Moment(recorded, prefer, ahead=prefer == "future"))
        if _tense_at(tenses, phrase.start) == prefer and not _is_habitual(phrase, prefer, words)
    ]
    return _first(tuple(sorted(found, key=lambda phrase: phrase.start)))


def _tenses(text: str) -> list[tuple[int, Prefer]]:
    """Where each clause begins, and its tense; that of a neighbour where it has none itself."""
    if _tense(tokenize(text).words) == "near":
        return [(0, "near")]
    starts = [0, *(match.end() for match in _CLAUSE.finditer(text[:_LONGEST_TEXT]))]
    ends = [*starts[1:], len(text)]
    told = [_tense(tokenize(text[a:b]).words) for a, b in zip(starts, ends, strict=True)]
    known: Prefer = next((tense for tense in told if tense != "near"), "near")
    tenses: list[tuple[int, Prefer]] = []
    for start, tense in zip(starts, told, strict=True):
        known = known if tense == "near" else tense
        tenses.append((start, known))
    return tenses


def _tense_at(tenses: list[tuple[int, Prefer]], place: int) -> Prefer:
    return next(tense for start, tense in reversed(tenses) if start <= place)


def _tense(words: list[str]) -> Prefer:
    past = _in_past(words)
    if _in_future([word for word in words if word != "by"] if past else words):  # "sold by Ana"
        return "future"
    return "past" if past else "near"


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
