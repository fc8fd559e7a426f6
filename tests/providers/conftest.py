from pathlib import Path

import pytest

from lorebank.providers.local import LocalEmbedder


@pytest.fixture(scope="session")
def filled_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache directory in which the model is already prepared; tests must not write to it."""
    directory = tmp_path_factory.mktemp("cache")
    LocalEmbedder(directory).embed_query("prepare")
    return directory


@pytest.fixture(scope="session")
def embedder(filled_cache: Path) -> LocalEmbedder:
    return LocalEmbedder(filled_cache)
