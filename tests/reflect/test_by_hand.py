"""What a person decides on `bank/opinions.md` holds for good, whatever is deleted or said later."""

import re
import shutil
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.domain.facts import Opinion, OpinionStatus
from support import WORDS_ONLY

SEEN = date(2026, 1, 10)
STATED = "Prefers short answers on WhatsApp"
Copy = Callable[[str], Path]
Edit = Callable[[str, str], str]


@pytest.fixture
def root(copy_fixture: Copy) -> Iterator[Path]:
    root = copy_fixture("harbour")
    with opened(root) as bank:
        bank.reflect()
    return root


def opened(root: Path, now: date = SEEN) -> Bank:
    return Bank.open(root, environ=WORDS_ONLY, now=now)


def page_of(root: Path) -> Path:
    return root / "bank" / "opinions.md"


def peters(bank: Bank, as_of: date | None = None) -> dict[str, Opinion]:
    return {opinion.id: opinion for opinion in bank.opinions("Peter", as_of=as_of)}


def the_one(root: Path) -> Opinion:
    with opened(root) as bank:
        return next(o for o in peters(bank).values() if o.statement.startswith(STATED))


def edit_entry(root: Path, id: str, old: str, new: str) -> None:
    """Replace a text inside one entry of the page."""
    text = page_of(root).read_text("utf-8")
    block = re.search(rf"<!-- lorebank:begin {id} .*?lorebank:end {id} -->", text, re.DOTALL)
    assert block
    assert old in block.group()
    changed = block.group().replace(old, new, 1)
    page_of(root).write_text(text[: block.start()] + changed + text[block.end() :], "utf-8")


def settle(root: Path) -> bytes:
    """Reflect, then years later once more on a new index; the page must have come to rest."""
    with opened(root) as bank:
        bank.reflect()
    page = page_of(root).read_bytes()
    shutil.rmtree(root / ".memory")
    with opened(root, date(2029, 5, 5)) as bank:
        assert bank.reflect().changed == ()
        assert bank.check() == ()
    assert page_of(root).read_bytes() == page
    return page


def test_a_pin_holds_from_its_day_on(root: Path) -> None:
    before = the_one(root)
    edit_entry(root, before.id, "\n<!-- lorebank:end", "\npin: 0.3\n<!-- lorebank:end")
    assert b"\npin: 0.3 since 2026-01-10\n" in settle(root)
    log = root / "memory" / "2026-02-01.md"
    log.write_text("## Retain\n- O @Peter: Insists on short answers on WhatsApp.\n", "utf-8")
    with opened(root, date(2026, 2, 2)) as bank:
        bank.reflect()
        after = peters(bank)[before.id]
        assert (after.confidence, after.pinned) == (0.3, 0.3)
        replayed = peters(bank, date(2025, 12, 20))[before.id]
    assert (replayed.confidence, replayed.pinned) == (before.confidence, None)


def test_a_pin_taken_away_counts_no_longer(root: Path) -> None:
    before = the_one(root)
    edit_entry(root, before.id, "\n<!-- lorebank:end", "\npin: 0.3\n<!-- lorebank:end")
    settle(root)
    edit_entry(root, before.id, "pin: 0.3 since 2026-01-10\n", "")
    assert b"pin:" not in settle(root)
    assert the_one(root).confidence == before.confidence


def test_a_retraction_is_dated_and_stays(root: Path) -> None:
    before = the_one(root)
    edit_entry(root, before.id, "\n<!-- lorebank:end", "\nretracted\n<!-- lorebank:end")
    assert b"\nretracted since 2026-01-10\n" in settle(root)
    with opened(root) as bank:
        assert peters(bank)[before.id].status is OpinionStatus.RETRACTED
        then = peters(bank, date(2025, 12, 20))[before.id]
    assert then.status is before.status


def test_an_edited_statement_is_dated_and_stays(root: Path) -> None:
    before = the_one(root)
    text = page_of(root).read_text("utf-8")
    heading = re.search(rf"### {STATED}[^\n]*", text)
    assert heading
    edit_entry(root, before.id, heading.group(), "### Wants answers that fit on one screen.")
    assert b"\nrestated since 2026-01-10\n" in settle(root)
    with opened(root) as bank:
        assert peters(bank)[before.id].statement == "Wants answers that fit on one screen."
        assert peters(bank, date(2025, 12, 20))[before.id].statement == before.statement


@pytest.mark.parametrize("with_row", [False, True], ids=["the entry", "the entry and its row"])
def test_a_deleted_entry_stays_away(root: Path, with_row: bool) -> None:
    before = the_one(root)
    text = page_of(root).read_text("utf-8")
    pattern = rf"<!-- lorebank:begin {before.id} .*?lorebank:end {before.id} -->\n*"
    text = re.sub(pattern, "", text, flags=re.DOTALL)
    if with_row:
        text = re.sub(rf"\n\|[^\n]*{before.id} \|", "", text)
    page_of(root).write_text(text, "utf-8")
    told = f"- `{before.id}` deleted 2026-01-10: {before.statement}"
    assert told.encode() in settle(root)
    with opened(root) as bank:
        assert before.id not in peters(bank)
        assert before.id in peters(bank, date(2025, 12, 20))
        bank.retain(
            "O @Peter: Prefers short answers on WhatsApp.", day=date(2026, 2, 1), allow_future=True
        )
        bank.reflect()
        assert before.id not in peters(bank)


def test_taking_a_deletion_back_restores_the_opinion(root: Path) -> None:
    before = the_one(root)
    text = page_of(root).read_text("utf-8")
    pattern = rf"<!-- lorebank:begin {before.id} .*?lorebank:end {before.id} -->\n*"
    page_of(root).write_text(re.sub(pattern, "", text, flags=re.DOTALL), "utf-8")
    settle(root)
    text = page_of(root).read_text("utf-8")
    page_of(root).write_text(re.sub(rf"- `{before.id}` deleted[^\n]*\n", "", text), "utf-8")
    settle(root)
    assert the_one(root) == before


def test_a_page_written_for_an_earlier_day_keeps_later_decisions(root: Path) -> None:
    before = the_one(root)
    edit_entry(root, before.id, "\n<!-- lorebank:end", "\npin: 0.3\n<!-- lorebank:end")
    settle(root)
    with opened(root) as bank:
        bank.reflect(day=date(2025, 12, 6))
    assert b"\npin: 0.3 since 2026-01-10\n" in page_of(root).read_bytes()
