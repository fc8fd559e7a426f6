"""A damaged cache of vectors is made anew, and said; nothing else is blamed for it."""

import os
from pathlib import Path

import pytest

from lorebank.index.embedding_cache import EmbeddingCache


@pytest.mark.parametrize("page", range(1, 8))
def test_any_damaged_page_costs_vectors_only(tmp_path: Path, page: int) -> None:
    path = tmp_path / "embeddings.sqlite"
    vectors = [(f"{number:024}", os.urandom(1024)) for number in range(200)]
    keys = [key for key, _ in vectors]
    with EmbeddingCache(path) as cache:
        cache.put("model", vectors)
    data = bytearray(path.read_bytes())
    data[page * 4096 : page * 4096 + 4096] = os.urandom(4096)
    path.write_bytes(data)
    said: list[str] = []
    with EmbeddingCache(path, say=said.append) as cache:
        missing = cache.missing("model", keys)
        known = cache.get("model", keys)
        assert len(said) <= 1
        cache.put("model", vectors)
        assert cache.get("model", keys) == dict(vectors)
    assert said == [] or str(path) in said[0]
    assert said or (missing == [] and known == dict(vectors))


def test_a_byte_changed_within_a_vector_costs_that_vector_only(tmp_path: Path) -> None:
    path = tmp_path / "embeddings.sqlite"
    vectors = {f"{number:024}": os.urandom(1024) for number in range(20)}
    with EmbeddingCache(path) as cache:
        cache.put("model", vectors.items())
    data = path.read_bytes()
    place = data.index(vectors.pop(f"{7:024}")) + 500
    path.write_bytes(data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :])
    said: list[str] = []
    with EmbeddingCache(path, say=said.append) as cache:
        assert cache.get("model", [*vectors, f"{7:024}"]) == vectors
        assert cache.missing("model", [*vectors, f"{7:024}"]) == [f"{7:024}"]
    assert len(said) == 1
    assert str(path) in said[0]
