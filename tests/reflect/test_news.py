"""A night looks only at what has news; its pages are those that a look at everything would give."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.index.connection import open_index
from lorebank.index.news import News, read_news
from support import WORDS_ONLY

NOW = date(2026, 1, 1)
NAMES = ("Runa", "Peter", "Maya", "moss", "The-Castle", "Tomasz")
Edit = Callable[[Path, random.Random, date], None]


def opened(root: Path, day: date = NOW) -> Bank:
    return Bank.open(root, environ=WORDS_ONLY, now=day)


def line(chance: random.Random) -> str:
    who, other = chance.sample(NAMES, 2)
    number = chance.randrange(9)
    return chance.choice(
        [
            f"- W @{who}: Lives in {chance.choice(('Porto', 'Graz', 'Leeds'))} with @{other}.",
            f"- W @{who.lower()}: Works as a baker at @{other}.",
            f"- W: The port of @{other} is {number}.",
            f"- W: The server port is {number}.",
            f"- B @{who}: Sailed on 2025-0{number + 1}-03.",
            f"- B: Painted fence {number} yesterday.",
            f"- O(c=0.{number + 1}) @{who}: Likes green tea.",
            f"- O @{who}: No longer likes green tea.",
            f"- W @New-{number} @{who}: Met at the harbour.",
            f"- W @{who}: Told {other} and New-{number} about the boat.",
            f"- W @{who}: Is my sister; she lives in Porto.",
            f"- B @{who}: Booked a ferry for {number + 1} March 2027.",
            f"- W @{who}: Dislikes green tea, says {other}.",
        ]
    )


def write_a_log(root: Path, chance: random.Random, day: date) -> None:
    told = "\n".join(line(chance) for _ in range(3))
    with (root / "memory" / f"{day}.md").open("a", encoding="utf-8") as log:
        log.write(f"## Retain\n{told}\n")


def a_log(root: Path, chance: random.Random) -> Path:
    return chance.choice(sorted((root / "memory").glob("20*.md")))


def drop_a_line(root: Path, chance: random.Random, _: date) -> None:
    log = a_log(root, chance)
    lines = log.read_text("utf-8").split("\n")
    del lines[chance.randrange(len(lines))]
    log.write_text("\n".join(lines), "utf-8")


def shift_a_log(root: Path, chance: random.Random, _: date) -> None:
    log = a_log(root, chance)
    log.write_text("A line above.\n" + log.read_text("utf-8"), "utf-8")


def type_a_fact_on_a_page(root: Path, chance: random.Random, _: date) -> None:
    page = chance.choice(sorted((root / "bank" / "entities").glob("*.md")))
    head, title, rest = page.read_text("utf-8").partition("\n# ")
    page.write_text(head + title + rest.replace("\n", f"\n\n{line(chance)}\n", 1), "utf-8")


def remove_a_page(root: Path, chance: random.Random, _: date) -> None:
    chance.choice(sorted((root / "bank" / "entities").glob("*.md"))).unlink()


def merge_names(root: Path, chance: random.Random, day: date) -> None:
    one, other = chance.sample(NAMES, 2)
    with (root / "bank" / "identity.md").open("a", encoding="utf-8") as ledger:
        ledger.write(f"- merge @{one} → @{other} ({day})\n")


EDITS: tuple[Edit, ...] = (
    *(write_a_log,) * 5,
    drop_a_line,
    shift_a_log,
    type_a_fact_on_a_page,
    remove_a_page,
    merge_names,
)


@pytest.mark.parametrize("seed", range(3))
def test_nights_after_random_edits_leave_nothing_to_a_new_index(
    copy_fixture: Callable[[str], Path], seed: int
) -> None:
    root, chance = copy_fixture("harbour"), random.Random(seed)
    with opened(root) as bank:
        bank.reflect()
    for night in range(1, 11):
        day = NOW + timedelta(days=night)
        for edit in chance.choices(EDITS, k=2):
            edit(root, chance, day)
        with opened(root, day) as bank:
            if night % 4 == 0:
                bank.reflect(since=day)
            if night % 5 == 0:
                bank.reflect(day=day - timedelta(days=20), force=True)
            bank.reflect(force=True)
            bank.reflect(force=True)
        anew = Path(shutil.copytree(root, root.with_name(f"anew-{night}")))
        shutil.rmtree(anew / ".memory")
        with opened(anew, day) as bank:
            assert bank.reflect(force=True).patch == "", f"night {night}"


def test_news_is_what_the_changed_files_touch_and_ends_with_the_run(write_log: object) -> None:
    assert callable(write_log)
    root = write_log("2025-11-02", "- B @Ada @Bo: Sailed.", "- W: The port is 80.", "- W @Cy: Old.")
    with opened(root) as bank:
        bank.reflect()
        index = root / ".memory" / "index.sqlite"
        assert read_news(open_index(index)) == News()
        write_log("2025-11-03", "- B @Ada: Rowed.", "- W @Di: Is new.")
        bank.sync()
        found = read_news(open_index(index))
        assert (found.entities, found.months) == ({"ada", "di"}, {"2025-11"})
        assert set(bank.reflect(dry_run=True).changed) >= {"bank/entities/Ada.md"}
        assert read_news(open_index(index)) == found
        bank.reflect()
        assert read_news(open_index(index)) == News()
