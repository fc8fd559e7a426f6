"""The belief rule: each promise of its docstring, as a property and on a golden table."""

from dataclasses import replace
from datetime import date, timedelta
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.beliefs.fold import DatedEvidence, Pin, fade, fold_evidence
from lorebank.domain.facts import Stance

FIRST = date(2025, 1, 1)
FOR, AGAINST = Stance.FOR, Stance.AGAINST


def on(day: int, stance: Stance = FOR, **given_: object) -> DatedEvidence:
    fact_id = str(given_.pop("fact_id", f"f-{day}-{stance}"))
    return DatedEvidence(FIRST + timedelta(day), stance, fact_id, **given_)  # type: ignore[arg-type]


def stated(c: float, day: int = 0) -> DatedEvidence:
    return on(day, fact_id=f"s-{day}-{c}", stated=c)


@st.composite
def lines(draw: st.DrawFn) -> DatedEvidence:
    return on(
        draw(st.integers(0, 12)),
        draw(st.sampled_from([FOR, AGAINST])),
        fact_id=f"f-{draw(st.integers(0, 30))}",
        strength=draw(st.floats(0, 1)),
        stated=draw(st.none() | st.floats(0, 1)),
        source=draw(st.sampled_from(["a.md", "b.md"])),
        turns=draw(st.booleans()),
    )


streams = st.lists(lines(), max_size=14)


@given(streams, st.floats(0, 1))
def test_confidence_stays_between_zero_and_one(evidence: list[DatedEvidence], prior: float) -> None:
    state = fold_evidence(evidence, prior=prior)
    assert all(0 < c < 1 for c in [state.confidence, *(c for _, c in state.history)])


@given(
    streams, st.integers(0, 14), st.floats(0, 1), st.sampled_from(["a.md", "c.md"]), st.booleans()
)
def test_more_support_never_lowers_and_more_contradiction_never_raises(
    evidence: list[DatedEvidence], day: int, strength: float, source: str, turns: bool
) -> None:
    before = fold_evidence(evidence).confidence
    more = on(day, FOR, fact_id="new", strength=strength, source=source, turns=turns)
    less = on(day, AGAINST, fact_id="new", strength=strength, source=source, turns=turns)
    assert fold_evidence([*evidence, more]).confidence >= before - 1e-9
    assert fold_evidence([*evidence, less]).confidence <= before + 1e-9


@given(streams, st.booleans(), st.randoms(use_true_random=False))
def test_input_order_has_no_effect(
    evidence: list[DatedEvidence], one_day: bool, chance: Random
) -> None:
    if one_day:
        evidence = [replace(line, date=FIRST) for line in evidence]
    shuffled = chance.sample(evidence, len(evidence))
    assert fold_evidence(shuffled) == fold_evidence(evidence)


@given(streams, st.integers(0, 12))
def test_replay_to_a_day_equals_the_state_of_that_day(
    evidence: list[DatedEvidence], day: int
) -> None:
    until = FIRST + timedelta(day)
    written = [line for line in evidence if line.date <= until]
    assert fold_evidence(evidence, as_of=until) == fold_evidence(written)


@given(streams)
def test_a_line_given_twice_counts_once(evidence: list[DatedEvidence]) -> None:
    assert fold_evidence(evidence + evidence) == fold_evidence(evidence)


@given(streams)
def test_the_deltas_of_a_day_sum_to_its_move(evidence: list[DatedEvidence]) -> None:
    state = fold_evidence(evidence)
    if not state.history:
        return
    opening_day, opened = state.history[0]
    moved = sum(step.delta for step in state.steps if step.date > opening_day)
    assert state.confidence == pytest.approx(opened + moved)


@pytest.mark.parametrize(
    ("c", "shown"), [(0.8, 0.8), (0.95, 0.95), (0.05, 0.05), (1.0, 0.99), (0.0, 0.01)]
)
def test_the_first_stated_confidence_is_that_of_its_day(c: float, shown: float) -> None:
    assert fold_evidence([stated(c)]).history == ((FIRST, shown),)


@given(st.floats(0.05, 0.95), st.sampled_from([FOR, AGAINST]))
def test_one_clear_line_moves_visibly_and_by_less_than_twelve_points(
    c: float, stance: Stance
) -> None:
    moved = abs(fold_evidence([stated(c), on(1, stance)]).confidence - c)
    assert 0.02 <= moved < 0.12


@given(st.floats(0.9, 1.0))
def test_a_contradiction_is_visible_even_near_certainty(c: float) -> None:
    before = min(c, 0.99)
    assert before - fold_evidence([stated(c), on(1, AGAINST)]).confidence >= 0.02


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_a_restatement_pulls_towards_its_confidence_and_never_past(c: float, again: float) -> None:
    after = fold_evidence([stated(c), stated(again, day=4)]).confidence
    assert min(c, again) - 1e-9 <= after <= max(c, again) + 1e-9
    assert (abs(after - c) > 1e-6) == (abs(again - c) > 1e-5) or abs(again - c) < 1e-3


def test_many_lines_of_one_day_weigh_less_than_a_few_days() -> None:
    one_day = [on(1, AGAINST, fact_id=f"x{i}") for i in range(50)]
    three_days = [on(day, AGAINST) for day in (1, 2, 3)]
    crowded = fold_evidence([stated(0.8), *one_day]).confidence
    assert 0.5 < fold_evidence([stated(0.8), *three_days]).confidence < crowded


def test_a_pin_wins_from_its_day_and_leaves_no_trace_when_it_goes() -> None:
    evidence = [stated(0.8), on(5, AGAINST), on(20, AGAINST)]
    pin = Pin(0.9, FIRST + timedelta(10))
    free, pinned = fold_evidence(evidence), fold_evidence(evidence, pins=[pin])
    assert pinned.confidence == 0.9
    assert pinned.history[:2] == free.history[:2]
    assert pinned.history[2:] == ((pin.date, 0.9),)
    assert pinned.steps[-1].delta == 0.0
    assert fold_evidence(evidence, pins=[pin], as_of=FIRST + timedelta(6)) == fold_evidence(
        evidence, as_of=FIRST + timedelta(6)
    )


def test_without_evidence_the_prior_stands() -> None:
    assert fold_evidence([], prior=0.3).confidence == 0.3
    opened = fold_evidence([on(0, strength=0.0)])
    assert (opened.confidence, opened.history) == (0.6, ((FIRST, 0.6),))


def test_fading_goes_half_way_to_the_prior_a_half_life() -> None:
    assert fade(0.9, days=0, half_life_days=90) == 0.9
    assert fade(0.9, days=90, half_life_days=90) == pytest.approx(0.75)


@given(st.floats(0.7, 0.8), st.integers(5, 6))
def test_five_or_six_contradictions_take_a_belief_below_half(c: float, days: int) -> None:
    down = [stated(c), *(on(day, AGAINST) for day in range(1, days + 1))]
    assert fold_evidence(down).confidence < 0.5
    renewed = [*down, *(on(day) for day in range(20, 21 + days))]
    assert fold_evidence(renewed).confidence > 0.5


@given(st.floats(0.05, 0.95), st.floats(0.0, 0.3), st.integers(1, 40))
def test_weak_or_crowded_contradiction_makes_no_large_move(
    c: float, strength: float, lines_of_a_day: int
) -> None:
    crowd = [on(1, AGAINST, fact_id=f"x{i}", strength=strength) for i in range(lines_of_a_day)]
    assert c - fold_evidence([stated(c), *crowd]).confidence < 0.12


@given(streams, lines(), st.integers(0, 14))
def test_removing_a_line_restores_exactly_the_state_without_it(
    evidence: list[DatedEvidence], line: DatedEvidence, place: int
) -> None:
    without = [other for other in evidence if other.fact_id != line.fact_id]
    added = [*without[:place], line, *without[place:]]
    assert fold_evidence([o for o in added if o is not line]) == fold_evidence(without)


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_a_stated_confidence_is_evidence_and_no_overwrite(c: float, again: float) -> None:
    evidence = [stated(c), on(2), on(4), stated(again, day=6)]
    before = fold_evidence(evidence[:-1]).confidence
    after = fold_evidence(evidence).confidence
    assert min(before, again) - 1e-9 <= after <= max(before, again) + 1e-9
    assert after != again or before == pytest.approx(again)


def test_silence_moves_nothing_and_fading_is_a_way_of_reading() -> None:
    evidence = [stated(0.9), on(3)]
    state = fold_evidence(evidence)
    assert fold_evidence(evidence, as_of=FIRST + timedelta(400)) == state
    assert fade(state.confidence, days=397, half_life_days=90) < state.confidence


@given(st.floats(0.01, 0.99), st.integers(0, 4000), st.floats(1, 4000), st.floats(0.01, 0.99))
def test_fading_never_passes_the_prior(c: float, days: int, half_life: float, prior: float) -> None:
    faded = fade(c, days=days, half_life_days=half_life, prior=prior)
    assert min(c, prior) - 1e-9 <= faded <= max(c, prior) + 1e-9


GOLDEN_STORIES = [
    pytest.param([stated(0.7), on(1)], [0.7, 0.781], id="one support"),
    pytest.param([stated(0.7), on(1, AGAINST)], [0.7, 0.608], id="one contradiction"),
    pytest.param(
        [stated(0.8), *(on(d, AGAINST) for d in range(1, 7))],
        [0.8, 0.723, 0.634, 0.537, 0.437, 0.341, 0.255],
        id="six against",
    ),
    pytest.param(
        [stated(0.8), *(on(d, AGAINST) for d in range(1, 6)), *(on(d) for d in range(9, 13))],
        [0.8, 0.723, 0.634, 0.537, 0.437, 0.341, 0.437, 0.537, 0.634, 0.723],
        id="down and back",
    ),
    pytest.param(
        [stated(0.6), stated(0.9, 3), stated(0.9, 5)], [0.6, 0.693, 0.774], id="restated higher"
    ),
    pytest.param(
        [on(0), on(1), on(2, AGAINST, strength=0.5)], [0.693, 0.774, 0.735], id="never named"
    ),
    pytest.param(
        [stated(0.75), on(1, AGAINST), on(1, AGAINST, fact_id="same-file")],
        [0.75, 0.637],
        id="two lines of one file",
    ),
    pytest.param(
        [stated(0.75), on(1, AGAINST, source="a.md"), on(1, AGAINST, fact_id="x", source="b.md")],
        [0.75, 0.618],
        id="two files of one day",
    ),
    pytest.param(
        [
            *(stated(0.8), on(10, strength=0.85), on(40, AGAINST)),
            *(on(40, AGAINST, fact_id="same-day"), on(70, AGAINST), stated(0.4, day=90), on(120)),
        ],
        [0.8, 0.854, 0.767, 0.684, 0.591, 0.684],
        id="a year",
    ),
]


@pytest.mark.parametrize(("story", "expected"), GOLDEN_STORIES)
def test_golden_stories(story: list[DatedEvidence], expected: list[float]) -> None:
    assert [round(c, 3) for _, c in fold_evidence(story).history] == expected


@given(st.floats(0.05, 0.95), st.integers(2, 8), st.sampled_from([FOR, AGAINST]))
def test_independent_days_count_more_than_as_many_lines_of_one(
    c: float, number: int, stance: Stance
) -> None:
    crowded = [on(1, stance, fact_id=f"x{i}", source=f"{i}.md") for i in range(number)]
    apart = [on(day, stance) for day in range(1, number + 1)]
    one_day = abs(fold_evidence([stated(c), *crowded]).confidence - c)
    several = abs(fold_evidence([stated(c), *apart]).confidence - c)
    assert several >= one_day
    assert several > one_day or c + one_day > 0.98 or c - one_day < 0.02


@given(st.floats(0.6, 0.9), st.integers(3, 8))
def test_renewed_support_brings_a_belief_back(c: float, days: int) -> None:
    down = [stated(c), *(on(day, AGAINST) for day in range(1, days + 1))]
    back = [on(days + day) for day in range(1, days + 1)]
    assert fold_evidence(down).confidence < c - 0.1
    assert fold_evidence([*down, *back]).confidence > c - 0.05


@given(st.floats(0.05, 0.95), st.lists(st.floats(0.05, 0.95), min_size=2, max_size=6))
def test_a_line_that_is_restated_on_its_day_counts_once(c: float, again: list[float]) -> None:
    once = [stated(c), on(3, fact_id="again", stated=max(again))]
    often = [stated(c), *(on(3, fact_id="again", stated=each) for each in again)]
    assert fold_evidence(often) == fold_evidence(once)


@given(st.floats(0.02, 0.98), st.sampled_from([FOR, AGAINST]), st.floats(0.5, 1.0))
def test_an_outright_turn_moves_further_and_still_by_less_than_twelve_points(
    c: float, stance: Stance, strength: float
) -> None:
    plain = fold_evidence([stated(c), on(1, stance, strength=strength)]).confidence
    turned = fold_evidence([stated(c), on(1, stance, strength=strength, turns=True)]).confidence
    assert abs(turned - c) >= abs(plain - c) - 1e-12
    assert abs(turned - c) < 0.12


@pytest.mark.parametrize(("c", "after"), [(0.9, 0.79), (0.8, 0.69), (0.5, 0.4013), (0.1, 0.0628)])
def test_an_outright_turn_from_a_firm_belief(c: float, after: float) -> None:
    state = fold_evidence([stated(c), on(1, AGAINST, turns=True)])
    assert round(state.confidence, 4) == after


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.0, 1.0))
def test_a_turn_keeps_beliefs_in_order(one: float, other: float, strength: float) -> None:
    low, high = sorted((one, other))
    turn = on(1, AGAINST, strength=strength, turns=True)
    ends = [fold_evidence([stated(c), turn]).confidence for c in (low, high)]
    assert ends[0] <= ends[1] + 1e-12
