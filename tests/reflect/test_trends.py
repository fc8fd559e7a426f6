"""Trends, by the dates of evidence relative to a day."""

from datetime import date, timedelta

import pytest

from lorebank.beliefs.outcome import trend_of
from lorebank.domain.facts import Citation, Evidence, Stance, Trend

NOW = date(2025, 6, 30)


def evidence(age: int, delta: float) -> Evidence:
    stance = Stance.FOR if delta >= 0 else Stance.AGAINST
    return Evidence(f"f-{age}", Citation("memory/x.md", 1, 1), stance, NOW - timedelta(age), delta)


@pytest.mark.parametrize(
    ("lines", "trend"),
    [
        ([], Trend.STALE),
        ([(91, 0.0)], Trend.STALE),
        ([(5, 0.0)], Trend.NEW),
        ([(60, 0.0)], Trend.STABLE),
        ([(60, 0.0), (5, 0.06)], Trend.STRENGTHENING),
        ([(60, 0.0), (5, -0.06)], Trend.WEAKENING),
        ([(60, 0.0), (9, -0.06), (5, 0.06)], Trend.STABLE),
        ([(25, 0.0), (5, -0.06)], Trend.WEAKENING),
        ([(25, 0.0), (9, 0.06), (5, 0.06)], Trend.STRENGTHENING),
        ([(80, 0.0), (9, 0.005), (5, 0.005), (3, 0.005)], Trend.STRENGTHENING),
        ([(-3, 0.1), (60, 0.0)], Trend.STABLE),
    ],
)
def test_trend(lines: list[tuple[int, float]], trend: Trend) -> None:
    assert trend_of([evidence(*line) for line in lines], now=NOW) is trend
