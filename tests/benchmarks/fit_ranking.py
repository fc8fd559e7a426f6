"""Fit the weights of recall to judged questions, and its scale to how often its best hit is right.

    python tests/benchmarks/fit_ranking.py FOLDER... [--words-only]

A folder holds a workspace (`workspace/`, or its files) with `queries.json` in it, or beside it as
`FOLDER.queries.json`. Each question is asked of its own workspace, and of the next one in the list,
where nothing is right. First the weights: those under which the right lines of each question get
the greatest share of exp(score) (a listwise softmax), none of the wrong sign, held near the ones in
`scoring.py` by a ridge, since there are few questions. Then the scale: a logistic regression of
"the best hit is right" on its score, over both kinds of asking. Prints a `Weights(...)` to paste.

Never give it a set that figures are published on.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from contextlib import ExitStack
from dataclasses import fields
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lorebank import Bank
from lorebank.app.questions import build_request
from lorebank.recall.filters import Filters, parse_day, parse_interval
from lorebank.recall.pipeline import RankOptions, find
from lorebank.recall.scoring import SIGNS, Weights

RIDGE = 0.01
"""For each unit that a weight moves away from where it stood, a question."""
BY_HAND = {"dialogue", "quarantined", "question", "slot", "verbatim"}
"""Weights that hold a promise, whatever few questions say of it."""
STEPS, RATE = 3_000, 0.02
Floats = NDArray[np.float64]
Case = tuple[Floats, NDArray[np.bool_]]
"""The signs of each candidate, and whether it is right."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--words-only", action="store_true")
    arguments = parser.parse_args()
    environ = dict(os.environ)
    if arguments.words_only:
        environ["LOREBANK_EMBEDDER__PROVIDER"] = "none"
    own, foreign = collect(arguments.folders, environ)
    start = np.array([getattr(Weights(), name) for name in SIGNS])
    print(f"{len(own)} questions with a right line, {len(foreign)} asked of the wrong workspace")
    told("before", own, start)
    weights = fit(own, start)
    told("after", own, weights)
    scale, bias = calibrate(own, foreign, weights)
    print(f"scale {scale:.3f}; BIAS = {bias:.2f}")
    for each, weight in zip(fields(Weights), weights * scale, strict=True):
        print(f"    {each.name}: float = {weight:.2f}")


def collect(folders: list[Path], environ: dict[str, str]) -> tuple[list[Case], list[Case]]:
    own, foreign = [], []
    with ExitStack() as stack:
        banks = [stack.enter_context(Opened(folder, environ)) for folder in folders]
        asked = [questions(folder) for folder in folders]
        for place, bank in enumerate(banks):
            for query in asked[place]:
                case = ask(bank, query, query["gold"])
                if query["gold"] and case is not None and case[1].any() and not case[1].all():
                    own.append(case)
            for query in asked[place - 1] if len(banks) > 1 else ():
                nothing = np.zeros((1, len(SIGNS))), np.zeros(1, dtype=bool)
                foreign.append(ask(bank, query, []) or nothing)
    return own, foreign


class Opened:
    """A copy of a workspace, indexed."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        self._folder, self._environ = folder, environ

    def __enter__(self) -> Bank:
        self._scratch = tempfile.TemporaryDirectory()
        root = Path(self._scratch.name) / "workspace"
        inner = self._folder / "workspace"
        shutil.copytree(inner if inner.is_dir() else self._folder, root)
        self._bank = Bank.open(root, environ=self._environ)
        self._bank.sync()
        return self._bank

    def __exit__(self, *_: object) -> None:
        self._bank.close()
        self._scratch.cleanup()


def questions(folder: Path) -> list[dict[str, object]]:
    inside = folder / "queries.json"
    file = inside if inside.exists() else folder.parent / f"{folder.name}.queries.json"
    return list(json.loads(file.read_text("utf-8")))


def ask(bank: Bank, query: dict[str, object], gold: object) -> Case | None:
    """The candidates of a question as they were on its day."""
    now = date.fromisoformat(str(query["now"]))
    filters = Filters(
        interval=parse_interval(query.get("since"), query.get("until"), now),  # type: ignore[arg-type]
        as_of=parse_day(query.get("as_of") or now, now, "as-of", side="end"),  # type: ignore[arg-type]
    )
    bank.workspace.freshen()
    request, _ = build_request(
        bank.workspace, str(query.get("query") or query["question"]), filters, 10, now
    )
    found = find(request, RankOptions())
    signs = found.pool.signs
    if not signs:
        return None
    right = [
        any(covers(str(found.pool.items[item].citation), str(each)) for each in gold)  # type: ignore[attr-defined]
        for item in signs
    ]
    return np.array(list(signs.values())), np.array(right, dtype=bool)


def covers(source: str, gold: str) -> bool:
    path, first, last = place(source)
    other, begin, end = place(gold)
    return path == other and first <= end and begin <= last


def place(source: str) -> tuple[str, int, int]:
    path, _, lines = source.partition("#")
    first, _, last = lines.replace("L", "").partition("-")
    return path, int(first or 0), int(last or first or 0)


def fit(cases: list[Case], start: Floats) -> Floats:
    """Gradient ascent (Adam) on the mean log share of the right lines."""
    weights, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    fixed = np.array([name in BY_HAND for name in SIGNS])
    for step in range(1, STEPS + 1):
        slope = -RIDGE * (weights - start)
        for signs, right in cases:
            shares = np.exp((z := signs @ weights) - z.max())
            shares /= shares.sum()
            wanted = shares * right / (shares @ right)
            slope += (wanted - shares) @ signs / len(cases)
        slope[fixed] = 0.0
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        weights += RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = np.where(start < 0, np.minimum(weights, 0.0), np.maximum(weights, 0.0))
    return weights


def calibrate(own: list[Case], foreign: list[Case], weights: Floats) -> tuple[float, float]:
    """Scale and bias under which a best hit's score is the share of such hits that are right."""
    tops = []
    for signs, right in [*own, *foreign]:
        z = signs @ weights
        tops.append((z.max(), float(right[z.argmax()])))
    z, y = np.array(tops).T
    given = np.stack([(z - z.mean()) / z.std(), np.ones_like(z)])
    found = np.zeros(2)
    for _ in range(30):  # Newton's method
        chance = 1.0 / (1.0 + np.exp(-(found @ given)))
        curve = (given * (chance * (1.0 - chance))) @ given.T + 1e-3 * np.eye(2)
        found = found + np.linalg.solve(curve, given @ (y - chance))
    scale, bias = float(found[0] / z.std()), float(found[1] - found[0] * z.mean() / z.std())
    for level in (0.3, 0.5, 0.6, 0.7, 0.8):
        strong = 1.0 / (1.0 + np.exp(-(scale * z + bias))) >= level
        print(
            f"from {level}: {strong[: len(own)].mean():.3f} of own,"
            f" {strong[len(own) :].mean() if foreign else 0:.3f} of foreign"
        )
    return scale, bias


def told(when: str, cases: list[Case], weights: Floats) -> None:
    ranks = []
    for signs, right in cases:
        order = np.argsort(-(signs @ weights), kind="stable")
        ranks.append(int(np.flatnonzero(right[order])[0]))
    one, five = np.mean([r == 0 for r in ranks]), np.mean([r < 5 for r in ranks])
    print(f"{when}: hit@1 {one:.3f}, hit@5 {five:.3f}")


if __name__ == "__main__":
    main()
