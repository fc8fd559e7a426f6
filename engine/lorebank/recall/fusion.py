"""Fusion: several rankings into one score an item, by one of three published methods.

* `fuse_zscores` (default): each list's scores are standardised over the pool and added by weight.
  An item that a list does not hold gets that list's floor, so absence costs no more than being
  last. On judged chat logs this beat the two below by .05 to .1 of R@10.
* `fuse_reciprocal_ranks`: sum of weight / (60 + rank). Cormack, Clarke, Büttcher, "Reciprocal Rank
  Fusion outperforms Condorcet and individual Rank Learning Methods", SIGIR 2009.
* `fuse_weighted`: `vector_weight * vector + text_weight * text` with `text = 1 / (1 + rank)`, the
  rank counted from 0, and weights normalised to sum 1: the merge of OpenClaw's memory search.

All are pure; ties are broken by item number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from lorebank.recall.ranking import Ranking

RRF_K = 60
_CUT = 3.0


def fuse_zscores(rankings: Iterable[Ranking], weights: Mapping[str, float]) -> dict[int, float]:
    """Item → weighted sum of standard scores over the union of the rankings."""
    lists = list(rankings)
    pool = {entry.item for ranking in lists for entry in ranking.ranked}
    fused = dict.fromkeys(sorted(pool), 0.0)
    for ranking in lists:
        weight = weights.get(ranking.retriever, 1.0)
        standard = standardise(ranking.scores, pool)
        for item in fused:
            fused[item] += weight * standard[item]
    return fused


def fuse_reciprocal_ranks(
    rankings: Iterable[Ranking], weights: Mapping[str, float]
) -> dict[int, float]:
    """Item → sum over the lists that hold it of `weight / (60 + rank)`, ranks from 1."""
    fused: dict[int, float] = {}
    for ranking in rankings:
        weight = weights.get(ranking.retriever, 1.0)
        for rank, entry in enumerate(ranking.ranked, start=1):
            fused[entry.item] = fused.get(entry.item, 0.0) + weight / (RRF_K + rank)
    return fused


def fuse_weighted(
    text: Ranking, vector: Ranking, *, text_weight: float, vector_weight: float
) -> dict[int, float]:
    """Item → `vector_weight * similarity + text_weight / (1 + rank)`, weights summing to 1."""
    total = text_weight + vector_weight or 1.0
    fused: dict[int, float] = {}
    for rank, entry in enumerate(text.ranked):
        fused[entry.item] = text_weight / total / (1 + rank)
    for entry in vector.ranked:
        share = vector_weight / total * max(0.0, entry.score)
        fused[entry.item] = fused.get(entry.item, 0.0) + share
    return fused


def standardise(scores: Mapping[int, float], pool: Iterable[int]) -> dict[int, float]:
    """Standard scores over the pool, cut at 3; an item without a score stands at the lowest one.

    A list in which all scores are equal says nothing: every item gets 0. The cut keeps a list that
    holds few of the pool's items from drowning the others.
    """
    if not scores:
        return dict.fromkeys(pool, 0.0)
    floor = min(scores.values())
    filled = {item: scores.get(item, floor) for item in pool}
    middle = sum(filled.values()) / max(1, len(filled))
    spread = math.sqrt(sum((s - middle) ** 2 for s in filled.values()) / max(1, len(filled)))
    if spread < 1e-12:
        return dict.fromkeys(filled, 0.0)
    return {
        item: max(-_CUT, min(_CUT, (score - middle) / spread)) for item, score in filled.items()
    }
