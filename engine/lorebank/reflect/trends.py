"""Trends: where an opinion is going, from how densely its evidence lies near a day.

The days on which an opinion had evidence are counted in the last 30 and in the last 90 days before
`now`, and compared per day with the time before. All days are those of the content.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date

from lorebank.domain import Evidence, Stance, Trend

RECENT_DAYS = 30
STALE_DAYS = 90
_CHANGE = 0.02
_DENSER = 2.0


def trend_of(evidence: Iterable[Evidence], *, now: date) -> Trend:
    """The trend on the day `now`; evidence after it is passed over.

    - `stale`: no evidence in the last 90 days, or none at all.
    - `new`: first evidence within the last 30 days, and nothing against it since.
    - `weakening`, `strengthening`: the last 30 days moved the confidence by .02 or more; or, where
      they moved it by less (it is near its limit), support lies at least twice as dense in them as
      in the 60 days before.
    - `stable`: everything else.
    """
    known = [line for line in evidence if line.date <= now]
    ages = sorted({(now - line.date).days for line in known})
    if not ages or ages[0] > STALE_DAYS:
        return Trend.STALE
    recent = [line for line in known if (now - line.date).days <= RECENT_DAYS]
    moved = sum(line.delta for line in recent)
    if moved <= -_CHANGE:
        return Trend.WEAKENING
    if ages[-1] <= RECENT_DAYS:
        return Trend.NEW if len(ages) < 3 else _rising(moved)
    if moved >= _CHANGE or _is_denser(known):
        return Trend.STRENGTHENING if _supports(recent) else Trend.STABLE
    return Trend.STABLE


def _rising(moved: float) -> Trend:
    return Trend.STRENGTHENING if moved >= _CHANGE else Trend.NEW


def _supports(recent: list[Evidence]) -> bool:
    return any(line.stance is Stance.FOR for line in recent)


def _is_denser(known: list[Evidence]) -> bool:
    """Whether supporting days lie denser in the 30 days before the newest than in the 60 before."""
    newest = max(line.date for line in known)
    ages = {(newest - line.date).days for line in known if line.stance is Stance.FOR}
    near = sum(1 for age in ages if age <= RECENT_DAYS)
    before = sum(1 for age in ages if RECENT_DAYS < age <= STALE_DAYS)
    return near >= 3 and near / RECENT_DAYS >= _DENSER * before / (STALE_DAYS - RECENT_DAYS)
