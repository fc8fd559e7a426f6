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


def line_of(root: Path, id: str) -> str:
    lines = page_of(root).read_text("utf-8").splitlines()
    return next(line for line in lines if line.endswith(f"^{id}"))


def write_below(root: Path, id: str, words: str) -> None:
    edit_entry(root, line_of(root, id), f"{line_of(root, id)}\n{words}")


def edit_entry(root: Path, old: str, new: str) -> None:
    """Replace a text of the page, once."""
    text = page_of(root).read_text("utf-8")
    assert text.count(old) == 1
    page_of(root).write_text(text.replace(old, new), "utf-8")


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
    write_below(root, before.id, "pin: 0.3")
    assert b"\n  - pin: 0.3 since 2026-01-10\n" in settle(root)
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
    write_below(root, before.id, "pin: 0.3")
    settle(root)
    edit_entry(root, "  - pin: 0.3 since 2026-01-10\n", "")
    assert b"pin:" not in settle(root)
    assert the_one(root).confidence == before.confidence


def test_a_retraction_is_dated_and_stays(root: Path) -> None:
    before = the_one(root)
    write_below(root, before.id, "  retracted")
    assert b"\n  - retracted since 2026-01-10\n" in settle(root)
    with opened(root) as bank:
        assert peters(bank)[before.id].status is OpinionStatus.RETRACTED
        then = peters(bank, date(2025, 12, 20))[before.id]
    assert then.status is before.status


def test_an_edited_statement_is_dated_and_stays(root: Path) -> None:
    before = the_one(root)
    said = line_of(root, before.id).partition(" · ")[0]
    edit_entry(root, said, "- Wants answers that fit on one screen.")
    assert b"\n  - restated since 2026-01-10\n" in settle(root)
    with opened(root) as bank:
        assert peters(bank)[before.id].statement == "Wants answers that fit on one screen."
        assert peters(bank, date(2025, 12, 20))[before.id].statement == before.statement


def test_a_deleted_entry_stays_away(root: Path) -> None:
    before = the_one(root)
    edit_entry(root, line_of(root, before.id) + "\n", "")
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
    edit_entry(root, line_of(root, before.id) + "\n", "")
    settle(root)
    text = page_of(root).read_text("utf-8")
    page_of(root).write_text(re.sub(rf"- `{before.id}` deleted[^\n]*\n", "", text), "utf-8")
    settle(root)
    assert the_one(root) == before


def test_a_page_written_for_an_earlier_day_keeps_later_decisions(root: Path) -> None:
    before = the_one(root)
    write_below(root, before.id, "pin: 0.3")
    settle(root)
    with opened(root) as bank:
        bank.reflect(day=date(2025, 12, 6))
    assert b"\n  - pin: 0.3 since 2026-01-10\n" in page_of(root).read_bytes()
