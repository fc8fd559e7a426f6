"""Fit the weights of recall to judged questions, and its scale to how often its best hit is right.

    python tests/benchmarks/fit_ranking.py collect CASES FOLDER...
    python tests/benchmarks/fit_ranking.py fit CASES...

A folder holds a workspace (`workspace/`, or its files) with `queries.json` in it, or beside it as
`FOLDER.queries.json`. `collect` asks each question of its own workspace, and of the next one in the
list, where nothing is right, and keeps the signs of all candidates in the file CASES. Run it once
for each embedder, so that one set of weights serves all of them.

`fit` finds first the weights: those under which the right lines of each question get the greatest
share of exp(score) (a listwise softmax; each folder counts the same, however many its questions),
none of the wrong sign, held near the ones in `scoring.py` by a ridge, since there are few questions.
Then the scale: a logistic regression of "the best hit is right" on its score, over both kinds of
asking. Prints the fields of `Weights` to paste.

Give it development sets only: the figures that count are those of sets it has not seen.
"""

import argparse
import json
import pickle
import shutil
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import fields
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from ablate import covers
from numpy.typing import NDArray

from lorebank import Bank
from lorebank.app.questions import build_request
from lorebank.index.finding import Selection
from lorebank.recall.filters import Filters, parse_day, parse_interval
from lorebank.recall.pipeline import RankOptions, find
from lorebank.recall.scoring import SIGNS, Weights

RIDGE = 0.003
"""For each unit that a weight moves away from where it stood; ten times as much moves none of them
by more than a tenth."""
BY_HAND = {"defining", "quarantined", "slot"}
"""Weights that hold a promise, whatever few questions say of it."""
STEPS, RATE = 800, 0.05
FOREIGN, MOST_FOREIGN = "", 100
"""Name of the folder of questions that nothing answers, and how many of them each workspace gets."""
Floats = NDArray[np.float64]


class Case(NamedTuple):
    """One question asked of one workspace."""

    folder: str
    signs: Floats
    right: NDArray[np.bool_]
    """Which of the candidates answer it; none where it is asked of the wrong workspace."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("step", choices=("collect", "fit"))
    parser.add_argument("cases", type=Path)
    parser.add_argument("more", nargs="*", type=Path)
    arguments = parser.parse_args()
    if arguments.step == "collect":
        cases = collect(arguments.more)
        arguments.cases.write_bytes(pickle.dumps(cases))
        print(f"{len(cases)} cases")
        return
    files = [arguments.cases, *arguments.more]
    cases = [Case(*each) for file in files for each in pickle.loads(file.read_bytes())]
    own = [case for case in cases if case.right.any() and not case.right.all()]
    foreign = [case for case in cases if case.folder == FOREIGN]
    start = np.array([getattr(Weights(), name) for name in SIGNS])
    print(f"{len(own)} questions with a right line, {len(foreign)} asked of the wrong workspace")
    told("before", own, start)
    weights = fit(own, start)
    told("after", own, weights)
    scale, bias = calibrate(own, foreign, weights)
    print(f"scale {scale:.3f}; BIAS = {bias:.2f}")
    for each, weight in zip(fields(Weights), weights * scale, strict=True):
        print(f"    {each.name}: float = {weight:.2f}")


def collect(folders: list[Path]) -> list[tuple[str, Floats, NDArray[np.bool_]]]:
    """Plain tuples, which any later version of this file can read."""
    cases = []
    with ExitStack() as stack:
        banks = [stack.enter_context(opened(folder)) for folder in folders]
        asked = [questions(folder) for folder in folders]
        for place, bank in enumerate(banks):
            for query in asked[place]:
                if query["gold"] and (case := ask(bank, query, query["gold"])):
                    cases.append((folders[place].name, *case))
            for query in asked[place - 1][:MOST_FOREIGN] if len(banks) > 1 else ():
                nothing = np.zeros((1, len(SIGNS))), np.zeros(1, dtype=bool)
                cases.append((FOREIGN, *(ask(bank, query, []) or nothing)))
    return cases


@contextmanager
def opened(folder: Path) -> Iterator[Bank]:
    """A copy of a workspace, indexed."""
    with tempfile.TemporaryDirectory() as scratch:
        root, inner = Path(scratch) / "workspace", folder / "workspace"
        shutil.copytree(inner if inner.is_dir() else folder, root)
        with Bank.open(root) as bank:
            bank.sync()
            yield bank


def questions(folder: Path) -> list[dict[str, object]]:
    inside = folder / "queries.json"
    file = inside if inside.exists() else folder.parent / f"{folder.name}.queries.json"
    return list(json.loads(file.read_text("utf-8")))


def ask(
    bank: Bank, query: dict[str, object], gold: object
) -> tuple[Floats, NDArray[np.bool_]] | None:
    """The candidates of a question as they were on its day."""
    now = date.fromisoformat(str(query["now"]))
    wanted = Selection(
        interval=parse_interval(query.get("since"), query.get("until"), now),  # type: ignore[arg-type]
        as_of=parse_day(query.get("as_of") or now, now, "as-of", side="end"),  # type: ignore[arg-type]
    )
    bank.workspace.sync_if_stale()
    request, _ = build_request(
        bank.workspace, str(query.get("query") or query["question"]), Filters(wanted), 10, now
    )
    found = find(request, RankOptions())
    signs = found.signs
    if not signs:
        return None
    right = [
        any(covers(str(found.pool.items[item].citation), str(each)) for each in gold)  # type: ignore[attr-defined]
        for item in signs
    ]
    return np.array(list(signs.values())), np.array(right, dtype=bool)


def fit(cases: list[Case], start: Floats) -> Floats:
    """Gradient ascent (Adam) on the mean log share of the right lines."""
    weights, mean, square = start.copy(), np.zeros_like(start), np.zeros_like(start)
    fixed = np.array([name in BY_HAND for name in SIGNS])
    signs, right = (
        np.concatenate([c.signs for c in cases]),
        np.concatenate([c.right for c in cases]),
    )
    sizes = [len(case.right) for case in cases]
    starts = np.cumsum([0, *sizes[:-1]])
    case_of = np.repeat(np.arange(len(cases)), sizes)
    counts = Counter(case.folder for case in cases)
    worth = np.array([1.0 / counts[case.folder] / len(counts) for case in cases])[case_of]
    for step in range(1, STEPS + 1):
        z = signs @ weights
        shares = np.exp(z - np.maximum.reduceat(z, starts)[case_of])
        wanted = shares * right
        shares /= np.add.reduceat(shares, starts)[case_of]
        wanted /= np.add.reduceat(wanted, starts)[case_of]
        slope = ((wanted - shares) * worth) @ signs - RIDGE * (weights - start)
        slope[fixed] = 0.0
        mean = 0.9 * mean + 0.1 * slope
        square = 0.999 * square + 0.001 * slope**2
        weights += RATE * (mean / (1 - 0.9**step)) / (np.sqrt(square / (1 - 0.999**step)) + 1e-8)
        weights = np.where(start < 0, np.minimum(weights, 0.0), np.maximum(weights, 0.0))
    return weights


def calibrate(own: list[Case], foreign: list[Case], weights: Floats) -> tuple[float, float]:
    """Scale and bias under which a best hit's score is the share of such hits that are right."""
    tops = []
    for _, signs, right in [*own, *foreign]:
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
    ranks = defaultdict(list)
    for case in cases:
        order = np.argsort(-(case.signs @ weights), kind="stable")
        ranks[case.folder].append(int(np.flatnonzero(case.right[order])[0]))
    for folder, found in ranks.items():
        one, five = np.mean([r == 0 for r in found]), np.mean([r < 5 for r in found])
        print(f"{when:8}{folder:16} hit@1 {one:.3f}, hit@5 {five:.3f}")


if __name__ == "__main__":
    main()
