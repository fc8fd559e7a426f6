"""The time a fact's text names, against the day of its log."""

from datetime import date

import pytest

from lorebank.dates.occurred import occurred_interval
from lorebank.domain import Interval

RECORDED = date(2025, 11, 26)


def one_day(written: str) -> Interval:
    day = date.fromisoformat(written)
    return Interval(day, day)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Fixed the crash yesterday.", one_day("2025-11-25")),
        ("Met Anna on Friday.", one_day("2025-11-21")),
        ("Will fly to Rome on Friday.", one_day("2025-11-28")),
        ("Dentist next Thursday.", one_day("2025-11-27")),
        ("Trip on 3 December.", one_day("2025-12-03")),
        ("Visited Lisbon on 3 December.", one_day("2024-12-03")),
        ("Am 3. März ziehen wir um.", one_day("2026-03-03")),
        ("Es wird am 3. März eröffnet.", one_day("2026-03-03")),
        ("The lease ends in 3 days, payment is due.", one_day("2025-11-29")),
        ("Born on 12 May 1984.", one_day("1984-05-12")),
        ("Moved here in 2019.", Interval(date(2019, 1, 1), date(2019, 12, 31))),
        ("Viajó a Roma la semana pasada.", Interval(date(2025, 11, 17), date(2025, 11, 23))),
        ("来週東京に行く", Interval(date(2025, 12, 1), date(2025, 12, 7))),
    ],
)
def test_time_named_by_the_text(text: str, expected: Interval) -> None:
    assert occurred_interval(text, RECORDED) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Fixed the crash by wrapping handlers in try/catch (see memory/2025-11-27.md).",
        "Prefers short replies on WhatsApp.",
        "The build took two weeks.",
        "Uses Python 3.11 on port 8080.",
    ],
)
def test_text_that_names_no_time(text: str) -> None:
    assert occurred_interval(text, RECORDED) is None


def test_relative_phrases_need_the_day_of_the_log() -> None:
    assert occurred_interval("Fixed yesterday.", None) is None
    assert occurred_interval("Trip on 3 December.", None) is None
    assert occurred_interval("Trip on 3 December 2024.", None) == one_day("2024-12-03")
