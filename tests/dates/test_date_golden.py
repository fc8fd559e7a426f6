"""Every row of tests/golden/dates.md: a question and the days it asks about."""

import re
from datetime import date
from pathlib import Path

import pytest

from lorebank.dates.query import query_interval
from lorebank.domain import Interval

GOLDEN = Path(__file__).parents[1] / "golden" / "dates.md"
TEXT = GOLDEN.read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| (\d{4}-\d\d-\d\d|…) \| (\d{4}-\d\d-\d\d|…) \|$", TEXT, re.M)
NOW = date.fromisoformat(re.search(r"^Reference day: (\S+)", TEXT, re.M)[1])


def day(written: str) -> date | None:
    return None if written == "…" else date.fromisoformat(written)


def test_every_row_is_read() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")]
    headings = [line for line in rows if line.startswith("| question")]
    assert len(ROWS) == len(rows) - len(headings)


@pytest.mark.parametrize(("question", "first", "last"), ROWS)
def test_question_asks_about_these_days(question: str, first: str, last: str) -> None:
    found = query_interval(question, NOW)
    assert found is not None
    assert found.interval == Interval(day(first), day(last))
