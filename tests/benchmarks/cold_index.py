"""The cold lexical index: `python tests/benchmarks/cold_index.py [NOTES]`, CPU and wall.

Writes that many notes (2,000 without the argument) of nine lines with numbers that are no dates
(ticket ids, durations, amounts), 1.3 kB each, and reads them into a fresh index.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from datetime import date, timedelta
from pathlib import Path

from lorebank import Bank

WORDS = (
    "the crew moved ticket invoice boat harbour engine pump valve looked at after before checked"
    " again with without because weather quiet evening morning list order paint rope sail mast"
).split()
FIRST = date(2019, 1, 1)


def write_notes(root: Path, count: int) -> None:
    chance = random.Random(18)
    (root / "memory").mkdir()
    for number in range(count):
        lines = [f"# Day {number}", ""]
        for _ in range(9):
            said = " ".join(chance.choices(WORDS, k=18))
            lines.append(
                f"- {said} LB-{chance.randrange(9_999)} took {chance.randrange(90)} minutes,"
                f" {chance.randrange(9_999)} units"
            )
        day = FIRST + timedelta(days=number)
        (root / "memory" / f"{day}.md").write_text("\n".join(lines) + "\n", "utf-8")


def main(count: int) -> None:
    environ = {"LOREBANK_EMBEDDER__PROVIDER": "none", "LOREBANK_CONFIG": "/nonexistent"}
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        write_notes(root, count)
        with Bank.open(root, environ=environ) as bank:
            wall, cpu = time.perf_counter(), time.process_time()
            report = bank.sync(embed=False)
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        print(f"{report.files} notes: {cpu:.2f} s CPU, {wall:.2f} s wall")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
