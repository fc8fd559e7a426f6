"""Speed and recall on 2,000 notes with 100 planted facts, as a table.

    python tests/benchmarks/planted.py [--notes 2000] [--no-embedder]

The notes are dated prose of about 1.3 KB each, made by chance from a fixed seed out of word lists
written for this script. A tenth of the planted facts stand in retain sections, the rest in the
middle of prose. Baselines of the same run: `grep` over the files, and one FTS5 table of whole files.
"""

import argparse
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path

import apsw

from lorebank import Bank

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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--notes", type=int, default=2000)
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--misses", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch)
        planted = make_notes(root, arguments.notes)
        size = sum(file.stat().st_size for file in root.rglob("*.md"))
        print(f"{arguments.notes} notes, {size / 1e6:.1f} MB, {len(planted)} planted facts\n")
        measure_index(root, with_embedder=not arguments.no_embedder)
        measure_answers(root, planted, arguments.misses)
        measure_processes(root)


def make_notes(root: Path, count: int) -> list[tuple[str, str, str]]:
    """Write the notes; returns `(question, answer, path)` of each planted fact."""
    chance = random.Random(2025)
    days = [date(2020, 1, 1) + timedelta(days=n) for n in range(count)]
    pairs = [(person, thing) for person in PEOPLE for thing in THINGS]
    facts = chance.sample(pairs, 100)
    homes = dict(zip(chance.sample(range(count), 100), facts, strict=True))
    planted = []
    (root / "memory").mkdir()
    for number, day in enumerate(days):
        paragraphs = [paragraph(chance) for _ in range(5)]
        retain = ""
        if number in homes:
            person, thing = homes[number]
            place = chance.choice(PLACES)
            code = f"{chance.choice('BCDFGHKLMNPQRSTVWXZ')}{chance.randrange(10**5, 10**6)}"
            sentence = f"{person}'s {thing} for the {place} is {code}."
            if len(planted) % 10 == 0:
                retain = f"\n## Retain\n- W @{person}: The {thing} for the {place} is {code}.\n"
            else:
                home = chance.randrange(len(paragraphs))
                paragraphs[home] = f"{paragraphs[home]} {sentence} {clause(chance)}"
            question = f"what is {person}'s {thing} for the {place}?"
            planted.append((question, code, f"memory/{day}.md"))
        text = f"# {day}\n\n" + "\n\n".join(paragraphs) + "\n" + retain
        (root / "memory" / f"{day}.md").write_text(text, "utf-8")
    return planted


def paragraph(chance: random.Random) -> str:
    return " ".join(clause(chance) for _ in range(5))


def clause(chance: random.Random) -> str:
    return (
        f"{chance.choice(PEOPLE)} {chance.choice(VERBS)} the {chance.choice(SUBJECTS)}"
        f" {chance.choice(MANNERS)}."
    )


def measure_index(root: Path, *, with_embedder: bool) -> None:
    baseline = timed(lambda: baseline_index(root))
    words = {**os.environ, "LOREBANK_EMBEDDER__PROVIDER": "none"}
    with Bank.open(root, environ=words) as bank:
        cold = timed(bank.sync)
        again = timed(bank.sync)
    size = (root / ".memory" / "index.sqlite").stat().st_size
    row("cold lexical index", f"{cold:.2f} s", f"{cold / baseline:.1f}x one FTS5 table of files")
    row("nothing changed", f"{again:.2f} s", f"{again / cold:.2f}x of cold")
    row("index without vectors", f"{size / 1e6:.1f} MB", "")
    if with_embedder:
        with Bank.open(root) as bank:
            embedding = timed(bank.sync)
        row("embedding all of it", f"{embedding:.1f} s", f"cold in all: {cold + embedding:.1f} s")


def baseline_index(root: Path) -> None:
    connection = apsw.Connection("")
    connection.execute("CREATE VIRTUAL TABLE notes USING fts5 (text, tokenize = 'porter')")
    with connection:
        for file in sorted(root.rglob("*.md")):
            connection.execute("INSERT INTO notes VALUES (?)", (file.read_text("utf-8"),))


def measure_answers(root: Path, planted: list[tuple[str, str, str]], misses: bool) -> None:
    with Bank.open(root) as bank:
        bank.recall("warm up the model and the matrix")
        bank.recall("warm up the model and the matrix again")
        ranks, snippets, times = [], 0, []
        for question, code, path in planted:
            started = time.perf_counter()
            answer = bank.recall(question, k=5)
            times.append((time.perf_counter() - started) * 1000)
            places = [n for n, hit in enumerate(answer.hits) if hit.source.path == path]
            ranks.append(places[0] if places else None)
            found = bool(places) and code in answer.hits[places[0]].snippet
            snippets += found
            if misses and (not places or places[0] or not found):
                print("  MISS", question, code, path, [str(h.source) for h in answer.hits[:3]])
    greps = sum(grep_finds(root, question, code) for question, code, _ in planted)
    row("planted facts, hit@1", str(sum(rank == 0 for rank in ranks)), f"grep: {greps} lines")
    row("planted facts, hit@5", str(sum(rank is not None for rank in ranks)), "")
    row("answer stands in the snippet", str(snippets), "")
    times.sort()
    row("recall, warm p50 / p95", f"{times[50]:.1f} / {times[95]:.1f} ms", "")


def grep_finds(root: Path, question: str, code: str) -> bool:
    """Whether the lines with most words of the question, as grep -c would rank, hold the answer."""
    words = re.findall(r"\w{4,}", question.lower())
    best, found = 0, False
    for file in root.rglob("*.md"):
        for line in file.read_text("utf-8").lower().split("\n"):
            held = sum(word in line for word in words)
            if held > best:
                best, found = held, code.lower() in line
    return found


def measure_processes(root: Path) -> None:
    command = [str(Path(sys.executable).with_name("lorebank"))]
    bare = process_time([sys.executable, "-c", "pass"])
    words = {**os.environ, "LOREBANK_EMBEDDER__PROVIDER": "none"}
    question = "what is Peter's recovery code for the quiet router?"
    for name, arguments, environ in (
        ("lorebank --help", ["--help"], None),
        ("lorebank recall, lexical", ["-w", str(root), "recall", question], words),
        ("lorebank recall, with meaning", ["-w", str(root), "recall", question], None),
    ):
        spent = process_time(command + arguments, environ)
        row(name, f"{spent:.2f} s", f"{spent / bare:.1f}x a bare interpreter")


def process_time(command: list[str], environ: dict[str, str] | None = None) -> float:
    """The best of five runs, in seconds."""
    run = lambda: subprocess.run(command, env=environ, check=True, capture_output=True)  # noqa: E731
    return min(timed(run) for _ in range(5))


def timed(action: Callable[[], object]) -> float:
    started = time.perf_counter()
    action()
    return time.perf_counter() - started


def row(name: str, figure: str, note: str) -> None:
    print(f"{name:<34}{figure:>18}   {note}")


if __name__ == "__main__":
    main()
