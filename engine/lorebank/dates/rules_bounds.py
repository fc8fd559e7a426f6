"""Rules that make phrases of dates: licensed by a preposition, bounded, or joined to a range.

Every rule yields a `Meaning`. A date that needs a preposition and has none comes out unlicensed;
`lorebank.dates.lookalikes` decides on those.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import date

from lorebank.dates.calendar import add_months, shift
from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, language_bit
from lorebank.dates.spans import Moment, Span
from lorebank.records import dataclass

_CJK = language_bit("zh") | language_bit("ja")
_HABITUAL_ARTICLE = language_bit("fr") | language_bit("it")
_AROUND_DAYS = 3

Open = tuple[date | None, date | None]


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a whole phrase means."""

    first: date | None
    last: date | None
    granularity: str
    modifier: str
    licensed: bool = True
    """Whether it counts without a look at its surroundings."""
    repeating: bool = False
    """Whether the text left the year, month or week open."""


def _settled(moment: Moment, span: Span) -> tuple[date, date] | None:
    days = moment.settle(span)
    if days is None or days[0] is None or days[1] is None:
        return None
    return days[0], days[1]


def _meaning(
    moment: Moment, span: Span, modifier: str = "exact", *, licensed: bool = True
) -> Meaning | None:
    days = _settled(moment, span)
    if days is None:
        return None
    if span.modifier == "between" and modifier != "before" and modifier != "after":
        modifier = "between"  # `dal 3 al 7 marzo`: the word that means since also means from
    repeating = span.cycle is not None
    first: date | None = days[0]
    last: date | None = days[1]
    if modifier == "since":
        last = None
    elif modifier == "until":
        first = None
    elif modifier == "before":
        first, last = None, shift(days[0], -1)
    elif modifier == "after":
        first, last = shift(days[1], 1), None
    elif modifier == "around" and span.granularity == "day":
        first, last = shift(days[0], -_AROUND_DAYS), shift(days[1], _AROUND_DAYS)
    return Meaning(first, last, span.granularity, modifier, licensed, repeating)


def _alone(moment: Moment, span: Span) -> Meaning | None:
    return _meaning(moment, span, licensed=not span.bare)


def _licensed(moment: Moment, span: Span) -> Meaning | None:
    return _meaning(moment, span)


def _unlicensed(moment: Moment, span: Span) -> Meaning | None:
    return _meaning(moment, span, licensed=False)


def _with_article(moment: Moment, span: Span) -> Meaning | None:
    """`el viernes`, `l'été`; an article alone makes no date of a month or a number."""
    return None if span.granularity in ("month", "year") and span.bare else _meaning(moment, span)


def _with_article_once(moment: Moment, span: Span) -> Meaning | None:
    """As `_with_article`, where `le lundi` and `la domenica` mean every one of them."""
    weekly = span.cycle is not None and span.cycle.period == "week" and span.granularity == "day"
    return None if weekly else _with_article(moment, span)


def _repeated(_: Moment, *values: object) -> bool | None:
    """`every Monday`, `every second Friday` name no day."""
    span = values[-1]
    return True if isinstance(span, Span) and span.cycle is not None else None


def _parts_repeated(_: Moment, _weekday: int, _part: str) -> bool:
    """`on Wednesday afternoons`."""
    return True


def _before_post(moment: Moment, span: Span) -> Meaning | None:
    if _is_monthly(span):
        return None  # 3日前 is three days ago
    return _before(moment, span)


def _since(moment: Moment, span: Span) -> Meaning | None:
    return _meaning(moment, span, "since")


def _until(moment: Moment, span: Span) -> Meaning | None:
    return _meaning(moment, span, "until")


def _before(moment: Moment, span: Span) -> Meaning | None:
    return _meaning(moment, span, "before")


def _after(moment: Moment, span: Span) -> Meaning | None:
    return _meaning(moment, span, "after")


def _around(moment: Moment, span: Span) -> Meaning | None:
    return _meaning(moment, span, "around")


def _since_duration(moment: Moment, duration: tuple[int, str]) -> Meaning | None:
    amount, unit = duration
    if unit in ("year",) and amount >= 1900:
        return None
    days = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}.get(unit)
    months = {"month": 1, "quarter": 3, "half": 6, "year": 12, "decade": 120}.get(unit, 0)
    first = shift(moment.now, -amount * days) if days else add_months(moment.now, -amount * months)
    return Meaning(first, None, "range", "since")


def _between_one(moment: Moment, span: Span) -> Meaning | None:
    """`between 1 and 5 May`: the two days are one span already."""
    return _meaning(moment, span) if span.modifier == "between" else None


def _is_monthly(span: Span) -> bool:
    return span.cycle is not None and span.cycle.period == "month"


def _pair(moment: Moment, left: Span, right: Span) -> tuple[date, date, date, date] | None:
    """Settle two dates of one range together, so that a year said once counts for both."""
    if _is_monthly(left) and not _is_monthly(right):
        return None  # `the 1st and the 5th of May`: the month counts for both
    if left.cycle is not None and right.cycle is None:
        ends = _settled(moment, right)
        begins = moment.preceding(left.cycle, ends[0]) if ends else None
    elif right.cycle is not None:
        begins = _settled(moment, left)
        ends = moment.following(right.cycle, shift(begins[0], -1)) if begins else None
    else:
        begins, ends = _settled(moment, left), _settled(moment, right)
    if begins is None or ends is None or begins[0] > ends[1]:
        return None
    return (*begins, *ends)


def _range(moment: Moment, left: Span, right: Span) -> Meaning | None:
    found = _pair(moment, left, right)
    return Meaning(found[0], found[3], "range", "between") if found else None


def _range_alone(moment: Moment, left: Span, right: Span) -> Meaning | None:
    if left.bare and right.bare and left.granularity == "year":
        return None  # 2000-2024 without a preposition may count anything
    return _range(moment, left, right)


def _range_exclusive(moment: Moment, left: Span, right: Span) -> Meaning | None:
    found = _pair(moment, left, right)
    if found is None or found[2] <= found[0]:
        return None
    return Meaning(found[0], shift(found[2], -1), "range", "between")


_D = "DATE|DM|DAY_OF_MONTH"
_JOIN = "dash|to|until"

_PHRASES = (
    Rule("DATE", _alone),
    Rule("in|from the? DATE", _licensed),
    Rule("art DATE", _with_article, languages=ALL & ~_HABITUAL_ARTICLE),
    Rule("art DATE", _with_article_once, languages=_HABITUAL_ARTICLE),
    Rule("DATE in_post", _licensed),
    Rule("DATE_ORDINAL", _licensed),
    Rule("DAY_OF_MONTH", _unlicensed),
    Rule(f"since around? the? {_D}", _since),
    Rule("since DURATION", _since_duration),
    Rule(f"since|from the? {_D} onwards", _since),
    Rule("DATE onwards", _since),
    Rule(f"until around? the? {_D}", _until),
    Rule("until DATE until_post", _until),
    Rule("DATE until_post", _until),
    Rule(f"before the? {_D}", _before),
    Rule("in|before? DATE of? before_post", _before_post),
    Rule(f"after the? {_D}", _after),
    Rule("in|after? DATE of? after_post", _after),
    Rule(f"in? around the? {_D} around_post?", _around),
    Rule("in? DATE around_post", _around),
    Rule("between the? DATE range_post?", _between_one),
    Rule(f"between the? {_D} and|dash the? {_D} range_post?", _range),
    Rule(f"from|since the? {_D} {_JOIN} the? {_D} until_post? range_post?", _range),
    Rule(f"in the? DATE|DM {_JOIN} the? DATE", _range),
    Rule(f"DATE|DM {_JOIN} the? DATE", _range_alone),
    Rule("in the? DATE and the? DATE", _range),
    Rule("DATE to|dash|and DATE until_post|range_post", _range, languages=_CJK),
    Rule(f"since the? {_D} comma? and? until the? {_D}", _range),
    Rule(f"since|from the? {_D} comma? and? before the? {_D}", _range_exclusive),
    Rule("DATE onwards comma? DATE until_post", _range, languages=_CJK),
)  # fmt: skip
BOUND_RULES = (
    *(replace(rule, tag="PHRASE") for rule in _PHRASES),
    Rule("every the? ORD|NUM? DATE|DATES", _repeated, "NOT"),
    Rule("in? WEEKDAY DAYPARTS", _parts_repeated, "NOT"),
)
