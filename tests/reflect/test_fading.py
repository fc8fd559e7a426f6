"""Fading: an opinion without news read nearer to the prior, where the settings say so."""

from datetime import date, timedelta

import pytest

from lorebank.beliefs.materialise import for_display
from lorebank.domain.facts import Citation, Opinion, OpinionStatus, Trend
from lorebank.settings.tables import ReflectSettings
from support import golden

LAST = date(2025, 3, 1)


def opinion(pinned: float | None = None) -> Opinion:
    return Opinion(
        id="o-00000001",
        statement="Likes jazz.",
        entities=("Ana",),
        confidence=0.9,
        trend=Trend.STABLE,
        evidence=(),
        history=((LAST, 0.9),),
        last_updated=LAST,
        source=Citation("memory/2025-03-01.md", 1, 1),
        status=OpinionStatus.LIVE,
        pinned=pinned,
    )


@golden("beliefs.md")
def test_an_opinion_fades_only_where_set_and_never_a_pinned_one(
    half_life: float, days: int, pinned: float | None, shown: float
) -> None:
    settings = ReflectSettings(fade_half_life_days=half_life)
    read = for_display(opinion(pinned), LAST + timedelta(days), settings)
    assert read.confidence == pytest.approx(shown)
    assert read.history == opinion().history
