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
from support import FIXTURES, golden


@golden("exchange.md")
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


@golden("exchange.md")
def test_a_link_names_its_entity(text: str, rewritten: str) -> None:
    rules = LinkRules(day_of=VaultSettings(daily_format="MMMM Do, YYYY").day_of)
    assert rewrite_links(text, rules) == rewritten


@golden("exchange.md")
def test_a_daily_note_of_obsidian(form: str, name: str, day: date | None) -> None:
    assert moment_day(name, form) == day


@golden("exchange.md")
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
