"""Objects of the caller in place of the models that the settings name."""

import json
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from lorebank import Bank
from lorebank.errors import ProviderError
from lorebank.providers.protocols import Completion, Embedder, Generator, Limits, Prompt
from support import WORDS_ONLY


class Vowels:
    """Embeds a text as how often each vowel stands in it."""

    name = "vowels"
    model = "five"
    dimension = 5
    fingerprint = "vowels/five"
    endpoint = ""
    limits = Limits()
    asked = 0

    def embed_query(self, text: str) -> NDArray[np.float32]:
        return self.embed_documents([text])[0]

    def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += len(texts)
        counts = np.array([[t.count(v) for v in "aeiou"] for t in texts], dtype=np.float32)
        lengths = np.linalg.norm(counts, axis=1, keepdims=True)
        return np.divide(counts, lengths, where=lengths > 0, out=np.zeros_like(counts))

    def cancel(self) -> None:
        pass


class Silent:
    """A chat model that finds nothing to say."""

    name = "silent"
    model = "none"
    endpoint = "here"
    asked = 0

    def complete(self, prompt: Prompt) -> Completion:
        self.asked += 1
        return Completion(json.dumps({}), 1)

    def cancel(self) -> None:
        pass


def test_a_text_that_it_refuses_costs_no_other_its_vector(tmp_path: Path) -> None:
    class Picky(Vowels):
        def embed_documents(self, texts: Sequence[str]) -> NDArray[np.float32]:
            if any("zither" in text for text in texts):
                raise ProviderError("no zithers")
            found = super().embed_documents(texts)
            found[[place for place, text in enumerate(texts) if "tuba" in text]] = np.nan
            return found

    (tmp_path / "memory").mkdir()
    (tmp_path / "memory/notes.md").write_text("A zither.\n\nA tuba.\n\nA lute.\n\nAn oboe.\n")
    with Bank.open(tmp_path, environ=WORDS_ONLY, embedder=Picky()) as bank:
        for _ in range(2):
            assert bank.sync().pending == 2
        assert {problem.code for problem in bank.status().problems} == {"texts-refused"}
        assert "semantic" in bank.recall("a lute").retrievers_used


def test_an_embedder_of_the_caller_makes_the_vectors(copy_fixture: Callable[[str], Path]) -> None:
    embedder = Vowels()
    assert isinstance(embedder, Embedder)
    with Bank.open(copy_fixture("harbour"), environ=WORDS_ONLY, embedder=embedder) as bank:
        bank.sync()
        answer = bank.recall("aeiou ooo")
        asked = embedder.asked
        assert "semantic" in bank.recall("aeiou ooo", k=3).retrievers_used
        assert embedder.asked == asked, "a question asked again is not embedded again"
        assert bank.status().embedder["provider"] == "vowels"
    assert answer.hits
    assert embedder.asked > len(answer.hits)


def test_a_generator_of_the_caller_is_asked(copy_fixture: Callable[[str], Path]) -> None:
    generator = Silent()
    assert isinstance(generator, Generator)
    environ = {**WORDS_ONLY, "LOREBANK_GENERATOR__SUMMARIES": "true"}
    with Bank.open(copy_fixture("harbour"), environ=environ, generator=generator) as bank:
        bank.reflect(now=date(2025, 12, 10))
    assert generator.asked
