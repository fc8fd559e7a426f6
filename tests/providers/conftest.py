from pathlib import Path

import pytest

from lorebank.providers.local import MultilingualEmbedder


@pytest.fixture(scope="session")
def filled_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache directory in which the model is already prepared; tests must not write to it."""
    directory = tmp_path_factory.mktemp("cache")
    MultilingualEmbedder(directory).embed_query("prepare")
    return directory


@pytest.fixture(scope="session")
def embedder(filled_cache: Path) -> MultilingualEmbedder:
    return MultilingualEmbedder(filled_cache)
