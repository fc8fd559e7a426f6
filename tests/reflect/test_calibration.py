"""Calibration: forecasts of the day before, held against what the next lines said."""

from datetime import date
from statistics import mean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.beliefs.fold import Pin
from lorebank.beliefs.history import ENOUGH, calibrate, trials_of
from lorebank.domain.facts import OpinionStatus
from support import folded_opinion, golden

D1, D2, D3, D4 = "2025-03-01", "2025-03-02", "2025-03-03", "2025-03-04"
LATE = date(2025, 12, 31)


@golden("beliefs.md")
def test_a_later_day_that_takes_a_side_is_a_trial(
    strokes: list[tuple[str, str]], trials: list[tuple[float, bool]]
) -> None:
    stated = {f"f-{d}{s}": float(s[1:]) for d, s in strokes if len(s) > 1}
    found = trials_of(folded_opinion("so", *strokes), stated)
    assert [(trial.forecast, trial.held) for trial in found] == trials


def test_a_pinned_confidence_is_a_forecast_too() -> None:
    pin = Pin(0.3, date.fromisoformat(D2))
    found = trials_of(folded_opinion("so", (D1, "=0.8"), (D3, "+"), pin=pin), {})
    assert [(trial.forecast, trial.held) for trial in found] == [(0.3, True)]


def test_the_table_counts_by_confidence_and_scores_by_brier() -> None:
    opinions = [
        folded_opinion("a", (D1, "=0.8"), (D2, "+")),
        folded_opinion("b", (D1, "=0.84"), (D2, "-")),
        folded_opinion("c", (D1, "=0.4"), (D2, "-")),
        folded_opinion("d", (D1, "=0.8")),
        folded_opinion("e", (D1, "=0.9"), (D2, "-"), status=OpinionStatus.RETRACTED),
    ]
    found = calibrate(opinions, {}, day=LATE)
    assert [(b.about, b.trials, b.held) for b in found.bins] == [(0.4, 1, 0), (0.8, 2, 1)]
    assert (found.opinions, found.untried, found.trials, found.held) == (3, 1, 3, 1)
    assert found.brier == pytest.approx((0.2**2 + 0.84**2 + 0.4**2) / 3)
    assert found.base_brier == pytest.approx(2 / 9)
    assert not found.enough


def test_days_after_the_one_asked_about_are_left_out() -> None:
    opinion = folded_opinion("a", (D1, "=0.8"), (D2, "+"), (D4, "-"))
    found = calibrate([opinion], {}, day=date.fromisoformat(D3))
    assert (found.trials, found.held) == (1, 1)


def test_nothing_tried_gives_no_score() -> None:
    found = calibrate([folded_opinion("a", (D1, "="))], {}, day=LATE)
    assert (found.bins, found.brier, found.base_brier, found.enough) == ((), None, None, False)


@given(st.lists(st.tuples(st.integers(1, 9), st.booleans()), min_size=1, max_size=60))
def test_bins_add_up_and_hold_their_share(made: list[tuple[int, bool]]) -> None:
    opinions = [
        folded_opinion(str(i), (D1, f"=0.{tenth}"), (D2, "+" if good else "-"))
        for i, (tenth, good) in enumerate(made)
    ]
    found = calibrate(opinions, {}, day=LATE)
    assert sum(each.trials for each in found.bins) == found.trials == len(made)
    assert sum(each.held for each in found.bins) == found.held == sum(good for _, good in made)
    assert found.brier == pytest.approx(mean((t / 10 - good) ** 2 for t, good in made))
    assert found.enough == (len(made) >= ENOUGH)
    for each in found.bins:
        assert abs(each.stated - each.about) <= 0.05 + 1e-9
        assert 0 <= each.low <= each.share <= each.high <= 1
