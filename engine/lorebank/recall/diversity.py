"""Temporal decay and maximal marginal relevance: two optional steps, both off by default.

Decay multiplies a score by `exp(-ln 2 / half_life * age)`; undated items (core memory, evergreen
notes) never decay. MMR picks, one by one, the item with the greatest
`lambda * relevance - (1 - lambda) * similarity to what was picked`, similarity being Jaccard's over
words. Carbonell and Goldstein, "The Use of MMR", SIGIR 1998.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import date

from lorebank.index.items import Item
from lorebank.language.words import words


def decay_factor(age_days: float, half_life_days: float) -> float:
    """What is left of a score after `age_days`: 0.5 after one half-life; 1 for the future."""
    return math.exp(-math.log(2.0) / half_life_days * max(0.0, age_days))


def apply_decay(
    scores: Mapping[int, float],
    items: Mapping[int, Item],
    now: date,
    half_life_days: float | None,
) -> dict[int, float]:
    """Scores with decay by age; shifted to be positive first, since z-scores may not be."""
    if half_life_days is None or not scores:
        return dict(scores)
    floor = min(0.0, *scores.values()) if len(scores) > 1 else min(0.0, next(iter(scores.values())))
    decayed: dict[int, float] = {}
    for number, score in scores.items():
        recorded = items[number].recorded
        factor = 1.0 if recorded is None else decay_factor((now - recorded).days, half_life_days)
        decayed[number] = (score - floor) * factor
    return decayed


def jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    """Shared words over all words; 0 for two empty sets."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def rerank_mmr(
    order: Sequence[int],
    scores: Mapping[int, float],
    items: Mapping[int, Item],
    mmr_lambda: float,
    k: int,
) -> list[int]:
    """The `k` that MMR picks, then the rest; both by score, as they were."""
    relevance = _shares_of_best({item: scores[item] for item in order})
    tokens = {item: frozenset(words(items[item].content)) for item in order[: 4 * k]}
    left = list(order[: 4 * k])
    picked: list[int] = []
    while left and len(picked) < k:
        best = max(
            left,
            key=lambda item: (
                mmr_lambda * relevance[item]
                - (1.0 - mmr_lambda)
                * max((jaccard(tokens[item], tokens[other]) for other in picked), default=0.0)
            ),
        )
        picked.append(best)
        left.remove(best)
    chosen = set(picked)
    first = [item for item in order if item in chosen]
    return first + [item for item in order if item not in chosen]


def _shares_of_best(scores: Mapping[int, float]) -> dict[int, float]:
    """Scores as shares of the best one; shifted first where some are negative.

    Stretching them from 0 to 1 would make the last of the pool worthless however good it is.
    """
    floor = min(0.0, min(scores.values(), default=0.0))
    spread = max(scores.values(), default=0.0) - floor
    return {item: (score - floor) / spread if spread else 1.0 for item, score in scores.items()}
