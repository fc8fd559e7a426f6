"""Nearest vectors: the right ones, in an order that is always the same."""

import shutil
from collections.abc import Iterator
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from lorebank import Bank
from lorebank.database.connection import open_index, transaction
from lorebank.index import vectors as vectors_module
from lorebank.index.vectors import SignBits, VectorIndex, delete_vectors, insert_vectors
from support import golden

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
        insert_vectors(opened, [(i + 1, 0, v.tobytes()) for i, v in enumerate(vectors)])
    yield opened
    opened.close()


def nearest(connection, query: NDArray[np.float32], limit: int) -> Rows:
    return VectorIndex(connection).nearest(query, limit).ranked


@pytest.mark.parametrize("limit", [1, 2, 3, 5, 50, 199, 200, 500])
def test_the_nearest_are_those_of_a_plain_sort(connection, limit: int) -> None:
    vectors = unit_vectors(200).astype(np.float64)
    vectors[50] = vectors[150] = vectors[10]
    for query in unit_vectors(20, seed=limit):
        exact = np.round(vectors @ query.astype(np.float64), 6)
        expected = np.lexsort((np.arange(200), -exact))[:limit]
        found = nearest(connection, query, limit)
        assert [s for _, s in found] == pytest.approx(exact[expected].tolist(), abs=2e-6)
        assert {row for row, s in found if s > exact[expected[-1]] + 1e-5} == {
            i + 1 for i in expected if exact[i] > exact[expected[-1]] + 1e-5
        }


@pytest.mark.parametrize("limit", [1, 2, 3, 4])
def test_equal_vectors_are_ordered_by_item(connection, limit: int) -> None:
    query = unit_vectors(200)[10]
    assert [row for row, _ in nearest(connection, query, limit)][:3] == [11, 51, 151][:limit]


def test_how_near_all_are_is_told(connection) -> None:
    query = unit_vectors(1, seed=3)[0]
    vectors = unit_vectors(200)
    vectors[50] = vectors[150] = vectors[10]
    found = VectorIndex(connection).nearest(query, 5)
    mean, spread = float((vectors @ query).mean()), float((vectors @ query).std())
    assert found.mean == pytest.approx(mean * 200 / 230, abs=1e-5)
    assert found.spread == pytest.approx((spread * 200 + 0.07 * 30) / 230, abs=1e-5)


def test_the_second_question_gives_the_same_rows_as_the_first(connection) -> None:
    index = VectorIndex(connection)
    query = unit_vectors(1, seed=3)[0]
    answers = [[row for row, _ in index.nearest(query, 10).ranked] for _ in range(3)]
    assert answers[0] == answers[1] == answers[2]


def test_a_remembered_matrix_follows_what_is_written(connection) -> None:
    index = VectorIndex(connection, enabled=False)
    query = unit_vectors(1, seed=3)[0]
    index.nearest(query, 1)
    insert_vectors(connection, [(999, 0, query.tobytes())])
    assert index.nearest(query, 1).ranked[0][0] == 999
    delete_vectors(connection)
    assert index.nearest(query, 1).ranked == []


def test_a_passage_is_as_near_as_the_whole_and_its_nearest_sentence_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawn = unit_vectors(300)
    parts = [(item, part) for item in range(1, 101) for part in range(1 + item % 5)]
    rows = [(*each, vector.tobytes()) for each, vector in zip(parts, drawn, strict=False)]
    with closing(open_index(tmp_path / "index.sqlite")) as connection:
        with transaction(connection):
            insert_vectors(connection, rows)
        query = unit_vectors(1, seed=3)[0]
        expected = {}
        for item in range(1, 101):
            whole, *others = [
                float(v @ query) for (i, _), v in zip(parts, drawn, strict=False) if i == item
            ]
            near = 0.7 * whole + 0.3 * max(others) if others else whole
            expected[item] = pytest.approx(near, abs=2e-6)
        assert dict(nearest(connection, query, 100)) == expected
        monkeypatch.setattr("lorebank.index.vectors.SIEVE_FROM", 10)
        sieved = VectorIndex(connection)
        assert dict(sieved.nearest(query, 100).ranked) == expected
        assert sieved.similarities(query, [7, 5, 400]) == {n: expected[n] for n in (5, 7)}


def test_similarities_are_those_of_the_scan(connection) -> None:
    query = unit_vectors(1, seed=3)[0]
    index = VectorIndex(connection)
    nearest = dict(index.nearest(query, 200).ranked)
    asked = index.similarities(query, [3, 4, 777])
    assert asked == pytest.approx({3: nearest[3], 4: nearest[4]}, abs=1e-5)


@pytest.mark.parametrize("enabled", [True, False])
def test_nothing_stored_means_nothing_near(tmp_path: Path, enabled: bool) -> None:
    connection = open_index(tmp_path / "empty.sqlite")
    index = VectorIndex(connection, enabled=enabled)
    assert index.nearest(unit_vectors(1)[0], 5).ranked == []
    assert index.similarities(unit_vectors(1)[0], [1]) == {}
    connection.close()


# -- the sieve of bits: what it keeps, and that what it keeps is scored exactly ------------------


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
        insert_vectors(connection, [(i + 1, 0, v.tobytes()) for i, v in enumerate(vectors)])
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
    assert len(left) >= vectors_module.CANDIDATES
    assert list(left) == sorted(left)


def test_all_are_candidates_where_as_many_are_wanted() -> None:
    signs = SignBits.of(clustered(500, 64))
    assert signs is not None
    assert list(signs.candidates(clustered(1, 64)[0], 10)) == list(range(500))


def test_an_old_numpy_has_no_sieve(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(np, "bitwise_count")
    assert SignBits.of(clustered(500, 64)) is None


# -- sqlite-vec: used where it loads, another build on request, and nothing lost without it ------


ENVIRON = {"LOREBANK_CONFIG": "/nonexistent"}
QUESTIONS = ("what crashed at night", "who likes short messages", "where are the backups kept")


def answers(root: Path, **settings: str) -> tuple[list[list[object]], str]:
    environ = ENVIRON | {f"LOREBANK_VECTOR__{k.upper()}": v for k, v in settings.items()}
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
        # A process that asks one question lets SQLite scan, so each question has its own Bank.
        state = bank.status().vector_search
    found = []
    for question in QUESTIONS:
        with Bank.open(root, environ=environ) as bank:
            found.append([hit.source for hit in bank.search(question)])
    return found, state


def bundled() -> Path:
    spec = find_spec("sqlite_vec")
    assert spec is not None and spec.submodule_search_locations
    folder = Path(next(iter(spec.submodule_search_locations)))
    return next(folder.glob("vec0.*"))


def test_f74_the_extension_is_used_where_it_loads(root: Path) -> None:
    found, state = answers(root)
    assert state == "scan by numpy; sqlite-vec loads"
    assert all(found)


@golden("index.md")
def test_f75_without_the_extension_the_answers_are_the_same(
    root: Path, settings: dict[str, str], state: str
) -> None:
    expected, _ = answers(root)
    found, described = answers(root, **settings)
    assert described.startswith(state)
    assert found == expected


def test_f76_another_build_of_the_extension_is_loaded_on_request(
    root: Path, tmp_path: Path
) -> None:
    own = Path(shutil.copy(bundled(), tmp_path / bundled().name))
    expected, _ = answers(root)
    assert answers(root, extension_path=str(own)) == (expected, "scan by numpy; sqlite-vec loads")


def test_f56_without_vectors_words_still_answer(root: Path) -> None:
    environ = ENVIRON | {"LOREBANK_EMBEDDER__PROVIDER": "none"}
    with Bank.open(root, environ=environ) as bank:
        bank.sync()
        assert bank.search("Baileys crash")[0].provider == "none"
        answer = bank.recall("how did we stop the Baileys crash")
        assert answer.hits
        assert answer.retrievers_skipped == {"semantic": "switched off by embedder.provider = none"}
