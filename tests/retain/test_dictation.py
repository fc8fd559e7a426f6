"""Dictated sentences: names, kinds, what is refused, what is known already, and undo."""

from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.errors import ConcurrentEdit, NotFound, UsageError
from support import WORDS_ONLY, golden

SPOKEN = date(2026, 3, 4)
KNOWN = "## Retain\n- W @Lena: Sings.\n- W @Will: Rows.\n- W @[[Harbour Office]]: Is open.\n"


@pytest.fixture
def bank(tmp_path: Path) -> Iterator[Bank]:
    (tmp_path / "memory").mkdir()
    (tmp_path / "memory" / "2026-03-01.md").write_text(KNOWN, "utf-8")
    with Bank.open(tmp_path, now=SPOKEN, environ=WORDS_ONLY) as opened:
        yield opened


def log(bank: Bank) -> str:
    return (bank.root / "memory" / "2026-03-04.md").read_text("utf-8")


@golden("retain.md")
def test_a_plain_sentence_becomes_a_typed_line(bank: Bank, text: str, line: str) -> None:
    bank.retain(text)
    assert log(bank).splitlines()[-1] == line


def test_what_the_day_says_already_is_not_written_twice(bank: Bank) -> None:
    first = bank.retain("Lena prefers tea")
    before = log(bank)
    assert bank.retain("Lena prefers tea.").citation == first.citation
    assert log(bank) == before


def test_private_text_is_written_and_never_indexed(bank: Bank) -> None:
    fact = bank.retain("Lena moved <private>to the clinic</private>")
    assert log(bank).endswith("- W @Lena: Lena moved <private>to the clinic</private>\n")
    assert fact.content == "Lena moved"
    assert not any("clinic" in hit.content for hit in bank.recall("clinic").hits)


@pytest.mark.parametrize("write", [Bank.retain, Bank.log, Bank.remember])
def test_a_private_part_that_is_never_closed_is_refused(
    bank: Bank, write: Callable[[Bank, str], object]
) -> None:
    with pytest.raises(UsageError, match="never closed"):
        write(bank, "The PIN is <private>7733")
    assert not (bank.root / "memory" / "2026-03-04.md").exists()


def test_an_open_private_part_above_costs_no_later_fact(bank: Bank) -> None:
    file = bank.root / "memory" / "2026-03-04.md"
    file.write_text("## Retain\n- W @Lena: The PIN is <private>7733\n  or 4512\n", "utf-8")
    bank.retain("Will rows far")
    assert [fact.content for fact in bank.timeline("Lena")] == ["The PIN is", "Sings."]
    assert not any("4512" in hit.content for hit in bank.recall("4512").hits)
    assert "private-unclosed" in {each.code for each in bank.lint().findings}


@golden("retain.md")
def test_what_is_remembered_or_logged_is_told_as_understood(
    bank: Bank, text: str, to: str, understood: str
) -> None:
    assert bank.remember(text, to=to).understood == understood


def test_a_day_ahead_is_refused_unless_allowed(bank: Bank) -> None:
    for write in (bank.retain, bank.log):
        with pytest.raises(UsageError, match="in the future"):
            write("Lena sails", day="2026-03-05")
    assert bank.log("Lena sails", day="2026-03-05", allow_future=True).path.endswith("05.md")
    assert bank.retain("Lena sails", day="2026-03-05", allow_future=True).recorded == date(
        2026, 3, 5
    )


def test_a_secret_is_refused_unless_allowed(bank: Bank) -> None:
    text = "The api key is api_key=9fQz7LkP2mXw4RtY8uVb"
    for write in (bank.retain, bank.log, bank.remember):
        with pytest.raises(UsageError, match="secret"):
            write(text)
    assert "9fQz" in (bank.remember(text, to="log", allow_secret=True) and log(bank))
    assert "9fQz" not in bank.retain(text, allow_secret=True).content


def test_the_last_fact_is_taken_back(bank: Bank) -> None:
    bank.retain("Lena sails")
    before = log(bank)
    bank.retain("Will rows far")
    bank.undo_retain()
    assert log(bank) == before
    bank.undo_retain()
    assert not (bank.root / "memory" / "2026-03-04.md").exists()
    with pytest.raises(NotFound):
        bank.undo_retain()


def test_the_last_fact_is_taken_back_from_under_a_note(bank: Bank) -> None:
    bank.log("Rain.")
    bank.retain("Lena sails")
    file = bank.root / "memory" / "2026-03-04.md"
    file.write_text(log(bank) + "- Wind.\n", "utf-8")
    before = log(bank)
    bank.undo_retain()
    assert log(bank) == before.replace("- W @Lena: Lena sails\n", "")
    bank.retain("Will rows far")
    (bank.root / "memory" / "2026-03-04.md").write_text(log(bank).replace("far", "near"), "utf-8")
    with pytest.raises(ConcurrentEdit):
        bank.undo_retain()


def test_notes_and_core_memory_are_taken_back_as_well(bank: Bank) -> None:
    core = bank.root / "memory.md"
    bank.log("Rain all day.\nWind at night.")
    bank.remember("Always answer in short sentences")
    written = core.read_text("utf-8")
    assert bank.remember("Always answer in short sentences").place == "core"
    assert core.read_text("utf-8") == written, "what stands there is not written twice"
    bank.undo_retain()
    assert not core.exists()
    file = bank.root / "memory" / "2026-03-04.md"
    file.write_text(log(bank) + "- Sun.\n", "utf-8")
    bank.undo_retain()
    assert "Rain" not in log(bank) and "Wind" not in log(bank) and "- Sun." in log(bank)


def test_a_very_long_line_costs_neither_the_day_nor_later_writes(bank: Bank) -> None:
    bank.retain("Lena wrote " + "on the 3rd of May she said so, " * 3_000)
    bank.retain("Will rows far")
    assert {fact.content for fact in bank.timeline("Will")} == {"Rows.", "Will rows far"}


@golden("retain.md")
def test_a_name_nobody_knows_yet_is_taken_where_the_sentence_is_plain(
    tmp_path: Path, sentence: str, about: tuple[str, ...]
) -> None:
    with Bank.init(tmp_path / "new", environ=WORDS_ONLY) as bank:
        fact = bank.retain(sentence)
    assert tuple(mention.name for mention in fact.mentions) == about


@pytest.mark.parametrize("day", ["tomorrow-ish", "last week"])
def test_a_date_that_is_several_days_is_refused(bank: Bank, day: str) -> None:
    with pytest.raises(UsageError, match="does not name one day"):
        bank.retain("Lena sang.", day=day)
    with pytest.raises(UsageError, match="does not name one day"):
        bank.log("Lena sang.", day=day)
