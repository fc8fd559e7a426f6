"""What a newer statement of a holder is to an older one."""

from lorebank.beliefs.relation import Bearing, relate
from support import golden

CLOSE, SAME_SUBJECT = 0.7, 0.45


@golden("beliefs.md")
def test_attitude_meaning_and_turns_decide_together(
    older: str, newer: str, cosine: float, bearing: Bearing
) -> None:
    assert relate(older, newer, cosine=cosine).bearing is bearing
