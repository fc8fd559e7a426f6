"""Recall, start-up, indexing and reflect at 10,000 facts or any number, as a table.

    python tests/benchmarks/scale.py [--facts 10000] [--no-embedder] [--no-reflect]

Each figure has a baseline of the same run, asked in turns with it: one bare FTS5 query with the
words of the question, or an interpreter that does nothing. Above 20,000 facts nothing is embedded:
the vectors are random ones, written through the index, so that times are right and nearness is not.

At 100,000 facts about twenty people, by CPU on two shared cores; the baseline reads the files into
one FTS5 table (.86 s) and asks it (70.9 ms):

- cold lexical index 43.5 s and 320 MB, 51 times the baseline;
- first reflect 18.9 s and 363 MB, the second 5.7 s and 258 MB, one with a single new line 7.1 s and
  328 MB (6.6 and 8.8 s by the code before, in turns with it), up to 100 MB of which is the index,
  mapped from its file: of twenty pages of entities one is planned, but all facts are read (.75 s),
  what became of them is worked out (.7 s), told apart from the night before by a digest (.55 s) and
  asked for what may be over (.7 s), each night; with an embedder that last step took 2.4 s more;
- recall by words p50 13 ms (.2 of the baseline), with vectors 27 ms (.4); the first recall with
  an embedder after an index made without one .4 s.

1,000,000 facts, once, words only: index 464 s, 2.16 GB at the peak and 870 MB on disk; the first
question 4.7 s, later ones 1.5 to 2.2 s. Memory gives out first, then the time of a question.
"""

import argparse
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import date, timedelta
from pathlib import Path

import apsw
import numpy as np

from lorebank import Bank
from lorebank.database.connection import select, transaction, write_meta
from lorebank.index.vectors import insert_vectors
from lorebank.providers.registry import load_embedder

SUBJECTS = """garden fence kitchen roof bicycle budget server printer ladder meeting contract invoice
library harbour workshop choir orchard boiler camera tent kayak violin ledger archive bakery
newsletter greenhouse telescope generator ferry""".split()
VERBS = """checked moved repaired discussed sorted painted measured cleaned ordered counted lifted
drafted compared folded packed borrowed returned sketched tested swept""".split()
MANNERS = """before lunch|with some help|after the rain|without much trouble|for the second time|in the
cold|while the radio was on|as planned|against all advice|by the window|near the old wall""".replace(
    "\n", " "
).split("|")
PEOPLE = """Peter Ada Tomas Ines Ravi Greta Owen Mina Luca Signe Pavel Noor Hugo Elin Bruno Tessa Ivo
Maren Felix Dora""".split()
THINGS = [
    "recovery code", "door combination", "serial number", "locker number", "ticket reference",
    "seat number", "licence plate", "customs code", "member number", "spare key tag",
]  # fmt: skip
PLACES = """quiet router|blue cabinet|north gate|old boiler|rented van|garden shed|red suitcase|night
ferry|spare laptop|attic safe""".replace("\n", " ").split("|")
OPINIONS = ["Likes {}", "Prefers {} to the old one", "No longer likes {}", "Thinks {} is overrated"]
EMBEDDED = 20_000
"""Facts up to which texts are embedded in earnest; more take minutes."""
QUESTIONS = 400
STARTS = 10


def main() -> None:
    arguments = read_arguments()
    words = {**os.environ, "LOREBANK_EMBEDDER__PROVIDER": "none"}
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        lines = make_logs(root, arguments.facts)
        print(f"{len(lines):,} facts in {len(list(root.rglob('*.md'))):,} files\n")
        measure_index(root, words)
        asked = {"by words": words}
        if not arguments.no_embedder:
            embed(root, arguments.facts)
            asked["with meaning"] = dict(os.environ)
        measure_recall(root, lines, asked)
        measure_starts(root, asked)
        if not arguments.no_reflect:
            measure_reflect(root, words)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row("peak memory of this process", f"{peak:.0f} MB", "indexing and the baseline included")


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--facts", type=int, default=10_000)
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--no-reflect", action="store_true")
    return parser.parse_args()


def measure_index(root: Path, environ: Mapping[str, str]) -> None:
    with Bank.open(root, environ=environ) as bank:
        cold = timed(lambda: bank.sync(embed=False))
        again = statistics.median(timed(lambda: bank.sync(embed=False)) for _ in range(5))
    row("cold lexical index", f"{cold:.2f} s", "")
    row("nothing changed", f"{again * 1000:.0f} ms", f"{again / cold:.3f}x of cold")
    size = (root / ".memory" / "index.sqlite").stat().st_size
    row("index without vectors", f"{size / 1e6:.1f} MB", "")


def embed(root: Path, facts: int) -> None:
    with Bank.open(root) as bank:
        if facts <= EMBEDDED:
            row("embedding", f"{timed(bank.sync):.1f} s", "")
            return
        write_random_vectors(bank)
    row("embedding", "-", f"random vectors: more than {EMBEDDED:,} facts")


def write_random_vectors(bank: Bank) -> None:
    connection, embedder = bank.workspace.index, load_embedder("local")
    assert embedder is not None
    chance = np.random.default_rng(5)
    with transaction(connection):
        numbers = [number for (number,) in select(connection, "SELECT item FROM items")]
        for start in range(0, len(numbers), 5_000):
            batch = numbers[start : start + 5_000]
            vectors = chance.standard_normal((len(batch), embedder.dimension), np.float32)
            vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
            rows = [(n, 0, v.tobytes()) for n, v in zip(batch, vectors, strict=True)]
            insert_vectors(connection, rows)
        write_meta(connection, "embedder", embedder.fingerprint)


def measure_recall(root: Path, lines: Sequence[str], asked: Mapping[str, dict[str, str]]) -> None:
    questions = make_questions(QUESTIONS)
    bare = bare_table(lines)
    banks = {name: Bank.open(root, environ=environ) for name, environ in asked.items()}
    ways: dict[str, Callable[[str], object]] = {name: bank.recall for name, bank in banks.items()}
    ways["bare"] = lambda question: ask_bare(bare, question)
    for question in questions[:5]:
        for ask in ways.values():
            ask(question)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for question in questions:
        for name, ask in ways.items():
            times[name].append(timed(lambda ask=ask, q=question: ask(q)) * 1000)  # type: ignore[misc]
    for spent in times.values():
        spent.sort()
    base = times.pop("bare")
    for name, spent in times.items():
        for percent in (50, 95):
            place = QUESTIONS * percent // 100
            figure, ratio = spent[place], spent[place] / base[place]
            row(f"recall {name}, p{percent}", f"{figure:.1f} ms", f"{ratio:.1f}x bare FTS5")
    for bank in banks.values():
        bank.close()


def measure_starts(root: Path, asked: Mapping[str, dict[str, str]]) -> None:
    """From the start of a process to its answer, in turns with one that does nothing."""
    question = ["-w", str(root), "recall", make_questions(1)[0]]
    command = [str(Path(sys.executable).with_name("lorebank")), *question]
    ways = {name: (command, environ) for name, environ in asked.items()}
    ways["bare"] = ([sys.executable, "-c", "pass"], dict(os.environ))
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(STARTS):
        for name, (arguments, environ) in ways.items():
            run = lambda a=arguments, e=environ: subprocess.run(  # noqa: E731
                a, env=e, check=True, capture_output=True
            )
            times[name].append(timed(run))
    bare = statistics.median(times.pop("bare"))
    row("an interpreter alone", f"{bare * 1000:.0f} ms", "")
    for name, spent in times.items():
        middle = statistics.median(spent)
        row(f"process, {name}", f"{middle * 1000:.0f} ms", f"{middle / bare:.1f}x an interpreter")


def measure_reflect(root: Path, environ: Mapping[str, str]) -> None:
    with Bank.open(root, environ=environ) as bank:
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


def bare_table(lines: Sequence[str]) -> apsw.Connection:
    connection = apsw.Connection("")
    connection.execute("CREATE VIRTUAL TABLE facts USING fts5 (text, tokenize = 'porter')")
    with connection:
        connection.executemany("INSERT INTO facts VALUES (?)", [(line,) for line in lines])
    return connection


def ask_bare(connection: apsw.Connection, question: str) -> None:
    words = " OR ".join(f'"{w}"' for w in question.strip("?").replace("'s", "").split())
    connection.execute(
        "SELECT text FROM facts WHERE facts MATCH ? ORDER BY rank LIMIT 10", (words,)
    ).fetchall()


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def row(name: str, figure: str, note: str) -> None:
    print(f"{name:<34}{figure:>18}   {note}")


if __name__ == "__main__":
    main()
