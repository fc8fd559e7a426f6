"""The story of a confidence in words, day by day, from the numbers that are shown."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from lorebank.beliefs.fold import Pin
from lorebank.beliefs.history import belief_steps
from support import folded_opinion, golden

D1, D2, D3 = "2025-03-01", "2025-03-02", "2025-03-03"


@golden("beliefs.md")
def test_each_day_names_what_moved_it(strokes: list[tuple[str, str]], words: list[str]) -> None:
    opinion = folded_opinion("so", *strokes)
    steps = belief_steps(opinion, _stated(strokes))
    assert [step.words for step in steps] == words


def test_a_pin_is_told_as_a_hand_and_lines_under_it_move_nothing() -> None:
    strokes = [(D1, "=0.8"), (D3, "-")]
    opinion = folded_opinion("so", *strokes, pin=Pin(0.3, date.fromisoformat(D2)))
    assert [(s.after, s.words, len(s.lines)) for s in belief_steps(opinion, _stated(strokes))] == [
        (0.8, "opens at 0.80, the confidence stated", 1),
        (0.3, "set by hand to 0.30", 0),
        (0.3, "noted, and moves nothing: it stays at 0.30", 1),
    ]


DAYS = st.dates(date(2025, 1, 1), date(2025, 1, 12)).map(date.isoformat)
STROKES = st.lists(
    st.tuples(DAYS, st.sampled_from(["=0.1", "=0.8", "=", "+", "-"])), min_size=1, max_size=12
)


@given(STROKES)
def test_the_steps_join_into_the_history_and_end_at_the_confidence(
    strokes: list[tuple[str, str]],
) -> None:
    opinion = folded_opinion("so", *sorted(strokes, key=lambda s: s[0]))
    steps = belief_steps(opinion, _stated(strokes))
    assert [step.before for step in steps] == [None, *(step.after for step in steps[:-1])]
    assert steps[-1].after == opinion.confidence
    assert dict(opinion.history).items() <= {s.date: s.after for s in steps}.items()
    assert [line for step in steps for line in step.lines] == list(opinion.evidence)
    assert all(step.words for step in steps)


def _stated(strokes: list[tuple[str, str]]) -> dict[str, float]:
    return {f"f-{day}{stroke}": float(stroke[1:]) for day, stroke in strokes if len(stroke) > 1}
