"""What a score is made of: each weight's worth, found by taking the weight away.

Scoring itself keeps no account, so that a recall which nobody asks to be explained pays nothing.
Scores are sums of weighted signs.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace

from lorebank.recall.fusion import fuse_reciprocal_ranks, fuse_weighted
from lorebank.recall.pool import Pool
from lorebank.recall.ranking import Ranking
from lorebank.recall.scoring import Weights, score_pool

_LEAST_SHOWN = 0.005


def weight_parts(pool: Pool, items: Sequence[int], weights: Weights) -> dict[int, dict[str, float]]:
    """Item → what each weight adds to its score; the parts sum to the score.

    A property asked for (`slot`) puts its fact above all others; what that adds is its own part.
    """
    whole = score_pool(pool, weights)
    parts: dict[int, dict[str, float]] = {item: {} for item in items}
    for field in fields(Weights):
        left = score_pool(pool, replace(weights, **{field.name: 0.0}))
        for item in items:
            parts[item][field.name] = whole[item] - left[item]
    for item in items:
        parts[item]["other"] = whole[item] - sum(parts[item].values())
    return {item: _telling(found) for item, found in parts.items()}


def rank_parts(rankings: Mapping[str, Ranking], item: int) -> dict[str, float]:
    """What each list adds to a score by reciprocal ranks."""
    parts = {name: fuse_reciprocal_ranks([r], {}).get(item, 0.0) for name, r in rankings.items()}
    return {name: round(worth, 4) for name, worth in parts.items() if worth}


def weighted_parts(
    text: Ranking, vector: Ranking, item: int, *, text_weight: float, vector_weight: float
) -> dict[str, float]:
    """What words and meaning add to a score by the weighted merge."""
    nothing = Ranking("", ())
    pairs = (("lexical", text, nothing), ("semantic", nothing, vector))
    parts = {
        name: fuse_weighted(
            words, meaning, text_weight=text_weight, vector_weight=vector_weight
        ).get(item, 0.0)
        for name, words, meaning in pairs
    }
    return {name: round(worth, 4) for name, worth in parts.items() if worth}


def _telling(parts: Mapping[str, float]) -> dict[str, float]:
    """The parts worth naming, the greatest first."""
    kept = {name: round(worth, 3) for name, worth in parts.items() if abs(worth) >= _LEAST_SHOWN}
    return dict(sorted(kept.items(), key=lambda part: (-abs(part[1]), part[0])))
