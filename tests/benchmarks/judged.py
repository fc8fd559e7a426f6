"""Recall on judged workspaces: R@k, MRR, nDCG@10 over cited lines, first hit for superseded facts.

    python tests/benchmarks/judged.py DATA_FOLDER [--no-embedder] [--only NAME] [--misses]
                                      [--sample N]

A data folder holds workspaces (`memory/`, `queries.json`). Each is copied, indexed and asked
through `Bank.recall` as any user would; only the text of a question reaches it. `--sample` asks N
questions of each workspace, spread evenly.
"""

import argparse
import json
import math
import os
import shutil
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path

from lorebank import Bank

K = 20
MEASURES = ("r1", "r5", "r10", "r20", "mrr", "ndcg", "first")

Rows = list[dict[str, float]]


def main() -> None:
    arguments = read_arguments()
    environ = dict(os.environ)
    if arguments.no_embedder:
        environ["LOREBANK_EMBEDDER__PROVIDER"] = "none"
    folders = [
        folder
        for folder in sorted(Path(arguments.data).iterdir())
        if (folder / "queries.json").exists() and arguments.only in folder.name
    ]
    compare(folders, environ, arguments)


def compare(folders: list[Path], environ: dict[str, str], arguments: argparse.Namespace) -> None:
    groups: dict[str, Rows] = defaultdict(list)
    for folder in folders:
        with opened(folder, environ, arguments.sample) as (bank, queries):
            rows = [ask(bank, query, arguments.misses) for query in queries]
        groups[group_of(folder)] += rows
        if group_of(folder) != folder.name:
            groups[folder.name] += rows
    print(
        f"{'workspace':<16}{'n':>6}{'R@1':>7}{'R@5':>7}{'R@10':>7}{'R@20':>7}{'MRR':>7}"
        f"{'nDCG':>7}{'first':>7}{'p50 ms':>8}{'p95 ms':>8}"
    )
    for name, rows in sorted(groups.items()):
        print(
            f"{name:<16}{len(rows):>6}"
            + "".join(f"{mean(rows, m):>7}" for m in MEASURES)
            + f"{quantile(rows, 50):>8.1f}{quantile(rows, 95):>8.1f}"
        )


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data")
    parser.add_argument("--no-embedder", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=0, help="questions of each workspace")
    parser.add_argument("--misses", action="store_true", help="print the questions missed at 10")
    return parser.parse_args()


@contextmanager
def opened(
    folder: Path, environ: dict[str, str], sample: int
) -> Iterator[tuple[Bank, list[dict[str, object]]]]:
    """A copy of a workspace, indexed, and its questions."""
    queries = json.loads((folder / "queries.json").read_text("utf-8"))
    if sample and sample < len(queries):
        queries = [queries[place * len(queries) // sample] for place in range(sample)]
    with tempfile.TemporaryDirectory() as scratch:
        workspace = Path(scratch) / "workspace"
        shutil.copytree(folder / "memory", workspace / "memory")
        with Bank.open(workspace, environ=environ) as bank:
            bank.sync()
            yield bank, queries


def group_of(folder: Path) -> str:
    """The conversations of one set are one group."""
    return folder.name.rsplit("-", 1)[0] if folder.name.startswith("locomo") else folder.name


def ask(bank: Bank, query: dict[str, object], show_misses: bool) -> dict[str, float]:
    started = time.perf_counter()
    answer = bank.recall(str(query["question"]), k=K, now=date.fromisoformat(str(query["now"])))
    row = {"ms": (time.perf_counter() - started) * 1000.0}
    if query["gold"]:
        gold = set(query["gold"])  # type: ignore[call-overload]
        found = [str(hit.source) in gold for hit in answer.hits]
        row |= {f"r{k}": sum(found[:k]) / len(gold) for k in (1, 5, 10, 20)}
        row["mrr"] = next((1.0 / (i + 1) for i, hit in enumerate(found) if hit), 0.0)
        ideal = sum(1.0 / math.log2(i + 2) for i in range(min(10, len(gold))))
        row["ndcg"] = sum(1.0 / math.log2(i + 2) for i, hit in enumerate(found[:10]) if hit) / ideal
        if show_misses and row["r10"] < 1:
            print("MISS", query["question"], sorted(gold), answer.query.to_dict()["interval"])
    if query["answers"]:
        first = answer.hits[0].content.lower() if answer.hits else ""
        row["first"] = float(any(str(a).lower() in first for a in query["answers"]))  # type: ignore[attr-defined]
        if show_misses and not row["first"]:
            print("MISS", query["question"], query["answers"], "| got:", first)
    return row


def mean(rows: Rows, measure: str) -> str:
    values = [row[measure] for row in rows if measure in row]
    return f"{statistics.fmean(values):.3f}" if values else "-"


def quantile(rows: Rows, percent: int) -> float:
    values = sorted(row["ms"] for row in rows)
    return values[min(len(values) - 1, len(values) * percent // 100)]


if __name__ == "__main__":
    main()
