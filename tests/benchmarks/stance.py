"""How well stance is read without a model: pairs and streams, as tables.

    python tests/benchmarks/stance.py FILE... [--part dev|test] [--errors] [--head]

With `--head` the trained head judges beside the rules, by the vectors of the built-in embedder. It
was trained on the files under `fixtures/`; on those, `train_stance_head.py --cv 5` measures it on
opinions it has not seen.

A file of pairs has one `{lang, opinion, opinion_entities, fact, fact_entities, label}` a line, with
an optional `tag` and `part`; a file of streams one `{lang, holder, opinion, confidence, steps}`, as
`fixtures/README.md` describes them.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from lorebank.domain import Stance
from lorebank.language.folding import slugify
from lorebank.reflect.beliefs import DatedEvidence, fold_evidence
from lorebank.reflect.stance import Judgement, judge

Record = Mapping[str, Any]
Judge = Callable[[str, Sequence[str], str, Sequence[str]], Judgement]
"""Of opinion, its slugs, line, its slugs."""
LABELS = ("for", "against", "unrelated")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--part", help="only records of this part")
    parser.add_argument("--errors", action="store_true", help="print each pair judged otherwise")
    parser.add_argument("--head", action="store_true", help="with the trained head")
    arguments = parser.parse_args()
    judged_by = judge_with_head() if arguments.head else judge
    for file in arguments.files:
        records = [json.loads(line) for line in file.read_text("utf-8").splitlines() if line]
        kept = [r for r in records if arguments.part in (None, r.get("part"))]
        print(f"\n{file.name}: {len(kept)} records")
        pairs = [record for record in kept if "label" in record]
        streams = [record for record in kept if "steps" in record]
        if pairs:
            report_pairs(pairs, judged_by, errors=arguments.errors)
        if streams:
            report_streams(streams, judged_by, errors=arguments.errors)


def judge_with_head() -> Judge:
    """The rules' judgement as the head leaves it; each text is embedded when it is first met."""
    from lorebank.providers.local import LocalEmbedder
    from lorebank.reflect.stance_head import StanceHead

    embedder = LocalEmbedder()
    head = StanceHead(
        lambda texts: {
            text: vector.tobytes()
            for text, vector in zip(texts, embedder.embed_documents(texts), strict=True)
        }
    )

    def judge_both(
        statement: str, holders: Sequence[str], text: str, slugs: Sequence[str]
    ) -> Judgement:
        found = judge(statement, holders, text, slugs)
        head.look_at([statement, text])
        chances = head.chances(statement, holders[0], text, found)
        return found if chances is None else chances.decide(found)

    return judge_both


def judge_pair(pair: Record, judged_by: Judge = judge) -> Judgement:
    holders = [slugify(name) for name in pair["opinion_entities"]]
    named = [slugify(name) for name in pair["fact_entities"]]
    return judged_by(pair["opinion"], holders, pair["fact"], named)


def report_pairs(pairs: Sequence[Record], judged_by: Judge, *, errors: bool) -> None:
    judged = [(pair, judge_pair(pair, judged_by)) for pair in pairs]
    if errors:
        for pair, found in judged:
            if found.stance.value != pair["label"]:
                print(
                    f"  {pair.get('tag', ''):10}{pair['label']:>10} read as {found.stance.value:10}"
                    f"{found.reason:14} {pair['opinion']} | {pair['fact']}"
                )
    outcomes = [(pair["label"], found.stance.value) for pair, found in judged]
    print(f"  macro-F1 {macro_f1(outcomes):.3f}   {summary(outcomes)}")
    for key in ("tag", "lang"):
        groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
        for (pair, _), outcome in zip(judged, outcomes, strict=True):
            if key in pair:
                groups[pair[key]].append(outcome)
        for name in sorted(groups):
            print(f"  {key} {name:10} {summary(groups[name])}")


def summary(outcomes: Sequence[tuple[str, str]]) -> str:
    right = sum(wanted == found for wanted, found in outcomes)
    given = [(wanted, found) for wanted, found in outcomes if found != "unrelated"]
    true = sum(wanted == found for wanted, found in given)
    signed = sum(wanted != "unrelated" for wanted, _ in outcomes)
    return (
        f"accuracy {right / len(outcomes):.3f} ({len(outcomes)})   "
        f"signs right {true}/{len(given)}{_share(true, len(given))}   "
        f"recall {true}/{signed}{_share(true, signed)}"
    )


def _share(part: int, whole: int) -> str:
    return f" = {part / whole:.3f}" if whole else ""


def macro_f1(outcomes: Iterable[tuple[str, str]]) -> float:
    counts = Counter(outcomes)
    scores = []
    for label in LABELS:
        hit = counts[label, label]
        found = sum(counts[other, label] for other in LABELS)
        wanted = sum(counts[label, other] for other in LABELS)
        scores.append(2 * hit / (found + wanted) if found + wanted else 0.0)
    return sum(scores) / len(scores)


def report_streams(streams: Sequence[Record], judged_by: Judge, *, errors: bool) -> None:
    outcomes: list[tuple[str, str]] = []
    passed = total = 0
    for stream in streams:
        for check, before, after in checks(stream, outcomes, judged_by):
            total += 1
            holds = satisfied(check, before, after)
            passed += holds
            if errors and not holds:
                print(f"  {stream['opinion']}: {check} fails, {before:.3f} → {after:.3f}")
    print(f"  checks {passed}/{total} = {passed / total:.3f}   lines: {summary(outcomes)}")


def checks(
    stream: Record, outcomes: list[tuple[str, str]], judged_by: Judge
) -> Iterable[tuple[str, float, float]]:
    """(check, confidence at the last check, confidence now); the lines' labels go to `outcomes`."""
    holder = slugify(stream["holder"])
    evidence = [DatedEvidence(date.min, Stance.FOR, "opening", 0.0, stream["confidence"])]
    before = after = stream["confidence"]
    for number, step in enumerate(stream["steps"]):
        if "check" in step:
            yield step["check"], before, after
            before = after if step["check"] in ("up", "down", "same") else before
            continue
        named = [slugify(name) for name in step["fact_entities"]]
        found = judged_by(stream["opinion"], [holder], step["fact"], named)
        outcomes.append((step["label"], found.stance.value))
        day = date.fromisoformat(step["day"])
        evidence.append(
            DatedEvidence(day, found.stance, str(number), found.strength, turns=found.turns)
        )
        after = fold_evidence(evidence).confidence


def satisfied(check: str, before: float, after: float) -> bool:
    kind, _, limit = check.partition(" ")
    return {
        "up": lambda: after > before,
        "down": lambda: after < before,
        "same": lambda: abs(after - before) < 0.005,
        "below": lambda: after < float(limit),
        "above": lambda: after > float(limit),
    }[kind]()


if __name__ == "__main__":
    main()
