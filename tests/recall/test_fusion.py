"""Fusion by hand-computed numbers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank import Bank
from lorebank.config import Config
from lorebank.recall.fusion import (
    fuse_reciprocal_ranks,
    fuse_weighted,
    fuse_zscores,
    standardise,
)
from lorebank.recall.ranking import Ranked, Ranking
from support import WORDS_ONLY


def ranking(name: str, scores: dict[int, float]) -> Ranking:
    return Ranking(name, tuple(Ranked(item, score) for item, score in scores.items()))


LEXICAL = ranking("lexical", {1: 9.0, 2: 5.0, 3: 1.0})
SEMANTIC = ranking("semantic", {2: 0.9, 4: 0.5})
SCORES = st.dictionaries(st.integers(1, 50), st.floats(-100, 100), max_size=20)


def test_reciprocal_ranks_are_one_over_sixty_and_the_rank() -> None:
    fused = fuse_reciprocal_ranks([LEXICAL, SEMANTIC], {})
    assert fused == pytest.approx({1: 1 / 61, 2: 1 / 62 + 1 / 61, 3: 1 / 63, 4: 1 / 62})


def test_reciprocal_ranks_are_weighted_by_list() -> None:
    fused = fuse_reciprocal_ranks([LEXICAL, SEMANTIC], {"semantic": 2.0})
    assert fused == pytest.approx({1: 1 / 61, 2: 1 / 62 + 2 / 61, 3: 1 / 63, 4: 2 / 62})


def test_f53_f54_the_weighted_merge_is_that_of_the_published_design() -> None:
    fused = fuse_weighted(LEXICAL, SEMANTIC, text_weight=0.3, vector_weight=0.7)
    assert fused == pytest.approx(
        {1: 0.3, 2: 0.3 / 2 + 0.7 * 0.9, 3: 0.3 / 3, 4: 0.7 * 0.5},
    )


def test_f55_weights_are_shares() -> None:
    one = fuse_weighted(LEXICAL, SEMANTIC, text_weight=3, vector_weight=7)
    assert one == pytest.approx(
        fuse_weighted(LEXICAL, SEMANTIC, text_weight=0.3, vector_weight=0.7)
    )


def test_f56_without_vectors_the_merge_keeps_the_order_of_the_words() -> None:
    fused = fuse_weighted(LEXICAL, ranking("semantic", {}), text_weight=0.3, vector_weight=0.7)
    assert sorted(fused, key=lambda item: -fused[item]) == [1, 2, 3]


def test_a_negative_similarity_costs_nothing() -> None:
    opposed = ranking("semantic", {7: -0.5})
    assert fuse_weighted(LEXICAL, opposed, text_weight=0.3, vector_weight=0.7)[7] == 0.0


def test_standard_scores() -> None:
    # mean 3, population deviation sqrt(8/3)
    step = 2.0 / (8 / 3) ** 0.5
    assert standardise({1: 5.0, 2: 3.0, 3: 1.0}, [1, 2, 3]) == pytest.approx(
        {1: step, 2: 0.0, 3: -step}
    )


def test_an_absent_item_stands_with_the_last() -> None:
    standard = standardise({1: 4.0, 2: 2.0}, [1, 2, 3])
    assert standard[3] == standard[2]


def test_one_hit_among_many_is_cut_at_three() -> None:
    standard = standardise({1: 1.0, 2: 0.0}, range(1, 101))
    assert standard[1] == 3.0


@given(SCORES)
def test_standard_scores_are_bounded_and_keep_the_order(scores: dict[int, float]) -> None:
    standard = standardise(scores, scores)
    assert all(-3.0 <= value <= 3.0 for value in standard.values())
    for one in scores:
        for other in scores:
            if scores[one] < scores[other]:
                assert standard[one] <= standard[other]


@given(SCORES, st.floats(0.1, 50), st.floats(-50, 50))
def test_scale_and_offset_of_a_list_do_not_count(
    scores: dict[int, float], scale: float, offset: float
) -> None:
    scores = {item: round(score, 2) for item, score in scores.items()}
    moved = {item: scale * score + offset for item, score in scores.items()}
    assert standardise(moved, scores) == pytest.approx(standardise(scores, scores), abs=1e-6)


def test_a_list_of_equal_scores_says_nothing() -> None:
    assert standardise({1: 2.0, 2: 2.0}, [1, 2]) == {1: 0.0, 2: 0.0}
    fused = fuse_zscores([LEXICAL, ranking("semantic", {1: 1.0, 2: 1.0, 3: 1.0})], {})
    assert fused == pytest.approx(fuse_zscores([LEXICAL], {}))


def test_zscores_add_by_weight() -> None:
    pool = [1, 2, 3, 4]
    words, meaning = standardise(LEXICAL.scores, pool), standardise(SEMANTIC.scores, pool)
    fused = fuse_zscores([LEXICAL, SEMANTIC], {"semantic": 0.5})
    assert fused == pytest.approx({i: words[i] + 0.5 * meaning[i] for i in pool})


def test_nothing_fuses_to_nothing() -> None:
    empty = ranking("lexical", {})
    assert fuse_zscores([empty], {}) == {}
    assert fuse_reciprocal_ranks([], {}) == {}
    assert fuse_weighted(empty, empty, text_weight=0.3, vector_weight=0.7) == {}
    assert standardise({}, []) == {}


def test_f53_a_rank_is_worth_one_over_itself_and_never_less_for_a_lower_score() -> None:
    many = ranking("lexical", {item: 100.0 - item for item in range(10)})
    fused = fuse_weighted(many, ranking("semantic", {}), text_weight=1.0, vector_weight=0.0)
    assert fused == pytest.approx({item: 1 / (1 + item) for item in range(10)})


def test_f54_the_union_holds_what_either_side_found() -> None:
    fused = fuse_weighted(LEXICAL, SEMANTIC, text_weight=0.3, vector_weight=0.7)
    assert set(fused) == {1, 2, 3, 4}
    assert Config().recall.vector_weight == 0.7 and Config().recall.text_weight == 0.3


@pytest.mark.parametrize(("k", "multiplier", "pool"), [(30, 4, 120), (50, 2, 100), (10, 4, 80)])
def test_f52_each_side_offers_a_multiple_of_what_is_wanted(
    write_log: Callable[..., Path], k: int, multiplier: int, pool: int
) -> None:
    """80 candidates at the least, so that few wanted hits are well chosen too."""
    root = write_log("2026-01-02", *(f"- W @Ada: Saw a heron at pond {n}." for n in range(200)))
    environ = WORDS_ONLY | {"LOREBANK_RECALL__CANDIDATE_MULTIPLIER": str(multiplier)}
    assert Config().recall.candidate_multiplier == 4
    with Bank.open(root, environ=environ) as bank:
        answer = bank.recall("herons", k=k)
    assert (answer.total, answer.total_exact, len(answer.hits)) == (pool, False, k)
