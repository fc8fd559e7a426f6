"""Items by time, and the filters that narrow a question to some items."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date

from lorebank.domain import FactKind, Interval
from lorebank.index.connection import Connection, select

__all__ = ["items_in_interval", "items_of_interval", "select_items"]

# An item lies in an interval when the time it names overlaps it, or when it was written in it.
# Of a time with an open side ("since 1978") the day that is named counts: it would lie in all.
_OCCURRED = (
    "coalesce(i.occurred_start, i.occurred_end) <= {end}"
    " AND coalesce(i.occurred_end, i.occurred_start) >= {start}"
)
_SPAN = (
    "(1 + julianday(coalesce(i.occurred_end, i.occurred_start))"
    " - julianday(coalesce(i.occurred_start, i.occurred_end)))"
)
_SHARE = (
    "(1 + julianday(min(?2, coalesce(i.occurred_end, i.occurred_start)))"
    f" - julianday(max(?1, coalesce(i.occurred_start, i.occurred_end)))) / {_SPAN}"
)
_LEAST_SHARE = 0.1
_LONG_DAYS = 300
_RECORDED = "i.recorded BETWEEN {start} AND {end}"


def items_in_interval(
    connection: Connection, interval: Interval, limit: int, *, within: str | None
) -> list[tuple[int, str, float]]:
    """`(item, "occurred" or "recorded", share)`: facts first, what happened in it, the newest.

    `share`: how much of the item's own time lies in the interval, 0..1; 1 for a day of writing.
    """
    start, end = _bounds(interval)
    occurred = _OCCURRED.format(start="?1", end="?2")
    recorded = _RECORDED.format(start="?1", end="?2")
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
    start, end = _bounds(interval)
    occurred = _OCCURRED.format(start="?1", end="?2")
    recorded = _RECORDED.format(start="?1", end="?2")
    rows = select(
        connection,
        "SELECT json_group_array(i.item) FROM items i"
        f" WHERE ((({occurred}) AND {_SHARE} >= {_LEAST_SHARE}) OR ({recorded} AND NOT ("
        f"   i.occurred_start IS NOT NULL AND {_SPAN} > {_LONG_DAYS})))"
        " AND (?3 IS NULL OR i.item IN (SELECT value FROM json_each(?3)))",
        (start, end, within),
    )
    return str(rows[0][0])


def select_items(
    connection: Connection,
    *,
    interval: Interval | None,
    entities: Sequence[str],
    kinds: Sequence[FactKind],
    min_confidence: float | None,
    recorded_until: date | None,
    path: str | None,
) -> str | None:
    """JSON list of the items that pass every filter given; `None` where no filter is given."""
    conditions: list[str] = []
    bound: dict[str, object] = {}
    if interval is not None:
        bound["start"], bound["end"] = _bounds(interval)
        occurred = _OCCURRED.format(start=":start", end=":end")
        recorded = _RECORDED.format(start=":start", end=":end")
        conditions.append(f"(({occurred}) OR ({recorded}))")
    if entities:
        bound["entities"] = json.dumps(list(entities))
        conditions.append(
            "i.item IN (SELECT m.item FROM mentions m"
            " WHERE m.entity IN (SELECT value FROM json_each(:entities)))"
        )
    if kinds:
        bound["kinds"] = json.dumps([kind.value for kind in kinds])
        conditions.append("i.kind IN (SELECT value FROM json_each(:kinds))")
    if min_confidence is not None:
        bound["confidence"] = min_confidence
        conditions.append(
            "coalesce((SELECT o.confidence FROM opinion_evidence e"
            " JOIN opinions o ON o.id = e.opinion WHERE e.fact = i.id AND e.stance = 'for'"
            " AND e.reason IN ('stated', 'restated') LIMIT 1), i.confidence) >= :confidence"
        )
    if recorded_until is not None:
        bound["as_of"] = recorded_until.isoformat()
        conditions.append("(i.recorded IS NULL OR i.recorded <= :as_of)")
    if path is not None:
        bound["path"] = path.rstrip("*")
        conditions.append(
            "i.file IN (SELECT file FROM files"
            " WHERE substr(path, 1, length(:path)) = :path OR path LIKE '%/' || :path)"
        )
    if not conditions:
        return None
    rows = select(
        connection,
        f"SELECT json_group_array(i.item) FROM items i WHERE {' AND '.join(conditions)}",
        bound,
    )
    return str(rows[0][0])


def _bounds(interval: Interval) -> tuple[str, str]:
    start = interval.start.isoformat() if interval.start else "0000-00-00"
    end = interval.end.isoformat() if interval.end else "9999-99-99"
    return start, end
