"""The cold lexical index, beside that of `qmd`.

    python tests/benchmarks/cold_index.py [NOTES] [--embedder]

Writes that many notes (2,000 without the argument) of nine lines with numbers that are no dates
(ticket ids, durations, amounts), 1.3 kB each. Each program indexes them as a command of its own,
start-up included, in turns, five times; the fastest run of each is compared by CPU and by wall.
With `--embedder` ours makes vectors as well. Without qmd on the PATH (`npm install @tobilu/qmd`)
the comparison is skipped, and said to be.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path

WORDS = (
    "the crew moved ticket invoice boat harbour engine pump valve looked at after before checked"
    " again with without because weather quiet evening morning list order paint rope sail mast"
).split()
FIRST = date(2019, 1, 1)
RUNS = 5


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


def measured(command: Sequence[str], environ: dict[str, str]) -> tuple[float, float]:
    """CPU and wall seconds of a command that must succeed."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, env=environ, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} failed with exit code {process.returncode}")
    return used.ru_utime + used.ru_stime, time.perf_counter() - begun


def ours(root: Path, *, embed: bool) -> tuple[float, float]:
    shutil.rmtree(root / ".memory", ignore_errors=True)
    environ = {
        **os.environ,
        "LOREBANK_EMBEDDER__PROVIDER": "local" if embed else "none",
        "LOREBANK_CONFIG": str(root / "no-config.toml"),
    }
    return measured([sys.executable, "-m", "lorebank", "-w", str(root), "index"], environ)


def theirs(qmd: str, root: Path, home: Path) -> tuple[float, float]:
    shutil.rmtree(home, ignore_errors=True)
    environ = {
        **os.environ,
        "XDG_CACHE_HOME": str(home / "cache"),
        "XDG_CONFIG_HOME": str(home / "config"),
    }
    return measured([qmd, "collection", "add", str(root / "memory"), "--name", "notes"], environ)


def main(count: int, *, embed: bool) -> None:
    qmd = shutil.which("qmd")
    with tempfile.TemporaryDirectory() as folder:
        root, home = Path(folder, "notes"), Path(folder, "qmd")
        root.mkdir()
        write_notes(root, count)
        runs = [
            (ours(root, embed=embed), theirs(qmd, root, home) if qmd else None) for _ in range(RUNS)
        ]
    cpu, wall = (min(mine[i] for mine, _ in runs) for i in (0, 1))
    print(f"lorebank, {count} notes: {cpu:.2f} s CPU, {wall:.2f} s wall")
    if not qmd:
        print("qmd is not on the PATH: nothing to compare with", file=sys.stderr)
        return
    cpu_qmd, wall_qmd = (min(other[i] for _, other in runs if other) for i in (0, 1))
    print(f"qmd: {cpu_qmd:.2f} s CPU, {wall_qmd:.2f} s wall")
    print(f"lorebank / qmd: {cpu / cpu_qmd:.2f} by CPU, {wall / wall_qmd:.2f} by wall")


if __name__ == "__main__":
    numbers = [int(each) for each in sys.argv[1:] if each.isdecimal()]
    main(numbers[0] if numbers else 2_000, embed="--embedder" in sys.argv)
