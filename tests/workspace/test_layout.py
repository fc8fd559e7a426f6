"""What the name of a file says: its day and its role."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Diagnostic
from lorebank.workspace.layout import FileRole, LogPattern, named_day, role_of

DEFAULT = "memory/{YYYY}-{MM}-{DD}.md"
LOGSEQ = "journals/{YYYY}_{MM}_{DD}.md"
NESTED = "daily/{YYYY}/{MM}-*/{DD}-{MM}-{YYYY}.md"


@pytest.mark.parametrize(
    ("path", "pattern", "day", "role"),
    [
        ("memory/2026-02-10.md", DEFAULT, date(2026, 2, 10), "log"),
        ("memory/2026-02-10.MD", DEFAULT, date(2026, 2, 10), "log"),
        ("memory/2026-02-10-router.md", DEFAULT, date(2026, 2, 10), "log"),
        ("memory/2026-02-01-1317.md", DEFAULT, date(2026, 2, 1), "log"),
        ("memory/2026-02-10 Tuesday.md", DEFAULT, date(2026, 2, 10), "log"),
        ("memory/2026-02-101.md", DEFAULT, None, "note"),
        ("memory/work/2026-02-10-standup.md", DEFAULT, date(2026, 2, 10), "note"),
        ("memory/work/20260210.md", DEFAULT, date(2026, 2, 10), "note"),
        ("memory/work/20261399.md", DEFAULT, None, "note"),
        ("memory/work/20260210131700.md", DEFAULT, None, "note"),
        ("memory/2026_02_10.md", DEFAULT, date(2026, 2, 10), "note"),
        ("memory/2026-02_10.md", DEFAULT, None, "note"),
        ("memory/v2026-02-10.md", DEFAULT, None, "note"),
        ("memory/network.md", DEFAULT, None, "note"),
        ("memory/٢٠٢٦-٠٢-١٠.md", DEFAULT, None, "note"),
        ("memory.md", DEFAULT, None, "core"),
        ("MEMORY.md", DEFAULT, None, "core"),
        ("bank/world.md", DEFAULT, None, "bank"),
        ("bank/entities/2026-02-10.md", DEFAULT, None, "bank"),
        ("bank/identity.md", DEFAULT, None, "ledger"),
        ("bank/evidence.md", DEFAULT, None, "ledger"),
        ("docs/guide.md", DEFAULT, None, "extra"),
        ("docs/2026-02-10.md", DEFAULT, date(2026, 2, 10), "extra"),
        ("journals/2026_02_10.md", LOGSEQ, date(2026, 2, 10), "log"),
        ("memory/2026-02-10.md", LOGSEQ, date(2026, 2, 10), "note"),
        ("daily/2026/02-February/10-02-2026.md", NESTED, date(2026, 2, 10), "log"),
        ("daily/2026/03-March/10-02-2026.md", NESTED, None, "extra"),
    ],
)
def test_a_path_has_a_day_and_a_role(path: str, pattern: str, day: date | None, role: str) -> None:
    named = named_day(path, LogPattern.compile(pattern))
    assert (named.day, role_of(path, named), named.problem) == (day, FileRole(role), None)


@pytest.mark.parametrize(
    ("path", "pattern", "shown"),
    [
        ("memory/2026-02-31.md", DEFAULT, "2026-02-31"),
        ("memory/work/2026-13-01-plan.md", DEFAULT, "2026-13-01"),
        ("memory/0000-01-01.md", DEFAULT, "0000-01-01"),
        ("journals/2026_02_30.md", LOGSEQ, "2026-02-30"),
    ],
)
def test_a_date_that_no_calendar_has_is_undated_and_reported(
    path: str, pattern: str, shown: str
) -> None:
    message = f"the name holds {shown}, which is no date; the file is read as undated"
    named = named_day(path, LogPattern.compile(pattern))
    assert (named.day, named.is_log) == (None, False)
    assert named.problem == Diagnostic(path, 0, "date-invalid", message)


@given(
    day=st.dates(),
    pattern=st.sampled_from(
        [DEFAULT, LOGSEQ, NESTED, "{YYYY}/{MM}/{DD}.md", "{DD}.{MM}.{YYYY}.md"]
    ),
)
def test_the_log_of_a_day_carries_that_day(day: date, pattern: str) -> None:
    compiled = LogPattern.compile(pattern)
    assert named_day(compiled.path_for(day), compiled).day == day


def test_the_day_of_a_path_follows_the_default_pattern() -> None:
    assert named_day("memory/2026-02-10-router.md", LogPattern.compile()).day == date(2026, 2, 10)
