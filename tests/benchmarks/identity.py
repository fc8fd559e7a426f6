"""Identity: verdicts on labelled pairs, and how fast names are resolved and found in prose.

    python tests/benchmarks/identity.py [--pairs FILE] [--entities N] [--megabytes N]

A file of pairs has a header and the columns name, name, label (`same`, `ambiguous`, `different`)
and class; without one, `fixtures/names.tsv`. The word tables were written with sight of most of
that file; a held-out file says more. The large workspace is made up: N entities with two further
names each, and prose of which one word in forty is a name.
"""

import argparse
import random
import statistics
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from lorebank import Bank
from lorebank.language.folding import slugify
from lorebank.names.prose import NameFinder, pattern_of
from lorebank.names.verdicts import Verdict, compare_names

FIXTURE = Path(__file__).parents[2] / "fixtures" / "names.tsv"
ENVIRON = {"LOREBANK_EMBEDDER__PROVIDER": "none", "LOREBANK_CONFIG": "/nonexistent"}
SYLLABLES = "ba be bi bo da de di do fa fe ga go ka ke ki ko la le li lo ma me mi mo na ne ni no pa pe ra re ri ro sa se si so ta te ti to va ve vi za ze".split()
COMMON = (
    "the a of and to in is was that it for on with as at by from this we they then when".split()
)


def main() -> None:
    options = _parser().parse_args()
    print_verdicts(options.pairs)
    chance = random.Random(7)
    names = _names(chance, options.entities)
    print_resolution(chance, names)
    print_prose(chance, names, options.megabytes)


def print_verdicts(file: Path) -> None:
    """Precision and recall of merges, and what becomes of the ambiguous pairs."""
    lines = [line for line in file.read_text("utf-8").split("\n")[1:] if line]
    pairs = [line.split("\t")[:3] for line in lines]
    found = Counter((label, compare_names(a, b)[0].value) for a, b, label in pairs)
    merged = sum(n for (_, verdict), n in found.items() if verdict == Verdict.SAME)
    total = Counter(label for _, _, label in pairs)
    right = found["same", "same"]
    print(f"{len(pairs)} pairs of {file.name}")
    print(f"  merges          precision {right / merged:.4f}  recall {right / total['same']:.4f}")
    for label in ("ambiguous", "different"):
        shares = {v.value: found[label, v.value] / total[label] for v in Verdict}
        print(f"  {label:<15} " + "  ".join(f"{v} {share:.4f}" for v, share in shares.items()))


def print_resolution(chance: random.Random, names: Sequence[Sequence[str]]) -> None:
    """Time to index the names, and to resolve one of them, as written and with a slip."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "memory").mkdir()
        (root / "bank").mkdir()
        facts = "\n".join(f"- W @[[{name[0]}]]: Was here." for name in names)
        (root / "memory" / "2026-01-02.md").write_text(f"## Retain\n{facts}\n", "utf-8")
        lines = [f"- alias @[[{alias}]] → @[[{own}]]" for own, *more in names for alias in more]
        (root / "bank" / "identity.md").write_text("\n".join(lines) + "\n", "utf-8")
        with Bank.open(root, environ=ENVIRON) as bank:
            start = time.process_time()
            bank.sync(embed=False)
            print(f"{len(names)} entities, {len(lines)} aliases (times are of the CPU)")
            print(f"  first sync      {time.process_time() - start:.1f} s")
            log, ledger = root / "memory" / "2026-01-03.md", root / "bank" / "identity.md"
            for what, file, line in (
                ("a known name", log, f"- W @[[{names[5][0]}]]: Came back."),
                ("a new name", log, "- W @[[Quorvax Newcomer]]: Came back."),
                ("a ledger line", ledger, f"- alias @[[Quorvax]] → @[[{names[5][0]}]]"),
            ):
                before = file.read_text("utf-8") if file.exists() else "## Retain\n"
                file.write_text(f"{before}{line}\n", "utf-8")
                start = time.process_time()
                bank.sync(embed=False)
                print(f"  {what:<15} {time.process_time() - start:.2f} s a sync")
            asked = chance.sample([name for own in names for name in own], 200)
            _print_times(bank, "resolve", asked)
            _print_times(bank, "with a slip", [_slip(chance, name) for name in asked])


def _print_times(bank: Bank, what: str, asked: Sequence[str]) -> None:
    from lorebank.names.who import resolve_name

    times, found, proposed = [], 0, 0
    for name in asked:
        start = time.process_time()
        resolved = resolve_name(bank.workspace.index, name)
        times.append(1000 * (time.process_time() - start))
        found += resolved.entity is not None
        proposed += bool(resolved.proposals)
    half, most = statistics.median(times), statistics.quantiles(times, n=20)[-1]
    print(
        f"  {what:<15} p50 {half:.2f} ms  p95 {most:.2f} ms  found {found}, "
        f"proposed {proposed} of {len(asked)}"
    )


def print_prose(chance: random.Random, names: Sequence[Sequence[str]], megabytes: float) -> None:
    """How fast names are found in prose, in megabytes a second."""
    every = [name for own in names for name in own]
    words = [_word(chance).lower() for _ in range(5_000)] + COMMON * 200
    lines, size = [], 0
    while size < megabytes * 1e6:
        line = " ".join(
            chance.choice(words) if chance.random() > 0.025 else chance.choice(every)
            for _ in range(40)
        )
        lines.append(line)
        size += len(line.encode())
    start = time.process_time()
    finder = NameFinder([p for name in every if (p := pattern_of(slugify(name), name))])
    built = time.process_time() - start
    for what, text in (("ASCII", lines), ("accents", [line.replace("e", "é") for line in lines])):
        size = sum(len(line.encode()) for line in text)
        start = time.process_time()
        found = sum(len(finder.find(line)) for line in text)
        speed = size / 1e6 / (time.process_time() - start)
        print(f"  prose, {what:<8} {speed:.1f} MB/s  {found} names found")
    print(f"  automaton       {built:.2f} s to build")


def _names(chance: random.Random, entities: int) -> list[list[str]]:
    """Made-up names, three an entity, no two alike."""
    seen: set[str] = set()
    found: list[list[str]] = []
    while len(found) < entities:
        own = [f"{_word(chance)} {_word(chance)}" for _ in range(3)]
        if not seen.intersection(own) and len(set(own)) == 3:
            seen.update(own)
            found.append(own)
    return found


def _word(chance: random.Random) -> str:
    return "".join(chance.choice(SYLLABLES) for _ in range(chance.randint(2, 4))).capitalize()


def _slip(chance: random.Random, name: str) -> str:
    place = chance.randrange(1, len(name) - 1)
    return name[:place] + name[place + 1 :]


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--pairs", type=Path, default=FIXTURE)
    parser.add_argument("--entities", type=int, default=20_000)
    parser.add_argument("--megabytes", type=float, default=5.0)
    return parser


if __name__ == "__main__":
    main()
