"""The sieve of bits: what it keeps, and that what it keeps is scored exactly."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lorebank.database.connection import open_index, transaction
from lorebank.index import vectors as vectors_module
from lorebank.index.vectors import SignBits, VectorIndex, insert_vectors

COUNT = 12_000


def clustered(count: int, dimension: int, seed: int = 7) -> NDArray[np.float32]:
    """Vectors around a few hundred centres, all leaning to one side, as embeddings do."""
    draw = np.random.default_rng(seed)
    centres = draw.normal(size=(300, dimension)) + 0.5
    found = centres[draw.integers(300, size=count)] + 0.4 * draw.normal(size=(count, dimension))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture(params=[100, 256])
def stored(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[object, NDArray]]:
    vectors = clustered(COUNT, request.param)
    vectors[5000] = vectors[40]
    connection = open_index(tmp_path / "index.sqlite")
    with transaction(connection):
        insert_vectors(connection, [(i + 1, v.tobytes()) for i, v in enumerate(vectors)])
    yield connection, vectors
    connection.close()


def test_f75_the_sieve_finds_what_the_exact_scan_finds(
    stored: tuple[object, NDArray], monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, vectors = stored
    questions = clustered(40, vectors.shape[1], seed=8) * 0.3 + vectors[:40]
    questions = (questions / np.linalg.norm(questions, axis=1, keepdims=True)).astype(np.float32)
    exact = VectorIndex(connection, enabled=False)
    wanted = [exact.nearest(question, 20).ranked for question in questions]
    monkeypatch.setattr(vectors_module, "SIEVE_FROM", COUNT)
    sieved = VectorIndex(connection, enabled=False)
    found = [sieved.nearest(question, 20).ranked for question in questions]
    hits = sum(len(set(a) & set(b)) for a, b in zip(wanted, found, strict=True))
    assert hits / (20 * len(questions)) >= 0.95
    assert [rows[0] for rows in found] == [rows[0] for rows in wanted]
    assert sieved._matrix().signs is not None


def test_equal_vectors_pass_the_sieve_together(
    stored: tuple[object, NDArray], monkeypatch: pytest.MonkeyPatch
) -> None:
    connection, vectors = stored
    monkeypatch.setattr(vectors_module, "SIEVE_FROM", COUNT)
    nearest = VectorIndex(connection, enabled=False).nearest(vectors[40], 2).ranked
    assert [row for row, _ in nearest] == [41, 5001]


@pytest.mark.parametrize("dimension", [1, 63, 64, 65, 512])
def test_any_dimension_fits_into_words(dimension: int) -> None:
    vectors = clustered(9000, dimension)
    signs = SignBits.of(vectors)
    assert signs is not None
    assert signs.words.shape == (-(-dimension // 64), 9000)
    left = signs.candidates(vectors[17], 10)
    assert 17 in left
    assert len(left) >= 4096
    assert list(left) == sorted(left)


def test_all_are_candidates_where_as_many_are_wanted() -> None:
    signs = SignBits.of(clustered(500, 64))
    assert signs is not None
    assert list(signs.candidates(clustered(1, 64)[0], 10)) == list(range(500))


def test_an_old_numpy_has_no_sieve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(np, "bitwise_count")
    assert SignBits.of(clustered(500, 64)) is None
