"""Which night was missed, and what is kept of a schedule."""

from __future__ import annotations

import json
from datetime import datetime, time, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.schedule.job import (
    GRACE,
    ScheduleRecord,
    delete_record,
    missed_run,
    note_run,
    read_record,
    write_record,
)

AT = time(3, 30)
INSTALLED = datetime(2025, 12, 1, 20, 0)


def record(last_run: str | None = None) -> ScheduleRecord:
    return ScheduleRecord(
        "cron", AT, INSTALLED, last_run=datetime.fromisoformat(last_run) if last_run else None
    )


@pytest.mark.parametrize(
    ("last_run", "now", "missed"),
    [
        (None, "2025-12-01T23:00", None),
        (None, "2025-12-02T03:29", None),
        (None, "2025-12-02T03:40", None),
        (None, "2025-12-02T03:45", "2025-12-02T03:30"),
        ("2025-12-02T03:30", "2025-12-02T09:00", None),
        ("2025-12-02T03:30", "2025-12-03T02:00", None),
        ("2025-12-02T03:30", "2025-12-03T09:00", "2025-12-03T03:30"),
        ("2025-12-02T03:30", "2025-12-20T02:00", "2025-12-19T03:30"),
        ("2025-12-03T08:00", "2025-12-03T09:00", None),
    ],
)
def test_the_newest_night_missed(last_run: str | None, now: str, missed: str | None) -> None:
    expected = datetime.fromisoformat(missed) if missed else None
    assert missed_run(record(last_run), datetime.fromisoformat(now)) == expected


MINUTES = st.times().map(lambda at: at.replace(second=0, microsecond=0))
MOMENTS = st.datetimes(datetime(2025, 12, 2), datetime(2026, 3, 1))


@given(at=MINUTES, now=MOMENTS, ran=MOMENTS)
def test_a_missed_night_lies_between_the_last_run_and_now(
    at: time, now: datetime, ran: datetime
) -> None:
    kept = ScheduleRecord("cron", at, INSTALLED, last_run=min(ran, now))
    missed = missed_run(kept, now)
    if missed is None:
        nights = (datetime.combine(now.date() - timedelta(days=back), at) for back in range(3))
        assert max(n for n in nights if n + GRACE <= now) <= min(ran, now)
    else:
        assert min(ran, now) < missed <= now - GRACE
        assert missed.time() == at


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    kept = ScheduleRecord(
        "systemd", AT, INSTALLED, catch_up=True, last_run=datetime(2025, 12, 2, 3, 30, 7)
    )
    write_record(tmp_path, kept)
    found = read_record(tmp_path)
    assert found is not None
    assert (found.system, found.at, found.since, found.catch_up, found.last_run) == (
        ("systemd", AT, INSTALLED, True, datetime(2025, 12, 2, 3, 30, 7))
    )
    note_run(tmp_path, datetime(2025, 12, 3, 4, 0))
    again = read_record(tmp_path)
    assert again is not None and again.last_run == datetime(2025, 12, 3, 4, 0)
    delete_record(tmp_path)
    assert read_record(tmp_path) is None


def test_a_run_nobody_scheduled_is_not_kept(tmp_path: Path) -> None:
    note_run(tmp_path, datetime(2025, 12, 3, 4, 0))
    assert list(tmp_path.iterdir()) == []


def test_the_record_of_another_machine_is_not_believed(tmp_path: Path) -> None:
    write_record(tmp_path, record())
    file = tmp_path / ".memory" / "schedule.json"
    told = json.loads(file.read_text())
    file.write_text(json.dumps(told | {"host": told["host"] + "-other"}))
    assert read_record(tmp_path) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        "null",
        '{"system": "cron", "at": 3}',
        "\xff",
        '{"at": "03:30", "since": "x"}',
    ],
)
def test_a_record_that_cannot_be_read_is_none(text: str, tmp_path: Path) -> None:
    (tmp_path / ".memory").mkdir()
    (tmp_path / ".memory" / "schedule.json").write_text(text, "latin-1")
    assert read_record(tmp_path) is None
