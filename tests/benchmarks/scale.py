"""Recall and reflect at 10,000 facts, as a table; the baseline is one bare FTS5 query a question.

python tests/benchmarks/scale.py [--facts 10000] [--no-embedder]
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

import apsw
from planted import MANNERS, PEOPLE, PLACES, SUBJECTS, THINGS, VERBS, row, timed

from lorebank import Bank

OPINIONS = ["Likes {}", "Prefers {} to the old one", "No longer likes {}", "Thinks {} is overrated"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--no-embedder", action="store_true")
    arguments = parser.parse_args()
    environ = dict(os.environ)
    if arguments.no_embedder:
        environ["LOREBANK_EMBEDDER__PROVIDER"] = "none"
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        lines = make_logs(root, arguments.facts)
        with Bank.open(root, environ=environ) as bank:
            row("cold lexical index", f"{timed(lambda: bank.sync(embed=False)):.1f} s", "")
            row("embedding", f"{timed(bank.sync):.1f} s", "")
            questions = make_questions(400)
            times = ask(bank, questions)
            base = ask_bare(lines, questions)
            row(
                "recall, warm p50",
                f"{times[200]:.1f} ms",
                f"{times[200] / base[200]:.1f}x bare FTS5",
            )
            row(
                "recall, warm p95",
                f"{times[380]:.1f} ms",
                f"{times[380] / base[380]:.1f}x bare FTS5",
            )
            row("reflect, first", f"{timed(bank.reflect):.1f} s", "")
            row("reflect, no news", f"{timed(bank.reflect):.1f} s", "")
            bank.retain("O(c=0.8) @Peter: Likes the new ferry.")
            row("reflect, one new fact", f"{timed(bank.reflect):.1f} s", "")


def make_logs(root: Path, count: int) -> list[str]:
    chance = random.Random(7)
    day, lines = date(2020, 1, 1), []
    (root / "memory").mkdir()
    while len(lines) < count:
        facts = [make_fact(chance) for _ in range(8)]
        text = f"# {day}\n\nA day like others.\n\n## Retain\n" + "\n".join(facts) + "\n"
        (root / "memory" / f"{day}.md").write_text(text, "utf-8")
        lines += facts
        day += timedelta(days=1)
    return lines


def make_fact(chance: random.Random) -> str:
    person, thing = chance.choice(PEOPLE), chance.choice(SUBJECTS)
    kind = chance.random()
    if kind < 0.2:
        said = chance.choice(OPINIONS).format(f"the {thing} by the {chance.choice(PLACES)}")
        return f"- O(c=0.{chance.randrange(5, 10)}) @{person}: {said}."
    if kind < 0.4:
        number = chance.randrange(10**5)
        return f"- W @{person}: The {chance.choice(THINGS)} for the {chance.choice(PLACES)} is {number}."
    other = chance.choice(PEOPLE)
    return f"- B @{person} @{other}: {chance.choice(VERBS)} the {thing} {chance.choice(MANNERS)}."


def make_questions(count: int) -> list[str]:
    chance = random.Random(11)
    kinds = [
        lambda p, t: f"what is {p}'s {chance.choice(THINGS)} for the {chance.choice(PLACES)}?",
        lambda p, t: f"what does {p} think of the {t}?",
        lambda p, t: f"who {chance.choice(VERBS)} the {t} in March 2021?",
        lambda p, t: f"tell me about {p}",
    ]
    return [
        chance.choice(kinds)(chance.choice(PEOPLE), chance.choice(SUBJECTS)) for _ in range(count)
    ]


def ask(bank: Bank, questions: list[str]) -> list[float]:
    for question in questions[:5]:
        bank.recall(question)
    return sorted(timed(lambda q=q: bank.recall(q)) * 1000 for q in questions)  # type: ignore[misc]


def ask_bare(lines: list[str], questions: list[str]) -> list[float]:
    connection = apsw.Connection("")
    connection.execute("CREATE VIRTUAL TABLE facts USING fts5 (text, tokenize = 'porter')")
    with connection:
        connection.executemany("INSERT INTO facts VALUES (?)", [(line,) for line in lines])
    times = []
    for question in questions:
        words = " OR ".join(f'"{w}"' for w in question.strip("?").replace("'s", "").split())
        started = time.perf_counter()
        connection.execute(
            "SELECT text FROM facts WHERE facts MATCH ? ORDER BY rank LIMIT 10", (words,)
        ).fetchall()
        times.append((time.perf_counter() - started) * 1000)
    return sorted(times)


if __name__ == "__main__":
    main()
