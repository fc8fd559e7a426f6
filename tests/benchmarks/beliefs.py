"""What is believed of judged logs: with no judge, and with an oracle that answers the inbox.

    python tests/benchmarks/beliefs.py DATA_FOLDER [--no-embedder]

The folder, or a folder `pairs` in it, may hold any of

- `beliefs-60.json`: a log with opinions, the fate of each, and the lines that bear on them;
- `endings.jsonl`: pairs of lines about one thing, and whether the newer ends the older;
- `turns.jsonl`: pairs of opinions of one holder, and what the newer is to the older.

The oracle knows the truth of the log and nothing of the engine: it answers what is asked.
"""

import argparse
import json
import os
import tempfile
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import Any

from lorebank import Bank, FactStatus, InboxItem, InboxKind, Opinion, OpinionStatus

ROUNDS = 6
"""An answer may let the next question of a chain come up; no log of these needed more."""
STAYED, ROSE = 0.02, 0.005
"""An opinion stayed within the first, and rose by more than the second."""
SIGN_OF = {"restates": "for", "contradicts": "against"}
RULING_OF = {"for": "same", "against": "replaces", "unrelated": "both"}

Oracle = Callable[[InboxItem], str | None]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("data", type=Path)
    parser.add_argument("--no-embedder", action="store_true")
    arguments = parser.parse_args()
    environ = dict(os.environ)
    if arguments.no_embedder:
        environ["LOREBANK_EMBEDDER__PROVIDER"] = "none"
    for name, measure in (
        ("beliefs-60.json", log_of_beliefs),
        ("endings.jsonl", endings),
        ("turns.jsonl", turns),
    ):
        for path in (arguments.data / name, arguments.data / "pairs" / name):
            if path.exists():
                for judged in (False, True):
                    print(f"{name}, {'oracle' if judged else 'no judge'}")
                    for label, figure in measure(path, environ, judged=judged):
                        print(f"    {label:<32}{figure}")


# -- a log with opinions ---------------------------------------------------------------------------


def log_of_beliefs(
    path: Path, environ: Mapping[str, str], *, judged: bool
) -> Iterator[tuple[str, str]]:
    data = json.loads(path.read_text("utf-8"))
    logs: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for opinion in data["opinions"]:
        logs[opinion["day"]].append({"line": opinion["line"], "opens": opinion["id"]})
    for line in data["lines"]:
        logs[line["day"]].append(line)
    opened: dict[str, str] = {}
    bears: dict[str, tuple[str, str]] = {}
    for day, lines in logs.items():
        for number, line in enumerate(lines):
            place = place_of(day, number)
            if "opens" in line:
                opened[line["opens"]] = place
            elif line["about"]:
                bears[place] = line["about"], line["stance"]
    texts = {day: [line["line"] for line in lines] for day, lines in logs.items()}

    def truth(item: InboxItem) -> str | None:
        assert item.older is not None
        assert item.newer is not None
        about, stance = bears.get(str(item.newer.source), ("", "unrelated"))
        sign = stance if opened.get(about) == str(item.older.source) else "unrelated"
        return sign if item.kind is InboxKind.EVIDENCE else RULING_OF[sign]

    with bank_of(texts, environ) as (bank, now):
        asked = settle(bank, now, truth if judged else None)
        opinions = {source_of(opinion): opinion for opinion in bank.opinions(now=now)}
    yield from fates(data["opinions"], opened, opinions)
    yield "days until a change showed", delays(data["opinions"], opened, bears, opinions)
    signed = [
        (str(evidence.source), opening, evidence.stance.value)
        for opening, opinion in opinions.items()
        for evidence in opinion.evidence
        if evidence.reason != "stated"
    ]
    by_place = {place: (opened[about], stance) for place, (about, stance) in bears.items()}
    right = [place for place, *found in signed if by_place.get(place) == tuple(found)]
    yield "signs right", f"{len(right)} of {len(signed)}"
    waiting = {str(item.newer.source) for item in asked if item.newer} & set(bears)
    yield "steps signed; or asked", f"{len(set(right))}; {len({*right, *waiting})} of {len(bears)}"
    yield "items a day", f"{len(asked) / len(texts):.2f}"


def fates(
    judged: list[dict[str, Any]], opened: Mapping[str, str], found: Mapping[str, Opinion]
) -> Iterator[tuple[str, str]]:
    right: Counter[str] = Counter()
    total = Counter(opinion["fate"] for opinion in judged)
    for opinion in judged:
        belief = found.get(opened[opinion["id"]])
        moved = 0.0 if belief is None else belief.confidence - opinion["c"]
        closed = belief is not None and belief.status is not OpinionStatus.LIVE
        right[opinion["fate"]] += {
            "changes": closed or (belief is not None and belief.confidence < 0.5),
            "reinforced": not closed and moved > ROSE,
            "stays": not closed and abs(moved) <= STAYED,
        }[opinion["fate"]]
    for fate, number in total.items():
        yield f"fate: {fate}", f"{right[fate]} of {number}"


def delays(
    judged: list[dict[str, Any]],
    opened: Mapping[str, str],
    bears: Mapping[str, tuple[str, str]],
    found: Mapping[str, Opinion],
) -> str:
    """Days from the last line against an opinion that changes to the day it fell below .5."""
    days = []
    for opinion in judged:
        belief = found.get(opened[opinion["id"]])
        if opinion["fate"] != "changes" or belief is None:
            continue
        last = max(
            day_of(p) for p, bearing in bears.items() if bearing == (opinion["id"], "against")
        )
        fell = [day for day, confidence in belief.history if confidence < 0.5]
        days += [(min(fell) - last).days] if fell else []
    return f"{sum(days) / len(days):.1f} after the last word, of {len(days)}" if days else "none"


# -- pairs -----------------------------------------------------------------------------------------


def endings(path: Path, environ: Mapping[str, str], *, judged: bool) -> Iterator[tuple[str, str]]:
    count: Counter[tuple[object, bool]] = Counter()
    for pair in read_lines(path):
        verdict = "replaces" if pair["ends"] is True else "both"
        with pair_of(pair, pair["entity"], environ, confidence=False) as (bank, now):
            settle(bank, now, (lambda item, verdict=verdict: verdict) if judged else None)
            hits = bank.recall(pair["older"]["line"], k=20, now=now, include_superseded=True).hits
        older = place_of(pair["older"]["day"], 0)
        ended = any(str(h.source) == older and h.status is FactStatus.SUPERSEDED for h in hits)
        count[pair["ends"], ended] += 1
    for label, truth in (("endings found", True), ("wrong endings", False), ("partly", "partly")):
        yield label, f"{count[truth, True]} of {count[truth, True] + count[truth, False]}"


def turns(path: Path, environ: Mapping[str, str], *, judged: bool) -> Iterator[tuple[str, str]]:
    right = wrong = total = 0
    for pair in read_lines(path):
        relation = pair["relation"]
        sign = SIGN_OF.get(relation, "unrelated")

        def truth(item: InboxItem, sign: str = sign) -> str:
            return sign if item.kind is InboxKind.EVIDENCE else RULING_OF[sign]

        with pair_of(pair, pair["holder"], environ, confidence=True) as (bank, now):
            settle(bank, now, truth if judged else None)
            opinions = {source_of(opinion): opinion for opinion in bank.opinions(now=now)}
        older = opinions[place_of(pair["older"]["day"], 0)]
        if place_of(pair["newer"]["day"], 0) not in opinions:
            found = "restates"
        else:
            found = "both" if older.status is OpinionStatus.LIVE else "contradicts"
        expected = relation if relation in SIGN_OF else "both"
        total += 1
        right += found == expected
        wrong += found == "contradicts" != expected
    yield "relation right", f"{right} of {total}"
    yield "wrong supersession", str(wrong)


# -- what all share --------------------------------------------------------------------------------


def settle(bank: Bank, now: date, oracle: Oracle | None) -> list[InboxItem]:
    """Reflect, and let the oracle answer until it has no answer left; all that was asked."""
    bank.sync()
    bank.reflect(now=now)
    asked: dict[str, InboxItem] = {}
    for _ in range(ROUNDS):
        items = [item for item in bank.inbox(now=now).items if item.older and item.newer]
        asked.update((item.id, item) for item in items)
        verdicts = {i.id: verdict for i in items if oracle and (verdict := oracle(i))}
        if not verdicts:
            break
        bank.rule(verdicts, by="oracle", now=now)
        bank.reflect(now=now)
    return list(asked.values())


@contextmanager
def bank_of(
    texts: Mapping[str, list[str]], environ: Mapping[str, str]
) -> Iterator[tuple[Bank, date]]:
    """A bank of these logs, open on the day after the last."""
    with tempfile.TemporaryDirectory() as folder:
        memory = Path(folder) / "memory"
        memory.mkdir()
        for day, lines in texts.items():
            text = "\n".join([f"# {day}", "", "## Retain", *lines, ""])
            (memory / f"{day}.md").write_text(text, "utf-8")
        now = date.fromisoformat(max(texts)) + timedelta(days=1)
        with Bank.open(folder, environ=environ) as bank:
            yield bank, now


@contextmanager
def pair_of(
    pair: dict[str, Any], name: str, environ: Mapping[str, str], *, confidence: bool
) -> Iterator[tuple[Bank, date]]:
    texts: defaultdict[str, list[str]] = defaultdict(list)
    for side in (pair["older"], pair["newer"]):
        kind = f"O(c={side['c']})" if confidence else "W"
        texts[side["day"]].append(f"- {kind} @[[{name}]]: {side['line']}")
    with bank_of(texts, environ) as opened:
        yield opened


def place_of(day: str, number: int) -> str:
    """The citation of a line of a log that `bank_of` wrote."""
    return f"memory/{day}.md#L{number + 4}"


def day_of(place: str) -> date:
    return date.fromisoformat(Path(place.partition("#")[0]).stem)


def source_of(opinion: Opinion) -> str:
    """Where an opinion was first stated."""
    return next(str(e.source) for e in opinion.evidence if e.reason == "stated")


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


if __name__ == "__main__":
    main()
