"""Fusion by hand-computed numbers."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lorebank.recall.fusion import (
    fuse_reciprocal_ranks,
    fuse_weighted,
    fuse_zscores,
    standardise,
)
from lorebank.recall.ranking import Ranked, Ranking


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


def test_the_weighted_merge_is_that_of_the_published_design() -> None:
    fused = fuse_weighted(LEXICAL, SEMANTIC, text_weight=0.3, vector_weight=0.7)
    assert fused == pytest.approx(
        {1: 0.3, 2: 0.3 / 2 + 0.7 * 0.9, 3: 0.3 / 3, 4: 0.7 * 0.5},
    )


def test_weights_are_shares() -> None:
    one = fuse_weighted(LEXICAL, SEMANTIC, text_weight=3, vector_weight=7)
    assert one == pytest.approx(
        fuse_weighted(LEXICAL, SEMANTIC, text_weight=0.3, vector_weight=0.7)
    )


def test_without_vectors_the_merge_keeps_the_order_of_the_words() -> None:
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
