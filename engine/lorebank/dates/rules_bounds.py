"""Rules that make phrases of dates: licensed by a preposition, bounded, or joined to a range.

Every rule yields a `Meaning`, whose open years, months and weeks `resolve` settles later, when the
tense of the clause is known. A date that needs a preposition and has none comes out unlicensed;
`lorebank.dates.lookalikes` decides on those.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from itertools import pairwise

from lorebank.dates.lattice import Rule
from lorebank.dates.lexicon import ALL, speaking
from lorebank.dates.rules_calendar import day_of_month, is_day_first
from lorebank.dates.rules_relative import NOT_UNSPACED, Duration, is_year
from lorebank.dates.spans import Moment, Span, moved, one_day, shift
from lorebank.domain.facts import Interval
from lorebank.records import Record

_HABITUAL_ARTICLE = speaking("habitual_article")
_CLEAR_SHORT = speaking("clear_short_weekdays")
"""Languages whose prepositions make `on Wed` clear; Portuguese `no mar` is in the sea."""
_AROUND_DAYS = 3
"""Each way, for `around the 12th`; chosen by hand: with it, a week."""


class Meaning(Record):
    """What a whole phrase means."""

    spans: tuple[Span, ...]
    """One, the two ends of a range, or the days of a list."""
    modifier: str = "exact"
    """exact, since, starting, until, before, after, around; of ranges between; of lists each; from,
    which is starting where it lies ahead and else exact: `open from 1 December`, `the letter from
    1 December`; to, which is exact where something is moved: `del 20 se cambia al 27`."""
    licensed: bool = True
    """Whether it counts without a look at its surroundings."""
    usual: bool = False
    """Whether it names no time where nothing tells of the past or of what is to come."""

    @property
    def repeating(self) -> bool:
        """Whether the text leaves the year, month or week open."""
        return any(span.cycle is not None for span in self.spans)

    @property
    def ahead(self) -> bool:
        return any(span.ahead for span in self.spans)

    @property
    def is_counted(self) -> bool:
        """`two days later`, `the day after`."""
        return any(span.counted for span in self.spans)

    @property
    def is_deadline(self) -> bool:
        """`until Friday`, `before 3 May`."""
        return self.modifier in ("until", "before")

    @property
    def is_weekly(self) -> bool:
        """`Friday`, `the weekend`."""
        return all(_is_weekly(span) for span in self.spans)

    @property
    def is_range_of_days(self) -> bool:
        """`from Wed 4 to Thu 5 March`."""
        return len(self.spans) == 2 and all(span.granularity == "day" for span in self.spans)

    @property
    def is_span_of_week(self) -> bool:
        """`from Monday to Thursday`."""
        return self.is_range_of_days and self.is_weekly

    @property
    def granularity(self) -> str:
        return self.spans[0].granularity if len(self.spans) == 1 else "range"


def resolve(meaning: Meaning, moment: Moment) -> tuple[Interval, ...]:
    """The days it means, seen from the moment; empty where no days fit."""
    try:
        return tuple(Interval(*days) for days in _resolved(meaning, moment))
    except (ValueError, OverflowError):  # outside the years 1 to 9999
        return ()


def _resolved(meaning: Meaning, moment: Moment) -> list[tuple[date | None, date | None]]:
    if meaning.modifier == "each":
        if len(meaning.spans) == 2 and (pair := _pair(moment, *meaning.spans)) is not None:
            old, new = pair[:2], pair[2:]
            cycle = meaning.spans[1].cycle
            if cycle is not None and cycle.period == "year":  # brought forward to 28 October
                new = Moment(old[0]).nearest(cycle) or new
            return [old, new]
        listed: list[tuple[date | None, date | None]] = []
        for span in meaning.spans:
            if days := moment.settle(span):
                listed.append(days)
                moment = replace(moment, named=days)
        return listed
    if len(meaning.spans) == 2:
        pair = _pair(moment, *meaning.spans)
        return [(pair[0], pair[3])] if pair else []
    (span,) = meaning.spans
    if moment.tense == "near" and meaning.is_deadline:
        moment = replace(moment, tense="future")
    if meaning.is_deadline:
        moment = replace(moment, is_deadline=True)
    if moment.tense == "past" and meaning.modifier == "starting":
        moment = replace(moment, tense="near")  # told of a rent that rises from January
    begun = meaning.modifier == "since" or (
        meaning.modifier == "since-or-starting" and not _is_planned(moment, span)
    )
    days = moment.begun(span) if begun else moment.settle(span)
    if days and meaning.modifier == "from":
        meaning = replace(meaning, modifier="starting" if days[0] >= moment.now else "exact")
    return [_bounded(meaning, *days)] if days else []


def _is_planned(moment: Moment, span: Span) -> bool:
    """Whether `dal 1° aprile` speaks of the future."""
    if moment.tense != "near" or span.cycle is None or span.cycle.period == "week":
        return moment.tense == "future"
    coming = moment.coming(span.cycle)
    if span.cycle.period == "month":
        return coming is not None and moment.nearest(span.cycle) == coming
    is_day = span.granularity == "day"  # `vive aquí desde enero` is no plan
    soon = is_day and coming is not None and moment.nearest(span.cycle) == coming
    return soon or span.modifier == "between"  # `dal 2 al 6 aprile`


def _bounded(meaning: Meaning, first: date, last: date) -> tuple[date | None, date | None]:
    modifier, span = meaning.modifier, meaning.spans[0]
    if modifier == "before":
        return None, last if span.modifier == "end" else shift(first, -1)
    if modifier == "after":
        return shift(last, 1), None
    if span.modifier == "between":
        return first, last  # `dal 3 al 7 marzo`: the word that means since also means from
    if modifier in ("since", "starting", "since-or-starting"):
        return first, None
    if modifier == "until":
        return None, last
    if modifier == "around" and span.granularity == "day":
        return shift(first, -_AROUND_DAYS), shift(last, _AROUND_DAYS)
    return first, last


def _pair(moment: Moment, left: Span, right: Span) -> tuple[date, date, date, date] | None:
    """Settle two dates of one range together, so that a year or month said once counts for both."""
    backwards = right.cycle is None or moment.tense == "past" or _is_monthly(left)
    if left.cycle is not None and backwards:
        ends = moment.settle(right)
        begins = moment.preceding(left.cycle, ends[0]) if ends else None
    elif right.cycle is not None:
        begins = moment.settle(left)
        ends = moment.following(right.cycle, shift(begins[0], -1)) if begins else None
    else:
        begins, ends = moment.settle(left), moment.settle(right)
    if begins is None or ends is None or begins[0] > ends[1]:
        return None
    return (*begins, *ends)


def _is_monthly(span: Span) -> bool:
    return span.cycle is not None and span.cycle.period == "month"


def _is_weekly(span: Span) -> bool:
    return span.cycle is not None and span.cycle.period == "week"


def _phrase(modifier: str = "exact") -> Callable[..., Meaning]:
    """Builds a phrase of one date, or of the two ends of a range."""
    return lambda _, *spans: Meaning(spans, modifier)


def _with_article(_: Moment, span: Span) -> Meaning | None:
    """`el viernes`, `l'été`; an article alone makes no date of a month or a number."""
    return None if span.granularity in ("month", "half", "year") and span.bare else Meaning((span,))


def _with_article_once(moment: Moment, span: Span) -> Meaning | None:
    """As `_with_article`, where `le lundi` and `la domenica` mean every one of them."""
    weekly = _is_weekly(span) and span.granularity == "day"
    return None if weekly else _with_article(moment, span)


def _before_post(_: Moment, span: Span) -> Meaning | None:
    """3日前 is three days ago."""
    return None if _is_monthly(span) else Meaning((span,), "before")


def _from_to(_: Moment, span: Span) -> Meaning:
    """`from 17 to 24 March`: two days, where something is moved."""
    first = span.refined("day", lambda days: one_day(days[0]))
    last = span.refined("day", lambda days: one_day(days[1]))
    if span.modifier != "between" or first is None or last is None:
        return Meaning((span,))
    return Meaning((replace(first, modifier="exact"), replace(last, modifier="exact")), "between")


def _from(_: Moment, span: Span) -> Meaning | None:
    """`open from 1 December`; other languages say `of 1 December` in the same words."""
    return None if span.modifier == "between" else Meaning((span,), "from")


def _from_day_to_day(moment: Moment, first: int, last: int) -> Meaning:
    """`vom 24. bis 27.`"""
    return Meaning((day_of_month(moment, first), day_of_month(moment, last)), "between")


def _since_duration(moment: Moment, duration: Duration) -> Meaning | None:
    if is_year(duration):
        return None
    first = moved(moment.now, -duration[0], duration[1])
    return Meaning((Span("range", (first, first)),), "since")


def _within(moment: Moment, duration: Duration) -> Meaning:
    """`within 30 days`: up to that day."""
    last = one_day(moved(moment.now, duration[0], duration[1]))
    return Meaning((Span("day", last, ahead=True),), "until")


def _between_listed(_: Moment, spans: tuple[Span, ...]) -> Meaning:
    """`between the 2nd and the 5th of December`."""
    return Meaning((spans[0], spans[-1]), "between")


def _bare_days(_: Moment, spans: tuple[Span, ...]) -> Meaning:
    """`Tuesday and Friday` are days of every week, and `Saturday and Sunday` of this one."""
    days = [found[0] for s in spans if s.cycle and _is_weekly(s) and (found := s.cycle.days(1))]
    apart = any((after - day).days % 7 != 1 for day, after in pairwise(days))
    return Meaning(spans, "each", usual=apart)


def _range_alone(_: Moment, left: Span, right: Span) -> Meaning | None:
    if right.bare and right.granularity == "year" and (left.bare or left.cycle):
        return None  # 2000-2024 without a preposition may count anything, 5-Jan-2025 is a day
    return Meaning((left, right), "between")


def _range_of_digits(_: Moment, left: Span, right: Span) -> Meaning | None:
    """`23/12 to 2/1`, and not `1/2 to 3/4 cup`: one of them can only be a day."""
    return Meaning((left, right), "between") if is_day_first((left, right)) else None


def _repeated(_: Moment, *values: object) -> bool | None:
    """`every Monday`, `los martes y jueves`, `on Wednesday afternoons` name no day."""
    spans = values[-1] if isinstance(values[-1], tuple) else values[-1:]
    listed = len(spans) > 1  # les 3 et 5 juin are two days
    repeated = all(_is_weekly(s) if listed else s.cycle for s in spans if isinstance(s, Span))
    return True if repeated else None


_D = "DATE|DM|DAY_OF_MONTH|DATE_NUMBER|DATE_BOUND"
_JOIN = "dash|to|until"

_PHRASES = (
    Rule("DATE", lambda _, span: Meaning((span,), licensed=not span.bare)),
    Rule("in the? DATE", _phrase()),
    Rule("from the? DATE", _from_to),
    Rule("from the? DATE|DAY_OF_MONTH", _from, languages=speaking("from_begins")),
    Rule("on SHORT_WEEKDAY", _phrase(), languages=_CLEAR_SHORT),
    *(Rule(f"{bound} SHORT_WEEKDAY", _phrase(bound), languages=_CLEAR_SHORT)
      for bound in ("until", "since", "starting")),
    Rule("SHORT_WEEKDAY", lambda _, span: Meaning((span,), licensed=False), languages=NOT_UNSPACED),
    Rule("article DATE", _with_article, languages=ALL & ~_HABITUAL_ARTICLE),
    Rule("article DATE", _with_article_once, languages=_HABITUAL_ARTICLE),
    Rule("DATE in_after", _phrase()),
    Rule("DATE_ORDINAL|DAY_OF_MONTH", _phrase()),
    Rule("DAYS|DAY_LIST in_after?", _bare_days),
    Rule("DATE_NUMBER|DATE_NUMBER_WEAK", _phrase()),
    Rule("SHORT_WEEKDAY dash|to|slash SHORT_WEEKDAY", _phrase("between")),
    Rule("DATE_BOUND", _phrase("to")),
    Rule("DATE_NUMBER DATE_BOUND", _phrase("between")),  # du 3 au 7
    Rule("since_or_starting DATE DATE_BOUND", _phrase("between")),
    Rule(f"from DAY_DOT {_JOIN} DAY_DOT", _from_day_to_day),
    Rule(f"DAY_ORD {_JOIN} the? DAY_ORD", _from_day_to_day),
    Rule("until|before clock|part_of_day on|in? the? DATE", _phrase("until")),  # by noon on Friday
    Rule(f"since around? the? {_D}", _phrase("since")),
    Rule(f"starting around? the? {_D}", _phrase("starting")),
    Rule(f"since_or_starting around? the? {_D}", _phrase("since-or-starting")),
    Rule("since_day DAY", lambda m, day: Meaning((day_of_month(m, day),), "since-or-starting")),
    Rule("since|since_or_starting DURATION", _since_duration),
    Rule("within DURATION", _within),
    Rule("DURATION within_after", _within),
    Rule(f"since|starting|since_or_starting|from the? {_D} onwards", _phrase("starting")),
    Rule("DATE|DATE_NUMBER onwards", _phrase("since")),
    Rule("DATE|DATE_NUMBER starting_after", _phrase("starting")),
    Rule("DURATION onwards", _since_duration, languages=speaking("genitive_first")),  # üç haftadır
    Rule(f"until around? the? {_D} in_after?", _phrase("until")),
    Rule("in? the? DATE|DATE_NUMBER|DAY_OF_MONTH until_after", _phrase("until")),
    Rule(f"before the? {_D}", _phrase("before")),
    Rule("in|before? DATE|DATE_NUMBER of? before_after", _before_post),
    Rule(f"after the? {_D}", _phrase("after")),
    Rule("in|after? DATE|DATE_NUMBER of? after_after", _phrase("after")),
    Rule(f"in? around the? {_D} around_after?", _phrase("around")),
    Rule("in? DATE around_after", _phrase("around")),
    Rule("between DAYS|DAY_LIST range_after?", _between_listed),
    Rule("DAYS|DAY_LIST range_after", _between_listed),
    Rule(f"between the? {_D} and|dash the? {_D} range_after?", _phrase("between")),
    Rule(
        f"from|since|starting the? {_D} {_JOIN} the? {_D} until_after? range_after?",
        _phrase("between"),
    ),
    Rule(f"in the? DATE|DM {_JOIN} the? DATE", _phrase("between")),
    Rule(f"DATE|DM {_JOIN} the? DATE", _range_alone),
    Rule("DATE to|until|dash DM", _range_alone),
    Rule("DM to|until|dash DM", _range_of_digits),
    Rule("DATE|DATE_NUMBER to|to_after|dash|and DATE until_after|range_after", _phrase("between")),
)  # fmt: skip
BOUND_RULES = (
    *(replace(rule, tag="PHRASE") for rule in _PHRASES),
    Rule("every the? ORDINAL|NUMBER? DATE|DATES|DAYS", _repeated, "NEVER"),
    Rule("every the? ordinal weekday|unit of the? this_unit", lambda _: True, "NEVER"),
    Rule("DATE every_after", _repeated, "NEVER"),  # un jeudi sur deux
    Rule("in? WEEKDAY|DAYS parts_of_day", _repeated, "NEVER"),
    Rule("of_each weekday", lambda _: True, "NEVER"),  # ses habits du dimanche
    Rule("street_article day|day_word of month_short", lambda _: True, "NEVER"),  # na 25 de Março
    Rule(f"{_JOIN} weekday|weekday_short? number dash number hour_after", lambda _: True, "NEVER"),
)
