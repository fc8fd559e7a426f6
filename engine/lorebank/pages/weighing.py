"""What the evidence of opinions says of single lines: which it has turned, which say the same.

A line such as "now drinks espresso" stays in its log when later lines bring the old preference
back; it must not be told as what holds. And of six lines that say one thing, a list needs one.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from lorebank.domain import Evidence, Opinion, OpinionStatus, Stance

_HELD = 0.5
_WORDINGS = frozenset({"stated", "restated"})


def outweighed(opinions: Iterable[Opinion]) -> frozenset[str]:
    """The ids of facts on the losing side of a live opinion, with newer lines on the winning one.

    A fact that speaks for the winning side of any opinion is not among them.
    """
    lost: set[str] = set()
    won: set[str] = set()
    for opinion in opinions:
        if opinion.status is not OpinionStatus.LIVE:
            continue
        side = Stance.FOR if opinion.confidence >= _HELD else Stance.AGAINST
        winning = [line for line in opinion.evidence if line.stance is side]
        last = max((line.date for line in winning), default=date.min)
        won |= {line.fact_id for line in winning}
        lost |= {e.fact_id for e in opinion.evidence if e.stance is not side and e.date < last}
    return frozenset(lost - won)


def latest_wordings(opinions: Iterable[Opinion]) -> dict[str, str]:
    """Fact id → the id of the fact that says the same last, for lines that state one opinion."""
    latest: dict[str, str] = {}
    for opinion in opinions:
        said = [line for line in opinion.evidence if _is_wording(line)]
        for line in said:
            latest[line.fact_id] = said[-1].fact_id
    return latest


def _is_wording(line: Evidence) -> bool:
    return line.stance is Stance.FOR and line.reason in _WORDINGS
