"""The times a fact's text names, against the day of its log."""

from datetime import date

import pytest

from lorebank.dates.screening import may_hold_date
from lorebank.dates.times import times_of
from lorebank.domain.facts import Interval
from support import golden

RECORDED = date(2025, 11, 26)


def one_day(written: str) -> Interval:
    day = date.fromisoformat(written)
    return Interval(day, day)


@golden("times.md")
def test_time_named_by_the_text(text: str, expected: Interval) -> None:
    assert times_of(text, RECORDED) == (expected,)


@golden("times.md")
def test_text_that_names_no_time(text: str) -> None:
    assert times_of(text, RECORDED) == ()


def test_relative_phrases_need_the_day_of_the_log() -> None:
    assert times_of("Fixed yesterday.", None) == ()
    assert times_of("Trip on 3 December.", None) == ()
    assert times_of("Trip on 3 December 2024.", None) == (one_day("2024-12-03"),)


@golden("times.md")
def test_what_happens_again_and_again_names_no_time(text: str) -> None:
    assert times_of(text, RECORDED) == ()


@golden("times.md")
def test_several_times_are_all_kept_in_order_a_new_day_first(
    text: str, expected: list[str]
) -> None:
    assert times_of(text, RECORDED) == tuple(map(one_day, expected))


@golden("times.md")
def test_a_weekday_written_on_that_day_is_today(text: str, expected: str) -> None:
    assert times_of(text, RECORDED) == (one_day(expected),)


def test_since_never_lies_ahead_and_until_does() -> None:
    assert times_of("Off sugar since December.", RECORDED) == (Interval(date(2024, 12, 1), None),)
    assert times_of("Off sugar until March.", RECORDED) == (Interval(None, date(2026, 3, 31)),)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("They wanted the meter read by the end of November.", None, "2025-11-30"),
        ("I told him it would be done by Friday.", None, "2025-11-28"),
        ("The stall was open until Friday.", None, "2025-11-21"),
        ("He worked at Acme until March.", None, "2025-03-31"),
        ("On December 4 guests arrive.", "2025-12-04", "2025-12-04"),
        ("Reunión en la notaría: diciembre 5", "2025-12-05", "2025-12-05"),
        ("In May 20 guests came.", "2025-05-01", "2025-05-31"),
        ("Im Mai 12 Gäste gehabt.", "2025-05-01", "2025-05-31"),
        ("Costs from January 13 cents a word.", "2026-01-01", None),
    ],
)
def test_a_deadline_told_in_the_past_is_ahead_and_a_count_is_no_day(
    text: str, first: str | None, last: str | None
) -> None:
    days = (day and date.fromisoformat(day) for day in (first, last))
    assert times_of(text, RECORDED) == (Interval(*days),)


def test_a_season_behind_a_day_ahead_is_the_coming_one() -> None:
    spring = Interval(date(2026, 3, 1), date(2026, 5, 31))
    assert times_of("Roof on 3 December, garden in spring.", RECORDED)[1:] == (spring,)


def test_a_month_that_is_over_settles_no_day_behind_it() -> None:
    last = Interval(date(2025, 10, 1), date(2025, 10, 31))
    times = times_of("Lease ran out last month, painter on the 17th.", RECORDED)
    assert times == (last, one_day("2025-12-17"))


def test_a_weekday_before_another_day_is_not_its_own() -> None:
    sunday = Interval(date(2025, 11, 23), None)
    assert times_of("Nonna a letto da domenica, domani il medico.", RECORDED) == (
        sunday,
        one_day("2025-11-27"),
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Fair on Saturday 6 December, the week after we rest.",
            Interval(date(2025, 12, 8), date(2025, 12, 14)),
        ),
        (
            "Fair on Thursday 4 December, the weekend after we rest.",
            Interval(date(2025, 12, 6), date(2025, 12, 7)),
        ),
        ("Lena comes in three weeks and stays until the 7th.", Interval(None, date(2026, 1, 7))),
        ("Ines comes on the 24th, stays until the 15th.", Interval(None, date(2026, 1, 15))),
        (
            "She starts on 8 December, training the week before.",
            Interval(date(2025, 12, 1), date(2025, 12, 7)),
        ),
        ("Board on 8 December, minutes by the Friday before.", Interval(None, date(2025, 12, 5))),
    ],
)
def test_a_time_is_counted_on_from_the_one_before_it(text: str, expected: Interval) -> None:
    assert times_of(text, RECORDED)[1:] == (expected,)


def test_the_day_after_counts_from_nothing_where_no_day_stands_before_it() -> None:
    assert times_of("The day after we slept late.", RECORDED) == ()
    assert times_of("Friday after work we painted the shed.", RECORDED) == (one_day("2025-11-21"),)


def test_opening_hours_name_no_time_and_a_stay_does() -> None:
    assert times_of("The clinic is open from Monday to Thursday.", RECORDED) == ()
    stay = Interval(date(2025, 12, 1), date(2025, 12, 4))
    assert times_of("Ana is away from Monday to Thursday.", RECORDED) == (stay,)


def test_a_clock_without_power_names_no_time() -> None:
    assert times_of("The oven thinks it is 1970.", RECORDED) == ()


@golden("times.md")
def test_numbers_that_are_no_dates_are_settled_by_a_cheap_look(text: str) -> None:
    assert not may_hold_date(text)
