"""What each retriever, weight, step and rule of recall is worth, on judged workspaces.

    python tests/benchmarks/ablate.py FOLDER... [--only TEXT] [--sample N] [--keep FOLDER]

A folder holds a workspace (`workspace/`, or `memory/`) and `queries.json`. Every question is asked
through `Bank.recall` on its day, once as recall stands and once with each part turned off. A row
tells the cells that moved; a part that moves none in sets whose author did not know it can go.
`--only` tries the parts whose name matches a pattern; `--sample` asks N questions of each folder, spread
evenly; `--keep` keeps the indexed copies there.
"""

import argparse
import json
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from datetime import date
from pathlib import Path
from unittest.mock import patch

from lorebank import Bank
from lorebank.recall import answer, candidates, ordering, pipeline, resolve, scoring, understand

DEPTH = 25
Cells = dict[str, float]
Part = Callable[[ExitStack], object]
"""Turns something off until the stack is closed."""


def off(module: object, name: str, value: object) -> Part:
    return lambda stack: stack.enter_context(patch.object(module, name, value))


def without(retriever: str) -> Part:
    nothing: dict[str, object] = {retriever: lambda request: {}}
    return lambda stack: stack.enter_context(patch.dict(candidates._FINDERS, nothing))


def unchanged(order: list[int], *_: object) -> list[int]:
    return list(order)


NEVER = re.compile(r"(?!)")
PARTS: dict[str, Part] = {
    "retriever lexical": off(candidates, "_by_words", lambda request, held: {}),
    "retriever semantic": off(candidates, "_by_meaning", lambda request, others: ({}, {})),
    **{f"retriever {name}": without(name) for name in candidates._FINDERS},
    "sign length in words": off(scoring, "_length", lambda text: 1.0),
    "rule codes": off(candidates, "_by_codes", lambda request: {}),
    **{
        f"weight {name}": off(
            pipeline, "DEFAULT_WEIGHTS", replace(scoring.DEFAULT_WEIGHTS, **{name: 0.0})
        )
        for name in scoring.SIGNS
    },
    "sign turns beside hold words": off(scoring, "_TURNS", ()),
    "sign turns beside are near": off(scoring, "_NEAR_TURNS", ()),
    "sign share of time": off(scoring, "_share_of_time", lambda item, interval: 1.0),
    "sign a name beside a subject": off(scoring, "_BESIDE_A_SUBJECT", 1.0),
    "sign least share of time": off(scoring, "_LEAST_SHARE", 0.0),
    "sign portrait": off(scoring, "_asks_for_portrait", lambda pool: False),
    "rule named counts less": off(candidates, "_NAMED", 1.0),
    "rule parts of words": off(candidates, "_by_parts", lambda request: ()),
    "step partial names": off(resolve, "_by_partial_name", lambda request: {}),
    "step definitions": off(scoring, "definitions", lambda request, items: {}),
    "rule facts about": off(resolve, "_ABOUT", 0.0),
    "rule strangers": off(resolve, "_strangers", lambda request: ()),
    "rule property of a first name": off(resolve, "_with_property", lambda understood: understood),
    "rule describing form": off(resolve, "_describes", lambda: NEVER),
    "rule apposition of a definition": off(resolve, "_is_apposition", lambda behind: True),
    "rule fact on a thing": off(resolve, "_tells_of_a_thing", lambda: NEVER),
    "rule below a heading": off(resolve, "first_below_headings", lambda connection, items: {}),
    "rule logs define less": off(resolve, "_LESS_SURE", 1.0),
    "step proposed names": off(resolve, "_proposed", lambda connection, entities: {}),
    "step roles": off(resolve, "_described", lambda request: {}),
    "rule label of a role": off(resolve, "_LABEL", NEVER),
    "rule apposition": off(resolve, "_BEHIND", NEVER),
    "rule copula": off(resolve, "_copula", lambda: NEVER),
    "rule copula before a name": off(resolve, "_copula_before", lambda: NEVER),
    "rule head of a fact": off(resolve, "_is_about", lambda item, slug: False),
    "rule names written": off(scoring, "_WRITTEN_NAME", 0.0),
    "rule nearness of nothing": off(scoring, "_NEAR", 0.0),
    "step events": off(pipeline, "with_event", lambda request: request),
    "step other readings": off(pipeline, "readings", lambda request: [request]),
    "step time gives way": off(pipeline, "_answers", lambda inside, anywhere, weights: True),
    "step repeats": off(answer, "collapse_repeats", lambda order, items: (list(order), {})),
    "step newest first": off(answer, "newer_hits", lambda *_: {}),
    "rule newest by words": off(ordering, "_LEAST_ALIKE", 2.0),
    "rule newest by meaning": off(ordering, "_NEAR", 2.0),
    "rule newest of what is alike": off(ordering, "_LEAST_ALIKE", -1.0),
    "rule newest answers as well": off(ordering, "_MOST_LOST", 99.0),
    "rule newest prose answers as well": off(ordering, "_MOST_LOST_IN_PROSE", 99.0),
    "rule words share relevance": off(pipeline, "_SHARES", 2.0),
    "rule nonsense": off(pipeline, "_NONSENSE", 0.0),
    "rule holds too": off(pipeline, "_HOLDS_TOO", 0.0),
    "rule looks ahead": off(resolve, "looks_ahead", lambda text: False),
    "rule words that only ask": off(understand, "_NO_SUBJECT", frozenset()),
    "rule slips in names": off(understand, "_respelt", lambda text, names, respell: {}),
    "step successors": off(answer, "successors", lambda *_, **__: {}),
    "step end of relevance": off(pipeline, "_RELEVANT", 0.0),
    "rule order of days": off(pipeline, "_ANSWERS_TOO", 2.0),
    "rule words that ask for a property": off(
        understand, "asking_words_of", lambda text, relations: frozenset()
    ),
    "rule attributes": off(understand, "attributes_among", lambda subject: ()),
    "rule as known on": off(understand, "cue_at_end", lambda text, kind: ()),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", type=int, default=1_000_000)
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    with ExitStack() as stack:
        scratch = arguments.keep or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        sets = [
            Judged(folder, arguments.sample, scratch / folder.name, stack)
            for folder in arguments.folders
        ]
        whole = measured(sets)
        print("recall as it stands", told(whole))
        for name, part in PARTS.items():
            if not re.search(arguments.only, name):
                continue
            with ExitStack() as parts:
                part(parts)
                for judged in sets:
                    judged.forget_what_was_derived()
                cells = measured(sets)
            moved = {cell: cells[cell] - whole[cell] for cell in whole}
            print(f"{name:36}", told({c: m for c, m in moved.items() if abs(m) > 0.0005}) or "-")


class Judged:
    """A judged workspace: its questions, and the notes as they were on the day of each."""

    def __init__(self, folder: Path, sample: int, scratch: Path, stack: ExitStack) -> None:
        self.name = folder.name
        whole = json.loads((folder / "queries.json").read_text("utf-8"))
        count = min(sample, len(whole))
        self.questions = [whole[place * len(whole) // count] for place in range(count)]
        inner = folder / "workspace"
        self._source = inner if inner.is_dir() else folder
        self._scratch, self._stack = scratch, stack
        self._views: dict[str, Bank] = {}

    def on(self, day: str) -> Bank:
        if day not in self._views:
            root = self._scratch / day
            if not root.exists():
                shutil.copytree(self._source, root, ignore=lambda *_: ["queries.json"])
                for log in (root / "memory").glob("[12]*.md"):
                    if log.stem[:10] > day:
                        log.unlink()
            bank = self._views[day] = self._stack.enter_context(Bank.open(root))
            bank.sync()
        return self._views[day]

    def forget_what_was_derived(self) -> None:
        """Descriptions and successors are kept between questions: made without a part, or with."""
        for bank in self._views.values():
            vars(bank.workspace).pop("items", None)


def measured(sets: list[Judged]) -> Cells:
    cells: Cells = {}
    for place, judged in enumerate(sets):
        found: dict[str, list[float]] = {}
        for question in judged.questions:
            for cell, value in asked(judged, question).items():
                found.setdefault(cell, []).append(value)
        foreign = sets[place - 1].questions[:100] if len(sets) > 1 else []
        last = max(question["now"] for question in judged.questions)
        for question in foreign:
            said = judged.on(last).recall(
                text(question), k=5, now=date.fromisoformat(question["now"]), remember=False
            )
            found.setdefault("foreign strong", []).append(said.evidence == "strong")
        cells |= {f"{judged.name} {c}": sum(v) / len(v) for c, v in sorted(found.items())}
    return cells


def asked(judged: Judged, question: dict[str, object]) -> Cells:
    """What one question comes to; nothing for those that only a foreign workspace answers."""
    flags: dict[str, object] = {
        key: question[key] for key in ("since", "until", "as_of") if key in question
    }
    if "entity" in question:
        flags["entities"] = [question["entity"]]
    said = judged.on(str(question["now"])).recall(
        text(question),
        k=DEPTH,
        now=date.fromisoformat(str(question["now"])),
        remember=False,
        **flags,  # type: ignore[arg-type]
    )
    gold: list[str] = question.get("gold") or []  # type: ignore[assignment]
    if question.get("type") == "abstain":
        return {"abstain strong": said.evidence == "strong"}
    hits = [str(hit.source) for hit in said.hits] if said.evidence != "none" else []
    if not gold:
        first = said.hits[0].content.lower() if hits else ""
        return {"first": any(str(each).lower() in first for each in question["answers"])}  # type: ignore[attr-defined]
    ranks = [next((n for n, hit in enumerate(hits) if covers(hit, each)), DEPTH) for each in gold]
    best = min(ranks)
    cells: Cells = {
        "hit@1": best == 0,
        "hit@5": best < 5,
        "R@10": sum(rank < 10 for rank in ranks) / len(ranks),
    }
    if older := question.get("older"):
        old = [n for n, hit in enumerate(hits) if any(covers(hit, each) for each in older)]  # type: ignore[attr-defined]
        new = [rank for rank, each in zip(ranks, gold, strict=True) if each not in older]  # type: ignore[operator]
        cells["newer"] = min(new, default=DEPTH) < min([5, *old])
    return cells


def text(question: dict[str, object]) -> str:
    return str(question.get("query") or question["question"])


def covers(hit: str, gold: str) -> bool:
    path, first, last = place_of(hit)
    other, begin, end = place_of(gold)
    return path == other and first <= end and begin <= last


def place_of(source: str) -> tuple[str, int, int]:
    path, _, lines = source.partition("#")
    first, _, last = lines.replace("L", "").partition("-")
    return path, int(first or 0), int(last or first or 0)


def told(cells: Cells) -> str:
    return ", ".join(f"{cell} {value:+.3f}" for cell, value in cells.items())


if __name__ == "__main__":
    main()
