"""Workspaces of any size for the reflect benchmarks: people, facts of all kinds, opinions."""

import random
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

__all__ = ["LAST_DAY", "add_news", "make_bank"]

LAST_DAY = date(2025, 11, 30)
FIRST = """Ada Bruno Clara Dario Elin Felix Greta Hugo Ines Jonas Kira Luca Mina Noor Owen Pavel Rosa
Signe Tomas Vera""".split()
LAST = """Alder Birch Cedar Dunn Eklund Frost Grove Heath Ivers Jansen Keller Lund Marsh Nygaard
Olsen""".split()
TASTES = """green tea|dark coffee|morning meetings|long emails|short replies|train travel|night
ferries|mountain huts|paper maps|open windows|loud music|early flights|cold soup|rye bread|old
films|card games|voice messages|group chats|city breaks|quiet rooms""".replace("\n", " ").split("|")
CITIES = "Lisbon Bergen Graz Turin Porto Ghent Malmo Leeds Nantes Basel".split()
JOBS = "baker|surveyor|translator|nurse|carpenter|librarian|pilot|gardener|teacher|welder".split(
    "|"
)
THINGS = """boiler camera tent kayak violin ledger archive greenhouse telescope generator ladder
printer bicycle contract invoice orchard""".split()
DEEDS = "Repaired Ordered Measured Sorted Painted Tested Packed Moved Compared Counted".split()
HOW = """before lunch|after the rain|with some help|for the second time|by the window|near the old
wall|as planned|in the cold""".replace("\n", " ").split("|")


def make_bank(root: Path, *, facts: int, entities: int, opinions: int, seed: int = 7) -> None:
    """Write daily logs that end on `LAST_DAY`; the same for the same arguments."""
    chance = random.Random(seed)
    people = names(entities)
    lines = [*opinion_lines(chance, people, opinions)]
    while len(lines) < facts:
        lines.append(fact_line(chance, people))
    chance.shuffle(lines)
    days = max(facts // 12, 1)
    first = LAST_DAY - timedelta(days=days - 1)
    (root / "memory").mkdir(parents=True)
    for number in range(days):
        day = first + timedelta(days=number)
        own = lines[number::days]
        text = f"# {day}\n\nA day like others.\n\n## Retain\n" + "\n".join(own) + "\n"
        (root / "memory" / f"{day}.md").write_text(text, "utf-8")


def add_news(root: Path, day: date, count: int, *, entities: int, seed: int) -> None:
    """The log of one more day, a quarter of it about what is thought."""
    chance = random.Random(seed)
    people = names(entities)
    lines = [
        opinion_line(chance, chance.choice(people))
        if number % 4 == 0
        else fact_line(chance, people)
        for number in range(count)
    ]
    text = f"# {day}\n\n## Retain\n" + "\n".join(lines) + "\n"
    (root / "memory" / f"{day}.md").write_text(text, "utf-8")


def names(count: int) -> list[str]:
    """Two-part names first, then numbered ones."""
    full = [f"{first}-{last}" for last in LAST for first in FIRST]
    return [*full, *(f"Team-{number}" for number in range(len(full), count))][:count]


def opinion_lines(chance: random.Random, people: Sequence[str], count: int) -> list[str]:
    """`count` opinions of different statements, and two lines of evidence for each."""
    pairs = [(person, taste) for taste in TASTES for person in people]
    chance.shuffle(pairs)
    lines = []
    for person, taste in pairs[:count]:
        lines.append(f"- O(c=0.{chance.randrange(5, 9)}) @{person}: Likes {taste}.")
        lines.append(f"- W @{person}: {chance.choice(['Enjoys', 'Loves', 'Dislikes'])} {taste}.")
    return lines


def opinion_line(chance: random.Random, person: str) -> str:
    return f"- O @{person}: {chance.choice(['Likes', 'No longer likes'])} {chance.choice(TASTES)}."


def fact_line(chance: random.Random, people: Sequence[str]) -> str:
    person, other, thing = chance.choice(people), chance.choice(people), chance.choice(THINGS)
    match chance.randrange(6):
        case 0:
            return f"- W @{person}: Lives in {chance.choice(CITIES)}."
        case 1:
            return f"- W @{person}: Works as a {chance.choice(JOBS)}."
        case 2:
            return f"- W @{person}: Owns a {thing} with the number {chance.randrange(10**4)}."
        case 3:
            return f"- W @{person} @{other}: Share the {thing} {chance.choice(HOW)}."
        case _:
            return f"- B @{person}: {chance.choice(DEEDS)} the {thing} {chance.choice(HOW)}."
