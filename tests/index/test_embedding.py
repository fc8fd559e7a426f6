"""Embedding: what is known is never embedded twice, and vectors of two models never meet."""

import hashlib
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path

import apsw
import numpy as np
import pytest
from numpy.typing import NDArray

from lorebank import Bank
from lorebank.errors import ProviderError
from lorebank.index.embedding_cache import EmbeddingCache, text_hash
from lorebank.index.meaning import EMBEDDED_BY_RECALL
from lorebank.language.words import content_words
from lorebank.providers.protocols import Limits

SYNONYMS = {"automobile": "car", "vehicle": "car", "bees": "hive", "beekeeping": "hive"}


class WordHashEmbedder:
    """Sums a fixed direction a word; synonyms share theirs. Counts what it is asked."""

    name = "local"
    model = "word-hash"
    dimension = 64
    endpoint = ""

    def __init__(self, fingerprint: str = "word-hash-1") -> None:
        self.fingerprint = fingerprint
        self.limits = Limits()
        self.embedded: list[str] = []
        self.fail_after: int | None = None
        self.error: Exception = ProviderError("the model went away")

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self.fail_after is not None and len(self.embedded) >= self.fail_after:
            raise self.error
        self.embedded += texts
        return np.array([self.vector(text) for text in texts], dtype=np.float32)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.vector(text)

    def cancel(self) -> None:
        pass

    def vector(self, text: str) -> NDArray[np.float32]:
        total = np.zeros(self.dimension)
        for word in content_words(text):
            digest = hashlib.blake2b(SYNONYMS.get(word, word).encode(), digest_size=4).digest()
            total += np.random.default_rng(int.from_bytes(digest)).normal(size=self.dimension)
        norm = np.linalg.norm(total)
        return (total / norm if norm else total).astype(np.float32)


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> WordHashEmbedder:
    """Takes the place of the local embedder in the registry."""
    embedder = WordHashEmbedder()
    monkeypatch.setattr("lorebank.index.meaning.load_embedder", lambda name, setup=None: embedder)
    return embedder


ENVIRON = {"LOREBANK_CONFIG": "/nonexistent"}
NO_EXTENSION = ENVIRON | {"LOREBANK_VECTOR__ENABLED": "false"}


def test_only_what_is_new_is_embedded(
    write_log: Callable[..., Path], embedder: WordHashEmbedder
) -> None:
    root = write_log("2026-01-02", "- W @Ada: Keeps bees on the roof.")
    with Bank.open(root, environ=ENVIRON) as bank:
        bank.sync()
        embedder.embedded.clear()
        write_log("2026-01-03", "- W @Ada: Keeps bees on the roof.")
        bank.sync()
        assert embedder.embedded == []  # the fact says what it said the day before
        write_log("2026-01-04", "- W @Bo: Paints boats.")
        embedder.embedded.clear()
        bank.sync()
        assert "Bo: Paints boats." in embedder.embedded
        assert len(embedder.embedded) == 1


def test_a_night_embeds_what_is_new(
    write_log: Callable[..., Path], embedder: WordHashEmbedder
) -> None:
    root = write_log("2026-01-02", "- W @Ada: Keeps bees on the roof.", "- W @Ada: Rows at dawn.")
    with Bank.open(root, environ=ENVIRON) as bank:
        bank.reflect()
        assert bank.sync().embedded == 0
        assert "semantic" in bank.recall("bees").retrievers_used


def test_each_sentence_of_a_paragraph_is_embedded_and_found(
    root: Path, embedder: WordHashEmbedder
) -> None:
    told = "Rain all day on the new slates. Jo has sold the automobile at last. Soup for supper."
    short = "Rain on the slates."
    root.joinpath("memory/2026-01-02.md").write_text(f"{told}\n\n{short}\n", "utf-8")
    with Bank.open(root, environ=ENVIRON) as bank:
        bank.sync()
        assert {told, short, "Jo has sold the automobile at last."} <= set(embedder.embedded)
        hit = bank.recall("vehicle sold", k=1).hits[0]
        nearness = hit.why["semantic"]["similarity"]
        asked = embedder.vector("vehicle sold")
        whole = float(asked @ embedder.vector(told))
        sentence = float(asked @ embedder.vector("Jo has sold the automobile at last."))
        assert nearness == pytest.approx(0.7 * whole + 0.3 * sentence, abs=1e-3)
        bank.forget(match="automobile", dry_run=False, purge=True)
        with closing(EmbeddingCache(root / ".memory/embeddings.sqlite")) as cache:
            texts = ["Jo has sold the automobile at last.", told, short]
            missing = cache.missing("word-hash-1", [text_hash(text) for text in texts])
        assert [text for text in texts if text_hash(text) in missing] == texts[:2]


@pytest.mark.parametrize(
    "error", [ProviderError("the model went away"), KeyboardInterrupt(), MemoryError()]
)
def test_a_run_that_fails_midway_goes_on_where_it_stopped(
    root: Path, embedder: WordHashEmbedder, error: BaseException
) -> None:
    embedder.limits = Limits(items=8)
    embedder.fail_after, embedder.error = 24, error  # type: ignore[assignment]
    with Bank.open(root, environ=ENVIRON) as bank:
        try:
            bank.sync()
        except (KeyboardInterrupt, MemoryError):
            assert not isinstance(error, ProviderError)
        assert len(embedder.embedded) == 24
        assert bank.status().counts["vectors"] == 24
        embedder.fail_after = None
        bank.sync()
        assert bank.status().counts["pending"] == 0
    assert len(embedder.embedded) == len(set(embedder.embedded))


def test_another_fingerprint_drops_the_vectors_of_the_last(
    copy_fixture: Callable[[str], Path], embedder: WordHashEmbedder
) -> None:
    with Bank.open(copy_fixture("harbour"), environ=ENVIRON) as bank:
        count = bank.sync().embedded
        embedder.fingerprint = "word-hash-2"
        write = bank.root / "memory" / "2026-01-01.md"
        write.write_text("# Day\n\n## Retain\n- W @Ada: Keeps bees.\n", "utf-8")
        assert bank.sync().embedded == count + 1
        embedder.fingerprint = "word-hash-1"
        assert bank.sync().embedded in (0, 1)
        assert bank.status().counts["pending"] == 0


def test_a_changed_embedder_is_noticed_without_any_new_text(
    write_log: Callable[..., Path], embedder: WordHashEmbedder
) -> None:
    many = (f"- W @Ada: Saw crash {number}." for number in range(EMBEDDED_BY_RECALL + 1))
    with Bank.open(write_log("2026-01-02", *many), environ=ENVIRON) as bank:
        count = bank.sync().embedded
        embedder.fingerprint = "word-hash-2"
        answer = bank.recall("how did we stop the Baileys crash")
        assert answer.retrievers_skipped == {
            "semantic": "another embedder made the vectors: run `lorebank index`"
        }
        assert bank.search("crash")[0].provider == "none"
        assert bank.sync().embedded == count
        assert bank.recall("how did we stop the Baileys crash").retrievers_skipped == {}


def test_a_few_weeks_of_notes_are_embedded_by_the_first_question(
    root: Path, embedder: WordHashEmbedder
) -> None:
    with Bank.open(root, environ=ENVIRON) as bank:
        assert bank.recall("how did we stop the Baileys crash").retrievers_skipped == {}
        assert bank.status().counts["pending"] == 0


def test_a_damaged_cache_is_made_anew(root: Path, embedder: WordHashEmbedder) -> None:
    (root / ".memory").mkdir()
    (root / ".memory" / "embeddings.sqlite").write_bytes(b"no database at all" * 99)
    with Bank.open(root, environ=ENVIRON) as bank:
        assert bank.sync().pending == 0


def test_a_byte_changed_within_a_vector_is_found_and_said(
    root: Path, embedder: WordHashEmbedder
) -> None:
    question = "how did we stop the Baileys crash"
    with Bank.open(root, environ=ENVIRON) as bank:
        bank.sync()
        hits = [(hit.id, hit.score) for hit in bank.recall(question).hits]
    file = root / ".memory/index.sqlite"
    with closing(apsw.Connection(str(file))) as connection:
        vector = connection.execute("SELECT vector FROM vectors WHERE item = 3").get
        changed = bytes([vector[0] ^ 1]) + vector[1:]
        connection.execute("UPDATE vectors SET vector = ? WHERE item = 3 AND part = 0", (changed,))
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    damaged = file.read_bytes()
    said: list[str] = []
    for find in (lambda bank: bank.recall(question), lambda bank: bank.sync(embed=False)):
        file.write_bytes(damaged)
        with Bank.open(root, environ=ENVIRON, say=said.append) as bank:
            find(bank)
            assert [(hit.id, hit.score) for hit in bank.recall(question).hits] == hits
            assert bank.check() == ()
        assert "a vector is not what was stored" in said.pop()
    file.write_bytes(damaged)
    with Bank.open(root, environ=ENVIRON) as bank:
        assert bank.check() == ("damaged: a vector is not what was stored",)


def test_meaning_finds_what_words_do_not(
    write_log: Callable[..., Path], embedder: WordHashEmbedder
) -> None:
    root = write_log(
        "2026-01-02", "- W @Ada: Car hive.", "- W @Ada: Painted a boat.", "- W @Ada: Slept."
    )
    with Bank.open(root, environ=ENVIRON) as bank:
        bank.sync()
        answer = bank.recall("Ada vehicle beekeeping")
        assert answer.hits[0].content == "Car hive."
        assert "semantic" in answer.hits[0].why
        assert (
            "lexical" not in answer.hits[0].why
            or "vehicle" not in answer.hits[0].why["lexical"]["terms"]
        )


def test_filters_hold_for_what_meaning_finds(
    write_log: Callable[..., Path], embedder: WordHashEmbedder
) -> None:
    root = write_log("2026-01-02", "- W @Ada: Car hive.", "- O @Bo: Hive car.")
    with Bank.open(root, environ=ENVIRON) as bank:
        bank.sync()
        hits = bank.recall("vehicle beekeeping", kinds=["opinion"]).hits
        assert [hit.content for hit in hits] == ["Hive car."]
        assert bank.search("vehicle", path="memory/2026-01-03.md") == ()
        assert [hit.path for hit in bank.search("vehicle", path="memory")] == [
            "memory/2026-01-02.md"
        ]
