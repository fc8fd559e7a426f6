"""What a night costs: a first reflect, one with twenty new facts, one without news; and kills.

    python tests/benchmarks/reflect.py [--facts 5000] [--entities 300] [--opinions 400]
                                       [--kills 0] [--profile] [--head]

Each run is a process of its own, so that its memory is its own; times are those of `Bank.reflect`,
the sync before and after it included, beside the CPU time. The ratio is to the sync that reads the
same files for the first time, in the same minute on the same machine. With `--kills 200` a reflect
is killed at random instants as often, completed every few times, and taken back.
"""

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

from banks import LAST_DAY, add_news, make_bank

NEWS = 20
NIGHTS = 3
EACH = 4
"""After so many kills a run is let through."""
RUN = """
import cProfile, json, pstats, resource, sys, time
from datetime import date
from lorebank import Bank
root, what, day, profiled = sys.argv[1:]
bank = Bank.open(root, now=date.fromisoformat(day))
profile = cProfile.Profile()
wall, cpu = time.perf_counter(), time.process_time()
if profiled == "yes":
    profile.enable()
report = {"sync": bank.sync, "reflect": bank.reflect, "undo": bank.undo_reflect}[what]()
profile.disable()
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
pages = 0 if what == "undo" else len(report.changed)
print(json.dumps({"wall": wall, "cpu": cpu, "peak": peak, "pages": pages}))
if profiled == "yes":
    pstats.Stats(profile, stream=sys.stderr).sort_stats("cumulative").print_stats(40)
"""
ENVIRONMENT = {
    **os.environ,
    "LOREBANK_EMBEDDER__PROVIDER": "none",
    "LOREBANK_CONFIG": "/nonexistent",
}


def main() -> None:
    arguments = read_arguments()
    if arguments.head:
        ENVIRONMENT["LOREBANK_EMBEDDER__PROVIDER"] = "local"
    with tempfile.TemporaryDirectory() as scratch:
        root = Path(scratch) / "bank"
        make_bank(
            root, facts=arguments.facts, entities=arguments.entities, opinions=arguments.opinions
        )
        print(f"{arguments.facts:,} facts, {arguments.entities} entities\n")
        print("| run | wall s | cpu s | ratio | peak MB | pages |\n|---|---|---|---|---|---|")
        measure(root, arguments.entities, arguments.profile)
        if arguments.kills:
            kill(root, arguments.kills, arguments.entities)


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--facts", type=int, default=5_000)
    parser.add_argument("--entities", type=int, default=300)
    parser.add_argument("--opinions", type=int, default=400)
    parser.add_argument("--head", action="store_true", help="with the trained head of stance")
    parser.add_argument("--kills", type=int, default=0)
    parser.add_argument("--profile", action="store_true", help="of the last night, to stderr")
    return parser.parse_args()


def measure(root: Path, entities: int, profile: bool) -> None:
    sync = run(root, "sync", 0)
    base = sync["cpu"]
    show("first sync", sync, base)
    show("first reflect", run(root, "reflect", 0), base)
    for night in range(1, NIGHTS + 1):
        add_news(root, LAST_DAY + timedelta(days=night), NEWS, entities=entities, seed=night)
        profiled = profile and night == NIGHTS
        show(f"night {night}, {NEWS} new facts", run(root, "reflect", night, profiled), base)
    show("no news", run(root, "reflect", NIGHTS), base)


def run(root: Path, what: str, night: int, profiled: bool = False) -> dict[str, float]:
    day = (LAST_DAY + timedelta(days=night)).isoformat()
    time.sleep(2.1)  # a file this young is read twice: its time stamp proves nothing
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(root), what, day, "yes" if profiled else "no"],
        env=ENVIRONMENT,
        stdout=subprocess.PIPE,
        check=True,
    )
    found: dict[str, float] = json.loads(done.stdout)
    return found


def show(name: str, found: dict[str, float], base: float) -> None:
    cells = (
        f"{found['wall']:.2f}",
        f"{found['cpu']:.2f}",
        f"{found['cpu'] / base:.2f}",
        f"{found['peak']:.0f}",
        f"{found['pages']:.0f}",
    )
    print(f"| {name} | {' | '.join(cells)} |", flush=True)


def kill(root: Path, times: int, entities: int) -> None:
    """Reflect killed at random instants: no page is torn, and the next run completes it all.

    Every few kills the run is let through. Its pages must be those of an undisturbed run, each of
    them told in the journal, and undo must bring back every byte there was before.
    """
    night = NIGHTS + 1
    add_news(root, LAST_DAY + timedelta(days=night), NEWS * 5, entities=entities, seed=night)
    whole, spare = root.with_name("whole"), root.with_name("spare")
    shutil.copytree(root, whole)
    before = pages(root)
    run(whole, "reflect", night)
    after = pages(whole)
    changed = {path for path in before | after if before.get(path) != after.get(path)}
    chance, day = random.Random(3), (LAST_DAY + timedelta(days=night)).isoformat()
    found = dict.fromkeys(("struck", "torn", "lost", "untold", "not undone"), 0)
    for number in range(times):
        if number % EACH == 0:
            shutil.rmtree(spare, ignore_errors=True)
            shutil.copytree(root, spare)
        process = subprocess.Popen(
            [sys.executable, "-c", RUN, str(spare), "reflect", day, "no"],
            env=ENVIRONMENT,
            stdout=subprocess.DEVNULL,
        )
        time.sleep(0.2 + chance.random() * 1.3)
        found["struck"] += process.poll() is None
        process.send_signal(signal.SIGKILL)
        process.wait()
        now = pages(spare)
        found["torn"] += sum(d not in (before.get(p), after.get(p)) for p, d in now.items())
        found["torn"] += sum(path not in now for path in before if path in after)
        if number % EACH == EACH - 1 or number == times - 1:
            run(spare, "reflect", night)
            found["lost"] += pages(spare) != after
            journal = (spare / "bank" / "reflections" / f"{day}.md").read_text("utf-8")
            found["untold"] += sum(f"- `{path}`: " not in journal for path in changed)
            run(spare, "undo", night)
            found["not undone"] += pages(spare) != before
    print(f"\n{times} kills: " + ", ".join(f"{count} {what}" for what, count in found.items()))


def pages(root: Path) -> dict[str, bytes]:
    """The pages of the bank but for the journal, whose runs depend on the kills."""
    return {
        file.relative_to(root).as_posix(): file.read_bytes()
        for file in (root / "bank").rglob("*.md")
        if "reflections" not in file.parts
    }


if __name__ == "__main__":
    main()
