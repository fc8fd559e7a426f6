"""What reading the dates of prose costs: CPU a line, on lines whose numbers are no dates.

    python tests/benchmarks/prose_dates.py [LINES]

Every line holds a ticket and a duration and names no time, as most lines of working notes do; a
second figure is for lines that do name one. Compare figures of one machine only.
"""

import random
import sys
import time
from datetime import date

from lorebank.dates.times import times_of

RECORDED = date(2026, 3, 4)
SEED = 7
PIECES = (
    """
the deploy of the billing worker failed again|restarted the queue and watched it for a while
customer asked for the invoice as a spreadsheet|the pump on the second dock runs hot
sensor readings look plausible after the firmware change|nobody knows who owns this alert
moved the retry logic out of the handler|the lease of the store room may be renegotiated
""".strip()
    .replace("\n", "|")
    .split("|")
)
DURATIONS = ("took {} minutes", "was down for {} hours", "waits {} days at most", "within {} ms",
             "every {} seconds", "after {} retries", "a {}-day trial", "{}.{} hours of work",
             "closed after {} days and {}h", "needs another {} weeks", "order 74{}-5{}",
             "30 days net, reference AB-{}/{}", "node {}.4{}.7 restarted")  # fmt: skip


def plain_line(chance: random.Random) -> str:
    first, second = chance.sample(PIECES, 2)
    ticket = f"{chance.choice(('OPS', 'LB', 'INC'))}-{chance.randint(100, 99_999)}"
    duration = chance.choice(DURATIONS).format(chance.randint(2, 90), chance.randint(1, 9))
    return f"{ticket}: {first}, {duration}; {second} (#{chance.randint(10, 9_999)})."


def measured(lines: list[str]) -> tuple[float, int]:
    """Microseconds of CPU a line, and how many lines name a time."""
    times_of("read the languages on 3 May", RECORDED)
    started = time.process_time()
    named = sum(bool(times_of(line, RECORDED)) for line in lines)
    return (time.process_time() - started) / len(lines) * 1e6, named


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 18_000
    chance = random.Random(SEED)
    plain = [plain_line(chance) for _ in range(count)]
    dated = [f"On {n % 28 + 1} May {line}" for n, line in enumerate(plain[: count // 10])]
    for name, lines in (("without a time", plain), ("with one", dated)):
        cost, named = measured(lines)
        print(f"{len(lines):6} lines {name:15} {cost:6.1f} µs each, {named} name a time")


if __name__ == "__main__":
    main()
