"""The belief diff: what became of each opinion between two days, and by which lines."""

from dataclasses import replace
from datetime import date

from lorebank.beliefs.history import belief_diff
from lorebank.domain.facts import Opinion, OpinionStatus
from lorebank.domain.reports import ChangeKind
from support import folded_opinion

OLD, NEW = "2025-01-10", "2025-06-10"
SINCE, UNTIL = date(2025, 6, 1), date(2025, 6, 30)
Strokes = list[tuple[str, str]]


def held(name: str, *strokes: tuple[str, str]) -> tuple[Opinion | None, Opinion]:
    """An opinion on the eve of `SINCE`, if there was one, and on `UNTIL`."""
    earlier = [stroke for stroke in strokes if date.fromisoformat(stroke[0]) < SINCE]
    return (folded_opinion(name, *earlier) if earlier else None), folded_opinion(name, *strokes)


def diff_of(*pairs: tuple[Opinion | None, Opinion]) -> list[tuple[ChangeKind, str, float | None]]:
    before = [old for old, _ in pairs if old]
    diff = belief_diff(before, [new for _, new in pairs], since=SINCE, until=UNTIL)
    return [(change.kind, change.opinion.id, change.before) for change in diff.changes]


def test_each_kind_of_change_is_told_and_the_gravest_come_first() -> None:
    fallen = held("fallen", (OLD, "=0.55"), (NEW, "-"))
    weaker = held("weaker", (OLD, "=0.9"), (NEW, "-"))
    stronger = held("stronger", (OLD, "=0.6"), (NEW, "+"))
    fresh = held("fresh", (NEW, "=0.7"))
    same = held("same", (OLD, "=0.7"))
    old, new = held("tea", (OLD, "=0.8"), (NEW, "-"))
    switched = (old, replace(new, status=OpinionStatus.SUPERSEDED, superseded_by="o-fresh"))
    assert diff_of(same, fresh, stronger, weaker, fallen, switched) == [
        (ChangeKind.SUPERSEDED, "o-tea", 0.8),
        (ChangeKind.FELL, "o-fallen", 0.55),
        (ChangeKind.WEAKER, "o-weaker", 0.9),
        (ChangeKind.STRONGER, "o-stronger", 0.6),
        (ChangeKind.NEW, "o-fresh", None),
    ]


def test_a_change_names_its_lines_and_its_successor() -> None:
    old, new = held("tea", (OLD, "=0.8"), (NEW, "-"))
    coffee = folded_opinion("coffee", (NEW, "="))
    gone = replace(new, status=OpinionStatus.SUPERSEDED, superseded_by="o-coffee")
    assert old is not None
    change = belief_diff([old], [gone, coffee], since=SINCE, until=UNTIL).changes[0]
    assert change.successor == coffee
    assert [line.fact_id for line in change.moved] == [f"f-{NEW}-"]


def test_what_was_superseded_or_retracted_before_is_no_news() -> None:
    old, new = held("tea", (OLD, "=0.8"))
    assert old is not None
    gone = [replace(o, status=OpinionStatus.SUPERSEDED, superseded_by="o-x") for o in (old, new)]
    taken_back = replace(folded_opinion("x", (NEW, "=")), status=OpinionStatus.RETRACTED)
    assert belief_diff([gone[0]], [gone[1], taken_back], since=SINCE, until=UNTIL).changes == ()
