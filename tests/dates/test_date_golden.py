"""Every line of tests/golden/dates.md: questions, what they ask about, and what is no date."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank.dates.phrases import find_vague
from lorebank.dates.query import query_interval
from lorebank.domain.facts import Interval

GOLDEN = Path(__file__).parents[1] / "golden" / "dates.md"
LINES = GOLDEN.read_text(encoding="utf-8").splitlines()
ROW = re.compile(r"\| (.+?) \| (\d{4}-\d\d-\d\d|…) \| (\d{4}-\d\d-\d\d|…) \|")


def lines_with_days() -> Iterator[tuple[str, date]]:
    """Every line with the reference day named last before it."""
    now = date.min
    for line in LINES:
        if line.startswith("Reference day: "):
            now = date.fromisoformat(line.split()[2])
        yield line, now


ROWS = [(*row.groups(), now) for line, now in lines_with_days() if (row := ROW.fullmatch(line))]
NO_DATES = [(line[2:], now) for line, now in lines_with_days() if line.startswith("- ")]
VAGUE = [(line[2:], now) for line, now in lines_with_days() if line.startswith("* ")]


def day(written: str) -> date | None:
    return None if written == "…" else date.fromisoformat(written)


def test_every_row_is_read() -> None:
    rows = [line for line in LINES if line.startswith("| ")]
    headings = [line for line in rows if line.startswith("| question")]
    assert len(ROWS) == len(rows) - len(headings)
    assert len(ROWS) > 1000
    assert len(NO_DATES) > 500
    assert len(VAGUE) > 40


@pytest.mark.parametrize(("question", "first", "last", "now"), ROWS)
def test_question_asks_about_these_days(question: str, first: str, last: str, now: date) -> None:
    found = query_interval(question, now)
    assert found is not None
    assert found.interval == Interval(day(first), day(last))


@pytest.mark.parametrize(("sentence", "now"), NO_DATES)
def test_sentence_holds_no_date(sentence: str, now: date) -> None:
    assert query_interval(sentence, now) is None


@pytest.mark.parametrize(("sentence", "now"), VAGUE)
def test_vague_sentence_gives_no_filter_and_is_reported(sentence: str, now: date) -> None:
    assert query_interval(sentence, now) is None
    assert find_vague(sentence) != ()
