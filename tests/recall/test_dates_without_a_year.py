"""A date without its year: the last one, else the coming one, else earlier ones, and said."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from support import WORDS_ONLY, golden

LOGS = {
    "2023-03-14": "- W @Ann: Planted the apple tree.\n",
    "2024-03-14": "- W @Ann: Painted the fence green.\n",
    "2024-06-11": "- W @Marta: Celebrated the anniversary at the Lugger.\n",
    "2025-02-03": "- W @Jonas: The open day of the shipyard is on 14 March 2025.\n",
}


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    (tmp_path / "memory").mkdir()
    for day, lines in LOGS.items():
        (tmp_path / "memory" / f"{day}.md").write_text(f"# Log\n\n## Retain\n{lines}", "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY) as opened:
        yield opened


@golden("questions.md")
def test_a_day_without_its_year_finds_its_year(
    question: str, now: date, leads: str, note: str | None, bank: Bank
) -> None:
    answer = bank.recall(question, now=now)
    assert answer.hits[0].content == leads
    assert [said for said in answer.notes if "read as" in said] == ([note] if note else [])


def test_a_day_with_its_year_stays_there(bank: Bank) -> None:
    answer = bank.recall("What happened on 11 June 2025?", now=date(2025, 11, 20))
    assert answer.hits == ()
    assert answer.notes == ("nothing was found in the time of 'on 11 June 2025'",)
