"""How fast text is searched for secrets, and what that adds to a cold index.

    PYTHONPATH=tests python tests/benchmarks/secret_scan.py

Prose of the fixtures, put together to a few megabytes, and as the single notes that it comes from;
then the share of a cold index of 2,000 notes that goes into the search, in processor time.
"""

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from lorebank import Bank
from lorebank.language.secrets import find_secrets
from support import FIXTURES, WORDS_ONLY

SIZE = 8_000_000
NOTES = 2_000


def notes() -> list[str]:
    """The notes of the fixtures as text."""
    return [p.read_bytes().decode("utf-8", "replace") for p in sorted(FIXTURES.rglob("*.md"))]


def seconds(work: Callable[[], object]) -> float:
    """Processor time of one call, the best of three."""
    best = float("inf")
    for _ in range(3):
        begun = time.process_time()
        work()
        best = min(best, time.process_time() - begun)
    return best


def search_all(texts: Sequence[str]) -> int:
    return sum(len(find_secrets(text)) for text in texts)


def main() -> None:
    texts = notes()
    english = "\n".join(text for text in texts if text.isascii())
    joined = {
        "English prose": (english * (SIZE // len(english) + 1))[:SIZE],
        "nine languages": ("\n".join(texts) * (SIZE // sum(map(len, texts)) + 1))[:SIZE],
    }
    for name, text in joined.items():
        spent = seconds(lambda text=text: find_secrets(text))  # type: ignore[misc]
        print(f"{name}, {len(text) / 1e6:.0f} MB in one: {len(text) / 1e6 / spent:.0f} MB/s")
    many = (texts * (NOTES // len(texts) + 1))[:NOTES]
    spent = seconds(lambda: search_all(many))
    print(f"{NOTES} notes of {sum(map(len, many)) / NOTES:.0f} characters: {spent * 1000:.0f} ms")
    with TemporaryDirectory() as folder:
        memory = Path(folder) / "memory"
        memory.mkdir()
        for number, text in enumerate(many):
            memory.joinpath(f"note-{number}.md").write_text(text, "utf-8")
        begun = time.process_time()
        with Bank.open(folder, environ=WORDS_ONLY) as bank:
            bank.sync()
        whole = time.process_time() - begun
    print(f"cold index of them: {whole:.1f} s, the search {spent / whole:.1%} of it")


if __name__ == "__main__":
    main()
