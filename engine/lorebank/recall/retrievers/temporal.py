"""Temporal retriever: what happened, or was written, in the interval that the question names."""

from __future__ import annotations

import math

from lorebank.index.intervals import items_in_interval
from lorebank.recall.ranking import Ranked, Ranking
from lorebank.recall.request import Request

NAME = "temporal"
OCCURRED = 1.0
RECORDED = 0.5


def retrieve(request: Request) -> Ranking:
    """Items whose own time, or else day of writing, overlaps the interval; newest first.

    The less of its own time lies in the interval, the less an item counts: "in 2025" tells little
    of a week in March.
    """
    interval = request.understood.query.interval
    if interval is None:
        return Ranking(NAME, ())
    rows = items_in_interval(request.connection, interval, request.limit, within=request.within)
    return Ranking(
        NAME,
        tuple(
            Ranked(item, OCCURRED * math.sqrt(share) if by == "occurred" else RECORDED, {"by": by})
            for item, by, share in rows
        ),
    )
