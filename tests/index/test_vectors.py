"""Nearest vectors: sqlite-vec and numpy give the same rows, and the lack of either is said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lorebank.index.connection import open_index, transaction
from lorebank.index.vectors import CHUNK, ITEM, VectorIndex, delete_vectors, insert_vectors

DIMENSION = 8
Rows = list[tuple[int, float]]


def unit_vectors(count: int, seed: int = 7) -> NDArray[np.float32]:
    drawn = np.random.default_rng(seed).normal(size=(count, DIMENSION))
    return (drawn / np.linalg.norm(drawn, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[object]:
    opened = open_index(tmp_path / "index.sqlite")
    vectors = unit_vectors(200)
    vectors[50] = vectors[10]
    vectors[150] = vectors[10]
    with transaction(opened):
        insert_vectors(opened, ITEM, [(i + 1, v.tobytes()) for i, v in enumerate(vectors)])
        insert_vectors(opened, CHUNK, [(i + 1, v.tobytes()) for i, v in enumerate(vectors[:20])])
    yield opened
    opened.close()


def by_sqlite(connection, query: NDArray[np.float32], limit: int) -> Rows:
    return VectorIndex(connection).nearest(ITEM, query, limit)


def by_numpy(connection, query: NDArray[np.float32], limit: int) -> Rows:
    return VectorIndex(connection, enabled=False).nearest(ITEM, query, limit)


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 50, 199, 200, 500])
def test_both_scans_give_the_same_rows_in_the_same_order(connection, limit: int) -> None:
    for query in unit_vectors(20, seed=limit):
        there, here = by_sqlite(connection, query, limit), by_numpy(connection, query, limit)
        assert [row for row, _ in there] == [row for row, _ in here]
        assert [s for _, s in there] == pytest.approx([s for _, s in here], abs=1e-5)
        assert len(here) == min(limit, 200)


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_equal_vectors_are_ordered_by_row_in_both(connection, limit: int) -> None:
    query = unit_vectors(200)[10]
    expected = [11, 51, 151][:limit]
    assert [row for row, _ in by_sqlite(connection, query, limit)][:3] == expected
    assert [row for row, _ in by_numpy(connection, query, limit)][:3] == expected


def test_the_second_question_gives_the_same_rows_as_the_first(connection) -> None:
    index = VectorIndex(connection)
    query = unit_vectors(1, seed=3)[0]
    answers = [[row for row, _ in index.nearest(ITEM, query, 10)] for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


def test_a_remembered_matrix_follows_what_is_written(connection) -> None:
    index = VectorIndex(connection, enabled=False)
    query = unit_vectors(1, seed=3)[0]
    index.nearest(ITEM, query, 1)
    insert_vectors(connection, ITEM, [(999, query.tobytes())])
    assert index.nearest(ITEM, query, 1)[0][0] == 999
    delete_vectors(connection)
    assert index.nearest(ITEM, query, 1) == []


def test_owners_are_kept_apart(connection) -> None:
    query = unit_vectors(1, seed=3)[0]
    rows = VectorIndex(connection, enabled=False).nearest(CHUNK, query, 500)
    assert {row for row, _ in rows} == set(range(1, 21))


def test_similarities_are_those_of_the_scan(connection) -> None:
    query = unit_vectors(1, seed=3)[0]
    index = VectorIndex(connection)
    nearest = dict(index.nearest(ITEM, query, 200))
    asked = index.similarities(ITEM, query, [3, 4, 777])
    assert asked == pytest.approx({3: nearest[3], 4: nearest[4]}, abs=1e-5)


@pytest.mark.parametrize("enabled", [True, False])
def test_nothing_stored_means_nothing_near(tmp_path: Path, enabled: bool) -> None:
    connection = open_index(tmp_path / "empty.sqlite")
    index = VectorIndex(connection, enabled=enabled)
    assert index.nearest(ITEM, unit_vectors(1)[0], 5) == []
    assert index.similarities(ITEM, unit_vectors(1)[0], [1]) == {}
    connection.close()


def test_what_answers_is_said(connection, tmp_path: Path) -> None:
    assert VectorIndex(connection).describe() == "sqlite-vec"
    assert VectorIndex(connection, enabled=False).describe() == (
        "exact scan (switched off by vector.enabled)"
    )
    missing = VectorIndex(connection, extension_path=str(tmp_path / "nowhere"))
    assert missing.describe().startswith("exact scan (sqlite-vec unavailable: ")


def test_an_extension_that_cannot_be_loaded_changes_no_answer(connection, tmp_path: Path) -> None:
    query = unit_vectors(1, seed=3)[0]
    missing = VectorIndex(connection, extension_path=str(tmp_path / "nowhere"))
    assert [r for r, _ in missing.nearest(ITEM, query, 9)] == [
        r for r, _ in by_sqlite(connection, query, 9)
    ]
