"""No answer says the same twice: repeats collapsed; and two optional steps, off by default.

Temporal decay multiplies a score by `exp(-ln 2 / half_life * age)`; undated items (core memory,
evergreen notes) never decay. MMR picks, one by one, the item with the greatest
`lambda * relevance - (1 - lambda) * similarity to what was picked`, similarity being Jaccard's over
words. Carbonell and Goldstein, "The Use of MMR", SIGIR 1998. Relevance is in 0..1 and linear in the
evidence: how far the log-odds of the score lie above those of no evidence at all, as a share of the
best. Of probabilities the second is often a tenth of the first, and lambda would do nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from datetime import date
from functools import lru_cache

from lorebank.index.items import NOTE, Item
from lorebank.language.words import words
from lorebank.recall.scoring import BIAS, log_odds

_POOL = 4
"""Items that MMR chooses among, for each that is wanted."""
_BOX = re.compile(r"\A\s*[-*+]\s+\[.\]\s")


def collapse_repeats(
    order: Sequence[int], items: Mapping[int, Item]
) -> tuple[list[int], dict[int, list[int]]]:
    """The items without repeats, in order; and each kept item → those that repeat it.

    A repeat has the same words in the same order about the same entities, whatever the
    punctuation, the case and the day of writing; two that name different times of their own are
    different events. A passage that has no word more than a fact, and the names before its colon,
    repeats it: the fact takes its place. Of a task noted on several days the newest line stands: it
    says whether it is open. What is in quarantine repeats nothing but its like.
    """
    facts: dict[object, int] = {}
    said: dict[tuple[bool, str], int] = {}
    homes: dict[int, int] = {}
    notes = {number for number in order if items[number].kind == NOTE}
    for number in order:
        if number not in notes:
            item = items[number]
            text = _spoken(item.content)
            key = item.quarantined, text, item.entities, item.occurred
            homes[number] = first = facts.setdefault(key, number)
            if notes:
                said.setdefault((item.quarantined, text), first)
                text = _spoken(f"{' '.join(item.names)} {item.content}")
                said.setdefault((item.quarantined, text), first)
    tasks = [number for number in order if number in notes and _BOX.match(items[number].content)]
    for number in sorted(tasks, key=lambda n: _written(items[n]), reverse=True):
        said.setdefault((items[number].quarantined, _spoken(items[number].content)), number)
    kept: dict[int, None] = {}
    repeats: dict[int, list[int]] = {}
    for number in order:
        if number in notes:
            item = items[number]
            home = said.setdefault((item.quarantined, _spoken(item.content)), number)
        else:
            home = homes[number]
        kept.setdefault(home)
        if home != number:
            repeats.setdefault(home, []).append(number)
    return list(kept), repeats


@lru_cache(maxsize=16_384)  # questions mostly meet the same items
def _spoken(text: str) -> str:
    """The words of a text and nothing else, without the box of a task; a text without any (`!!!`)
    as it stands."""
    return " ".join(words(_BOX.sub("", text))) or text.strip()


def _written(item: Item) -> tuple[date, str, int]:
    return item.recorded or date.min, item.path, item.start_line


def apply_decay(
    scores: Mapping[int, float], items: Mapping[int, Item], now: date, half_life_days: float
) -> dict[int, float]:
    """Scores with decay by age: half is left after one half-life; the future does not decay."""
    rate = math.log(2.0) / half_life_days
    return {
        number: score * (math.exp(-rate * max(0, (now - day).days)) if day else 1.0)
        for number, score in scores.items()
        for day in [items[number].recorded]
    }


def rerank_mmr(
    order: Sequence[int],
    scores: Mapping[int, float],
    items: Mapping[int, Item],
    mmr_lambda: float,
    k: int,
) -> list[int]:
    """The `k` that MMR picks, then the rest; both by score, as they were."""
    left = list(order[: _POOL * k])
    evidence = {item: max(0.0, log_odds(scores[item]) - BIAS) for item in left}
    best = max(evidence.values(), default=0.0) or 1.0
    tokens = {item: frozenset(words(items[item].content)) for item in left}
    picked: list[int] = []

    def worth(item: int) -> float:
        alike = max((_jaccard(tokens[item], tokens[other]) for other in picked), default=0.0)
        return mmr_lambda * evidence[item] / best - (1.0 - mmr_lambda) * alike

    while left and len(picked) < k:
        picked.append(max(left, key=worth))
        left.remove(picked[-1])
    return sorted(order, key=lambda item: item not in picked)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / (len(one | other) or 1)
