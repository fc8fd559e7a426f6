"""A year of beliefs replayed: what was believed on each of 365 days is what that day computed."""

import random
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.beliefs.forming import Formation, form
from lorebank.domain.facts import Fact, Opinion, Trend
from lorebank.markdown.document import read_document
from lorebank.markdown.facts import extract_facts
from lorebank.markdown.sections import RETAIN_HEADINGS
from support import WORDS_ONLY, pages_of

FIRST_DAY = date(2025, 1, 1)
DAYS = [FIRST_DAY + timedelta(days=number) for number in range(365)]
PEOPLE = ("Ada-Lind", "Bruno", "ESA")
SPELLINGS = {
    "Ada-Lind": ("ada-lind", "Ada-Lind"),
    "Bruno": ("bruno", "Bruno"),
    "ESA": ("Esa", "ESA"),
}
TASTES = ("green tea", "train travel", "long emails", "paper maps", "loud music", "early flights")
LINES = (
    "- O(c=0.{c}) @{who}: Likes {taste}.",
    "- O @{who}: Likes {taste}.",
    "- O(c=0.{c}) @{who}: Prefers {taste} to {other}.",
    "- W @{who}: Enjoys {taste}.",
    "- B @{who}: No longer likes {taste}.",
    "- W @{who}: Switched from {taste} to {other}.",
    "- O(c=0.{c}) @{who}: Dislikes {taste}.",
    "- W @{who} @{friend}: Talked about {taste} again.",
    "- W @{who}: Lives in {taste}ville.",
)


def a_year(seed: int, most: int = 2) -> dict[date, list[str]]:
    """Day → the lines of its log: stated, restated, contradicted, replaced, and later deleted."""
    chance = random.Random(seed)
    year: dict[date, list[str]] = {}
    for number, day in enumerate(DAYS):
        late = number > 120  # from May on names are spelled otherwise, and so most of the year
        for _ in range(chance.choice((0, 0, 1, 1, most))):
            who, friend = chance.sample(PEOPLE, 2)
            taste, other = chance.sample(TASTES, 2)
            line = chance.choice(LINES).format(
                who=SPELLINGS[who][late],
                friend=SPELLINGS[friend][late],
                taste=taste,
                other=other,
                c=chance.randrange(3, 10),
            )
            year.setdefault(day, []).append(line)
            if chance.random() < 0.1:
                year[day].append(line)
    for day in chance.sample(sorted(year), 20):
        year[day].pop()
    return year


def log(day: date, lines: Sequence[str]) -> str:
    return f"# {day}\n\n## Retain\n\n" + "\n".join(lines) + "\n"


def facts_of(year: dict[date, list[str]]) -> list[Fact]:
    return [
        fact
        for day, lines in year.items()
        for fact in extract_facts(
            read_document(log(day, lines), f"memory/{day}.md"),
            recorded=day,
            headings=RETAIN_HEADINGS,
        ).facts
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_each_of_365_days_replayed_is_the_day_as_computed(seed: int) -> None:
    facts = facts_of(a_year(seed, most=0))
    random.Random(seed).shuffle(facts)
    moved: dict[tuple[Opinion, ...], date] = {}
    so_far = Formation((), ())
    for day in DAYS:
        written = [fact for fact in facts if fact.recorded and fact.recorded <= day]
        if any(fact.recorded == day for fact in written):
            so_far = form(written)
            moved.setdefault(so_far.opinions, day)
        # On a day without news only trends may change; they are told for the day asked about.
        replayed = form(facts, as_of=day)
        assert untold(replayed) == untold(so_far), day
    assert len(moved) > 50


def untold(formation: Formation) -> list[Opinion]:
    """The opinions without their trend, which depends on the day it is read."""
    return [replace(opinion, trend=Trend.STABLE) for opinion in formation.opinions]


def test_what_the_bank_believed_on_25_days_is_what_it_computed_then(tmp_path: Path) -> None:
    """Each day is really run, in a workspace that holds no later log; display names included."""
    year = a_year(3)
    root = workspace(tmp_path / "year", year, DAYS[-1])
    asked = [*random.Random(3).sample(DAYS, 23), DAYS[0], DAYS[-1]]
    with Bank.open(root, environ=WORDS_ONLY, now=DAYS[-1]) as bank:
        for day in asked:
            then = workspace(tmp_path / f"{day}", year, day)
            with Bank.open(then, environ=WORDS_ONLY, now=day) as that_day:
                assert bank.opinions(as_of=day) == that_day.opinions(), day


@pytest.mark.parametrize("number", [60, 215, 300])
def test_the_pages_of_a_replayed_day_are_those_written_then(tmp_path: Path, number: int) -> None:
    year, day = a_year(4), DAYS[number]
    root = workspace(tmp_path / "year", year, DAYS[-1])
    then = workspace(tmp_path / "then", year, day)
    with Bank.open(root, environ=WORDS_ONLY, now=day) as bank:
        bank.reflect(day=day)
    with Bank.open(then, environ=WORDS_ONLY, now=day) as bank:
        bank.reflect()
    assert pages_of(root) == pages_of(then)


def workspace(root: Path, year: dict[date, list[str]], until: date) -> Path:
    (root / "memory").mkdir(parents=True)
    for day, lines in year.items():
        if day <= until:
            (root / "memory" / f"{day}.md").write_text(log(day, lines), "utf-8")
    return root
