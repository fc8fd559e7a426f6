"""Names of files, links of a vault, dates in names: the small rules, case by case."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.exchange.conversations import moment_of
from lorebank.exchange.date_formats import joda_day, moment_day
from lorebank.exchange.notes import free_path, safe_path
from lorebank.exchange.prose import LinkRules, rewrite_links
from lorebank.exchange.vaults import VaultSettings
from lorebank.settings.tables import Config
from lorebank.workspace.paths import resolve_memory_path
from support import FIXTURES

DAY = date(2024, 1, 15)


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("Notes/Ana Ruiz", "Notes/Ana Ruiz"),
        ('What? A: "plan" <1>', "What- A- -plan- -1-"),
        ("nul.tar", "nul_.tar"),
        ("../../.hidden/.", "hidden"),
        ("trailing. /dots...", "trailing/dots"),
        ("", "untitled"),
        ("日本語/メモ", "日本語/メモ"),
        ("e\u0301cole", "école"),
        ("zero\u200bwidth\u202e", "zerowidth"),
        ("%2e%2e", "-2e-2e"),
    ],
)
def test_a_name_that_every_system_takes(name: str, safe: str) -> None:
    assert safe_path(name) == safe


@given(st.text(max_size=400))
def test_any_name_leads_into_the_memory_and_stays_itself(name: str) -> None:
    safe = safe_path(name)
    resolve_memory_path(FIXTURES, f"memory/imported/{safe}.md", Config())
    assert safe_path(safe) == safe


def test_a_taken_path_gives_way_the_same_way_each_time() -> None:
    taken = {"a/ana.md"}
    free = free_path("a/ANA.md", "key", taken)
    assert free == free_path("a/ANA.md", "key", taken) != "a/ANA.md"
    assert free_path("a/ANA.md", "other", taken | {free.casefold()}) not in {"a/ANA.md", free}


@pytest.mark.parametrize(
    ("text", "rewritten"),
    [
        ("[[People/Ana|her]]", "[[Ana|her]]"),
        ("[[Ana|Ana]]", "[[Ana]]"),
        ("| [[People/Ana\\|her]] |", "| [[Ana\\|her]] |"),
        ("[[Router#Setup#Wires]]", "[[Router|Router > Setup > Wires]]"),
        ("[[Router#^a1b2]] ![[Router^x]]", "[[Router]] [[Router]]"),
        ("[[#Here]] and [[#^a1|this]]", "Here and this"),
        ("![[plan.png|300x200]] [[a/b.pdf|the plan]]", "(attachment: plan.png)"
         " (attachment: the plan, b.pdf)"),
        ("[the plan](Plans/A%20b.md#x)", "[[A b|the plan]]"),
        ("![alt](img/x.png 'title')", "(attachment: alt, x.png)"),
        ("![web](https://e.org/x.png) [w](https://e.org/a.md)",
         "![web](https://e.org/x.png) [w](https://e.org/a.md)"),
        ("[top](#top) [x] [ ] [[]]", "top [x] [ ] "),
        ("[[v1.2 notes]]", "[[v1.2 notes]]"),
        ("[[January 15th, 2024]]", "[[2024-01-15|January 15th, 2024]]"),
        ("[[Journal/2024-01-15]]", "[[2024-01-15]]"),
    ],
)  # fmt: skip
def test_a_link_names_its_entity(text: str, rewritten: str) -> None:
    rules = LinkRules(day_of=VaultSettings(daily_format="MMMM Do, YYYY").day_of)
    assert rewrite_links(text, rules) == rewritten


@pytest.mark.parametrize(
    ("form", "name", "day"),
    [
        ("YYYY-MM-DD", "2024-01-15", DAY),
        ("YYYY/MM/YYYY-MM-DD", "2024/01/2024-01-15", DAY),
        ("dddd, MMMM Do YYYY", "Monday, January 15th 2024", DAY),
        ("D. MMM YY", "15. Jan. 24", DAY),
        ("YYYYMMDD", "20240115", DAY),
        ("[Day] DD.MM.YYYY (ww)", "Day 15.01.2024 (03)", DAY),
        ("YYYY-MM-DD", "2024-02-31", None),
        ("YYYY-MM-DD", "2024-01-15 more", None),
        ("[only words]", "only words", None),
        ("YYYY-MM", "2024-01", None),
    ],
)
def test_a_daily_note_of_obsidian(form: str, name: str, day: date | None) -> None:
    assert moment_day(name, form) == day


@pytest.mark.parametrize(
    ("form", "name", "day"),
    [
        ("yyyy_MM_dd", "2024_01_15", DAY),
        ("MMM do, yyyy", "Jan 15th, 2024", DAY),
        ("EEEE, dd-MM-yyyy", "Monday, 15-01-2024", DAY),
        ("yyyy'y' MM dd", "2024y 01 15", DAY),
        ("MMM do, yyyy", "January", None),
    ],
)
def test_a_journal_of_logseq(form: str, name: str, day: date | None) -> None:
    assert joda_day(name, form) == day


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1705320000.5, "2024-01-15T12:00:00.500000+00:00"),
        (1705320000500, "2024-01-15T12:00:00.500000+00:00"),
        ("2024-01-15T12:00:00Z", "2024-01-15T12:00:00+00:00"),
        ("2024-01-15T14:00:00+02:00", "2024-01-15T12:00:00+00:00"),
        ("2024-01-15", "2024-01-15T00:00:00"),
        *((odd, None) for odd in (None, True, "", "soon", -1, float("nan"), 1e300, [], {})),
    ],
)
def test_a_moment(value: object, expected: str | None) -> None:
    from datetime import UTC

    found = moment_of(value, UTC)
    assert (found.isoformat() if found else None) == expected
