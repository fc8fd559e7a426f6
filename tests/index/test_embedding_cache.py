"""The embedding cache: what is kept, what goes first, and who shares it."""

import shutil
from pathlib import Path

import pytest

from lorebank import Bank
from lorebank.index.embedding_cache import EmbeddingCache, text_hash
from provider_server import Provider

pytestmark = pytest.mark.allow_hosts(["127.0.0.1"])


@pytest.fixture
def environ(server: Provider, tmp_path: Path) -> dict[str, str]:
    return {
        "LOREBANK_CONFIG": "/nonexistent",
        "LOREBANK_EMBEDDER__PROVIDER": "openai",
        "LOREBANK_PROVIDERS__OPENAI__BASE_URL": f"{server.url}/v1",
        "LOREBANK_PROVIDERS__OPENAI__API_KEY": server.key,
    }


def keys(*numbers: int) -> list[str]:
    return [f"h{number}" for number in numbers]


def test_f68_vectors_are_known_by_fingerprint_role_and_text(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with EmbeddingCache(path) as cache:
        cache.put("one", [("h1", b"1111"), ("h2", b"2222")])
        cache.put("two", [("h1", b"3333")])
        cache.put("one", [("h1", b"4444")], "query")
    with EmbeddingCache(path) as cache:
        assert cache.get("one", ["h1", "h2", "h3"]) == {"h1": b"1111", "h2": b"2222"}
        assert cache.get("two", ["h1", "h2"]) == {"h1": b"3333"}
        assert cache.get("one", ["h1"], "query") == {"h1": b"4444"}
        assert cache.missing("one", ["h3", "h2", "h3", "h4"]) == ["h3", "h4"]
        cache.put("one", [("h1", b"5555")])
        assert cache.get("one", ["h1"]) == {"h1": b"5555"}
        cache.forget("one")
        assert cache.get("one", ["h1", "h2"]) == {}
        assert cache.get("two", ["h1"]) == {"h1": b"3333"}


def test_f68_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    for number in range(6):
        with EmbeddingCache(path, max_entries=4) as cache:
            cache.put("one", [(f"h{number}", bytes([number] * 4))])
            if number == 3:
                cache.get("one", ["h0"])
            cache.evict()
    with EmbeddingCache(path, max_entries=4) as cache:
        assert sorted(cache.get("one", keys(*range(6)))) == keys(0, 3, 4, 5)


def test_a_question_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with EmbeddingCache(path) as cache:
        cache.put("one", [("h1", b"1111")])
    before = path.read_bytes()
    for mark in (False, True):
        with EmbeddingCache(path) as cache:
            assert cache.get("one", ["h1"], mark=mark) == {"h1": b"1111"}
        assert (path.read_bytes() == before) is not mark


def test_f68_the_default_bound_is_fifty_thousand() -> None:
    from lorebank.settings.tables import Config

    assert Config().embedder.cache.max_entries == 50_000


def test_f68_what_the_present_run_used_stays(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"
    with EmbeddingCache(path, max_entries=2) as cache:
        cache.put("one", [(key, b"1111") for key in keys(*range(5))])
        assert cache.evict() == 0
    with EmbeddingCache(path, max_entries=2) as cache:
        cache.get("one", ["h1", "h2", "h3"])
        assert cache.evict() == 2
    with EmbeddingCache(path, max_entries=2) as cache:
        assert sorted(cache.get("one", keys(*range(5)))) == keys(1, 2, 3)


def test_a_cache_of_another_layout_or_a_link_is_made_anew(tmp_path: Path) -> None:
    import apsw

    path = tmp_path / "cache.sqlite"
    old = apsw.Connection(str(path))
    old.execute("CREATE TABLE embeddings (hash TEXT); PRAGMA user_version = 1")
    old.close()
    with EmbeddingCache(path) as cache:
        cache.put("one", [("h1", b"1111")])
    link = tmp_path / "link.sqlite"
    link.symlink_to(path)
    with EmbeddingCache(link) as cache:
        assert cache.get("one", ["h1"]) == {}
    with EmbeddingCache(path) as cache:
        assert cache.get("one", ["h1"]) == {"h1": b"1111"}


def test_f68_workspaces_share_a_cache_on_request(
    root: Path,
    environ: dict[str, str],
    server: Provider,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    shared = environ | {"LOREBANK_EMBEDDER__CACHE__SHARED": "true"}
    twin = Path(shutil.copytree(root, tmp_path / "twin"))
    with Bank.open(root, environ=shared) as bank:
        assert bank.sync().embedded > 20
    server.requests.clear()
    with Bank.open(twin, environ=shared) as bank:
        assert bank.sync().embedded == 0
    assert server.requests == []
    assert (tmp_path / "xdg" / "lorebank" / "embeddings.sqlite").exists()
    assert not (twin / ".memory" / "embeddings.sqlite").exists()


def test_without_a_cache_every_rebuild_embeds_again(root: Path, environ: dict[str, str]) -> None:
    off = environ | {"LOREBANK_EMBEDDER__CACHE__ENABLED": "false"}
    with Bank.open(root, environ=off) as bank:
        count = bank.sync().embedded
        assert bank.sync().embedded == 0
    (root / ".memory" / "index.sqlite").unlink()
    with Bank.open(root, environ=off) as bank:
        assert bank.sync().embedded == count
    assert not (root / ".memory" / "embeddings.sqlite").exists()


def test_hashes_tell_texts_apart_whatever_they_hold() -> None:
    texts = ["", " ", "a", "A", "\ud800", "\0", "记"]
    assert len({text_hash(text) for text in texts}) == len(texts)
