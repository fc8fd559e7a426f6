"""What a newer statement of a holder is to an older one."""

from __future__ import annotations

import pytest

from lorebank.beliefs.relation import Bearing, relate

CLOSE, SAME_SUBJECT = 0.7, 0.45


@pytest.mark.parametrize(
    ("older", "newer", "cosine", "bearing"),
    [
        ("Likes the gravel path.", "The gravel path is a joy.", SAME_SUBJECT, Bearing.RESTATES),
        ("Likes the gravel path.", "Gravel is a nuisance to walk on.", CLOSE, Bearing.CONTRADICTS),
        ("Likes the gravel path.", "Gravel is a nuisance to walk on.", 0.4, Bearing.UNCERTAIN),
        # somebody else's mind
        ("Wants to sing.", "Her niece no longer wants to sing.", SAME_SUBJECT, Bearing.UNCERTAIN),
        # what is added may be a refinement
        (
            "Likes the gravel path.",
            "Likes the gravel path in dry summers with sturdy shoes.",
            CLOSE,
            Bearing.UNCERTAIN,
        ),
        # two values of one thing are no restatement, however near the sentences are
        ("Wants the fair on Sundays.", "Wants the fair on Saturdays.", 0.9, Bearing.UNCERTAIN),
        (
            "Wants the big summer fair held on Sundays.",
            "Wants the big summer fair held on Saturdays.",
            0.95,
            Bearing.UNCERTAIN,
        ),
        # in other words altogether
        ("Likes the gravel path.", "Der Kiesweg gefällt ihr.", CLOSE, Bearing.RESTATES),
        # a turn, on the same subject and on another
        (
            "Paints fences in autumn.",
            "Spring is the time for fences now.",
            SAME_SUBJECT,
            Bearing.CONTRADICTS,
        ),
        ("Paints fences in autumn.", "Reads novels at lunch now.", 0.31, Bearing.UNCERTAIN),
        (
            "Paints fences in autumn.",
            "Still paints fences in autumn now.",
            SAME_SUBJECT,
            Bearing.RESTATES,
        ),
    ],
)
def test_attitude_meaning_and_turns_decide_together(
    older: str, newer: str, cosine: float, bearing: Bearing
) -> None:
    assert relate(older, newer, cosine=cosine).bearing is bearing
