"""Moments as exports write them: seconds or milliseconds since 1970, or ISO 8601."""

from __future__ import annotations

from datetime import UTC, datetime, tzinfo

_MILLISECONDS = 100_000_000_000
"""Seconds reach this number in the year 5138."""


def moment_of(value: object, zone: tzinfo | None) -> datetime | None:
    """The moment in a time zone (the system's own for `None`); `None` for what names no moment.

    A text without a zone is taken as it stands.
    """
    try:
        if isinstance(value, str):
            moment = datetime.fromisoformat(value.strip())
            return moment.astimezone(zone) if moment.tzinfo else moment
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            seconds = value / 1000 if value >= _MILLISECONDS else value
            return datetime.fromtimestamp(seconds, UTC).astimezone(zone)
    except (ValueError, OverflowError, OSError):
        return None
    return None
