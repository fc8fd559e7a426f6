"""Trains the head of stance from the pairs under `fixtures/`, with numpy and the built-in embedder.

    python tests/benchmarks/train_stance_head.py            # writes reflect/stance_head.npz
    python tests/benchmarks/train_stance_head.py --cv 5     # measures on folds by opinion, no file

A few networks of one hidden layer (dropout, AdamW), whose chances are averaged; the same seeds give
the same weights. The rules were written with sight of the older pairs, so there their verdict is
blanked; `stance_pairs.jsonl` was written without sight of the rules and theirs without sight of it.
Each line is also put with an opinion drawn at random, as unrelated: what a log mostly holds.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from stance import judge_pair, macro_f1, summary

from lorebank.domain import Stance
from lorebank.language.folding import slugify
from lorebank.providers.local import LocalEmbedder
from lorebank.reflect import stance_head
from lorebank.reflect.stance import Judgement
from lorebank.reflect.stance_cues import cues_of
from lorebank.reflect.stance_head import Chances, head_inputs
from lorebank.reflect.stance_model import FINGERPRINT

Floats = NDArray[np.float32]
Record = Mapping[str, Any]
FIXTURES = Path(__file__).parents[2] / "fixtures"
UNSEEN = "stance_pairs.jsonl"
SEEN = ("stance.jsonl", "stance_tagged.jsonl", "stance_streams.jsonl")
LABELS = {"for": 0, "against": 1, "unrelated": 2}
MEMBERS, HIDDEN, EPOCHS, BATCH = 4, 40, 25, 64
RATE, DECAY, DROPPED, SMOOTHED = 2e-3, 0.3, 0.5, 0.05
SEEN_WEIGHT, DRAWN_WEIGHT = 0.5, 0.15
SILENT = Judgement(Stance.UNRELATED, 0.0, "no cue")


@dataclass(frozen=True, slots=True)
class Pairs:
    """Rows of what the head reads, with labels and weights."""

    inputs: Floats
    labels: NDArray[np.int64]
    weights: Floats

    def __add__(self, other: Pairs) -> Pairs:
        return Pairs(
            np.vstack([self.inputs, other.inputs]),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.weights, other.weights]),
        )


class Reader:
    """Turns records into rows; each text is embedded once."""

    def __init__(self, records: Sequence[Record]) -> None:
        embedder = LocalEmbedder()
        if embedder.fingerprint != FINGERPRINT:
            raise SystemExit(f"the embedder is {embedder.fingerprint}: name it in stance_model.py")
        texts = sorted({text for r in records for text in (r["opinion"], r["fact"])})
        self._vectors = dict(zip(texts, embedder.embed_documents(texts), strict=True))

    def rows(self, records: Sequence[Record], found: Sequence[Judgement]) -> Floats:
        cues = [
            cues_of(r["opinion"], holder_of(r), r["fact"], judged).values
            for r, judged in zip(records, found, strict=True)
        ]
        return head_inputs(
            np.stack([self._vectors[r["opinion"]] for r in records]),
            np.stack([self._vectors[r["fact"]] for r in records]),
            np.array(cues, dtype=np.float32),
        )

    def pairs(self, records: Sequence[Record], weight: float, *, blank: bool = False) -> Pairs:
        own = [r for r in records if holder_of(r) in map(slugify, r["fact_entities"])]
        found = [SILENT if blank else judge_pair(r) for r in own]
        labels = np.array([LABELS[r["label"]] for r in own])
        return Pairs(self.rows(own, found), labels, np.full(len(own), weight, np.float32))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cv", type=int, default=0, help="measure on so many folds by opinion")
    arguments = parser.parse_args()
    unseen = read_pairs(FIXTURES / UNSEEN)
    seen = [pair for name in SEEN for pair in read_pairs(FIXTURES / name)]
    reader = Reader([*unseen, *seen])
    older = reader.pairs(seen, SEEN_WEIGHT, blank=True)
    if arguments.cv:
        measure(reader, unseen, seen, older, arguments.cv)
        return
    members = train(reader, unseen, seen, older)
    path = Path(stance_head.__file__).with_suffix(".npz")
    with path.open("wb") as stream:
        np.savez_compressed(stream, **packed(members))
    print(f"{path.name}: {path.stat().st_size:,} bytes")


def train(
    reader: Reader, unseen: Sequence[Record], seen: Sequence[Record], older: Pairs
) -> list[dict[str, Floats]]:
    drawn = reader.pairs(drawn_pairs([*unseen, *seen]), DRAWN_WEIGHT, blank=True)
    data = reader.pairs(unseen, 1.0) + older + drawn
    return [fit(data, seed) for seed in range(MEMBERS)]


def measure(
    reader: Reader, unseen: Sequence[Record], seen: Sequence[Record], older: Pairs, folds: int
) -> None:
    """Rules alone and with the head, on opinions that it was not trained on."""
    by_rules: list[tuple[str, str]] = []
    with_head: list[tuple[str, str]] = []
    for kept, out in split(unseen, folds):
        weights = stance_head.unpacked(packed(train(reader, kept, seen, older)))
        found = [judge_pair(r) for r in out]
        for r, judged, row in zip(out, found, reader.rows(out, found), strict=True):
            by_rules.append((r["label"], judged.stance.value))
            share = cues_of(r["opinion"], holder_of(r), r["fact"], judged).share
            chances = weights.chances_of(row, share=share)
            with_head.append((r["label"], decided(chances, judged).stance.value))
    for name, outcomes in (("rules", by_rules), ("rules and head", with_head)):
        print(f"{name:15} macro-F1 {macro_f1(outcomes):.3f}   {summary(outcomes)}")


def decided(chances: Chances, judged: Judgement) -> Judgement:
    return judged if judged.reason in stance_head.READ_BY_RULES else chances.decide(judged)


def split(records: Sequence[Record], folds: int) -> Iterator[tuple[list[Record], list[Record]]]:
    opinions = sorted({r["opinion"] for r in records})
    np.random.default_rng(0).shuffle(opinions)
    fold_of = {opinion: place % folds for place, opinion in enumerate(opinions)}
    for fold in range(folds):
        out = [r for r in records if fold_of[r["opinion"]] == fold]
        yield [r for r in records if fold_of[r["opinion"]] != fold], out


def read_pairs(path: Path) -> list[Record]:
    """Pairs of a file, those of the steps of its streams included."""
    found: list[Record] = []
    for line in path.read_text("utf-8").splitlines():
        record = json.loads(line)
        if "label" in record:
            found.append(record)
        for step in record.get("steps", ()):
            if "fact" in step:
                stream = {"lang": record["lang"], "opinion": record["opinion"]}
                found.append({**stream, **step, "opinion_entities": [record["holder"]]})
    return found


def drawn_pairs(records: Sequence[Record]) -> list[Record]:
    """Each line with an opinion of another pair in its language, as its holder's."""
    chance = np.random.default_rng(0)
    by_language: dict[str, list[Record]] = {}
    for record in records:
        by_language.setdefault(record["lang"], []).append(record)
    drawn = []
    for record in records:
        others = by_language[record["lang"]]
        other = others[chance.integers(len(others))]
        if other["opinion"] != record["opinion"]:
            named = other["opinion_entities"]
            drawn.append(
                {**other, "fact": record["fact"], "fact_entities": named, "label": "unrelated"}
            )
    return drawn


def holder_of(record: Record) -> str:
    return slugify(record["opinion_entities"][0])


def fit(data: Pairs, seed: int) -> dict[str, Floats]:
    """One network, by AdamW on the cross-entropy with inputs and hidden units dropped."""
    chance = np.random.default_rng(seed)
    rows, width = data.inputs.shape
    start = {
        "inner": chance.uniform(-1, 1, (width, HIDDEN)) / np.sqrt(width),
        "inner_bias": np.zeros(HIDDEN),
        "outer": chance.uniform(-1, 1, (HIDDEN, 3)) / np.sqrt(HIDDEN),
        "outer_bias": np.zeros(3),
    }
    net = {name: values.astype(np.float32) for name, values in start.items()}
    first = {name: np.zeros_like(values) for name, values in net.items()}
    second = {name: np.zeros_like(values) for name, values in net.items()}
    wanted = np.full((rows, 3), SMOOTHED / 3, np.float32)
    wanted[np.arange(rows), data.labels] += 1 - SMOOTHED
    steps = EPOCHS * -(-rows // BATCH)
    step = 0
    for _ in range(EPOCHS):
        order = chance.permutation(rows)
        for begin in range(0, rows, BATCH):
            taken = order[begin : begin + BATCH]
            step += 1
            rate = np.float32(RATE * (1 - step / (steps + 1)))
            slopes = gradients(net, data.inputs[taken], wanted[taken], data.weights[taken], chance)
            for name, slope in slopes.items():
                first[name] += np.float32(0.1) * (slope - first[name])
                second[name] += np.float32(0.001) * (slope * slope - second[name])
                mean = first[name] / np.float32(1 - 0.9**step)
                spread = np.sqrt(second[name] / np.float32(1 - 0.999**step))
                net[name] *= 1 - rate * np.float32(DECAY)
                net[name] -= rate * mean / (spread + np.float32(1e-8))
    return net


def gradients(
    net: Mapping[str, Floats],
    inputs: Floats,
    wanted: Floats,
    weights: Floats,
    chance: np.random.Generator,
) -> dict[str, Floats]:
    kept = np.float32(1 / (1 - DROPPED))
    seen = inputs * ((chance.random(inputs.shape, dtype=np.float32) >= DROPPED) * kept)
    sums = seen @ net["inner"] + net["inner_bias"]
    mask = ((sums > 0) & (chance.random(sums.shape, dtype=np.float32) >= DROPPED)) * kept
    hidden = sums * mask
    logits = hidden @ net["outer"] + net["outer_bias"]
    odds = np.exp(logits - logits.max(axis=1, keepdims=True))
    odds /= odds.sum(axis=1, keepdims=True)
    error = (odds - wanted) * (weights / len(inputs))[:, None]
    back = (error @ net["outer"].T) * mask
    return {
        "inner": seen.T @ back,
        "inner_bias": back.sum(axis=0),
        "outer": hidden.T @ error,
        "outer_bias": error.sum(axis=0),
    }


def packed(members: Sequence[Mapping[str, Floats]]) -> dict[str, NDArray[Any]]:
    """The inner weights as bytes with a scale a hidden unit, the rest as 16-bit floats."""
    stacked = {name: np.stack([m[name] for m in members]) for name in members[0]}
    scale = np.abs(stacked["inner"]).max(axis=1) / 127
    inner = np.round(stacked["inner"] / scale[:, None, :]).astype(np.int8)
    others = {name: stacked[name].astype(np.float16) for name in stacked if name != "inner"}
    return {"inner": inner, "scale": scale.astype(np.float32), **others}


if __name__ == "__main__":
    main()
