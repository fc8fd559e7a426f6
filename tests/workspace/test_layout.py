"""What the name of a file says: its day and its role."""

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from lorebank.domain.facts import Diagnostic
from lorebank.workspace.layout import FileRole, LogPattern, named_day, role_of
from support import golden

DEFAULT = "memory/{YYYY}-{MM}-{DD}.md"
LOGSEQ = "journals/{YYYY}_{MM}_{DD}.md"
NESTED = "daily/{YYYY}/{MM}-*/{DD}-{MM}-{YYYY}.md"


@golden("workspace.md")
def test_a_path_has_a_day_and_a_role(path: str, pattern: str, day: date | None, role: str) -> None:
    named = named_day(path, LogPattern.compile(pattern))
    assert (named.day, role_of(path, named), named.problem) == (day, FileRole(role), None)


@golden("workspace.md")
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
