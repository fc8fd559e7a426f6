"""Trends, by the dates of evidence relative to a day."""

from datetime import date, timedelta

from lorebank.beliefs.outcome import trend_of
from lorebank.domain.facts import Citation, Evidence, Stance, Trend
from support import golden

NOW = date(2025, 6, 30)


def evidence(age: int, delta: float) -> Evidence:
    stance = Stance.FOR if delta >= 0 else Stance.AGAINST
    return Evidence(f"f-{age}", Citation("memory/x.md", 1, 1), stance, NOW - timedelta(age), delta)


@golden("beliefs.md")
def test_trend(lines: list[tuple[int, float]], trend: Trend) -> None:
    assert trend_of([evidence(*line) for line in lines], now=NOW) is trend
