"""Items by time."""

from __future__ import annotations

from lorebank.domain import Interval
from lorebank.index.connection import Connection, select

__all__ = ["OCCURRED", "RECORDED", "bounds", "items_in_interval"]

# An item lies in an interval when the time it names overlaps it, or when it was written in it.
# Of a time with an open side ("since 1978") the day that is named counts: it would lie in all.
OCCURRED = (
    "coalesce(i.occurred_start, i.occurred_end) <= {end}"
    " AND coalesce(i.occurred_end, i.occurred_start) >= {start}"
)
RECORDED = "i.recorded BETWEEN {start} AND {end}"


def items_in_interval(
    connection: Connection, interval: Interval, limit: int, *, within: str | None
) -> list[tuple[int, str]]:
    """`(item, "occurred" or "recorded")`: facts first, then what happened in it, then newest."""
    start, end = bounds(interval)
    occurred = OCCURRED.format(start="?1", end="?2")
    recorded = RECORDED.format(start="?1", end="?2")
    return [
        (item, "occurred" if happened else "recorded")
        for item, happened in select(
            connection,
            f"SELECT i.item, ({occurred}) FROM items i WHERE (({occurred}) OR ({recorded}))"
            " AND (?4 IS NULL OR i.item IN (SELECT value FROM json_each(?4)))"
            f" ORDER BY i.kind = 'note', ({occurred}) DESC,"
            " coalesce(i.occurred_start, i.recorded) DESC, i.file, i.ordinal LIMIT ?3",
            (start, end, limit, within),
        )
    ]


def bounds(interval: Interval) -> tuple[str, str]:
    """First and last day of a span, as stored; an open side reaches to the end of time."""
    start = interval.start.isoformat() if interval.start else "0000-00-00"
    end = interval.end.isoformat() if interval.end else "9999-99-99"
    return start, end
