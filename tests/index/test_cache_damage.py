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
