"""What a newer statement of a holder is to an older one."""

from __future__ import annotations

import pytest

from lorebank.beliefs.relation import Bearing, relate

CLOSE = 0.7


@pytest.mark.parametrize(
    ("older", "newer", "cosine", "bearing"),
    [
        ("Likes the gravel path.", "The gravel path is a joy.", CLOSE, Bearing.RESTATES),
        ("Likes the gravel path.", "The gravel path is a nuisance.", CLOSE, Bearing.CONTRADICTS),
        ("Likes the gravel path.", "The gravel path is a nuisance.", 0.2, Bearing.UNCERTAIN),
        # what is added may be a refinement
        (
            "Likes the gravel path.",
            "Likes the gravel path in dry summers with sturdy shoes.",
            CLOSE,
            Bearing.UNCERTAIN,
        ),
        # a comparison is asked, and so is what is only so "now"
        ("Prefers jam to honey.", "Prefers honey to jam.", CLOSE, Bearing.UNCERTAIN),
        ("Paints fences in autumn.", "Spring is the time for fences now.", 0.45, Bearing.UNCERTAIN),
        # somebody else's mind
        ("Wants to sing.", "Her niece no longer wants to sing.", CLOSE, Bearing.UNCERTAIN),
        # near in meaning, in one language and in two
        ("Likes the gravel path.", "Fond of pebbles underfoot.", 0.85, Bearing.RESTATES),
        ("Likes the gravel path.", "Fond of pebbles underfoot.", CLOSE, Bearing.UNCERTAIN),
        ("Likes the gravel path.", "Mag den Weg aus Kies.", CLOSE, Bearing.RESTATES),
    ],
)
def test_attitude_and_meaning_decide_together(
    older: str, newer: str, cosine: float, bearing: Bearing
) -> None:
    assert relate(older, newer, cosine=cosine).bearing is bearing
