"""Questions for a property, for a time, for who somebody is: what leads the answer."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from support import WORDS_ONLY, golden

LOGS = {
    "2025-01-10": """
- W @Runa: Lives in Bergen, top floor of Kelpgaten 9.
- W @Runa: Her neighbour lives in fear of the phone number that rings at night.
- W @Meerohr: Meerohr, a non-profit in Bremerhaven, builds listening stations.
""",
    "2025-03-10": """
- W @Runa: Su número nuevo es +34 600 555 018.
- B @Runa: Carried the tape deck up four flights of stairs.
""",
    "2025-06-05": """
- W @Runa: Wohnt seit dem 1. Juni 2025 in Bremerhaven.
- W @Runa: Hat bei Meerohr angefangen.
- W @Meerohr: Pays the rent of the hall.
- W @moss: Stands in the boiler cupboard; the port is 8080.
""",
    "2025-07-01": """
- W @moss: The port is now 9090.
- W @moss: Whoever uses moss forgets the port.
""",
    "2025-12-31": "- S @Runa: In 2025 she moved house, changed her phone number and carried on.\n",
}


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    (tmp_path / "memory").mkdir()
    for day, lines in LOGS.items():
        text = f"# {day}\n\n## Retain\n{lines}"
        (tmp_path / "memory" / f"{day}.md").write_text(text, "utf-8")
    with Bank.open(tmp_path, environ=WORDS_ONLY) as opened:
        yield opened


@golden("questions.md")
def test_a_property_is_found_in_whatever_language_it_was_noted(
    question: str, leads: str, bank: Bank
) -> None:
    answer = bank.recall(question, now=date(2026, 1, 5))
    assert answer.hits[0].content == leads
    assert answer.evidence == "strong"
    assert "slot" in answer.hits[0].why


def test_a_question_about_more_than_the_property_is_left_to_the_words(bank: Bank) -> None:
    hits = bank.recall("Why does the neighbour of Runa live in fear of the phone?").hits
    assert hits[0].content.startswith("Her neighbour lives in fear")


@pytest.mark.parametrize(
    "question",
    ["When is Runa's birthday?", "Where does Meerohr live?", "Who is Runa married to?"],
)
@pytest.mark.parametrize("environ", [WORDS_ONLY, {}], ids=["words", "meaning"])
def test_a_property_that_no_line_gives_is_answered_weakly(
    question: str, environ: dict[str, str], bank: Bank
) -> None:
    with Bank.open(bank.root, environ=environ) as asked:
        answer = asked.recall(question, now=date(2026, 1, 5))
    assert answer.evidence == "weak"
    assert answer.hits


def test_no_line_answers_for_a_property_by_being_about_the_one_named(bank: Bank) -> None:
    hits = bank.recall("Where does Runa live?", now=date(2026, 1, 5)).hits
    scores = {hit.content: hit.score for hit in hits}
    assert scores.pop("Wohnt seit dem 1. Juni 2025 in Bremerhaven.") > 0.9
    # Those beside a line that holds the word may still share it.
    assert scores["Hat bei Meerohr angefangen."] < 0.5


def test_who_somebody_is_begins_with_the_name(bank: Bank) -> None:
    assert bank.recall("What is Meerohr?").hits[0].content.startswith("Meerohr, a non-profit")


def test_of_a_short_time_only_what_lies_in_it_is_shown(bank: Bank) -> None:
    answer = bank.recall("What did Runa do on 10 March 2025?", now=date(2026, 1, 5))
    days = {hit.recorded for hit in answer.hits}
    assert days == {date(2025, 3, 10)}


def test_a_year_says_nothing_of_a_day_in_it(bank: Bank) -> None:
    answer = bank.recall("What did Runa carry on 10 March 2025?", now=date(2026, 1, 5))
    assert answer.hits[0].recorded == date(2025, 3, 10)
    whole = bank.recall("What did Runa carry in 2025?", now=date(2026, 1, 5))
    assert date(2025, 12, 31) in {hit.recorded for hit in whole.hits}
