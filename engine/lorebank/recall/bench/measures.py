"""Measures of a list of ranks: R@1, R@5, R@10, MRR; and quantiles of times."""

from __future__ import annotations

from collections.abc import Sequence

from lorebank.domain import BenchRow

DEPTH = 10
"""How far down an answer is looked at."""


def measure(engine: str, variant: str, ranks: Sequence[int | None]) -> BenchRow:
    """The row of some questions; a rank counts from 1, `None` where it was not found."""
    found = [rank for rank in ranks if rank is not None and rank <= DEPTH]
    asked = max(1, len(ranks))
    return BenchRow(
        engine=engine,
        variant=variant,
        questions=len(ranks),
        recall_at_1=sum(rank <= 1 for rank in found) / asked,
        recall_at_5=sum(rank <= 5 for rank in found) / asked,
        recall_at_10=len(found) / asked,
        mrr=sum(1.0 / rank for rank in found) / asked,
    )


def quantile(values: Sequence[float], share: float) -> float:
    """The value that `share` of them do not exceed; 0 for none."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * share))] if ordered else 0.0
