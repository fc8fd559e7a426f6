"""How fast transcripts are indexed: megabytes of JSONL a second of processor time, by words alone.

    python tests/benchmarks/sessions.py [MEGABYTES]

Two sorts: `agent`, as hosts write them (of each turn most is the output of tools, thinking and
fields that nobody keeps), and `talk`, where every line is something that somebody said.
"""

import json
import random
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from lorebank import Bank

SENTENCES = [
    line.removeprefix("- ").strip()
    for file in sorted((Path(__file__).parents[2] / "fixtures/year").rglob("*.md"))
    for line in file.read_text("utf-8").splitlines()
    if len(line) > 40
]
FILES = 8
Entries = Callable[[random.Random, int], list[dict[str, object]]]


def said(chance: random.Random, sentences: int) -> str:
    """Some sentences, with words of other sentences among them, so that none stands twice."""
    words = [word for _ in range(sentences) for word in chance.choice(SENTENCES).split()]
    chance.shuffle(words)
    return "\n".join(" ".join(words[n : n + 30]) for n in range(0, len(words), 30))


def message(number: int, role: str, content: list[dict[str, object]]) -> dict[str, object]:
    return {
        "type": "message",
        "id": f"{number:08x}",
        "parentId": f"{number - 1:08x}",
        "timestamp": f"2026-{number % 12 + 1:02}-{number % 28 + 1:02}T09:12:33.120Z",
        "message": {"role": role, "content": content, "usage": {"input": number, "output": 7}},
    }


def agent_entries(chance: random.Random, number: int) -> list[dict[str, object]]:
    """A question, thinking, a tool with its output, an answer."""
    output = "".join(f"{n}: {said(chance, 1)}\n" for n in range(chance.randint(5, 60)))
    return [
        message(number, "user", [{"type": "text", "text": said(chance, 2)}]),
        message(
            number + 1,
            "assistant",
            [
                {"type": "thinking", "thinking": said(chance, 6)},
                {"type": "toolCall", "name": "read", "arguments": {"path": "src/main.py"}},
            ],
        ),
        message(number + 2, "toolResult", [{"type": "text", "text": output}]),
        message(number + 3, "assistant", [{"type": "text", "text": said(chance, 8)}]),
    ]


def talk_entries(chance: random.Random, number: int) -> list[dict[str, object]]:
    """A question and an answer."""
    return [
        message(number, "user", [{"type": "text", "text": said(chance, 3)}]),
        message(number + 1, "assistant", [{"type": "text", "text": said(chance, 8)}]),
    ]


def lines(entries: Entries, chance: random.Random, size: int) -> Iterator[str]:
    written = number = 0
    while written < size:
        for entry in entries(chance, number):
            line = json.dumps(entry, ensure_ascii=False) + "\n"
            written += len(line.encode())
            number += 1
            yield line


def measure(sort: str, entries: Entries, megabytes: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root, talks = Path(folder, "notes"), Path(folder, "notes", "talks")
        (root / "memory").mkdir(parents=True)
        talks.mkdir()
        for number in range(FILES):
            with (talks / f"{number}.jsonl").open("w", encoding="utf-8") as file:
                file.writelines(
                    lines(entries, random.Random(number), megabytes * 1_000_000 // FILES)
                )
        settings = {
            "LOREBANK_CONFIG": "/nonexistent",
            "LOREBANK_EMBEDDER__PROVIDER": "none",
            "LOREBANK_MEMORY_SEARCH__SOURCES": "memory,sessions",
            "LOREBANK_MEMORY_SEARCH__EXPERIMENTAL__SESSION_MEMORY": "true",
            "LOREBANK_MEMORY_SEARCH__SESSIONS__PATHS": "talks",
        }
        with Bank.open(root, environ=settings) as bank:
            cold = timed(lambda: bank.sync_sessions(force=True))
            with (talks / "0.jsonl").open("a", encoding="utf-8") as file:
                file.writelines(lines(entries, random.Random(-1), 100_000))
            grown = timed(bank.sync_sessions)
            idle = timed(bank.sync_sessions)
            search = timed(lambda: bank.search("boiler serviced in Porto"))
            turns = bank.status().counts["session turns"]
        store = sum(f.stat().st_size for f in (root / ".memory").glob("*-sessions-*"))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"| {sort} | {megabytes} MB | {turns:,} | {cold:.1f} s | {megabytes / cold:.1f} MB/s "
        f"| {grown * 1000:.0f} ms | {idle * 1000:.1f} ms | {search * 1000:.0f} ms "
        f"| {store / 1e6:.0f} MB | {peak:.0f} MB |"
    )


def timed(job: Callable[[], object]) -> float:
    """Seconds of processor time."""
    started = time.process_time()
    job()
    return time.process_time() - started


def main() -> None:
    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    print(
        "| sort | size | turns kept | cold | | 100 kB added | unchanged | search | store | peak |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    measure("agent", agent_entries, megabytes)
    measure("talk", talk_entries, megabytes)


if __name__ == "__main__":
    main()
