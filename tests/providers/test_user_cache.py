from pathlib import Path

import pytest

from lorebank.settings.files import cache_directory


def test_the_cache_home_of_the_environment_wins(monkeypatch, tmp_path: Path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_directory() == tmp_path / "lorebank"


@pytest.mark.parametrize("value", ["", "relative/place"])
def test_an_empty_or_relative_cache_home_counts_as_none(monkeypatch, tmp_path: Path, value: str):
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    directory = cache_directory()
    assert directory is not None
    assert directory.is_relative_to(tmp_path)
