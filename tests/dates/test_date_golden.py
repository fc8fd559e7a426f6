"""Every line of tests/golden/dates.md: questions, what they ask about, and what is no date."""

import re
from datetime import date
from pathlib import Path

import pytest

from lorebank.dates.phrases import find_vague
from lorebank.dates.query import query_interval
from lorebank.domain import Interval

GOLDEN = Path(__file__).parents[1] / "golden" / "dates.md"
TEXT = GOLDEN.read_text(encoding="utf-8")
ROWS = re.findall(r"^\| (.+?) \| (\d{4}-\d\d-\d\d|…) \| (\d{4}-\d\d-\d\d|…) \|$", TEXT, re.M)
NO_DATES = re.findall(r"^- (.+)$", TEXT, re.M)
VAGUE = re.findall(r"^\* (.+)$", TEXT, re.M)
NOW = date.fromisoformat(re.search(r"^Reference day: (\S+)", TEXT, re.M)[1])


def day(written: str) -> date | None:
    return None if written == "…" else date.fromisoformat(written)


def test_every_row_is_read() -> None:
    rows = [line for line in TEXT.splitlines() if line.startswith("| ")]
    headings = [line for line in rows if line.startswith("| question")]
    assert len(ROWS) == len(rows) - len(headings)
    assert len(ROWS) > 300
    assert len(NO_DATES) > 80


@pytest.mark.parametrize(("question", "first", "last"), ROWS)
def test_question_asks_about_these_days(question: str, first: str, last: str) -> None:
    found = query_interval(question, NOW)
    assert found is not None
    assert found.interval == Interval(day(first), day(last))


@pytest.mark.parametrize("sentence", NO_DATES)
def test_sentence_holds_no_date(sentence: str) -> None:
    assert query_interval(sentence, NOW) is None


@pytest.mark.parametrize("sentence", VAGUE)
def test_vague_sentence_gives_no_filter_and_is_reported(sentence: str) -> None:
    assert query_interval(sentence, NOW) is None
    assert find_vague(sentence) != ()
