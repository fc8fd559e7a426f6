"""Items by time."""

from __future__ import annotations

from lorebank.database.connection import Connection, select
from lorebank.domain import Interval

# An item lies in an interval when one of the times it names overlaps it, or when it was written
# in it. Of a time with an open side ("since 1978") the day that is named counts: it would lie in
# all.
_FIRST = (
    "(coalesce(i.occurred_start, i.occurred_end) <= {end}"
    " AND coalesce(i.occurred_end, i.occurred_start) >= {start})"
)
FURTHER = (
    "EXISTS (SELECT 1 FROM further_times t WHERE t.item = i.item"
    " AND coalesce(t.start, t.end) <= {end} AND coalesce(t.end, t.start) >= {start})"
)
OCCURRED = f"({_FIRST} OR {FURTHER})"
_SPAN = (
    "(1 + julianday(coalesce(i.occurred_end, i.occurred_start))"
    " - julianday(coalesce(i.occurred_start, i.occurred_end)))"
)
_SHARE = (
    f"CASE WHEN {_FIRST.format(start='?1', end='?2')} THEN"
    " (1 + julianday(min(?2, coalesce(i.occurred_end, i.occurred_start)))"
    f" - julianday(max(?1, coalesce(i.occurred_start, i.occurred_end)))) / {_SPAN} ELSE 1 END"
)
"""How much of its first time lies in the interval; one of its further times lies in it whole."""
_LEAST_SHARE = 0.1
_LONG_DAYS = 300
RECORDED = "i.recorded BETWEEN {start} AND {end}"


def items_in_interval(
    connection: Connection, interval: Interval, limit: int, *, within: str | None
) -> list[tuple[int, str, float]]:
    """`(item, "occurred" or "recorded", share)`: facts first, what happened in it, the newest.

    `share`: how much of the item's own time lies in the interval, 0..1; 1 for a day of writing.
    """
    start, end = bounds(interval)
    occurred = OCCURRED.format(start="?1", end="?2")
    recorded = RECORDED.format(start="?1", end="?2")
    return [
        (item, "occurred", share) if happened else (item, "recorded", 1.0)
        for item, happened, share in select(
            connection,
            f"SELECT i.item, ({occurred}), {_SHARE} FROM items i"
            f" WHERE (({occurred}) OR ({recorded}))"
            " AND (?4 IS NULL OR i.item IN (SELECT value FROM json_each(?4)))"
            f" ORDER BY i.kind = 'note', ({occurred}) DESC,"
            " coalesce(i.occurred_start, i.recorded) DESC, i.file, i.ordinal LIMIT ?3",
            (start, end, limit, within),
        )
    ]


def items_of_interval(connection: Connection, interval: Interval, *, within: str | None) -> str:
    """JSON list of all items that lie in an interval, among those of `within`.

    What names a time many times as long ("in 2025") says nothing of a week: it is left out.
    """
    start, end = bounds(interval)
    occurred = OCCURRED.format(start="?1", end="?2")
    recorded = RECORDED.format(start="?1", end="?2")
    rows = select(
        connection,
        "SELECT json_group_array(i.item) FROM items i"
        f" WHERE ((({occurred}) AND {_SHARE} >= {_LEAST_SHARE}) OR ({recorded} AND NOT ("
        f"   i.occurred_start IS NOT NULL AND {_SPAN} > {_LONG_DAYS})))"
        " AND (?3 IS NULL OR i.item IN (SELECT value FROM json_each(?3)))",
        (start, end, within),
    )
    return str(rows[0][0])


def bounds(interval: Interval) -> tuple[str, str]:
    """First and last day of a span, as stored; an open side reaches to the end of time."""
    start = interval.start.isoformat() if interval.start else "0000-00-00"
    end = interval.end.isoformat() if interval.end else "9999-99-99"
    return start, end
